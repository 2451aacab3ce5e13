/// Blobs as objects of a bucket that several servers share.
import MacrologHTTP
import MacrologCryptography
import MacrologEvents
import MacrologHTTPClient
package import MacrologService
import MacrologSystem
import Synchronization

/// A storage of blobs in a bucket of a service that speaks S3 (AWS, MinIO, Ceph, …).
///
/// What could be tried again with success is tried three times; then it is ``StoreError/busy``. Anything but the
/// one expected answer is an error, so that nothing counts as stored, or as absent, that is not.
package final class S3Storage: BlobStorage {
    /// How long a request may take.
    package struct Limits: Sendable {
        package var connectMilliseconds = 5_000
        package var exchangeMilliseconds = 60_000
        /// Seconds without a byte.
        package var stallSeconds = 10
        /// How often a request is sent at most.
        package var attempts = 3

        package init() {}
    }

    private let address: S3Address
    private let signature: SignatureV4
    private let limits: Limits
    private let clock: @Sendable () -> Int64
    private let note: @Sendable (String) -> Void
    private let pause: @Sendable (_ milliseconds: Int64) -> Void
    /// Connections that no request uses now.
    private let idle = Mutex<[HTTPTransport]>([])

    /// - Parameters:
    ///   - clock: Milliseconds since 1970 UTC.
    ///   - pause: Waits before another attempt.
    ///   - note: Receives why a request failed, as a sentence for the log.
    package init(
        _ address: S3Address, _ credentials: S3Credentials, limits: Limits = Limits(),
        clock: @escaping @Sendable () -> Int64 = { SystemClock.wallMilliseconds },
        pause: @escaping @Sendable (_ milliseconds: Int64) -> Void = {
            SystemClock.sleep(milliseconds: $0)
        },
        note: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.address = address
        signature = SignatureV4(credentials, region: address.region)
        self.limits = limits
        self.clock = clock
        self.pause = pause
        self.note = note
    }

    /// Where the objects are, as `s3://bucket/prefix/`.
    package var place: String { "\(address)" }

    // MARK: Objects

    package func length(of object: BlobObject) throws(StoreError) -> Int64? {
        try read(object, 0..<1, version: nil)?.total
    }

    package func read(
        _ object: BlobObject, _ range: Range<Int64>, version: String?
    ) throws(StoreError) -> StoredPart? {
        precondition(!range.isEmpty, "a range of S3 has a byte")
        var request = self.request("GET", object)
        request.fields = [
            HTTPField("range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")
        ]
        if let version { request.fields.append(HTTPField("if-match", version)) }
        let answer = try send(request, bytesMax: Int(range.count))
        switch answer.status {
        case 206:
            guard let total = Self.total(answer, from: range.lowerBound) else {
                throw refused(
                    request, answer, "its Content-Range is not that of the bytes asked for")
            }
            return StoredPart(bytes: answer.body, total: total, version: answer.field("etag"))
        case 404 where Self.code(answer) == "NoSuchKey": return nil
        case 412 where version != nil: return nil
        // An empty object has no first byte.
        case 416: return StoredPart(bytes: [], total: 0, version: nil)
        default: throw refused(request, answer)
        }
    }

    package func put(_ file: String, as object: BlobObject) throws(StoreError) {
        guard let status = FileStatus(of: file) else { throw .failed("an upload is gone") }
        var request = self.request("PUT", object)
        request.fields = [HTTPField("content-type", "application/octet-stream")]
        let hash: [UInt8]
        do throws(SystemError) { hash = try Self.hash(file) } catch {
            throw StoreError(error, "read an upload")
        }
        if status.bytes > 0 { request.file = FilePart(path: file, count: status.bytes) }
        let answer = try send(request, bodyHash: hash)
        guard answer.status == 200 else { throw refused(request, answer) }
    }

    package func remove(_ object: BlobObject) throws(StoreError) {
        let request = self.request("DELETE", object)
        let answer = try send(request)
        guard answer.status == 204 || answer.status == 200 else { throw refused(request, answer) }
    }

    package func list(
        of space: Space?, _ body: (ListedObjects) throws(StoreError) -> Void
    ) throws(StoreError) {
        try list(prefix: address.prefix + (space.map { "\($0)/" } ?? ""), body)
    }

    package func written(_ object: BlobObject) throws(StoreError) -> Int64? {
        var written: Int64?
        try list(prefix: address.prefix + object.name) { (part: ListedObjects) in
            written = part.first { $0.object == object }?.written ?? written
        }
        return written
    }

    /// Checks that the bucket is there and may be read and listed.
    package func check() throws(StoreError) { _ = try page(prefix: address.prefix, after: nil) }

    /// How many pages in a row may bring no other object.
    private static let emptyPagesMax = 20

    private func list(
        prefix: String, _ body: (ListedObjects) throws(StoreError) -> Void
    ) throws(StoreError) {
        var token: String?
        var (last, empty) = ("", 0)
        repeat {
            let page = try page(prefix: prefix, after: token)
            try body(
                page.objects.compactMap { name, written in
                    guard name.hasPrefix(address.prefix) else { return nil }
                    return BlobObject(name: name.dropFirst(address.prefix.count)).map {
                        ($0, written)
                    }
                })
            // Names come in their order, so a page that goes no further shows a list without an end.
            let end = page.objects.last?.name ?? last
            empty = last.utf8.lexicographicallyPrecedes(end.utf8) ? 0 : empty + 1
            (last, token) = (end, page.next)
            guard token == nil || empty <= Self.emptyPagesMax else {
                let text = "\(address): the list of its objects has no end."
                note(text)
                throw .failed(text)
            }
        } while token != nil
    }

    private func page(
        prefix: String, after token: String?
    ) throws(StoreError) -> S3Listing {
        var parts = ["list-type": "2", "prefix": prefix]
        parts["continuation-token"] = token
        let query = parts.map { "\($0.key)=\(SignatureV4.encoded($0.value))" }.sorted()
        let request = HTTPRequest(
            method: "GET", path: "/\(address.bucket)", query: query.joined(separator: "&"))
        let answer = try send(request, bytesMax: 8 << 20)
        guard answer.status == 200 else { throw refused(request, answer) }
        guard let page = S3Listing(answer.body) else {
            throw refused(request, answer, "its list cannot be read")
        }
        return page
    }

    private func request(_ method: String, _ object: BlobObject) -> HTTPRequest {
        HTTPRequest(method: method, path: "/\(address.bucket)/\(address.prefix)\(object.name)")
    }

    // MARK: Sending

    private static let emptyHash = sha256([])

    /// Sends a request until it is answered otherwise than with "try again".
    private func send(
        _ request: HTTPRequest, bodyHash: [UInt8] = S3Storage.emptyHash, bytesMax: Int = 0
    ) throws(StoreError) -> HTTPResponse {
        var attempt = 1
        while true {
            let isLast = attempt >= limits.attempts
            let result: Result<HTTPResponse, TransportError>
            do throws(TransportError) {
                result = .success(try sendOnce(request, bodyHash, bytesMax))
            } catch {
                result = .failure(error)
            }
            switch result {
            case .success(let answer):
                // 500 and 503, SlowDown among them; 429 of others; 408 of a request that came too slowly.
                guard answer.status >= 500 || [408, 429].contains(answer.status) else {
                    return answer
                }
                if isLast {
                    _ = refused(request, answer)
                    throw .busy
                }
            case .failure(let error):
                if isLast || !error.isRetryable {
                    note("\(address): \(error)")
                    throw error.isRetryable ? .busy : .failed("\(address): \(error)")
                }
            }
            pause(Self.wait(attempt))
            attempt += 1
        }
    }

    /// Full jitter: up to 0.2 s before the second attempt, and twice as long before each further one.
    private static func wait(_ attempt: Int) -> Int64 {
        let random = randomBytes(2).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return random * (200 << Int64(attempt - 1)) / 65_536
    }

    private func sendOnce(
        _ request: HTTPRequest, _ bodyHash: [UInt8], _ bytesMax: Int
    ) throws(TransportError) -> HTTPResponse {
        var signed = request
        signed.path = address.origin.prefix + request.path
        signed.fields += signature.fields(
            for: signed, host: address.host, bodyHash: bodyHash, now: clock())
        signed.path = request.path
        let transport = idle.withLock { $0.popLast() } ?? HTTPTransport()
        defer { idle.withLock { $0.append(transport) } }
        return try transport.send(
            signed, to: address.origin,
            limits: ExchangeLimits(
                connectMilliseconds: limits.connectMilliseconds,
                exchangeMilliseconds: limits.exchangeMilliseconds,
                stallSeconds: limits.stallSeconds, bodyBytesMax: bytesMax + 65_536))
    }

    /// The error of an answer that is not the expected one, which the log gets as well.
    private func refused(
        _ request: HTTPRequest, _ answer: HTTPResponse, _ detail: String? = nil
    ) -> StoreError {
        let code = Self.code(answer)
        let said = detail ?? code.map { "\(answer.status) \($0)" } ?? "\(answer.status)"
        let advice = code.flatMap { Self.advice[$0] }.map { " \($0)" } ?? ""
        let text = "\(address): \(request.method) \(request.path): \(said).\(advice)"
        note(text)
        return .failed(text)
    }

    /// What an operator does about a refusal.
    private static let advice = [
        "RequestTimeTooSkewed": "Set this computer's clock.",
        "SignatureDoesNotMatch": "Check the secret key and the region.",
        "InvalidAccessKeyId": "Check the access key.",
        "AccessDenied": "Let the key read, write, delete and list objects of this bucket.",
        "NoSuchBucket": "Create the bucket, or name another.",
        "PermanentRedirect": "Set the region of the bucket.",
        "AuthorizationHeaderMalformed": "Set the region of the bucket.",
    ]

    private static func code(_ answer: HTTPResponse) -> String? {
        S3Listing.element("Code", in: String(decoding: answer.body, as: UTF8.self)[...])
    }

    /// The length in `bytes first-last/total`, if the body has the bytes that it says.
    private static func total(_ answer: HTTPResponse, from first: Int64) -> Int64? {
        guard let field = answer.field("content-range"), field.hasPrefix("bytes ") else {
            return nil
        }
        let numbers = field.dropFirst(6).split { $0 == "-" || $0 == "/" }.compactMap { Int64($0) }
        guard numbers.count == 3, numbers.allSatisfy({ (0...(1 << 53)).contains($0) }),
            numbers[0] == first,
            numbers[1] - numbers[0] + 1 == answer.body.count, numbers[1] < numbers[2]
        else { return nil }
        return numbers[2]
    }

    private static func hash(_ path: String) throws(SystemError) -> [UInt8] {
        let file = try File.open(path)
        var hash = SHA256Stream()
        while true {
            let piece = try file.read(atMost: 1 << 16)
            guard !piece.isEmpty else { return hash.finish() }
            piece.withUnsafeBytes { hash.add($0) }
        }
    }
}
