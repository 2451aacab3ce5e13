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
        for name in names {
            let address = databases.address(of: name).replacing("postgresql:", with: "postgres:")
            _ = try run("store roles --store '\(address)' --serving \(role)")
        }
        try live(node, moving: owner, key)
    }

    @Test(.enabled(if: PgBouncer.isThere, Comment(rawValue: PgBouncer.tools.missing)))
    func `PgBouncer in transaction mode`() throws {
        // A node needs one connection at a time, a command two.
        let bouncers = try (1...2).map { try PgBouncer(before: databases, connections: $0) }
        let stores = bouncers.map { bouncer in
            self.stores { bouncer.address(of: $0) } + " --store-pooler"
        }
        _ = try run("store join \(stores[1]) --data data")
        try live(stores[0], moving: stores[1], "")
    }
}
