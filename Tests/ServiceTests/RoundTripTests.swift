import MacrologEvents
import MacrologPostgreSQL
import MacrologService
import MacrologTestSupport
import MacrologWire
import Testing

/// Goal: the distance to the database is paid few times in a request.
/// Method: a store without threads, so that nothing else asks; the pool counts how often it waits.
@Suite(
    .serialized,
    .enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct RoundTripTests {
    /// Exchanges once, and returns how often the store waited.
    private func waits(
        of device: inout TestDevice, _ token: String, to server: TestServer, counted: () -> Int
    ) throws -> Int {
        let before = counted()
        let answer = server.sync(device.request, token: token)
        let count = counted() - before
        _ = try device.fold(answer)
        return count
    }

    @Test func `an idle sync waits once, a push twice, however many events it has`() throws {
        let server = try StoreUnderTest.$current.withValue(.postgreSQL) {
            try TestServer(hasThreads: false)
        }
        let store = try #require(server.store as? PostgreSQLServerStore)
        let (phone, laptop) = (try server.login().access, try server.login(device: "b").access)
        var (first, second) = (TestDevice(1), TestDevice(2))
        func sync(_ device: inout TestDevice, _ token: String) throws -> Int {
            try waits(of: &device, token, to: server, counted: { store.roundTrips })
        }
        // From now on the sessions are known, and the first receipts are written.
        first.record("first")
        second.record("second")
        for _ in 0..<3 { _ = try (sync(&first, phone), sync(&second, laptop)) }
        #expect(try sync(&first, phone) == 1)
        first.record("one")
        #expect(try sync(&first, phone) == 2)
        #expect(try sync(&second, laptop) == 2, "a page")
        for number in 0..<20 { first.record("meal \(number)") }
        #expect(try sync(&first, phone) == 2)
        // These were recorded before the other device's events came.
        for number in 0..<40 { second.record("meal \(number)") }
        let trips = try sync(&second, laptop)
        #expect(trips == 3, "\(trips): a push, and the page that it had not seen")
        #expect(try sync(&first, phone) == 2, "a page of 40")
        #expect(try sync(&first, phone) == 1)
    }

    @Test func `with several stores an idle sync and a push wait as often, and a page once more`()
        throws
    {
        let rig = try PlacedRig(newIn: ["b"], hasThreads: false)
        let (server, store) = (rig.nodes[0], try rig.placed(0))
        let (phone, laptop) = (try server.login().access, try server.login(device: "b").access)
        var (first, second) = (TestDevice(1), TestDevice(2))
        func sync(_ device: inout TestDevice, _ token: String) throws -> Int {
            try waits(of: &device, token, to: server, counted: { store.roundTrips })
        }
        first.record("first")
        for _ in 0..<2 { _ = try (sync(&first, phone), sync(&second, laptop)) }
        #expect(try sync(&first, phone) == 1)
        first.record("one")
        #expect(try sync(&first, phone) == 2)
        #expect(try sync(&second, laptop) == 3, "a page")
        // It asks the store that has closed the account, and then the one that this names.
        try rig.move(1, to: "a")
        #expect(try sync(&first, phone) > 1)
        #expect(try sync(&first, phone) == 1)
    }
}
