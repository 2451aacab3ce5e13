public import MacrologEvents
package import MacrologWire
package import MacrologHTTP
import MacrologJSON

/// What a server says of a share of the account.
public struct ShareFacts: Hashable, Sendable {
    /// Its id, with which its owner ends it: ``Account/endShare(_:)``.
    public let id: Identifier
    /// The name of the meal, or the days in words.
    public let title: String
    /// `meal`, `day` or `range`.
    public let kind: String
    /// When it was made, in milliseconds since 1970 UTC.
    public let created: Int64
    /// Until when it can be seen, in milliseconds since 1970 UTC.
    public let expires: Int64
    /// How often it was opened.
    public let opens: Int64
    /// How often it can be opened; `nil` for no limit.
    public let opensMax: Int64?
}

/// Shares as plain HTTP messages (`protocol.md` §6.12). Pure.
package enum ShareExchange {
    /// Shows a document and its card to everyone who has the token.
    package static func create(_ share: ShareRequest, accessToken: String) -> HTTPRequest {
        request(
            "POST", "/v1/shares", accessToken,
            [HTTPField("content-type", "application/cbor")], share.encoded())
    }

    /// Requests the list of what the account shows.
    package static func list(accessToken: String) -> HTTPRequest {
        request("GET", "/v1/shares", accessToken)
    }

    /// Ends a share.
    package static func revoke(_ id: Identifier, accessToken: String) -> HTTPRequest {
        request("DELETE", "/v1/shares/\(id)", accessToken)
    }

    private static func request(
        _ method: String, _ path: String, _ accessToken: String, _ more: [HTTPField] = [],
        _ body: [UInt8] = []
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, path: path,
            fields: [
                HTTPField("accept", "application/json"),
                HTTPField("authorization", "Bearer \(accessToken)"),
            ] + more, body: body)
    }

    /// What an answer to ``create(_:accessToken:)`` says.
    package static func created(
        _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> (id: Identifier, expires: Int64) {
        let response = try AccountExchange.success(result)
        guard let answer = try? JSON.parse(response.body) else {
            throw SyncError(.notTheServer(status: response.status))
        }
        guard let id = answer["id"]?.string.flatMap({ Identifier($0) }),
            let expires = answer["expires"]?.integer
        else { throw SyncError(.malformed(detail: "a share without id or end")) }
        return (id, expires)
    }

    /// What an answer to ``list(accessToken:)`` lists.
    package static func shares(
        _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> [ShareFacts] {
        let response = try AccountExchange.success(result)
        guard let list = (try? JSON.parse(response.body))?["shares"]?.array else {
            throw SyncError(.notTheServer(status: response.status))
        }
        var shares: [ShareFacts] = []
        for entry in list {
            guard let id = entry["id"]?.string.flatMap({ Identifier($0) }),
                let created = entry["created"]?.integer, let expires = entry["expires"]?.integer,
                let opens = entry["opens"]?.integer
            else { throw SyncError(.malformed(detail: "a share without id, times or openings")) }
            shares.append(
                ShareFacts(
                    id: id, title: entry["title"]?.string ?? "",
                    kind: entry["kind"]?.string ?? "", created: created, expires: expires,
                    opens: opens, opensMax: entry["opens_max"]?.integer))
        }
        return shares
    }
}
