import HTTP
import Sync
import Testing

/// Goal: whatever stands between a device and its server may refuse in any words.
@Suite struct RefusalTests {
    @Test(arguments: [
        ("120", 120_000), ("0", 0), ("-5", 0), ("3601", 3_600_000), ("soon", 0),
        ("9223372036854775", 3_600_000), ("9223372036854776", 3_600_000),
        ("9223372036854775807", 3_600_000), ("-9223372036854775808", 0),
        ("9223372036854775808", 0),
    ])
    func `who asks for ages of patience gets an hour of it`(field: String, waits: Int64) {
        let response = HTTPResponse(status: 503, fields: [HTTPField("retry-after", field)])
        #expect(SyncExchange.refusal(response).retryAfter == waits)
    }
}
