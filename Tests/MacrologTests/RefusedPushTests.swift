import MacrologEvents
import MacrologWire
import Foundation
import MacrologHTTP
import Macrolog
import MacrologEngine
import Synchronization
import Testing

/// Goal: what the server refuses to take keeps no one from what it gives; looking through the file
/// costs nothing on the wire.
/// Method: a real server reached through a transport that refuses every push for a while, and counts.
@Suite(.timeLimit(.minutes(10))) struct RefusedPushTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    /// Lets everything through but what pushes events.
    private final class Gate: Transport {
        private struct State {
            var status: Int?
            var bytes: [(sent: Int, received: Int)] = []
        }

        private let state = Mutex(State())

        var bytes: [(sent: Int, received: Int)] { state.withLock { $0.bytes } }

        /// Refuses pushes with a status from now on, or lets them through.
        func refuse(_ status: Int?) {
            state.withLock {
                $0.status = status
                $0.bytes = []
            }
        }

        private let inner = Mutex<(any Transport)?>(nil)

        func lead(to transport: any Transport) -> any Transport {
            inner.withLock { $0 = transport }
            return self
        }

        func send(
            _ request: HTTPRequest, heldSeconds: Int64
        ) throws(TransportError) -> HTTPResponse {
            let message = try? SyncRequest.decoded(request.body)
            if let status = state.withLock({ $0.status }), message?.pushed.isEmpty == false {
                let body = #"{"type":"urn:macrolog:problem:refused","title":"no room","status":0}"#
                return HTTPResponse(
                    status: status,
                    fields: [HTTPField("content-type", "application/problem+json")],
                    body: Array(body.utf8))
            }
            guard let transport = inner.withLock({ $0 }) else {
                throw TransportError(code: .unreachable(detail: "closed"), operation: "test")
            }
            let response = try transport.send(request, heldSeconds: heldSeconds)
            // Who has what is asked for people, and not on every sync.
            guard message != nil else { return response }
            state.withLock { $0.bytes.append((request.body.count, response.body.count)) }
            return response
        }

        func cancel() {}
    }

    @Test(arguments: [400, 409, 413, 507])
    func `downloads go on while an upload is refused`(status: Int) async throws {
        let server = try RealServer()
        let laptop = try await server.device("laptop", of: "ana@example.org")
        let direct = try await server.device("phone", of: "ana@example.org")
        let gate = Gate()
        let phone = Account(
            of: direct.replica, session: SessionFile(path: direct.replica.path + ".session")
        ) { gate.lead(to: ServerTransport($0)) }
        func add(_ name: String, to account: Account) throws {
            try account.replica.add(
                Meal(
                    id: account.replica.newID(), on: LocalDate(day: day), dishName: name,
                    slot: "lunch", nutrients: Nutrients(energy: 400_000)))
        }
        for index in 0..<700 { try add("Dish \(index)", to: laptop) }
        try await laptop.sync()
        try add("Soup", to: phone)

        gate.refuse(status)
        await #expect(throws: AccountError.self) { try await phone.sync() }
        let refused = try phone.replica.syncStatus()
        #expect((refused.cursor, refused.unsealed) == (700, 1))
        #expect(refused.lastError == "no room")

        gate.refuse(nil)
        let done = try await phone.sync()
        #expect((done.cursor, done.unsealed) == (701, 0))
        #expect(try phone.replica.syncStatus().lastError == nil)

        // Nothing is new, and the file is looked through: one round trip.
        gate.refuse(nil)
        _ = try await phone.sync()
        #expect(gate.bytes.count == 1)
        #expect(gate.bytes.allSatisfy { $0.sent <= 300 && $0.received <= 300 })
    }
}
