import MacrologHTTP
import MacrologJSON
import MacrologService
import MacrologTestSupport
import MacrologWire
import Testing

extension TestServer {
    /// Adds two people, the first one with what requests bring into the tables: a second factor that was begun, a code
    /// for a new password, events, a share, and an analysis.
    ///
    /// - Parameter rounds: How often the first one's device pushes 300 events.
    func fillTables(rounds: Int) throws -> (first: Tokens, second: Tokens, device: TestDevice) {
        let (first, second) = (try login(), try login("ben@example.org"))
        _ = try beginSecondFactor(token: first.access)
        _ = try administer("user reset-code", ["email": "ana@example.org"])
        var device = TestDevice(1)
        for round in 0..<rounds {
            for number in 0..<300 { device.record("meal \(round) \(number)") }
            _ = try device.fold(sync(device.request, token: first.access))
        }
        var request = ShareRequest(token: SHA256.hash([1]))
        request.seconds = 86_400
        #expect(share(request, token: first.access).status < 300)
        store.countAnalysis(of: 1, atMost: 9, now: 5) { _ in }
        return (first, second, device)
    }
}
