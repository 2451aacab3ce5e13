import MacrologEvents
package import MacrologWire
import MacrologGzip
package import MacrologHTTP
import MacrologJSON

/// One exchange with the server as plain HTTP messages: the request, and the meaning of an answer.
/// Pure: the owner of the socket sends the request and passes the result back.
package enum SyncExchange {
    /// Bodies from this size on are compressed.
    static let compressBytesMin = 1_024
    /// The media type of both messages.
    package static let mediaType = "application/cbor"

    /// The version for the next request after an error: the newest that both sides speak. `nil`
    /// where that is the version that was refused.
    ///
    /// - Parameters:
    ///   - asked: The version of the request that was refused.
    ///   - versions: The versions that this client speaks.
    package static func version(
        after error: SyncError, asked: Int64, speaking versions: ClosedRange<Int64>
    ) -> Int64? {
        guard case .unsupportedVersion(let supported, _) = error.code,
            let common = ProtocolVersion.common(versions, supported), common != asked
        else { return nil }
        return common
    }

    /// The request that carries a message.
    package static func request(_ message: SyncRequest, accessToken: String) -> HTTPRequest {
        return post("/v1/sync", message.encoded(), accessToken: accessToken)
    }

    /// The request that gives back what the server has lost.
    package static func request(_ message: HealRequest, accessToken: String) -> HTTPRequest {
        post("/v1/heal", message.encoded(), accessToken: accessToken)
    }

    /// The request that asks for the digests of parts of the log.
    package static func request(_ message: DigestRequest, accessToken: String) -> HTTPRequest {
        post("/v1/digest", message.encoded(), accessToken: accessToken)
    }

    private static func post(
        _ path: String, _ message: [UInt8], accessToken: String
    ) -> HTTPRequest {
        var fields = [
            HTTPField("content-type", mediaType), HTTPField("accept", mediaType),
            HTTPField("authorization", "Bearer \(accessToken)"),
        ]
        var body = message
        if body.count >= compressBytesMin {
            body = gzip(body)
            fields.append(HTTPField("content-encoding", "gzip"))
        }
        return HTTPRequest(method: "POST", path: path, fields: fields, body: body)
    }

    /// The server's answer to an exchange.
    package static func answer(
        _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> SyncAnswer {
        let body = try body(result)
        do throws(CBORError) {
            return try SyncAnswer.decoded(body)
        } catch {
            throw SyncError(.malformed(detail: error.description))
        }
    }

    /// The server's answer to what was given back.
    package static func healAnswer(
        _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> HealAnswer {
        let body = try body(result)
        do throws(CBORError) {
            return try HealAnswer.decoded(body)
        } catch {
            throw SyncError(.malformed(detail: error.description))
        }
    }

    /// The server's answer to a request for digests.
    package static func digestAnswer(
        _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> DigestAnswer {
        let body = try body(result)
        do throws(CBORError) {
            return try DigestAnswer.decoded(body)
        } catch {
            throw SyncError(.malformed(detail: error.description))
        }
    }

    static func body(
        _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> [UInt8] {
        let response: HTTPResponse
        switch result {
        case .success(let value): response = value
        case .failure(let error): throw SyncError(.transport(error))
        }
        guard response.status == 200 else { throw syncError(response) }
        guard mediaType(of: response) == mediaType else {
            throw SyncError(.notTheServer(status: response.status))
        }
        return response.body
    }

    /// The meaning of a response other than 200.
    package static func syncError(_ response: HTTPResponse) -> SyncError {
        // The server may send any number here.
        let seconds = response.field("retry-after").flatMap { Int64($0) } ?? 0
        let waits = min(max(seconds, 0), 3_600) * 1_000
        guard mediaType(of: response) == "application/problem+json",
            let problem = try? JSON.parse(response.body), let type = problem["type"]?.string
        else {
            return SyncError(.notTheServer(status: response.status), retryAfter: waits)
        }
        let detail = String(
            (problem["detail"]?.string ?? problem["title"]?.string ?? "refused")
                .prefix(problemDetailMax))
        if response.status == 426, let newest = problem["version"]?.integer {
            let oldest = problem["oldest"]?.integer ?? newest
            guard oldest >= 1, oldest <= newest else {
                return SyncError(.malformed(detail: "its versions of the protocol are no range"))
            }
            return SyncError(.unsupportedVersion(supported: oldest...newest, detail: detail))
        }
        return SyncError(
            .refused(status: response.status, problem: type, detail: detail), retryAfter: waits)
    }

    /// How many characters of a problem are shown: who answers need not be a server of ours.
    package static let problemDetailMax = 300

    private static func mediaType(of response: HTTPResponse) -> String {
        let value = response.field("content-type") ?? ""
        return asciiLowercased(String(value.prefix { $0 != ";" && $0 != " " }))
    }
}
