import Foundation
import MacrologTestSupport
import Testing

/// Goal: an operator moves a server to PostgreSQL and back, whatever happens on the way, and no device notices.
/// Method: the real programs: a phone that syncs before and after, moves that are killed after some lines, by
/// seed, and each mistake that an operator can make.
@Suite(.enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct MigrateTests {
    private let shell = ServerShell()

    private func database() throws -> String {
        let server = try PostgreSQLServer.shared()
        // The shell's words, and `postgres://` as the page writes it.
        let address = server.address(of: try server.newDatabase()) + "&connect_timeout=600"
        return address.replacing("postgresql://", with: "postgres://")
    }

    /// Runs a line that must be refused, and gives what it says.
    private func refused(_ line: String, _ status: Int32) throws -> String {
        let ended = try shell.run("exec $SERVER \(line)")
        #expect(ended.status == status, "\(line): \(ended)")
        return ended.errors
    }

    /// Moves, killing the process after some of its lines, until it comes through.
    ///
    /// - Returns: What the last one said, and how many were killed.
    private func move(
        _ words: String, _ dice: inout Dice, whenKilled: () throws -> Void
    ) throws -> (output: String, kills: Int) {
        for kills in 0... {
            let output = Pipe()
            let process = Process()
            process.executableURL = try BuiltProgram.url("sync-server")
            process.arguments = ["migrate"] + words.split(separator: " ").map(String.init)
            process.currentDirectoryURL = shell.folder.url
            process.standardError = output
            let result = Pipe()
            process.standardOutput = result
            try process.run()
            let enough = dice.below(12 + 6 * kills) + 1
            var (lines, text) = (0, "")
            while lines < enough {
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else { break }
                text += String(decoding: data, as: UTF8.self)
                lines += data.count { $0 == UInt8(ascii: "\n") }
            }
            if lines >= enough { kill(process.processIdentifier, SIGKILL) }
            process.waitUntilExit()
            if process.terminationReason == .exit {
                #expect(process.terminationStatus == 0, "\(text)")
                let data = result.fileHandleForReading.readDataToEndOfFile()
                return (String(decoding: data, as: UTF8.self), kills)
            }
            try whenKilled()
        }
        return ("", 0)
    }

    private func run(_ phone: Computer, _ words: String) throws -> String {
        let result = try phone.run(words.split(separator: " ").map(String.init), together: true)
        #expect(result.status == 0, "\(words): \(result.output)")
        return result.output
    }

    /// The epoch that the log of a server names.
    private func epoch() throws -> Substring? {
        try shell.waitForLog("\"started\"")
        return try shell.errors().firstMatch(of: /"epoch":"?(\d+)/)?.1
    }

    @Test func `the line with which the new server starts has what it needs`() throws {
        let made = try shell.run("exec $SERVER at-rest-key create key")
        #expect(made.status == 0, "\(made)")
        try shell.listen("--at-rest-key key").stop()
        let store = try database()
        for (way, end) in [
            ("--from sqlite:data --to '\(store)'", "--store-files files --data node"),
            ("--from '\(store)' --to sqlite:back", "--data back"),
        ] {
            let moved = try shell.run(
                "exec $SERVER migrate \(way) --data node --store-files files --at-rest-key key")
            let line = moved.output.split(separator: "\n").first { $0.hasPrefix("Start ") }
            #expect(line?.hasSuffix("\(end) --at-rest-key key") == true, "\(moved)")
        }
        // A complete store is never what --start-over empties, nor is one whose contents are elsewhere.
        let again = "migrate --from '\(store)' --data node --store-files files --start-over"
        let text = try refused("\(again) --to sqlite:data --at-rest-key key", 65)
        #expect(text.contains("was moved to"), "\(text)")
        let complete = try shell.done("exec $SERVER \(again) --to sqlite:back --at-rest-key key")
        #expect(complete.contains("Had been moved before"), "\(complete)")
        #expect(shell.exists("data/server.db"))
        #expect(
            try shell.done("exec $SERVER verify back/server.db --at-rest-key key").contains(
                "no damage"))
    }

    @Test(arguments: Dice.seeds(1))
    func
        `a server that moves to PostgreSQL and back, killed on the way, is the same to its devices`(
            seed: UInt64
        ) throws
    {
        var dice = Dice(seed: seed)
        let first = try shell.listen("")
        let phone = try shell.person("ana@example.org", at: first.port)
        try shell.addPhoto(1, to: phone)
        let listen = "--listen 127.0.0.1:\(first.port)"
        let before = try epoch()
        let identity = try run(phone, "auth sessions --json")
        first.stop()

        let store = try database()
        let there = "--from sqlite:data --to \(store) --data node --store-files files"
        let moved = try move(there, &dice) {
            let half = try shell.run(
                "exec $SERVER --store '\(store)' --store-files files --data node --listen 127.0.0.1:0 --check-config"
            )
            // Before its first line nothing is in the database, and after its last one it is complete.
            if half.status != 0 {
                #expect(half.errors.contains("is not complete"), "seed \(seed): \(half)")
            }
        }
        #expect(moved.output.contains("3 events of 1 accounts, 1 photos"), "seed \(seed): \(moved)")
        #expect(try refused("--data data", 65).contains("is in "))
        #expect(try refused("user list --data data", 65).contains("is in "))

        let second = try shell.listen(
            "--store '\(store)' --store-files files --no-gateway \(listen)",
            data: "node")
        #expect(try epoch() == before, "seed \(seed)")
        #expect(try run(phone, "sync").contains("Up to date"), "seed \(seed)")
        _ = try run(phone, "quick 100kcal Bread")
        #expect(!(try run(phone, "sync")).contains("recover"), "seed \(seed)")
        #expect(try run(phone, "auth sessions --json").count == identity.count, "the same sessions")
        #expect(
            try refused(
                "migrate --from '\(store)' --to sqlite:back --data node --store-files files", 75
            )
            .contains("server"))
        #expect(!shell.exists("back/server.db"), "what is refused makes nothing")
        second.stop()

        let back = "--from \(store) --to sqlite:back --data node --store-files files"
        let returned = try move(back, &dice) {
            let half = try shell.run("exec $SERVER user list --data back")
            // Before its first line there is no database.
            if half.status != 0, half.status != 66 {
                #expect(half.errors.contains("is not complete"), "seed \(seed): \(half)")
            }
        }
        #expect(
            returned.output.contains("4 events of 1 accounts, 1 photos"),
            "seed \(seed): \(returned)")
        #expect(moved.kills + returned.kills > 0, "seed \(seed): no move was killed")
        #expect(
            try refused(
                "--store '\(store)' --store-files files --data node --listen 127.0.0.1:0", 65
            )
            .contains("two servers must not go on from it"))

        let third = try shell.listen(listen, data: "back")
        defer { third.stop() }
        #expect(try epoch() == before, "seed \(seed)")
        #expect(try run(phone, "sync").contains("Up to date"), "seed \(seed)")
        _ = try run(phone, "quick 50kcal Plum")
        #expect(!(try run(phone, "sync")).contains("recover"), "seed \(seed)")
        let tablet = try Computer()
        let login = try tablet.run(
            [
                "auth", "login", "ana@example.org", "--server", "http://127.0.0.1:\(first.port)",
                "--password-stdin",
            ], input: "nine purple lanterns hum\n")
        #expect(login.status == 0, "\(login.errors)")
        _ = try run(tablet, "sync")
        #expect(try run(tablet, "day show").contains("Plum"))
    }

    @Test func `each wrong store and state is refused with what to do`() throws {
        let store = try database()
        let server = try shell.listen("")
        _ = try shell.person("ana@example.org", at: server.port)
        let move = "migrate --data node"
        for (words, status, sentence) in [
            ("", 64, "give both --from and --to"),
            ("--from sqlite:data", 64, "give both"),
            ("--from data --to '\(store)'", 64, "data is no store"),
            ("--from sqlite:data --to sqlite:other", 64, "`backup` and `restore`"),
            ("--from '\(store)' --to '\(store)'", 64, "pg_dump"),
            ("--from sqlite: --to '\(store)'", 64, "names no folder"),
            ("--from sqlite:none --to '\(store)'", 66, "there is no database"),
            ("--from sqlite:data --to postgres://x:secret@h/d", 64, "password"),
            ("--from sqlite:data --to '\(store)'", 75, "is held by process"),
        ] as [(String, Int32, String)] {
            let text = try refused("\(move) \(words)", status)
            #expect(text.contains(sentence), "\(words): \(text)")
        }
        server.stop()
        #expect(
            try refused("\(move) --from sqlite:data --to 'postgres://u@127.0.0.1:1/d'", 69)
                .contains("it continues"))
        #expect(!shell.exists("node/secrets.key"), "what is refused brings nothing")
        _ = try shell.done("cp -p data/secrets.key node/secrets.key")
        #expect(
            try refused("migrate --from sqlite:data --to '\(store)' --data data", 64)
                .contains("--data is the folder of sqlite:data"))
        #expect(
            try refused("\(move) --from '\(store)' --to sqlite:fresh", 66)
                .contains("holds no store"))
        #expect(!shell.exists("fresh/server.db"))
        // Someone else's secrets are beside the target, or a store is there.
        _ = try shell.done(
            "mkdir -m 700 wrong && head -c 96 /dev/zero > wrong/secrets.key && chmod 600 wrong/secrets.key"
        )
        #expect(
            try refused("migrate --from sqlite:data --to '\(store)' --data wrong", 65)
                .contains("wrong/secrets.key is not that of data"))
        let other = try shell.listen("--store '\(store)' --no-gateway", data: "elsewhere")
        other.stop()
        #expect(
            try refused("\(move) --from sqlite:data --to '\(store)'", 73)
                .contains("two cannot be joined"))
        // A damaged source stays what it is.
        _ = try shell.done("cp -r data broken")
        let path = shell.folder.file("broken/server.db")
        var bytes = try Data(contentsOf: URL(filePath: path))
        let place = try #require(bytes.range(of: Data("Marzipanbrot".utf8))).lowerBound
        bytes[place] ^= 1
        try bytes.write(to: URL(filePath: path))
        #expect(
            try refused("migrate --from sqlite:broken --to '\(database())' --data another", 65)
                .contains("is damaged, and nothing was moved"))
        #expect(shell.files(below: "another").allSatisfy { $0.hasSuffix(".lock") }, "nothing else")
        // Photos in a bucket stay there.
        _ = try shell.done("printf s3://bucket/photos > data/blobs.place")
        let moved = try shell.done(
            "exec $SERVER migrate --from sqlite:data --to '\(try database())' --data node 2>&1")
        #expect(moved.contains("Moved and compared"), "\(moved)")
        #expect(moved.contains("with the --blobs of before"), "\(moved)")
        #expect(try shell.done("cat node/blobs.place") == "s3://bucket/photos")
        #expect(
            try refused("migrate --from sqlite:data --to '\(try database())' --data node", 65)
                .contains("was moved to"))
    }

    @Test(arguments: [true, false])
    func `a database that was recovered to an earlier moment gets back what it lacks, once`(
        hasAllFirst: Bool
    ) throws {
        let postgres = try PostgreSQLServer.shared()
        let (now, earlier) = (
            try postgres.newDatabase(), "earlier_\(UUID().uuidString.prefix(8).lowercased())"
        )
        let words = "--no-gateway --store '\(postgres.address(of: now))'"
        var server = try shell.listen(words)
        let listen = " --listen 127.0.0.1:\(server.port)"
        let phone = try shell.person("ana@example.org", at: server.port)
        let laptop = try shell.device(of: "ana@example.org", at: server.port)
        _ = try run(laptop, "sync")
        server.stop()
        // As the archive of PostgreSQL's log would give it.
        try postgres.query("CREATE DATABASE \(earlier) TEMPLATE \(now)")
        server = try shell.listen(words + listen)
        for device in [phone, laptop, phone] {
            _ = try run(device, "quick 100kcal Bread")
            _ = try run(device, "sync")
        }
        server.stop()
        let rows = "SELECT place, t, encode(hash, 'hex') FROM event ORDER BY place"
        let sealed = try postgres.query(rows, in: now).split(separator: "\n")
        try postgres.query(
            """
            ALTER DATABASE \(now) RENAME TO \(earlier)_lost; ALTER DATABASE \(earlier) RENAME TO \(now)
            """.replacing("; ", with: ";\n"))
        // What is recorded meanwhile waits.
        _ = try run(laptop, "quick 50kcal Plum")
        let told = try shell.done(
            "exec $SERVER store restored --store '\(postgres.address(of: now))' --data data")
        #expect(told.contains("has the new epoch"), "\(told)")
        server = try shell.listen(words + listen)
        // The laptop does not know the last event: if it comes first, that one is sealed again, after its own.
        let order = hasAllFirst ? [phone, laptop] : [laptop, phone]
        for device in order + order { _ = try run(device, "sync") }
        server.stop()
        let after = try postgres.query(rows, in: now).split(separator: "\n")
        let known = hasAllFirst ? sealed.count : sealed.count - 1
        #expect(after.prefix(known) == sealed.prefix(known), "sealed as before")
        let hashes = after.map { $0.split(separator: "|")[2] }
        #expect(Set(hashes).count == hashes.count, "sealed once")
        #expect(after.count == sealed.count + 1, "\(after.count) instead of \(sealed.count + 1)")
        for device in [phone, laptop] {
            let day = try run(device, "day show")
            #expect(day.contains("Plum") && day.split(separator: "Bread").count == 4, "\(day)")
            _ = try run(device, "doctor")
        }
        #expect(
            try refused(
                "store restored --store '\(postgres.address(of: try postgres.newDatabase()))' --data data",
                66
            )
            .contains("holds no store"))
    }
}
