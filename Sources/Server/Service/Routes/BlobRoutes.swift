/// `HEAD`, `GET` and `PUT /v1/blobs/{sha256}` (`protocol.md` §6).
import MacrologEvents
package import MacrologHTTP
import MacrologJSON

extension SyncServer {
    /// Receives the body of a request piece by piece; `nil` for a body that may be kept in memory:
    /// a short one, or one of an authenticated sender.
    package func sink(for request: HTTPRequest) -> BodySink? {
        let isUpload =
            request.method == "PUT" && request.path.utf8.starts(with: Self.blobs.utf8)
        do throws(Problem) {
            if isUpload { return try uploadSink(request) }
            try checkSender(of: request)
            return nil
        } catch {
            // The refusal is sent after the body has been read: an earlier answer would be lost.
            let refusal = error.response
            let limit = isUpload ? Limits.blobBytesMax : Limits.messageBytesMax
            return BodySink(
                bytesMax: Int64(limit), take: { _ in }, finish: { $0(refusal) }, cancel: {})
        }
    }

    /// Refuses a long body of an unauthenticated sender before it is read: otherwise ten thousand
    /// connections that each hold back the last byte would fill the memory.
    private func checkSender(of request: HTTPRequest) throws(Problem) {
        guard let length = request.field("content-length").flatMap({ Int64($0) }),
            length > Bodies.strangerBytesMax
        else { return }
        guard !request.path.utf8.starts(with: "/v1/auth/".utf8) else { throw .tooLarge }
        _ = try sessions.authenticate(request, now: clock())
    }

    static let blobs = "/v1/blobs/"

    /// Answers a request about one blob. An upload over a socket already has its sink.
    func blob(_ request: HTTPRequest, _ reply: @escaping Answer) throws(Problem) {
        switch request.method {
        case "GET", "HEAD":
            reply(try blob(try blobKey(request), for: request))
        case "PUT":
            guard let sink = sink(for: request) else { throw .notFound }
            guard request.body.count <= sink.bytesMax else {
                sink.cancel()
                throw .blobTooLarge
            }
            request.body.withUnsafeBytes { sink.take($0) }
            sink.finish(reply)
        default: throw .method("GET, HEAD, PUT")
        }
    }

    /// The requested blob, after authentication.
    private func blobKey(_ request: HTTPRequest) throws(Problem) -> BlobKey {
        let now = clock()
        let session = try sessions.authenticate(request, now: now)
        guard let name = BlobKey.name(digits: request.path.utf8.dropFirst(Self.blobs.utf8.count))
        else { throw .notFound }
        try limiters.blobBySession?.charge(session.rateKey, now: now)
        return BlobKey(space: session.space, name: name)
    }

    // Upload.

