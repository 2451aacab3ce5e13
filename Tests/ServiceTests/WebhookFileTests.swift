import Foundation
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologCryptography
import MacrologService
import MacrologSQLite
import MacrologSystem
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: what is stored of webhooks is in no file once it is encrypted, removed or deleted, and a restored copy sends
/// nothing.
/// Method: words that occur nowhere else are looked for in every file of a server.
@Suite struct WebhookFileTests {
    private let folder = ScratchFolder()
    private let target = "https://canary-receiver.example.org/"
    private let body = Array("{\"canary\":\"message\"}".utf8)
    private let key = DataKey([UInt8](repeating: 4, count: DataKey.byteCount))
    private let id = Identifier(high: 7, low: 1)

    private func files(with needle: [UInt8]) throws -> [String] {
        let all = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
        return try (all ?? []).filter { name in
            let url = folder.url.appending(path: name)
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
                return false
            }
            return try Data(contentsOf: url).range(of: Data(needle)) != nil
        }
    }

    private func server(_ keys: [DataKey] = []) throws -> TestServer {
        try TestServer(folder: folder, keys: keys) { $0.rates = .none }
    }

    private func caller(_ server: TestServer, _ tokens: Tokens) throws -> Caller {
        try server.server.caller(of: request(tokens))
    }

    private func request(_ tokens: Tokens) -> HTTPRequest {
        HTTPRequest(
            method: "GET", path: "/",
            fields: [HTTPField("authorization", "Bearer \(tokens.access)")],
            peer: "192.0.2.1")
    }

    /// What a change gives.
    private func result<T: Sendable>(
        _ server: TestServer, _ begin: (@escaping @Sendable (Result<T, Problem>) -> Void) -> Void
    ) throws -> T {
        let given = Given<T>()
        begin { result in given.result.withLock { $0 = result } }
        #expect(eventually { given.result.withLock { $0 != nil } })
        return try #require(given.result.withLock { $0 }).get()
    }

    private final class Given<T: Sendable>: Sendable {
        let result = Mutex<Result<T, Problem>?>(nil)
    }

    /// Adds an address, and a message that waits.
    private func add(_ server: TestServer, _ tokens: Tokens) throws {
        let caller = try caller(server, tokens)
        let new = NewWebhook(
            id: id, events: ["test"], target: target, secret: Array("canary-secret".utf8),
            countMax: 10, look: WebhookLook(at: 1 << 50, state: "{\"canary-weight\":1}"))
        let added = try result(server) {
            server.server.add(new, of: caller, for: request(tokens), then: $0)
        }
        #expect(added == .added)
        let message = WebhookMessage(id: Identifier(high: 7, low: 2), webhook: id, body: body)
        try result(server) { server.server.keep([message], of: caller, then: $0) }
    }

    private var canaries: [[UInt8]] {
        [
            Array("canary-receiver".utf8), body, Array("canary-secret".utf8),
            Array("canary-weight".utf8),
        ]
    }

    @Test func `with encryption at rest no file has an address, a message or a secret`() throws {
        let server = try server([key])
        let ana = try server.login()
        try add(server, ana)
        let due = try server.server.dueMessages(by: server.server.now, besides: [])
        #expect(due.map(\.content?.body) == [body] && due.map(\.content?.target) == [target])
        server.server.close()
        for canary in canaries { #expect(try files(with: canary) == []) }
    }

    @Test func `what was stored before there was a key is encrypted with the events`() throws {
        do {
            let server = try server()
            try add(server, try server.login())
            server.server.close()
        }
        #expect(try !files(with: canaries[0]).isEmpty && files(with: canaries[2]).isEmpty)
        let path = folder.file("server.db")
        _ = try ServerFile.encrypt(path, keys: [key], holding: try LockFile.take(for: path))
        for canary in canaries { #expect(try files(with: canary) == []) }
        let server = try server([key])
        #expect(
            try server.server.dueMessages(by: server.server.now, besides: [])
                .map(\.content?.body) == [body])
    }

    @Test(arguments: ["removed", "deleted"])
    func `nothing of an ended one is left in any file`(end: String) throws {
        let server = try server()
        let ana = try server.login()
        try add(server, ana)
        if end == "removed" {
            let caller = try caller(server, ana)
            let isRemoved = try result(server) {
                server.server.removeWebhook(id, of: caller, for: request(ana), then: $0)
            }
            #expect(isRemoved)
            #expect(try ServerFile.check(server.path).problems == [])
        } else {
            let answer = server.post(
                "/v1/account/delete", ["password": .string(password)], token: ana.access)
            #expect(answer.status == 204)
        }
        #expect(try server.server.dueMessages(by: server.server.now, besides: []).isEmpty)
        #expect(try server.server.webhookAccounts().isEmpty)
        for _ in 0..<8 { server.waitForWriter() }
        server.server.close()
        for canary in canaries { #expect(try files(with: canary) == [], "\(end)") }
    }

    @Test func `a restored copy sends nothing until its owner tests the address`() throws {
        let first = try server()
        let ana = try first.login()
        try add(first, ana)
        try ServerFile.backUp(first.path, to: folder.file("copy.db"))
        first.server.close()
        try ServerFile.renew(folder.file("copy.db"), epoch: 8, endsSessions: false, now: 1)
        for end in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: first.path + end)
        }
        try FileManager.default.moveItem(atPath: folder.file("copy.db"), toPath: first.path)
        let second = try server()
        #expect(try second.server.dueMessages(by: second.server.now, besides: []).isEmpty)
        let caller = try caller(second, try second.login())
        #expect(try second.server.webhooks(of: caller).map(\.stopped) == [.restored])
    }

    // MARK: Damage

    /// A change of one column of one row, which no check of the tables refuses.
    private static let changes: [StaticString] = [
        "UPDATE webhook SET id = zeroblob(16)", "UPDATE webhook SET space = space + 1",
        "UPDATE webhook SET created = created + 1", "UPDATE webhook SET events = 'tesu'",
        "UPDATE webhook SET target = CAST(target || x'00' AS BLOB)",
        "UPDATE webhook SET secret = CAST(secret || x'00' AS BLOB)",
        "UPDATE webhook SET stopped = 'gone'", "UPDATE webhook SET failures = failures + 1",
        "UPDATE webhook SET last_at = 3", "UPDATE webhook SET last_status = 200",
        "UPDATE webhook SET last_failure = 'refused'", "UPDATE webhook SET digest = zeroblob(32)",
        "UPDATE webhook SET digest = NULL", "UPDATE webhook_message SET id = zeroblob(16)",
        "UPDATE webhook_message SET webhook = zeroblob(16)",
        "UPDATE webhook_message SET created = created + 1",
        "UPDATE webhook_message SET due = due + 1", "UPDATE webhook_message SET due = NULL",
        "UPDATE webhook_message SET attempts = attempts + 1",
        "UPDATE webhook_message SET body = CAST(body || x'00' AS BLOB)",
        "UPDATE webhook_message SET digest = zeroblob(32)",
        "UPDATE webhook_look SET space = space + 1", "UPDATE webhook_look SET look = look + 1",
        "UPDATE webhook_look SET state = CAST(state || x'00' AS BLOB)",
        "UPDATE webhook_look SET digest = zeroblob(32)",
    ]

    @Test func `a change of any column is found by the check of a drill`() throws {
        let server = try server()
        try add(server, try server.login())
        server.server.close()
        ServerFile.checkpoint(server.path)
        #expect(try ServerFile.check(server.path).problems == [])
        let whole = try Data(contentsOf: folder.url.appending(path: "server.db"))
        let path = folder.file("changed.db")
        for change in Self.changes {
            try whole.write(to: URL(filePath: path))
            var db = try Connection.open(path)
            try db.execute("PRAGMA foreign_keys = OFF")
            try db.run(change)
            try db.checkpoint()
            #expect(try !ServerFile.check(path).problems.isEmpty, "\(change)")
        }
    }

    @Test(arguments: [false, true])
    func `a flipped bit in any byte of an address, a message or a look is found`(
        isEncrypted: Bool
    ) throws {
        let keys = isEncrypted ? [key] : []
        let server = try server(keys)
        try add(server, try server.login())
        server.server.close()
        ServerFile.checkpoint(server.path)
        let columns: [StaticString] = [
            "SELECT target FROM webhook", "SELECT secret FROM webhook",
            "SELECT body FROM webhook_message", "SELECT state FROM webhook_look",
            "SELECT digest FROM webhook", "SELECT digest FROM webhook_message",
        ]
        var needles: [[UInt8]] = []
        do {
            var db = try Connection.open(server.path, mode: .readOnly)
            for column in columns {
                needles.append(try #require(try db.first(column) { $0.bytes(0) }))
            }
        }
        var file = try Data(contentsOf: URL(filePath: server.path))
        let path = folder.file("flipped.db")
        var flipped = 0
        for needle in needles {
            let place = try #require(file.range(of: Data(needle)))
            for byte in place {
                file[byte] ^= 1 << UInt8(byte % 8)
                try file.write(to: URL(filePath: path))
                let problems = try ServerFile.check(path, keys: keys).problems
                #expect(!problems.isEmpty, "byte \(byte - place.lowerBound) of \(place.count)")
                file[byte] ^= 1 << UInt8(byte % 8)
                flipped += 1
            }
        }
        #expect(flipped > 150)
    }

    @Test func `whatever is changed in order is sound, and so is what an earlier build has stored`()
        throws
    {
        let server = try server()
        let ana = try server.login()
        try add(server, ana)
        let due = try server.server.dueMessages(by: server.server.now, besides: [])
        let failed = Webhook.Attempt(at: 5, status: 500, failure: "500")
        try result(server) {
            server.server.note(WebhookDelivery(failed, retry: 1 << 50), of: due[0], then: $0)
        }
        let caller = try caller(server, ana)
        try result(server) {
            server.server.keep([], of: caller, look: WebhookLook(at: 9, state: "{}"), then: $0)
        }
        #expect(try ServerFile.check(server.path).problems == [])
        let taken = Webhook.Attempt(at: 6, status: 204, failure: nil)
        try result(server) {
            server.server.note(WebhookDelivery(taken, retry: nil), of: due[0], then: $0)
        }
        #expect(try ServerFile.check(server.path).problems == [])
        let renewed: JSON = [
            "password": .string(password), "new_password": "another purple lantern hums",
        ]
        #expect(server.post("/v1/account/password", renewed, token: ana.access).status < 300)
        #expect(try ServerFile.check(server.path).problems == [])
        server.server.close()
        do {
            var db = try Connection.open(server.path)
            try db.run("UPDATE webhook SET digest = NULL")
            try db.run("UPDATE webhook_look SET digest = NULL")
        }
        let second = try self.server()
        #expect(try ServerFile.check(second.path).problems == [])
        second.server.close()
        _ = try ServerFile.encrypt(
            second.path, keys: [key], holding: try LockFile.take(for: second.path))
        #expect(try ServerFile.check(second.path, keys: [key]).problems == [])
        try ServerFile.renew(second.path, epoch: 8, endsSessions: false, now: 1)
        #expect(try ServerFile.check(second.path, keys: [key]).problems == [])
    }
}
