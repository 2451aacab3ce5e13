import Foundation
import MacrologTestSupport
import Testing

/// Goal: an operator of servers on PostgreSQL reads at once what is wrong, and what to type.
/// Method: the real programs, and each mistake that an operator can make.
@Suite(.enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct NodeMistakeTests {
    private let shell = ServerShell()
    private let listen = "--listen 127.0.0.1:0"

    private func store(of database: String) throws -> String {
        let address = try PostgreSQLServer.shared().address(of: database)
        return "--store '\(address.replacing("postgresql://", with: "postgres://"))'"
    }

    private func newStore() throws -> String {
        try store(of: PostgreSQLServer.shared().newDatabase())
    }

    /// Runs a line that must be refused, and gives what it says.
    private func refused(_ line: String, _ status: Int32) throws -> String {
        let ended = try shell.run("exec $SERVER \(line)")
        #expect(ended.status == status, "\(line): \(ended)")
        return ended.errors
    }

    @Test func `a node without the key of encryption at rest, or with another one, does not start`()
        throws
    {
        let store = try newStore()
        for key in ["one", "two"] { _ = try shell.done("exec $SERVER at-rest-key create \(key)") }
        let server = try shell.listen("\(store) --no-gateway --at-rest-key one")
        _ = try shell.person("ana@example.org", at: server.port)
        server.stop()
        let start = "\(store) --no-gateway --data data \(listen)"
        #expect(try refused(start, 66).contains("is encrypted. Name the file of its key"))
        #expect(try refused("\(start) --at-rest-key two", 65).contains("key given is not that of"))
        let check = "\(start) --check-config"
        #expect(try refused(check, 78).contains("is encrypted. Name the file of its key"))
        #expect(try refused("\(check) --at-rest-key two", 78).contains("is not that of"))
        _ = try shell.done("exec $SERVER \(check) --at-rest-key one")
        #expect(
            try refused("encrypt --data data --at-rest-key one", 66).contains("`migrate` it back"))
    }

    @Test func `store restored takes the list of deletions of a node, and of nothing else`() throws
    {
        let databases = try PostgreSQLServer.shared()
        let database = try databases.newDatabase()
        let store = try store(of: database)
        var server = try shell.listen("\(store) --no-gateway")
        _ = try shell.person("ana@example.org", at: server.port)
        _ = try shell.person("ben@example.org", at: server.port)
        server.stop()
        try databases.query("CREATE DATABASE \(database)_before TEMPLATE \(database)")
        server = try shell.listen("\(store) --no-gateway")
        _ = try shell.done("exec $SERVER user delete ana@example.org --yes --data data")
        server.stop()
        func putBack() throws {
            try databases.query("DROP DATABASE \(database) WITH (FORCE)")
            try databases.query("CREATE DATABASE \(database) TEMPLATE \(database)_before")
        }
        try putBack()
        #expect(
            try refused("store restored \(store) --data wrong", 66).contains("server.db.deletions"))
        #expect(!shell.exists("wrong"))
        try shell.listen("", data: "another").stop()
        _ = try shell.done("rm -r another/server.db*")
        #expect(
            try refused("store restored \(store) --data another", 65).contains("is not that of"))
        let said = try shell.done("exec $SERVER store restored \(store) --data data")
        #expect(said.contains("has 1 line "), "\(said)")
        #expect(said.contains("had been deleted, and are again: 1"), "\(said)")
        // Who forgets the command has the accounts of the node's own list deleted at its start.
        try putBack()
        server = try shell.listen("\(store) --no-gateway")
        let users = try shell.done("exec $SERVER user list --data data")
        #expect(!users.contains("ana@") && users.contains("ben@"), "\(users)")
        server.stop()
    }

    @Test func `what works on a file says that the accounts are in PostgreSQL`() throws {
        try shell.listen("\(try newStore()) --no-gateway").stop()
        _ = try shell.done("exec $SERVER at-rest-key create key")
        for (line, sentence) in [
            ("user list", "start one"), ("user disable ana@example.org", "start one"),
            ("invite create", "start one"), ("verify", "pg_amcheck"), ("backup copy", "pg_dump"),
            ("backup add copies", "pg_dump"), ("upgrade --check", "The first server"),
            ("encrypt --at-rest-key key", "migrate"),
        ] {
            let text = try refused("\(line) --data data", 66)
            #expect(text.contains("are in PostgreSQL") && text.contains(sentence), "\(text)")
        }
        try shell.write("conf", "store = postgres://macrolog@db/macrolog\n")
        let text = try refused("upgrade --check --config conf --data none", 66)
        #expect(text.contains("are in PostgreSQL"), "\(text)")
    }

    @Test func `the check of settings finds what keeps a node from starting`() throws {
        let databases = try PostgreSQLServer.shared()
        let (name, other) = (
            try databases.newDatabase(), "latin_\(UUID().uuidString.prefix(8).lowercased())"
        )
        let role = "role_\(UUID().uuidString.prefix(8).lowercased())"
        try databases.query(
            """
            CREATE DATABASE \(other) ENCODING 'LATIN1' TEMPLATE template0;
            """)
        try databases.query("CREATE ROLE \(role) LOGIN")
        try databases.query("REVOKE CREATE ON SCHEMA public FROM PUBLIC", in: name)
        func check(_ store: String, _ status: Int32 = 78, _ data: String = "none") throws -> String
        {
            try refused("\(store) --data \(data) --no-gateway --check-config", status)
        }
        let latin = try store(of: other)
        #expect(try check(latin).contains("ENCODING 'UTF8'"))
        #expect(
            try refused("\(latin) --data one --no-gateway \(listen)", 65).contains(
                "ENCODING 'UTF8'"))
        let narrow = try store(of: name).replacing("user=postgres", with: "user=\(role)")
        #expect(try check(narrow).contains("may not create them"))
        try databases.query("ALTER ROLE \(role) SET search_path = nowhere")
        #expect(try check(narrow).contains("sees no schema"))
        let good = try store(of: name)
        _ = try check(good, 0)
        try shell.listen("\(good) --no-gateway").stop()
        #expect(try check(good).contains("secrets.key is missing"))
        #expect(!shell.exists("none"))
        try shell.listen("", data: "another").stop()
        _ = try shell.done("rm -r another/server.db*")
        #expect(try check(good, 78, "another").contains("is not that of the other servers"))
        _ = try check(good, 0, "data")
    }

    @Test func `a folder of photos that is not mounted, or another one, is refused`() throws {
        let store = try newStore()
        let start = "\(store) --no-gateway --data data \(listen) --store-files"
        let server = try shell.listen("\(store) --store-files files --no-gateway")
        let phone = try shell.person("ana@example.org", at: server.port)
        try shell.addPhoto(1, to: phone)
        // As if it was unmounted.
        _ = try shell.done("mv files mounted && mkdir files")
        let isNoticed = try eventually(within: 10_000, every: 20) {
            try shell.ask(server.port, "GET /ready").hasPrefix("HTTP/1.1 503")
        }
        #expect(isNoticed)
        try shell.waitForLog("was unmounted or replaced")
        server.stop()
        #expect(try refused("\(start) files", 75).contains("knows photos, and files has none"))
        #expect(try refused("\(start) files --check-config", 78).contains("knows photos"))
        _ = try shell.done("rmdir files && mv mounted files")
        _ = try shell.done("exec $SERVER \(start) files --check-config")
        // One of another service.
        let other = "\(try newStore()) --no-gateway"
        try shell.listen("\(other) --store-files others", data: "other").stop()
        #expect(try refused("\(start) others", 78).contains("of another service"))
        // Photos that are lost.
        _ = try shell.done("mkdir empty && touch empty/server.db.blobs-of")
        try shell.listen("\(store) --no-gateway --store-files empty").stop()
        #expect(try refused("\(start) others --check-config", 78).contains("of another service"))
    }

    @Test func `on the way back to a file the lists of deletions of all nodes come along`() throws {
        let store = try newStore()
        let server = try shell.listen("\(store) --no-gateway")
        _ = try shell.person("ana@example.org", at: server.port)
        _ = try shell.done("exec $SERVER user delete ana@example.org --yes --data data")
        server.stop()
        // As if another node had deleted the account.
        _ = try shell.done("mkdir other && mv data/server.db.deletions other/server.db.deletions")
        let address = store.replacing("--store ", with: "")
        let move = "migrate --from \(address) --to sqlite:back --data data"
        #expect(try refused("\(move) --deletions none", 66).contains("there is no file none"))
        let moved = try shell.done("exec $SERVER \(move) --deletions other/server.db.deletions")
        #expect(!moved.contains("If there were other servers"), "\(moved)")
        _ = try shell.done("cmp other/server.db.deletions back/server.db.deletions")
    }
}