    private func blob(
        _ key: BlobKey, for request: HTTPRequest
    ) throws(Problem) -> HTTPResponse {
        guard let bytes = try wholeBytes(key) else {
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
        if request.field("if-none-match").map({ $0.utf8.elementsEqual(tag.utf8) }) == true {
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
        return HTTPResponse(
            status: status, fields: fields,
            file: FilePart(
                path: uploads.files.path(key), offset: range.lowerBound,
                count: Int64(range.count)))
    }

    /// The length of a complete blob. A blob whose file is missing or truncated does not count, so
    /// that a device uploads it again.
    private func wholeBytes(_ key: BlobKey) throws(Problem) -> Int64? {
        do throws(StoreError) {
            guard let bytes = try store.blob(key), uploads.files.bytes(key) == bytes else {
                return nil
            }
            return bytes
        } catch {
            throw error.problem
        }
    }

    // Receiving the body.

    private func usedBytes(of space: Space) throws(Problem) -> Int64 {
        do throws(StoreError) {
            return try store.blobBytes(of: space)
        } catch {
            throw error.problem
        }
    }

    private func uploadSink(_ request: HTTPRequest) throws(Problem) -> BodySink {
        try checkQuery(request)
        let key = try blobKey(request)
        guard request.field("content-encoding").map({ $0 == "identity" }) ?? true else {
            throw .mediaType("sent as it is, not compressed")
        }
        let part = try UploadPart(request)
        let limit = Int64(Limits.blobBytesMax)
        if try wholeBytes(key) != nil {
            return BodySink(
                bytesMax: limit, take: { _ in },
                finish: { $0(HTTPResponse(status: 204, fields: [key.tag])) },
                cancel: {})
        }
        let used = try usedBytes(of: key.space) + uploads.expected(of: key.space, except: key)
        guard used + part.total <= settings.blobQuota else { throw .quota }
        dropOldestUploads(of: key)
        let upload = try uploads.begin(key, at: part.first, total: part.total)
        return BodySink(
            bytesMax: limit, take: { upload.write($0) },
            finish: { [self] reply in
                // Hashing and renaming a blob waits for the disk.
                let isQueued = blobWork.put { self.finish(upload, reply) }
                if !isQueued {
                    uploads.end(upload)
                    reply(Problem.busy.response)
                }
            },
            cancel: { [uploads] in
                _ = upload.end()
                uploads.end(upload)
            })
    }

    /// All announced bytes have arrived: completes the blob if its hash is right.
    private func finish(_ upload: Upload, _ reply: @escaping Answer) {
        let (count, error, isSuperseded) = upload.end()
        let key = upload.key
        if isSuperseded { return reply(Problem.supersededUpload.response) }
        if let error {
            uploads.end(upload)
            return reply(refuse(error))
        }
        guard count >= upload.total else {
            uploads.end(upload)
            return reply(
                HTTPResponse(status: 202, fields: [HTTPField("upload-offset", "\(count)")]))
        }
        guard uploads.hold(upload) else { return reply(Problem.supersededUpload.response) }
        do throws(StoreError) {
            guard count == upload.total, try uploads.files.hashUnfinished(key) == key.name else {
                uploads.files.removeUnfinished(key)
                uploads.release(key)
                return reply(Problem.wrongHash.response)
            }
            try uploads.files.complete(key)
        } catch {
            uploads.release(key)
            return reply(refuse(error))
        }
        store.keep(key, bytes: count, quota: settings.blobQuota, now: clock()) { [self] result in
            defer { uploads.release(key) }
            switch result {
            case .success(true): reply(HTTPResponse(status: 201, fields: [key.tag]))
            case .success(false):
                uploads.files.remove(key)
                reply(Problem.quota.response)
            case .failure(let error): reply(refuse(error))
            }
        }
    }

    /// Deletes the oldest unfinished uploads of an account if it has too many.
    private func dropOldestUploads(of key: BlobKey) {
        let others = uploads.files.unfinished(of: key.space).filter { $0.key != key }
        let tooMany = others.count + 1 - BlobLimits.unfinishedMax
        guard tooMany > 0 else { return }
        for old in others.sorted(by: { $0.written < $1.written }).prefix(tooMany) {
            dropUpload(old.key)
        }
    }

    /// Deletes an unfinished upload that is not in progress.
    func dropUpload(_ key: BlobKey) {
        guard uploads.hold(key) else { return }
        uploads.files.removeUnfinished(key)
        uploads.release(key)
    }
}

extension BlobKey {
    /// Shows a client that the server itself, not a proxy, answers for this blob.
    fileprivate var tag: HTTPField { HTTPField("etag", "\"\(digits)\"") }
}

/// The range of a blob that the body of an upload contains.
private struct UploadPart {
    let first: Int64
    let total: Int64

    init(_ request: HTTPRequest) throws(Problem) {
        let given = request.field("content-length").flatMap { Int64($0) }
        guard let length = given ?? (request.body.isEmpty ? nil : Int64(request.body.count)) else {
            throw .malformed("An upload needs Content-Length.")
        }
        guard let field = request.field("content-range") else {
            (first, total) = (0, length)
            guard total <= Int64(Limits.blobBytesMax) else { throw .blobTooLarge }
            return
        }
        // bytes first-last/total
        let numbers =
            field.utf8.starts(with: "bytes ".utf8)
            ? field.utf8.dropFirst(6).split(
                omittingEmptySubsequences: false,
                whereSeparator: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "/") })
            : []
        let values = numbers.compactMap { ByteRange.number($0) }
        guard numbers.count == 3, values.count == 3 else { throw .badContentRange }
        (first, total) = (values[0], values[2])
        guard total <= Int64(Limits.blobBytesMax) else { throw .blobTooLarge }
        guard values[0] <= values[1], values[1] < total, values[1] - values[0] + 1 == length
        else { throw .badContentRange }
    }
}

/// A `Range` field (RFC 9110 §14.2), as far as it is supported: one range of bytes.
private struct ByteRange {
    private var first: Int64?
    private var last: Int64?

    init(_ field: String) {
        guard field.utf8.starts(with: "bytes=".utf8) else { return }
        let parts = field.utf8.dropFirst(6).split(
            separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.isEmpty || Self.number($0) != nil }) else {
            return
        }
        let (first, last) = (Self.number(parts[0]), Self.number(parts[1]))
        if let first, let last, first > last { return }
        (self.first, self.last) = (first, last)
    }

    /// The requested bytes; `nil` for the whole blob, and an inner `nil` if the range is not
    /// satisfiable.
    func within(_ count: Int64) -> Range<Int64>?? {
        switch (first, last) {
        case (nil, nil): return .none
        case (nil, let suffix?):
            return .some(suffix == 0 || count == 0 ? nil : max(0, count - suffix)..<count)
        case (let first?, let last):
            guard first < count else { return .some(nil) }
            return .some(first..<min(count - 1, last ?? count - 1) + 1)
        }
    }

    /// A number with any number of digits. A number above 64 bits is clamped to the greatest of 64
    /// bits, which exceeds every blob's length as well.
    static func number(_ digits: some Collection<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (tens, isLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isLarger) = tens.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            value = isLarge || isLarger ? .max : sum
        }
        return value
    }
}

extension Problem {
    static let blobTooLarge = Problem(
        status: 413, kind: "too_large",
        title: "A blob has at most \(Limits.blobBytesMax) bytes.")
    static let badContentRange = malformed(
        "Content-Range must be bytes first-last/total of this body.")
    static let quota = Problem(
        status: 403, kind: "quota",
        title: "Your photos have filled the room that this server gives you; nothing is lost, and "
            + "everything else still works.")
    static let wrongHash = Problem(
        status: 400, kind: "wrong_hash",
        title: "The bytes are not those of the name; send them again.")
    static let supersededUpload = Problem(
        status: 409, kind: "superseded",
        title: "A newer upload of this blob has taken the place of this one.")

    static func expectedOffset(_ offset: Int64) -> Problem {
        Problem(
            status: 409, kind: "expected_offset", title: "The upload continues at byte \(offset).",
            members: [JSON.Member("offset", .integer(offset))])
    }

    static func rangeBehind(_ bytes: Int64) -> Problem {
        var problem = Problem(
            status: 416, kind: "range_not_satisfiable", title: "The blob has \(bytes) bytes.")
        problem.fields = [HTTPField("content-range", "bytes */\(bytes)")]
        return problem
    }
}
