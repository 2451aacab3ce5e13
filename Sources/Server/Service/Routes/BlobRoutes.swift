/// `GET` and `HEAD /v1/blobs/{sha256}`: a blob, whole or in part, or whether it is here
/// (`protocol.md` §6).
import MacrologEvents
package import MacrologHTTP

extension SyncServer {
    /// Answers with a blob of this account, or says that there is none.
    func download(_ session: Session, _ call: Call) throws(Problem) {
        let key = try blobKey(session, call)
        guard uploads.files.isShared else { return call.reply(try blob(key, for: call.request)) }
        let isQueued = blobWork.put(key) { [self] in
            do throws(Problem) {
                call.reply(try blob(key, for: call.request))
            } catch {
                call.reply(answer(error))
            }
        }
        guard isQueued else { throw .busy }
    }

    /// The blob that a path names.
    func blobKey(_ session: Session, _ call: Call) throws(Problem) -> BlobKey {
        guard let name = BlobKey.name(digits: call.parameter.utf8) else { throw .notFound }
        try limiters[.blobBySession]?.charge(session.rateKey, now: call.now)
        return BlobKey(space: session.space, name: name)
    }

    func blob(
        _ key: BlobKey, for request: HTTPRequest
    ) throws(Problem) -> HTTPResponse {
        // A shared storage says what it lacks when it is read.
        let isRead = uploads.files.isShared && request.method == "GET"
        let bytes = try isRead && !uploads.isMissing(key) ? recordedBytes(key) : wholeBytes(key)
        guard let bytes else {
            var response = Problem.notFound.response
            if request.method == "HEAD" {
                let there = uploads.files.unfinishedBytes(key)
                response.fields.append(HTTPField("upload-offset", "\(there)"))
            }
            return response
        }
        let tag = key.tag.value
        var fields = [
            key.tag, HTTPField("accept-ranges", "bytes"),
            HTTPField("cache-control", "private, immutable, max-age=31536000"),
        ]
        if request.names(tag, in: "if-none-match") {
            return HTTPResponse(status: 304, fields: fields)
        }
        fields.append(HTTPField("content-type", "application/octet-stream"))
        fields.append(HTTPField("content-disposition", "attachment"))
        var (status, range) = (200, 0..<bytes)
        let isSame = request.field("if-range").map { $0.utf8.elementsEqual(tag.utf8) } ?? true
        if request.method == "GET", isSame, let wanted = request.field("range") {
            switch ByteRange(wanted).within(bytes) {
            case .none: break
            case .some(nil): throw .rangeBehind(bytes)
            case .some(let part?):
                (status, range) = (206, part)
                fields.append(
                    HTTPField(
                        "content-range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes)")
                )
            }
        }
        guard !range.isEmpty else { return HTTPResponse(status: status, fields: fields) }
        if uploads.files.isShared || uploads.files.isEncrypted(key) {
            // Of the answer to HEAD only the length is sent.
            let body =
                request.method == "HEAD"
                ? [UInt8](repeating: 0, count: range.count) : try read(key, range, of: bytes)
            return HTTPResponse(status: status, fields: fields, body: body)
        }
        return HTTPResponse(
            status: status, fields: fields,
            file: FilePart(
                path: uploads.files.path(key), offset: range.lowerBound,
                count: Int64(range.count)))
    }

    private func read(
        _ key: BlobKey, _ range: Range<Int64>, of bytes: Int64
    ) throws(Problem) -> [UInt8] {
        do throws(StoreError) {
            if let part = try uploads.files.read(key, range, of: bytes) { return part }
        } catch {
            throw error.problem
        }
        if uploads.files.isShared { uploads.isMissing(key, true) }
        throw .notFound
    }

    /// The length of a complete blob. A blob whose file is missing or truncated does not count, so
    /// that a device uploads it again.
    func wholeBytes(_ key: BlobKey) throws(Problem) -> Int64? {
        do throws(StoreError) {
            guard let bytes = try store.blob(key), !uploads.isMissing(key),
                try uploads.files.hasWhole(key, bytes: bytes)
            else { return nil }
            return bytes
        } catch {
            throw error.problem
        }
    }

    /// The length of a blob that has a row; whether its bytes are there is another question.
    func recordedBytes(_ key: BlobKey) throws(Problem) -> Int64? {
        do throws(StoreError) { return try store.blob(key) } catch { throw error.problem }
    }
}

extension BlobKey {
    /// Shows a client that the server itself, not a proxy, answers for this blob.
    var tag: HTTPField { HTTPField("etag", "\"\(digits)\"") }
}

extension Problem {
    fileprivate static func rangeBehind(_ bytes: Int64) -> Problem {
        Problem(
            .rangeNotSatisfiable, "The blob has \(bytes) bytes; ask for a range within them.",
            fields: [HTTPField("content-range", "bytes */\(bytes)")])
    }
}

extension HTTPRequest {
    /// Whether a field, such as `If-None-Match`, has a validator in its list `"a", W/"b"`, or is
    /// `*` (RFC 9110 §13.1.2). A proxy may have made the validator a weak one.
    package func names(_ tag: String, in field: String) -> Bool {
        guard let list = self.field(field) else { return false }
        return list.split(separator: ",").contains { element in
            let text = String(element.filter { $0 != " " && $0 != "\t" })
            return text == "*" || text == tag || text == "W/" + tag
        }
    }
}
