import Foundation
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologCryptography
import MacrologService
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
        _ = try ServerFile.encrypt(folder.file("server.db"), keys: [key])
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
}
