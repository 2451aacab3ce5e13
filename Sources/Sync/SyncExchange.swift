package import Events
import Gzip
package import HTTP
import JSON

/// One exchange with the hub as plain HTTP messages: what is asked, and what an answer means. Pure:
/// whoever holds the socket sends the request and hands the result back.
package enum SyncExchange {
    /// Bodies from this size on are compressed.
    static let compressBytesMin = 1_024
    /// The media type of both messages.
    package static let mediaType = "application/cbor"

    /// The request that carries a message.
    package static func request(_ message: SyncRequest, accessToken: String) -> HTTPRequest {
        var fields = [
            HTTPField("content-type", mediaType), HTTPField("accept", mediaType),
            HTTPField("authorization", "Bearer \(accessToken)"),
        ]
        var body = message.encoded()
        if body.count >= compressBytesMin {
            body = gzip(body)
            fields.append(HTTPField("content-encoding", "gzip"))
        }
        return HTTPRequest(method: "POST", path: "/v1/sync", fields: fields, body: body)
    }

    /// What came back.
    package static func answer(
        _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> SyncAnswer {
        let response: HTTPResponse
        switch result {
        case .success(let value): response = value
        case .failure(let error): throw SyncError(.transport(error))
        }
        guard response.status == 200 else { throw refusal(response) }
        guard mediaType(of: response) == mediaType else {
            throw SyncError(.notTheServer(status: response.status))
        }
        do throws(CBORError) {
            return try SyncAnswer.decoded(response.body)
        } catch {
            throw SyncError(.malformed(detail: error.description))
        }
    }

    /// What a response other than 200 means.
    package static func refusal(_ response: HTTPResponse) -> SyncError {
        let retryAfter = (response.field("retry-after").flatMap { Int64($0) } ?? 0) * 1_000
        let waits = min(max(retryAfter, 0), 3_600_000)
        guard mediaType(of: response) == "application/problem+json",
            let problem = try? JSON.parse(response.body), let type = problem["type"]?.string
        else {
            return SyncError(.notTheServer(status: response.status), retryAfter: waits)
        }
        let detail = problem["detail"]?.string ?? problem["title"]?.string ?? "refused"
        return SyncError(
            .refused(status: response.status, problem: type, detail: detail), retryAfter: waits)
    }

    private static func mediaType(of response: HTTPResponse) -> String {
        let value = response.field("content-type") ?? ""
        return asciiLowercased(String(value.prefix { $0 != ";" && $0 != " " }))
    }
}
