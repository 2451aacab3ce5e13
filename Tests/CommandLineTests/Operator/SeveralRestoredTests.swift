import Foundation
import MacrologTestSupport
import Testing

/// Goal: an operator brings one of several databases back, and does what the command says; then people have their logs.
/// Method: the real programs: one account leaves the database after its backup, another one comes; the command is killed
/// now and then.
@Suite(.enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct SeveralRestoredTests {
    private let shell = ServerShell()

    private func run(_ line: String, _ status: Int32 = 0) throws -> String {
        let ended = try shell.run("exec $SERVER \(line)")
        #expect(ended.status == status, "\(line): \(ended)")
        return status == 0 ? ended.output : ended.errors
    }

    private func type(_ computer: Computer, _ words: String, isRefused: Bool = false) throws
        -> String
    {
        let ended = try computer.run(
            words.split(separator: " ").map(String.init), input: "nine purple lanterns hum\n")
        #expect((ended.status != 0) == isRefused, "\(words): \(ended.errors)")
        return ended.output
    }

    @Test(arguments: Dice.seeds(1))
    func `a database that was lost is brought back, and the devices bring what it lacks`(
        seed: UInt64
    ) throws {
        var dice = Dice(seed: seed)
        let databases = try PostgreSQLServer.shared()
        let names = (try databases.newDatabase(), try databases.newDatabase())
        let addresses = [names.0, names.1].map {
            databases.address(of: $0).replacing("postgresql://", with: "postgres://")
        }
        let stores = "--store 'a=\(addresses[0])' --store 'b=\(addresses[1])'"
        _ = try run("store join \(stores) --data data")
        var server = try shell.listen("\(stores) --store-files files --no-gateway")
        let port = server.port
        let (ana, ben) = (
            try shell.person("ana@example.org", at: port),
            try shell.person("ben@example.org", at: port)
        )
        func move(_ person: String, _ store: String) throws {
            _ = try run("account move \(person)@example.org --to \(store) \(stores) --data data")
        }
        try move("ben", "b")
        server.stop()
        try databases.query("CREATE DATABASE \(names.1)_old TEMPLATE \(names.1)")
        try move("ana", "b")
        try move("ben", "a")
        let again = "\(stores) --store-files files --no-gateway --listen 127.0.0.1:\(port)"
        server = try shell.listen(again)
        for phone in [ana, ben] {
            _ = try type(phone, "quick 100kcal Bread")
            _ = try type(phone, "sync")
        }
        let restored = "store restored \(stores) --store-files files --data data"
        _ = try shell.done("mkdir -m 700 other && cp -p data/secrets.key other")
        let besides = "store restored \(stores) --data other --restored b"
        #expect(try run(besides, 75).contains("a server is connected to a"))
        server.stop()
        try databases.query("DROP DATABASE \(names.1) WITH (FORCE)")
        try databases.query("CREATE DATABASE \(names.1) TEMPLATE \(names.1)_old")

        #expect(try run(restored, 64).contains("--restored NAME"))
        #expect(try run("\(restored) --restored c", 64).contains("none of the databases: a, b"))
        #expect(
            try run("\(restored) --restored b --account ana@example.org", 64).contains(
                "cannot be combined"))
        for _ in 0..<4 {
            let wait = String(format: "%03d", dice.below(120))
            let ended = try shell.run(
                "$SERVER \(restored) --restored b & sleep 0.\(wait); kill -9 $!; wait $!")
            #expect([0, 137].contains(ended.status), "seed \(seed): \(ended)")
        }
        let said = try run("\(restored) --restored b")
        #expect(said.contains("The logs in b have the new epoch"), "\(said)")
        #expect(said.contains("moved to it, after the backup: number 1 in b."), "\(said)")

        server = try shell.listen(again)
        #expect(try run("account list \(stores)").contains(/ben@example.org +a/))
        _ = try type(ben, "quick 50kcal Plum")
        _ = try type(ben, "sync")
        #expect(try type(ben, "day show").contains("Plum"))
        _ = try type(ana, "quick 50kcal Plum")
        _ = try type(ana, "sync", isRefused: true)
        let url = "--server http://127.0.0.1:\(port) --password-stdin"
        _ = try type(ana, "auth login ana@example.org --move \(url)", isRefused: true)
        _ = try type(ana, "auth register ana@example.org \(url)")
        _ = try type(ana, "auth login ana@example.org --move \(url)")
        _ = try type(ana, "sync")
        let other = try shell.device(of: "ana@example.org", at: port)
        _ = try type(other, "sync")
        let day = try type(other, "day show")
        #expect(day.contains("Plum") && day.contains("Bread"), "\(day)")
        #expect(try run("account list \(stores)").contains(/ana@example.org +b/))
        server.stop()
    }

    /// The tables are those of sync-server/README.md, "One of several databases was lost".
    @Test func `the rows of an account that was lost come from a backup of the database before`()
        throws
    {
        let databases = try PostgreSQLServer.shared()
        let (a, b) = (try databases.newDatabase(), try databases.newDatabase())
        let stores = [("a", a), ("b", b)].map { name, database in
            let address = databases.address(of: database)
            return "--store '\(name)=\(address.replacing("postgresql://", with: "postgres://"))'"
        }.joined(separator: " ")
        _ = try run("store join \(stores) --data data")
        var server = try shell.listen("\(stores) --store-files files --no-gateway")
        let again =
            "\(stores) --store-files files --no-gateway --listen 127.0.0.1:\(server.port)"
        let ana = try shell.person("ana@example.org", at: server.port)
        _ = try type(ana, "quick 100kcal Bread")
        _ = try type(ana, "sync")
        server.stop()
        for name in [a, b] {
            try databases.query("CREATE DATABASE \(name)_before TEMPLATE \(name)")
        }
        _ = try run("account move ana@example.org --to b \(stores) --data data")
        server = try shell.listen(again)
        _ = try type(ana, "quick 200kcal Rice")
        _ = try type(ana, "sync")
        server.stop()
        try databases.query("DROP DATABASE \(b) WITH (FORCE)")
        try databases.query("CREATE DATABASE \(b) TEMPLATE \(b)_before")
        let restored = "store restored \(stores) --store-files files --data data"
        #expect(try run("\(restored) --restored b").contains("number 1 in b."))

        let tables = """
            account data_key session event blob blob_mention known_network code share analysis_day webhook \
            webhook_look
            """
        for table in tables.split(separator: " ") {
            let rows = try databases.query(
                "COPY (SELECT * FROM \(table) WHERE space = 1) TO STDOUT", in: "\(a)_before")
            _ = try databases.query(
                """
                SET macrolog.placement = 'on';
                COPY \(table) FROM STDIN;
                \(rows)\(rows.isEmpty ? "" : "\n")\\.

                """, in: b)
        }
        let address = databases.address(of: b).replacing("postgresql://", with: "postgres://")
        let ofOne = "store restored --account ana@example.org --store '\(address)'"
        _ = try run("\(ofOne) --store-files files --data data")

        server = try shell.listen(again)
        _ = try type(ana, "quick 50kcal Plum")
        _ = try type(ana, "sync")
        let laptop = try shell.device(of: "ana@example.org", at: server.port)
        _ = try type(laptop, "sync")
        let day = try type(laptop, "day show")
        for food in ["Bread", "Rice", "Plum"] { #expect(day.contains(food), "\(day)") }
        #expect(try run("account list \(stores)").contains(/ana@example.org +b/))
        server.stop()
    }

    @Test func `one database, or a file, has no name to give`() throws {
        #expect(try run("store restored --restored b --data data", 64).contains("--store NAME="))
        let address = "postgres://host/macrolog"
        #expect(
            try run("store restored --store \(address) --restored b --data data", 64).contains(
                "give each --store a name"))
        #expect(try run("store roles --store \(address) --data data", 64).contains("--data"))
    }
}
