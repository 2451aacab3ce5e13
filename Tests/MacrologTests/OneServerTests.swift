import MacrologHTTP
import Macrolog
import MacrologEngine
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: a token goes to the server that gave it and to no other, and a log to the account that it belongs to.
/// Method: real servers, and a connection that notes every token it carries.
@Suite(.timeLimit(.minutes(10))) struct OneServerTests {
    private let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private func meal(_ replica: Replica) -> Meal {
        Meal(id: replica.newID(), on: LocalDate(day: day), dishName: "Soup")
    }

    @Test func `a log that moves while it is synced is synced at the new server, with new tokens`()
        async throws
    {
        let (first, second) = (try RealServer(), try RealServer())
        let heard = Heard()
        let origin = try Origin(first.address)
        let phone = try await first.device("phone", of: "ana@example.org") {
            HeardLine($0, $0 == origin ? heard : nil)
        }
        var reports = phone.sync(every: .seconds(1)).makeAsyncIterator()
        #expect(await reports.next()?.unsealed == 0)
        _ = try await second.logIn(phone.replica, "phone", of: "bea@example.org", moves: true)
        heard.forget()
        try phone.replica.add(meal(phone.replica))
        while let report = await reports.next(), report.cursor < 1 {}
        let laptop = try await second.device("laptop", of: "bea@example.org")
        try await laptop.sync()
        #expect(try laptop.replica.meals(on: day).count == 1)
        let session = try #require(try phone.session)
        #expect(!heard.all.contains(session.accessToken))
        #expect(!heard.all.contains(session.refreshToken))
    }

    @Test func `a log that was put in the place of another account's is not sent`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        try phone.replica.add(meal(phone.replica))
        try await phone.sync()
        let bea = try await server.device("bea", of: "bea@example.org")
        // As when one file is copied over another: the log is Ana's, the session Bea's.
        let mixed = Account(
            of: phone.replica, session: SessionFile(path: bea.replica.path + ".session"))
        await #expect(throws: AccountError.otherAccount) { try await mixed.sync() }
        await #expect(throws: AccountError.otherAccount) { try await mixed.sendPhotos() }
        // Nor does the server get the names of its photos.
        await #expect(throws: AccountError.otherAccount) {
            try await mixed.photo([UInt8](repeating: 1, count: 32))
        }
        for await _ in mixed.sync(every: .seconds(1)) { Issue.record("it was synced") }
        try await bea.sync()
        #expect(try bea.replica.meals(on: day).isEmpty)
    }
}

/// What a server was sent: tokens, and bodies.
private final class Heard: Sendable {
    private let texts = Mutex<[String]>([])
    func add(_ text: String) { texts.withLock { $0.append(text) } }
    func forget() { texts.withLock { $0 = [] } }
    var all: String { texts.withLock { $0.joined(separator: "\n") } }
}

private struct HeardLine: Transport {
    private let real: ServerTransport
    private let heard: Heard?

    init(_ origin: Origin, _ heard: Heard?) {
        real = ServerTransport(origin)
        self.heard = heard
    }

    func send(
        _ request: HTTPRequest, heldSeconds: Int64
    ) throws(TransportError) -> HTTPResponse {
        heard?.add(request.field("authorization") ?? "")
        heard?.add(String(decoding: request.body, as: UTF8.self))
        return try real.send(request, heldSeconds: heldSeconds)
    }

    func cancel() { real.cancel() }
}
