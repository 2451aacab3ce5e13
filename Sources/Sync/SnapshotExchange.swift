package import Events
package import HTTP

/// Fetching a snapshot as plain HTTP messages. Pure, like ``SyncExchange``.
package enum SnapshotExchange {
    /// What a request for a snapshot, or for a part of it, brought.
    package enum Outcome<Value: Sendable>: Sendable {
        /// What was asked for.
        case found(Value)
        /// The hub has none, or is one that does not know what that is.
        case none
    }

    /// The request for what there is.
    package static func manifestRequest(accessToken: String) -> HTTPRequest {
        get("/v1/snapshot", accessToken)
    }

    /// The request for a part.
    package static func partRequest(_ hash: [UInt8], accessToken: String) -> HTTPRequest {
        get("/v1/snapshot/\(hexadecimal(hash))", accessToken)
    }

    /// What there is.
    package static func manifest(
        _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> Outcome<SnapshotManifest> {
        guard let body = try body(result) else { return .none }
        do throws(CBORError) {
            return .found(try SnapshotManifest.decoded(body))
        } catch {
            throw SyncError(.malformed(detail: error.description))
        }
    }

    /// A part that has its hash.
    package static func part(
        _ hash: [UInt8], _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> Outcome<[UInt8]> {
        guard let body = try body(result) else { return .none }
        guard SHA256.hash(body) == hash else {
            throw SyncError(.malformed(detail: "a part of the snapshot is not what it should be"))
        }
        return .found(body)
    }

    private static func body(
        _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> [UInt8]? {
        do throws(SyncError) { return try SyncExchange.body(result) } catch {
            // Whoever refuses for another reason is asked again; who does not know the address never.
            guard case .refused(status: 404, _, _) = error.reason else { throw error }
            return nil
        }
    }

    private static func get(_ path: String, _ accessToken: String) -> HTTPRequest {
        HTTPRequest(
            method: "GET", path: path,
            fields: [
                HTTPField("accept", SyncExchange.mediaType),
                HTTPField("authorization", "Bearer \(accessToken)"),
            ])
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
