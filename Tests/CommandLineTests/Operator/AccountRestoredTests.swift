import Foundation
import MacrologSQLite
import MacrologTestSupport
import Testing

/// Goal: one person's log is put back to an earlier state; the devices of that person fill it, and others notice nothing.
/// Method: the real programs, on a file and on a database whose server runs meanwhile; the rows are put back as
/// `sync-server/README.md` says.
@Suite struct AccountRestoredTests {
    private let shell = ServerShell()

    private func run(_ computer: Computer, _ words: String) throws -> String {
        let ended = try computer.run(words.split(separator: " ").map(String.init))
        #expect(ended.status == 0, "\(words): \(ended.errors)")
        return ended.output
    }

    @Test(arguments: PostgreSQLServer.isThere ? [false, true] : [false])
    func `the log of one person goes back, and is filled again`(isShared: Bool) throws {
        let database = isShared ? try PostgreSQLServer.shared().newDatabase() : ""
        let store =
            isShared ? "--store '\(try PostgreSQLServer.shared().address(of: database))'" : ""
        let path = shell.folder.file("data/server.db")
        func rows(of space: Int64) throws -> [String] {
            if isShared {
                return try PostgreSQLServer.shared().query(
                    "SELECT place, t, encode(hash, 'hex') FROM event WHERE space = \(space) ORDER BY place",
                    in: database
                ).split(separator: "\n").map(String.init)
            }
            var db = try Connection.open(path, mode: .readOnly)
            return try db.all(
                "SELECT place, t, lower(hex(hash)) FROM event WHERE space = ? ORDER BY place", space
            ) { "\($0.int(0))|\($0.int(1))|\($0.text(2))" }
        }
        var server = try shell.listen("--no-gateway \(store)")
        let listen = " --listen 127.0.0.1:\(server.port)"
        let phone = try shell.person("ana@example.org", at: server.port)
        let laptop = try shell.device(of: "ana@example.org", at: server.port)
        let other = try shell.person("ben@example.org", at: server.port)
        let kept = try rows(of: 1).count
        for device in [phone, laptop, other, phone] {
            _ = try run(device, "quick 100kcal Bread")
            _ = try run(device, "sync")
        }
        if !isShared { server.stop() }
        let (sealed, others) = (try rows(of: 1), try rows(of: 2))
        try #require(kept > 0 && sealed.count == kept + 3)
        // The law that no event is deleted is lifted for an account that is being deleted.
        let putBack = [
            "UPDATE account SET deleted = 1 WHERE space = 1",
            "DELETE FROM event WHERE space = 1 AND place > \(Int64(1) << 40 + Int64(kept))",
            "UPDATE account SET deleted = NULL WHERE space = 1",
        ]
        if isShared {
            try PostgreSQLServer.shared().query(
                "BEGIN;\n\(putBack.joined(separator: ";\n"));\nCOMMIT;", in: database)
        } else {
            var db = try Connection.open(path)
            try db.run("UPDATE account SET deleted = 1 WHERE space = 1")
            try db.run(
                "DELETE FROM event WHERE place > ? AND space = 1", Int64(1) << 40 + Int64(kept))
            try db.run("UPDATE account SET deleted = NULL WHERE space = 1")
        }
        try #require(rows(of: 1).count == kept)
        _ = try run(laptop, "quick 50kcal Plum")
        let said = try shell.done(
            "exec $SERVER store restored \(store) --data data --account Ana@example.org"
        )
        #expect(
            said.contains("Ana@example.org in") && said.contains("has the new epoch"), "\(said)")
        if !isShared { server = try shell.listen("--no-gateway" + listen) }
        for device in [phone, other, laptop, phone] { _ = try run(device, "sync") }
        let after = try rows(of: 1)
        #expect(after.prefix(sealed.count) == sealed[...], "sealed as before")
        #expect(after.count == sealed.count + 1)
        #expect(try rows(of: 2) == others)
        for device in [phone, laptop] {
            let day = try run(device, "day show")
            #expect(day.contains("Plum") && day.split(separator: "Bread").count == 4, "\(day)")
            _ = try run(device, "doctor")
        }
        if !isShared {
            let refused = try shell.run(
                "exec $SERVER store restored --data data --account ana@example.org")
            #expect(refused.status == 75, "\(refused)")
        }
        server.stop()
        func countOwn() throws -> String {
            if isShared {
                return try PostgreSQLServer.shared().query(
                    "SELECT count(epoch) FROM account", in: database)
            }
            var db = try Connection.open(path, mode: .readOnly)
            return try db.first("SELECT count(epoch) FROM account") { "\($0.int(0))" } ?? ""
        }
        #expect(try countOwn() == "1")
        let unknown = try shell.run(
            "exec $SERVER store restored \(store) --data data --account eve@example.org")
        #expect(unknown.status == 66, "\(unknown)")
        #expect(unknown.errors.contains("has no account eve@example.org"), "\(unknown)")
        _ = try shell.done("exec $SERVER store restored \(store) --data data")
        #expect(try countOwn() == "0", "all have the same again")
    }
}
