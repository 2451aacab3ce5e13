import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologService
import Testing

/// Goal: no number in a request ends the server: each gets a typed answer, and the server continues.
/// Method: requests with numbers at their bounds, twice in a row and in every pair of neighbours.
@Suite struct OutsideNumberTests {
    private static let device = Identifier(high: 0x0707_0707_0707_0707, low: 0x0707_0707_0707_0707)

    private static func pushed(_ seq: Int64) -> SyncRequest.Pushed {
        let change = Change(EntityKey("am", device), [.delete])
        let event = Event(
            dot: Dot(device: device, seq: seq), base: .none, wall: 0, type: "at", changes: [change])
        return SyncRequest.Pushed(age: 0, body: event.encoded())
    }

    private static func request(_ seqs: [Int64]) -> SyncRequest {
        SyncRequest(
            device: device, epoch: 0, cursor: 0, digest: .empty, pushed: seqs.map(pushed),
            eventsMax: 0, bytesMax: 0)
    }

    @Test(arguments: [
        [Int64.max, .max], [.max, 1], [.max, .max - 1], [.max - 1, .max], [.max, .max, .max],
    ])
    func `numbers of events at their end are a gap`(seqs: [Int64]) throws {
        let server = try TestServer()
        let token = try server.login().access
        let answer = server.sync(Self.request(seqs), token: token)
        #expect(answer.status == 409 && problem(answer) == "expected_seq")
        let good = try SyncAnswer.decoded(server.sync(Self.request([1, 2]), token: token).body)
        #expect(good.head == 2 && good.admitted == 2)
        // After events that the server takes, or has, they are not looked at.
        let beyond = try SyncAnswer.decoded(
            server.sync(Self.request([1, 2, 3] + seqs), token: token).body)
        #expect(beyond.head == 3 && beyond.admitted == 3)
    }

    @Test func `one request of 185 bytes does not end the server`() throws {
        let event =
            "5840a7005007070707070707070707070707070707011b7fffffffffffffff02820000030004"
            + "61740501068183616d5001010101010101010101010101010101810382"
        let hex =
            "a80001015007070707070707070707070707070707020003000450"
            + "00000000000000000000000000000000058282" + "00" + event + "00" + event.dropLast(2)
            + "06000700"
        let digits = Array(hex.utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
        try #require(bytes.count == 185)
        let server = try TestServer()
        let token = try server.login().access
        let answer = server.sync(Self.request([]), token: token) { _ in bytes }
        #expect(answer.status == 409 && problem(answer) == "expected_seq")
        #expect(server.sync(Self.request([]), token: token).status == 200)
    }
}
