import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologJSON
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: what is just beyond what the page allows is refused for the reason that the page names.
/// Method: the service called as a function, with values at a limit and one beyond it.
@Suite(.onBothStores) struct StrictTests {
    @Test func `an event at its limit is admitted, and one a byte longer is named by its index`()
        throws
    {
        let server = try TestServer()
        let token = try server.login().access
        func recorded(_ count: Int, after first: Bool) throws -> TestDevice {
            var device = TestDevice(1)
            if first { device.record() }
            let long = Value.text(UTF8Text(String(repeating: "x", count: 16_000)))
            let rest = Value.text(UTF8Text(String(repeating: "x", count: count)))
            device.record([.set(["a": long, "b": long, "c": long, "d": long, "e": rest])])
            return device
        }
        let probe = try #require(try recorded(1_000, after: false).waiting.last?.body.count)
        let room = 1_000 + Limits.eventBytesMax - probe
        for isSecond in [false, true] {
            let device = try recorded(room + 1, after: isSecond)
            #expect(device.waiting.last?.body.count == Limits.eventBytesMax + 1)
            let answer = server.sync(device.request, token: token)
            #expect(answer.status == 400 && problem(answer) == "malformed_event")
            #expect(try JSON.parse(answer.body)["index"]?.integer == (isSecond ? 1 : 0))
        }
        let given = HealRequest(
            after: 0, rows: [.init(t: 1, body: try recorded(room + 1, after: false).own[0])],
            digest: .empty)
        let recovered = server.send(
            HTTPRequest(
                method: "POST", path: "/v1/heal",
                fields: [
                    HTTPField("content-type", "application/cbor"),
                    HTTPField("authorization", "Bearer \(token)"),
                ], body: given.encoded()))
        #expect(recovered.status == 400 && problem(recovered) == "malformed_event")
        var device = try recorded(room, after: true)
        #expect(try device.fold(server.sync(device.request, token: token)).head == 2)
    }

    @Test func `a version that no one ever spoke is another version, too`() throws {
        let server = try TestServer()
        let token = try server.login().access
        let request = TestDevice(1).request
        for version in [0, -1, .min, 2, .max] as [Int64] {
            var asked = request
            asked.version = version
            let answer = server.sync(asked, token: token)
            #expect(answer.status == 426 && problem(answer) == "unsupported_version", "\(version)")
        }
        // What is no whole number of 64 bits is no version.
        for version in [[0xF6], [0x1B] + [UInt8](repeating: 0xFF, count: 8)] as [[UInt8]] {
            let answer = server.sync(request, token: token) { _ in [0xA1, 0x00] + version }
            #expect(answer.status == 400 && problem(answer) == "malformed_request")
        }
    }
}
