import Foundation
import MacrologTestSupport
import Testing

/// Goal: an account moves between databases however these are reached: with a role that only serves, encrypted at rest,
/// and with PgBouncer in between.
/// Method: the real programs. A person logs meals while the account moves back and forth, and another device of hers
/// then has all of them.
@Suite(.enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct PlacedDeploymentTests {
    private let shell = ServerShell()
    private let databases: PostgreSQLServer
    /// Of a and b.
    private let names: [String]

    init() throws {
        databases = try PostgreSQLServer.shared()
        names = try [databases.newDatabase(), databases.newDatabase()]
    }

    private func run(_ line: String, _ status: Int32 = 0) throws -> String {
        let ended = try shell.run("exec $SERVER \(line)")
        #expect(ended.status == status, "\(line): \(ended)")
        return status == 0 ? ended.output : ended.errors
    }

    /// The words that name both databases.
    private func stores(_ address: (String) -> String) -> String {
        zip(["a", "b"], names).map { name, database in
            let address = address(database).replacing("postgresql://", with: "postgres://")
            return "--store '\(name)=\(address)'"
        }.joined(separator: " ")
    }

    private func type(_ computer: Computer, _ words: String) throws -> String {
        let ended = try computer.run(
            words.split(separator: " ").map(String.init), input: "nine purple lanterns hum\n")
        #expect(ended.status == 0, "\(words): \(ended.errors)")
        return ended.output
    }

    /// The number that a query finds in a and in b.
    private func counts(_ query: String) throws -> [String] {
        try names.map { try databases.query(query, in: $0) }
    }

    /// Moves an account back and forth while its owner logs meals, and deletes it at last.
    private func live(_ serving: String, moving: String, _ words: String) throws {
        let server = try shell.listen("\(serving) --store-files files --no-gateway \(words)")
        let phone = try shell.person("ana@example.org", at: server.port)
        _ = try shell.person("ben@example.org", at: server.port)
        for (round, store) in ["b", "a", "b"].enumerated() {
            let said = try run(
                "account move ana@example.org --to \(store) \(moving) --data data \(words)")
            #expect(said.contains("from \(store == "a" ? "b" : "a") to \(store)"), "\(said)")
            _ = try type(phone, "quick \(100 + round)kcal Plum\(round)")
            _ = try type(phone, "sync")
        }
        let laptop = try shell.device(of: "ana@example.org", at: server.port)
        _ = try type(laptop, "sync")
        let day = try type(laptop, "day show")
        for round in 0..<3 { #expect(day.contains("Plum\(round)"), "\(day)") }
        #expect(try counts("SELECT count(*) FROM account") == ["1", "1"])
        #expect(try run("account list \(moving)").contains(/ana@example.org +b/))
        // What is left of her goes from both.
        _ = try run("user delete ana@example.org --yes --data data")
        let isGone = try eventually(within: 20_000) {
            try counts("SELECT count(*) FROM account") == ["1", "0"]
                && counts("SELECT count(*) FROM event WHERE space = 1") == ["0", "0"]
        }
        #expect(isGone)
        server.stop()
    }

    @Test func `a role that only serves, with encryption at rest`() throws {
        let role = "node_\(names[0])"
        try databases.query("CREATE ROLE \(role) LOGIN")
        _ = try run("at-rest-key create rest.key")
        let owner = stores { databases.address(of: $0) }
        let node = stores {
            databases.address(of: $0).replacing("user=postgres", with: "user=\(role)")
        }
        let key = "--at-rest-key rest.key"
        _ = try run("store join \(owner) --data data \(key)")
        for (index, name) in names.enumerated() {
            let address = databases.address(of: name).replacing("postgresql:", with: "postgres:")
            _ = try run("store roles --store '\(address)' --serving \(role)")
            guard index + 1 < names.count else { continue }
            // It says which of the databases refuses.
            let refusal = try run("\(node) --data data \(key) --check-config", 78)
            #expect(refusal.contains("may not do this in \(names[index + 1]) on "), "\(refusal)")
        }
        try live(node, moving: owner, key)
    }

    @Test(.enabled(if: PgBouncer.isThere, Comment(rawValue: PgBouncer.tools.missing)))
    func `PgBouncer in transaction mode`() throws {
        // A node needs one connection at a time, a command two.
        var bouncers = try (1...2).map { try PgBouncer(before: databases, connections: $0) }
        let stores = bouncers.map { bouncer in
            self.stores { bouncer.address(of: $0) } + " --store-pooler"
        }
        _ = try run("store join \(stores[1]) --data data")
        try live(stores[0], moving: stores[1], "")
        // It keeps connections of the node that has stopped, until it is restarted.
        let restored = "--restored b --store-files files --data data"
        let refusal = try run("store restored \(stores[1]) \(restored)", 75)
        #expect(refusal.contains("restart it"), "\(refusal)")
        bouncers = []
        let fresh = try PgBouncer(before: databases, connections: 2)
        let again = self.stores { fresh.address(of: $0) } + " --store-pooler"
        let said = try run("store restored \(again) \(restored)")
        #expect(said.contains("The logs in b have the new epoch"), "\(said)")
    }

    /// The commands are those of sync-server/README.md, "Move one of several databases".
    @Test func `one of several databases goes to another server of PostgreSQL`() throws {
        let other = try PostgreSQLServer(isDurable: false)
        let stores = stores { databases.address(of: $0) }
        _ = try run("store join \(stores) --data data")
        var server = try shell.listen("\(stores) --store-files files --no-gateway")
        let listen = "--store-files files --no-gateway --listen 127.0.0.1:\(server.port)"
        let phone = try shell.person("ana@example.org", at: server.port)
        _ = try run("account move ana@example.org --to b \(stores) --data data")
        _ = try type(phone, "quick 100kcal Plum")
        _ = try type(phone, "sync")
        let (old, new) = ("\(names[1])_old", names[1])
        // As long as a server runs.
        #expect(throws: UnpackedProcess.Failed.self) {
            try databases.query("ALTER DATABASE \(new) RENAME TO \(old)")
        }
        server.stop()
        let isRenamed = eventually {
            (try? databases.query("ALTER DATABASE \(new) RENAME TO \(old)")) != nil
        }
        try #require(isRenamed)
        let files = ScratchFolder()
        let file = files.file("b.dump")
        try UnpackedProcess.give(files.path)
        try databases.dump(old, to: file)
        try other.query("CREATE DATABASE \(new)")
        // Half of the file brings nothing.
        let whole = try Data(contentsOf: URL(filePath: file))
        try whole.prefix(whole.count / 2).write(to: URL(filePath: file))
        #expect(throws: UnpackedProcess.Failed.self) { try other.restore(new, from: file) }
        let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        #expect(try other.query(tables, in: new) == "0")
        try whole.write(to: URL(filePath: file))
        try other.restore(new, from: file)

        let late = try run("\(stores) --data data \(listen)", 69)
        #expect(late.contains("does not exist"), "\(late)")
        let moved = self.stores { $0 == new ? other.address(of: $0) : databases.address(of: $0) }
        server = try shell.listen("\(moved) \(listen)")
        _ = try type(phone, "quick 200kcal Pear")
        _ = try type(phone, "sync")
        let laptop = try shell.device(of: "ana@example.org", at: server.port)
        _ = try type(laptop, "sync")
        let day = try type(laptop, "day show")
        #expect(day.contains("Plum") && day.contains("Pear"), "\(day)")
        #expect(try run("account list \(moved)").contains(/ana@example.org +b/))
        _ = try run("account move ana@example.org --to a \(moved) --data data")
        _ = try type(laptop, "sync")
        server.stop()
    }
}
