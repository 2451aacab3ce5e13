package import MacrologHTTP
import MacrologEvents
import MacrologJSON

/// Blobs as plain HTTP messages (`protocol.md` §6). Pure.
///
/// An answer without the blob's name in its `ETag` may come from a captive portal instead of the
/// server, and is not believed.
package enum BlobExchange {
    /// What the server holds of a blob.
    package enum Held: Hashable, Sendable {
        /// All of it.
        case whole
        /// This many bytes of an unfinished upload.
        case bytes(Int64)
        /// Its bytes did not match the name, and it has deleted them.
        case spoiled
    }

    /// The name of 64 lower-case hexadecimal digits; `nil` for anything else.
    package static func name(_ digits: String) -> [UInt8]? {
        let values = digits.utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        guard values.count == 64, digits.utf8.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// Asks whether the server has a blob.
    package static func ask(_ name: [UInt8], accessToken: String) -> HTTPRequest {
        request("HEAD", name, accessToken)
    }

    /// Uploads a blob's file from a byte on.
    package static func upload(
        _ name: [UInt8], file: String, from first: Int64, of total: Int64, accessToken: String
    ) -> HTTPRequest {
        var request = request("PUT", name, accessToken)
        request.fields.append(HTTPField("content-type", "application/octet-stream"))
        if total > 0 {
            request.fields.append(
                HTTPField("content-range", "bytes \(first)-\(total - 1)/\(total)"))
        }
        request.file = FilePart(path: file, offset: first, count: total - first)
        return request
    }

    /// Downloads a blob from a byte on.
    ///
    /// - Parameters:
    ///   - begin: Called before the first piece, with its offset in bytes.
    ///   - take: Receives each piece; returns false to cancel the download.
    package static func fetch(
        _ name: [UInt8], from first: Int64, accessToken: String,
        begin: @escaping @Sendable (Int64) -> Bool,
        take: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
    ) -> HTTPRequest {
        var request = request("GET", name, accessToken)
        if first > 0 {
            request.fields.append(HTTPField("range", "bytes=\(first)-"))
            request.fields.append(HTTPField("if-range", "\"\(hexadecimal(name))\""))
        }
        request.receiver = BodyReceiver(
            accepts: { answer in
                guard isAbout(name, answer) else { return false }
                switch answer.status {
                case 200: return begin(0)
                case 206: return begins(answer, at: first) && begin(first)
                default: return false
                }
            }, take: take)
        return request
    }

    /// The meaning of an answer to ``ask(_:accessToken:)`` or to an upload.
    package static func held(
        _ name: [UInt8], _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> Held {
        let answer = try response(result)
        let offset = answer.field("upload-offset").flatMap { Int64($0) }
        switch (answer.status, offset) {
        case (200, _) where isAbout(name, answer), (201, _) where isAbout(name, answer),
            (204, _) where isAbout(name, answer):
            return .whole
        case (202, let offset?) where offset >= 0, (404, let offset?) where offset >= 0:
            return .bytes(offset)
        default: break
        }
        let error = syncError(answer)
        guard case .refused(_, let problem, _) = error.code else { throw error }
        if problem == Problem.wrongHash { return .spoiled }
        if problem == Problem.expectedOffset, let json = try? JSON.parse(answer.body),
            let offset = json["offset"]?.integer, offset >= 0
        {
            return .bytes(offset)
        }
        throw error
    }

    /// Whether the server has the blob of a download. Whether all of it is here, only its bytes can
    /// tell.
    package static func fetched(
        _ name: [UInt8], _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> Bool {
        let answer = try response(result)
        switch answer.status {
        case 200 where isAbout(name, answer), 206 where isAbout(name, answer): return true
        default: break
        }
        let error = syncError(answer)
        switch error.code {
        case .refused(status: 404, Problem.notFound, _): return false
        // All of the blob had arrived before, or more.
        case .refused(status: 416, Problem.rangeNotSatisfiable, _): return true
        default: throw error
        }
    }

    private static func response(
        _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> HTTPResponse {
        do throws(TransportError) {
            return try result.get()
        } catch {
            throw SyncError(.transport(error))
        }
    }

    /// The error of an answer. An answer to `HEAD` has no body, but its media type is that of a
    /// problem document.
    private static func syncError(_ answer: HTTPResponse) -> SyncError {
        let error = SyncExchange.syncError(answer)
        guard case .notTheServer = error.code, answer.body.isEmpty,
            answer.field("content-type") == "application/problem+json"
        else { return error }
        let (problem, detail) =
            switch answer.status {
            case 401: (Problem.unauthorized, "log in again")
            case 429, 503: (Problem.prefix, "the server asks to wait before photos are sent")
            default: (Problem.prefix, "the server refuses photos (status \(answer.status))")
            }
        return SyncError(
            .refused(status: answer.status, problem: problem, detail: detail),
            retryAfter: error.retryAfter)
    }

    private static func isAbout(_ name: [UInt8], _ answer: HTTPResponse) -> Bool {
        answer.field("etag").map { $0.utf8.elementsEqual("\"\(hexadecimal(name))\"".utf8) } ?? false
    }

    private static func begins(_ answer: HTTPResponse, at first: Int64) -> Bool {
        answer.field("content-range")?.utf8.starts(with: "bytes \(first)-".utf8) ?? false
    }

    private static func request(
        _ method: String, _ name: [UInt8], _ accessToken: String
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, path: "/v1/blobs/\(hexadecimal(name))",
            fields: [HTTPField("authorization", "Bearer \(accessToken)")])
    }
}
