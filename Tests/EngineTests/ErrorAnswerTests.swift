import MacrologEvents
import MacrologHTTP
import MacrologEngine
import Testing

/// Goal: whatever stands between a device and its server may refuse in any words.
@Suite struct ErrorAnswerTests {
    @Test(arguments: [
        ("120", 120_000), ("0", 0), ("-5", 0), ("3601", 3_600_000), ("soon", 0),
        ("9223372036854775", 3_600_000), ("9223372036854776", 3_600_000),
        ("9223372036854775807", 3_600_000), ("-9223372036854775808", 0),
        ("9223372036854775808", 0),
    ])
    func `who asks for ages of patience gets an hour of it`(field: String, waits: Int64) {
        let response = HTTPResponse(status: 503, fields: [HTTPField("retry-after", field)])
        #expect(SyncExchange.syncError(response).retryAfter == waits)
    }

    @Test func `a 413 that no server of ours wrote comes from a proxy, and names it`() {
        let page = HTTPResponse(
            status: 413, fields: [HTTPField("content-type", "text/html")],
            body: Array("<html>413 Request Entity Too Large</html>".utf8))
        let error = SyncExchange.syncError(page)
        #expect(error.code == .notTheServer(status: 413))
        #expect(!error.isOffline && error.errorClass == .pushRefused(after: 0))
        #expect(error.description.contains("a proxy between here and the server"))
        #expect(error.description.contains("client_max_body_size 11m"))
    }

    @Test func `an account without room for events keeps no one from pulling`() {
        let body = #"{"type":"urn:macrolog:problem:event_quota","title":"full","status":403}"#
        let error = SyncExchange.syncError(
            HTTPResponse(
                status: 403,
                fields: [
                    HTTPField("content-type", "application/problem+json"),
                    HTTPField("retry-after", "300"),
                ], body: Array(body.utf8)))
        #expect(error.errorClass == .pushRefused(after: 300_000) && !error.isOffline)
        #expect(error.description.contains("nothing is lost"))
    }

    @Test func `a problem that has no end is shown to its first characters`() {
        let text = String(repeating: "x", count: 500_000)
        let error = SyncExchange.syncError(
            HTTPResponse(
                status: 400, fields: [HTTPField("content-type", "application/problem+json")],
                body: Array(#"{"type":"urn:x","title":"\#(text)","status":400}"#.utf8)))
        #expect(error.description.utf8.count < 2 * SyncExchange.problemDetailMax)
    }
}
