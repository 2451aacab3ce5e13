import Foundation
import MacrologHTTP
import Macrolog
import MacrologEngine
import Testing

/// Goal: what another device recorded is here at once, over real sockets; and where the channel
/// that tells of it is dead, nothing else changes.
/// Method: devices that ask by themselves only once an hour. A test waits for what must come; what
/// would take the hour ends with the suite's time limit.
@Suite(.timeLimit(.minutes(10))) struct LiveTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    func meal(_ replica: Replica, _ name: String) -> Meal {
        Meal(
            id: replica.newID(), on: LocalDate(day: day), dishName: name, slot: "lunch",
            nutrients: Nutrients(energy: 400_000, protein: 20_000))
    }

    @Test func `what another device recorded arrives without being asked for`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let laptop = try await server.device("laptop", of: "ana@example.org")
        var reports = laptop.sync(every: .seconds(3_600)).makeAsyncIterator()
        #expect(await reports.next()?.cursor == 0)
        for number in 1...3 {
            try phone.replica.add(meal(phone.replica, "Soup \(number)"))
            try await phone.sync()
            while let report = await reports.next(), report.cursor < number {}
            #expect(try laptop.replica.meals(on: day).count == number)
        }
    }

    @Test func `a poll that is held holds up no push`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let laptop = try await server.device("laptop", of: "ana@example.org")
        var reports = laptop.sync(every: .seconds(3_600)).makeAsyncIterator()
        #expect(await reports.next()?.unsealed == 0)
        for number in 1...3 {
            try laptop.replica.add(meal(laptop.replica, "Soup \(number)"))
            while let report = await reports.next(), report.cursor < number {}
        }
        #expect(try await phone.sync().cursor == 3)
    }

    @Test func `another process that syncs the same file meanwhile is no error`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let laptop = try await server.device("laptop", of: "ana@example.org")
        try phone.replica.add(meal(phone.replica, "Soup"))
        try await phone.sync()
        // While its answer is on the way, the laptop syncs by another connection.
        let session = SessionFile(path: laptop.replica.path + ".session")
        let slow = Account(of: laptop.replica, session: session) { origin in
            OvertakenLine(origin) { message in
                let direct = ServerTransport(origin)
                let answer = try SyncExchange.answer(.success(direct.send(message)))
                try laptop.replica.withStore { try $0.apply(answer) }
            }
        }
        let done = try await slow.sync(sharesFile: true)
        #expect((done.cursor, done.head, done.unsealed) == (1, 1, 0))
        #expect(try laptop.replica.meals(on: day).count == 1)
    }

    @Test func `a sync that shares the file leaves it to others, whether it succeeds or not`()
        async throws
    {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        try await phone.sync(sharesFile: true)
        let widget = try Replica.open(at: phone.replica.path)
        #expect(try widget.syncStatus().lastError == nil)
        widget.releaseFile()
        server.stop()
        await #expect(throws: AccountError.self) { try await phone.sync(sharesFile: true) }
        let again = try Replica.open(at: phone.replica.path)
        #expect(try again.syncStatus().isOffline)
    }

    @Test func `with a live channel that always breaks, recording still syncs at once`()
        async throws
    {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let breaking = Account(
            of: phone.replica, session: SessionFile(path: phone.replica.path + ".session")
        ) { BrokenLine($0) }
        var reports = breaking.sync(every: .seconds(3_600)).makeAsyncIterator()
        #expect(await reports.next()?.unsealed == 0)
        for number in 1...3 {
            try phone.replica.add(meal(phone.replica, "Soup \(number)"))
            while let report = await reports.next(), report.cursor < number {}
        }
        #expect(try phone.replica.syncStatus().lastError == nil)
    }

    @Test func `a session that is ended elsewhere ends the watching`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        var reports = phone.sync(every: .seconds(3_600)).makeAsyncIterator()
        #expect(await reports.next()?.unsealed == 0)
        let session = try #require(try phone.session)
        let other = ServerTransport(try Origin(server.address))
        let answer = try other.send(AccountExchange.logOut(accessToken: session.accessToken))
        #expect(answer.status == 204)
        // The poll hears of it, the sync that follows asks for new tokens, and there are none.
        while await reports.next() != nil {}
        #expect(try phone.replica.syncStatus().lastError?.contains("log in again") == true)
    }
}

/// A real connection on which every poll breaks.
private struct BrokenLine: Transport {
    private let real: ServerTransport

    init(_ origin: Origin) { real = ServerTransport(origin) }

    func send(
        _ request: HTTPRequest, heldSeconds: Int64
    ) throws(TransportError) -> HTTPResponse {
        guard request.path != "/v1/events" else {
            throw TransportError(
                code: .unreachable(detail: "broken on purpose"), operation: "GET /v1/events")
        }
        return try real.send(request, heldSeconds: heldSeconds)
    }

    func cancel() { real.cancel() }
}

/// A real connection on which someone else has done the same before each answer arrives.
private struct OvertakenLine: Transport {
    private let real: ServerTransport
    private let overtake: @Sendable (HTTPRequest) throws -> Void

    init(_ origin: Origin, _ overtake: @escaping @Sendable (HTTPRequest) throws -> Void) {
        real = ServerTransport(origin)
        self.overtake = overtake
    }

    func send(
        _ request: HTTPRequest, heldSeconds: Int64
    ) throws(TransportError) -> HTTPResponse {
        let response = try real.send(request, heldSeconds: heldSeconds)
        guard request.path == "/v1/sync" else { return response }
        do { try overtake(request) } catch {
            throw TransportError(code: .malformed(detail: "\(error)"), operation: "test")
        }
        return response
    }

    func cancel() { real.cancel() }
}
