import Foundation
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologCryptography
import MacrologService
import MacrologSystem
import MacrologTestSupport
import MacrologWire
import Testing

/// What is stored of shares: in which files, and after which backup.
extension ShareTests {
    private var canaries: [[UInt8]] { [Array("canary-soup".utf8), Array("canary-pixels".utf8)] }

    @Test(.onSQLiteAlone) func `no file has a token, and none what was encrypted at rest`() throws {
        let key = DataKey([UInt8](repeating: 4, count: DataKey.byteCount))
        let server = try server(keys: [key])
        let ana = try server.login()
        _ = server.share(request(), token: ana.access)
        #expect(open(server).status == 200 && card(server).body == ShareRequest.sampleCard)
        #expect(try list(server, ana)[0]["title"] == "canary-soup")
        try ServerFile.backUp(server.path, to: folder.file("copy.db"))
        server.server.close()
        for needle in canaries + [token, Array(hexadecimal(token).utf8)] {
            #expect(try folder.files(holding: needle) == [])
        }
        #expect(try ServerFile.check(server.path, keys: [key]).problems == [])
        let wrong = DataKey([UInt8](repeating: 5, count: DataKey.byteCount))
        let problems = try ServerFile.check(server.path, keys: [wrong]).problems
        #expect(problems.contains { $0.contains("share") && $0.contains("decrypted") })
    }

    @Test(.onSQLiteAlone)
    func `what was stored before there was a key is encrypted with the events`() throws {
        let key = DataKey([UInt8](repeating: 4, count: DataKey.byteCount))
        do {
            let server = try server()
            _ = server.share(request(), token: try server.login().access)
            server.server.close()
        }
        #expect(try !folder.files(holding: canaries[0]).isEmpty)
        let path = folder.file("server.db")
        _ = try ServerFile.encrypt(path, keys: [key], holding: try LockFile.take(for: path))
        for canary in canaries { #expect(try folder.files(holding: canary) == []) }
        let server = try server(keys: [key])
        #expect(text(open(server)).contains("canary-soup") && card(server).status == 200)
    }

    @Test(arguments: ["revoked", "expired", "deleted"])
    func `nothing of an ended share is left in any file`(end: String) throws {
        let server = try server()
        let ana = try server.login()
        let made = server.share(request(), token: ana.access)
        let id = try #require(try JSON.parse(made.body)["id"]?.string)
        switch end {
        case "revoked":
            #expect(server.call("DELETE", "/v1/shares/\(id)", token: ana.access).status == 204)
        case "expired":
            server.advance(seconds: 7 * day)
            server.forgetEnded()
        default:
            let answer = server.post(
                "/v1/account/delete", ["password": .string(password)], token: ana.access)
            #expect(answer.status == 204)
        }
        #expect(open(server).status == 404)
        for _ in 0..<8 { server.waitForWriter() }
        server.server.close()
        for canary in canaries { #expect(try folder.files(holding: canary) == [], "\(end)") }
    }

    @Test func `the trail says what was shared and ended, and the export has what is shown`() throws
    {
        let server = try server()
        let ana = try server.login()
        let made = server.share(request(), token: ana.access)
        let export = try JSON.parse(
            server.call("GET", "/v1/account/export", token: ana.access).body)
        #expect(export["shares"]?.array?.first?["document"]?["title"] == "canary-soup")
        let id = try #require(try JSON.parse(made.body)["id"]?.string)
        _ = server.call("DELETE", "/v1/shares/\(id)", token: ana.access)
        let audit = try JSON.parse(
            server.call("GET", "/v1/account/audit", token: ana.access).body)
        let events = audit["entries"]?.array?.compactMap { $0["event"]?.string } ?? []
        #expect(events.prefix(3) == ["share_revoked", "exported", "shared"])
    }

    // After a restore.

    /// Puts a backup in place of the database, with `restore` or by hand, and serves it.
    private func restored(_ server: TestServer, byHand: Bool) throws -> TestServer {
        server.server.close()
        let (path, copy) = (server.path, folder.file("copy.db"))
        if !byHand {
            try ServerFile.renew(
                copy, epoch: 8, endsSessions: false, deletions: DeletionLedger(of: path), now: 1)
        }
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
        try FileManager.default.moveItem(atPath: copy, toPath: path)
        return try TestServer(folder: folder, clock: server.clock) { $0.rates = .none }
    }

    @Test(.onSQLiteAlone, arguments: [false, true])
    func `what was revoked, used up or expired after a backup stays so`(byHand: Bool) throws {
        let first = try server()
        let (ana, ben) = (try first.login(), try first.login("ben@example.org"))
        let eve = try first.login("eve@example.org")
        func share(_ tokens: Tokens, _ number: UInt8, _ opensMax: Int64 = 0) throws -> String {
            var request = ShareRequest(token: SHA256.hash([number]))
            request.opensMax = opensMax
            request.seconds = number == 4 ? 60 : 86_400
            let made = first.share(request, token: tokens.access)
            return try #require(try JSON.parse(made.body)["id"]?.string)
        }
        let revoked = try share(ana, 1)
        _ = try share(ben, 2, 1)
        for number: UInt8 in [3, 4] { _ = try share(eve, number) }
        try ServerFile.backUp(first.path, to: folder.file("copy.db"))
        #expect(first.call("DELETE", "/v1/shares/\(revoked)", token: ana.access).status == 204)
        #expect(open(first, SHA256.hash([2])).status == 200)
        first.advance(seconds: 60)
        let second = try restored(first, byHand: byHand)
        for number: UInt8 in [1, 2, 4] {
            #expect(open(second, SHA256.hash([number])).status == 404, "\(number)")
        }
        #expect(open(second, SHA256.hash([3])).status == 200)
        // The next start of the same file removes nothing more.
        second.server.close()
        let third = try TestServer(folder: folder, clock: second.clock) { $0.rates = .none }
        #expect(open(third, SHA256.hash([3])).status == 200)
    }

    @Test func `a start after a revocation leaves the other shares alone`() throws {
        let first = try server()
        let ana = try first.login()
        let ids = try (1...2).map { number in
            let request = ShareRequest(token: SHA256.hash([UInt8(number)]))
            let made = first.share(request, token: ana.access)
            return try #require(try JSON.parse(made.body)["id"]?.string)
        }
        #expect(first.call("DELETE", "/v1/shares/\(ids[0])", token: ana.access).status == 204)
        first.server.close()
        let second = try TestServer(folder: folder, clock: first.clock) { $0.rates = .none }
        #expect(open(second, SHA256.hash([1])).status == 404)
        #expect(open(second, SHA256.hash([2])).status == 200)
    }
}
