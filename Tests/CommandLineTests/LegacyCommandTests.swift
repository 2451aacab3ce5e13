import Foundation
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: the people of an earlier system continue with their address, their password and their diary.
/// Method: the real programs: an operator imports the accounts, a person logs in with the password of
/// before, brings the diary, and finds it on another device.
@Suite struct LegacyCommandTests {
    /// A dump in which the hash is of ``EngineTests/password`` at cost 5.
    private static let dump = #"""
        COPY public."User" (id, email, "passwordHash", "createdAt") FROM stdin;
        u1	ana@example.org	$2b$05$abcdefghijklmnopqrstuuzzd2C0tUHzNRQXxZF9GwdZEl/Fdvhzi	2024-03-01 08:00:00
        u2	ben@example.org	\N	2024-03-01 08:00:00
        u3	no address	\N	2024-03-01 08:00:00
        \.
        COPY public."MealAnalysis" (id, "userId", "dishName", calories, "isConsumed", "createdAt") FROM stdin;
        m1	u1	Soup	460	t	2024-03-10 12:30:00
        m2	\N	Cake	300	\N	2024-03-10 14:30:00
        \.

        """#

    @Test func `a person continues with the password of before and the diary of before`() throws {
        let server = try ServerProcess()
        let shell = ServerShell()
        try shell.write("dump.sql", Self.dump)
        let line = "exec $SERVER user import dump.sql --data \(server.data)"
        let first = try shell.run(line)
        #expect(first.status == 65, "\(first)")
        #expect(first.output.hasPrefix("Added 2 accounts; 0 were here already.\n"))
        #expect(
            first.output.contains("ben@example.org has no password: sync-server user reset-code"))
        #expect(first.errors.contains("line 4: "), "\(first.errors)")
        #expect(try shell.run(line).output == "Added 0 accounts; 2 were here already.\n")
        // The times of the dump are UTC, and elsewhere some are of another day.
        let (phone, laptop) = (try Computer(zone: "Etc/GMT"), try Computer(zone: "Etc/GMT"))
        try Self.dump.write(
            to: phone.folder.appending(path: "dump.sql"), atomically: true, encoding: .utf8)
        for (device, name) in [(phone, "phone"), (laptop, "laptop")] {
            device.environment["MACROLOG_SERVER"] = server.address
            try SyncedDevices.run(
                device, "auth login ana@example.org --password-stdin --device \(name)")
        }
        let asked = try phone.run(["import", "legacy", "dump.sql"])
        #expect(asked.status == 64 && asked.errors.contains("3 people"), "\(asked.errors)")
        let words = "import legacy dump.sql --user ana@example.org"
        let dry = try phone.run(Transcript.words("macrolog \(words) --dry-run"))
        #expect(dry.output.contains("Would import meals: 1 new"), "\(dry)")
        let done = try phone.run(Transcript.words("macrolog \(words)"))
        #expect(done.status == 0 && done.output.contains("Imported meals: 1 new"), "\(done)")
        #expect(done.output.contains("To undo the import: macrolog undo"))
        #expect(done.errors.contains("1 row of the file belong to no one"), "\(done.errors)")
        let again = try phone.run(Transcript.words("macrolog \(words) --json"))
        let json = try JSON.parse(Array(again.output.utf8))
        #expect(json["group_id"] == .null)
        #expect(json["imports"]?.array?.last?["rows_same"] == 1)
        try SyncedDevices.run(phone, "sync")
        try SyncedDevices.run(laptop, "sync")
        let list = try SyncedDevices.run(laptop, "meal list --date 2024-03-10")
        #expect(list.contains("Soup") && !list.contains("Cake"))
    }

    @Test func `a deficit beside stated numbers is not taken off those that are computed later`()
        throws
    {
        let computer = try Computer(zone: "Etc/GMT")
        try #"""
        {"user_goals": [{"id": 1, "user_id": 7, "daily_calorie_goal": 2000, "calorie_deficit_goal": 500,
          "created_at": "2024-03-01T12:00:00Z"}]}
        """#.write(
            to: computer.folder.appending(path: "goals.json"), atomically: true, encoding: .utf8)
        func run(_ words: String) throws -> String {
            let result = try computer.run(Transcript.words("macrolog \(words)"))
            #expect(result.status == 0, "\(words): \(result)")
            return result.output
        }
        _ = try run("import legacy goals.json")
        #expect(try run("goal show --date 2024-03-05").contains("Energy    at most  2,000 kcal"))
        _ = try run("profile set --sex male --height 180 --birth 1990-05-17")
        _ = try run("weight log 80kg --at 2024-03-10T07:00")
        let set = try run("goal set --mode dynamic --date 2024-03-10")
        #expect(
            set.contains("2,118 + 0 = 2,118 kcal") && set.contains("No longer stated: "), "\(set)")
    }

    @Test func `what is no such file is refused, with what to take`() throws {
        let computer = try Computer()
        try "hello\n".write(
            to: computer.folder.appending(path: "x.sql"), atomically: true, encoding: .utf8)
        for (words, status, hint) in [
            ("import legacy x.sql", 65, "pg_dump"),
            ("import legacy nothing.sql", 66, "nothing.sql"),
        ] as [(String, Int32, String)] {
            let result = try computer.run(Transcript.words("macrolog \(words)"))
            #expect(result.status == status, "\(result)")
            #expect(result.errors.contains(hint), "\(result.errors)")
        }
        let shell = ServerShell()
        try shell.write("x.sql", "hello\n")
        let refused = try shell.run("exec $SERVER user import x.sql --data data")
        #expect(refused.status == 65 && refused.errors.contains("line 1"), "\(refused)")
    }
}
