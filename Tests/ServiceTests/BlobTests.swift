import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologSQLite
import MacrologCryptography
import MacrologService
import MacrologTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Goal: a blob that can be fetched is what its name says; it comes in as many parts as it takes;
/// no one learns of another's; and a quota is exact.
@Suite(.onBothStores) struct BlobTests {
    private let server: TestServer
    private let token: String

    init() throws {
        server = try TestServer { $0.blobQuota = 3_000 }
        token = try server.login().access
    }

    private func send(
        _ method: String, _ name: String, token: String? = nil, _ fields: [(String, String)] = [],
        body: [UInt8] = []
    ) -> HTTPResponse {
        server.send(
            HTTPRequest(
                method: method, path: "/v1/blobs/\(name)",
                fields: [HTTPField("authorization", "Bearer \(token ?? self.token)")]
                    + fields.map { HTTPField($0.0, $0.1) }, body: body))
    }

    private func put(
        _ blob: [UInt8], _ range: Range<Int>? = nil, token: String? = nil, name: String? = nil
    ) -> HTTPResponse {
        let part = range ?? 0..<blob.count
        return send(
            "PUT", name ?? digits(blob), token: token,
            range == nil
                ? []
                : [
                    (
                        "content-range",
                        "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(blob.count)"
                    )
                ], body: Array(blob[part]))
    }

    private func offset(_ name: String) -> String? { send("HEAD", name).field("upload-offset") }

    /// Far beyond any blob; the last ones are no numbers of 64 bits.
    static let greatNumbers = [
        "1000000000000000", "9223372036854775806", "9223372036854775807", "9223372036854775808",
        "18446744073709551615", String(repeating: "9", count: 100),
    ]

    /// Method: every cut of an upload and every range around the ends of the cipher's blocks of 64 bytes,
    /// drawn by dice; and an upload that begins again after half of it.
    @Test func `a blob that is encrypted comes and goes in parts, and its file tells nothing`()
        throws
    {
        var dice = Dice(seed: 11)
        let server = try TestServer(keys: [DataKey([UInt8](repeating: 5, count: 32))])
        let token = try server.login().access
        func send(_ method: String, _ name: String, _ field: HTTPField?, _ body: [UInt8] = [])
            -> HTTPResponse
        {
            let fields =
                [HTTPField("authorization", "Bearer \(token)")] + (field.map { [$0] } ?? [])
            return server.send(
                HTTPRequest(method: method, path: "/v1/blobs/\(name)", fields: fields, body: body))
        }
        func part(_ blob: [UInt8], _ range: Range<Int>) -> HTTPResponse {
            let text = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(blob.count)"
            return send("PUT", digits(blob), HTTPField("content-range", text), Array(blob[range]))
        }
        for round in 0..<20 {
            let blob = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 / 3 + round * 17) }
            #expect(part(blob, 0..<500).status == 202)
            var start = round % 2 == 0 ? 500 : 0
            while start < blob.count {
                let end = min(blob.count, start + 1 + Int(dice.next() % 300))
                let answer = part(blob, start..<end)
                #expect(
                    answer.status == (end == blob.count ? 201 : 202), "round \(round), \(start)")
                start = end
            }
            let head = send("HEAD", digits(blob), nil)
            #expect((head.status, head.body.count) == (200, 1_000))
            for edge in [0, 1, 63, 64, 65, 127, 128, 999, Int(dice.next() % 900)] {
                let got = send(
                    "GET", digits(blob), HTTPField("range", "bytes=\(edge)-\(edge + 90)"))
                #expect(got.status == 206)
                #expect(try content(got) == Array(blob[edge..<min(1_000, edge + 91)]), "\(edge)")
            }
            let key = try #require(
                server.store.blobFiles.all().first { server.store.blobFiles.bytes($0) == 1_000 })
            let file = try #require(fopen(server.store.blobFiles.path(key), "r"))
            var stored = [UInt8](repeating: 0, count: 2_000)
            let count = fread(&stored, 1, stored.count, file)
            fclose(file)
            #expect(count == 1_024 && stored[..<count].firstRange(of: blob[300..<330]) == nil)
        }
        // Bytes with another name are refused, and nothing stays.
        let wrong = send("PUT", digits(bytes(7)), nil, bytes(8))
        #expect(wrong.status == 400 && server.store.blobFiles.all().count == 20)
    }

    @Test func `what was put is got, whole and in parts`() throws {
        let blob = bytes(1_000)
        #expect(send("HEAD", digits(blob)).status == 404)
        let answer = put(blob)
        #expect((answer.status, answer.field("etag")) == (201, "\"\(digits(blob))\""))
        #expect(put(blob).status == 204)
        let got = send("GET", digits(blob))
        #expect((got.status, try content(got)) == (200, blob))
        #expect(got.field("cache-control") == "private, immutable, max-age=31536000")
        #expect(got.field("content-type") == "application/octet-stream")
        let parts: [(String, Int, Range<Int>)] =
            [
                ("bytes=0-9", 206, 0..<10), ("bytes=990-", 206, 990..<1_000),
                ("bytes=-10", 206, 990..<1_000), ("bytes=5-2000", 206, 5..<1_000),
                ("bytes=-5000", 206, 0..<1_000), ("bytes=1-2,4-5", 200, 0..<1_000),
                ("bytes=9-5", 200, 0..<1_000), ("lines=1-2", 200, 0..<1_000),
            ]
            + Self.greatNumbers.flatMap { number in
                [("bytes=0-\(number)", 206, 0..<1_000), ("bytes=-\(number)", 206, 0..<1_000)]
            }
        for (range, status, expected) in parts {
            let answer = send("GET", digits(blob), [("range", range)])
            #expect(answer.status == status, "\(range)")
            #expect(try content(answer) == Array(blob[expected]), "\(range)")
            #expect(
                answer.field("content-range")
                    == (status == 200
                        ? nil : "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/1000"))
        }
        let beyond = Self.greatNumbers.flatMap { ["bytes=\($0)-", "bytes=\($0)-\($0)"] }
        for range in ["bytes=1000-", "bytes=-0"] + beyond {
            let answer = send("GET", digits(blob), [("range", range)])
            #expect((answer.status, problem(answer)) == (416, "range_not_satisfiable"))
            #expect(answer.field("content-range") == "bytes */1000")
        }
        let tag = "\"\(digits(blob))\""
        for list in [tag, "W/\(tag)", "\"x\", W/\(tag)", "\"x\",\t\(tag) , \"y\"", "*"] {
            #expect(send("GET", digits(blob), [("if-none-match", list)]).status == 304, "\(list)")
        }
        for list in ["\"x\"", "W/\"x\"", digits(blob), ""] {
            #expect(send("GET", digits(blob), [("if-none-match", list)]).status == 200, "\(list)")
        }
        #expect(
            send("GET", digits(blob), [("range", "bytes=5-"), ("if-range", tag)]).status == 206)
        #expect(
            send("GET", digits(blob), [("range", "bytes=5-"), ("if-range", "\"x\"")]).status == 200)
    }

    @Test func `a blob of no bytes is one too`() throws {
        #expect(send("PUT", digits([]), [("content-length", "0")]).status == 201)
        #expect(send("GET", digits([])).status == 200)
    }

    @Test func `an upload continues where it stopped, and again from the beginning`() throws {
        let blob = bytes(1_000)
        let name = digits(blob)
        let first = put(blob, 0..<400)
        #expect((first.status, first.field("upload-offset")) == (202, "400"))
        #expect(offset(name) == "400")
        #expect(send("GET", name).status == 404)
        for range in [401..<1_000, 200..<1_000] {
            let answer = put(blob, range)
            #expect((answer.status, problem(answer)) == (409, "expected_offset"))
            #expect(try JSON.parse(answer.body)["offset"]?.integer == 400)
        }
        #expect(put(blob, 0..<10).field("upload-offset") == "10")
        #expect(put(blob, 10..<500).status == 202)
        #expect(put(blob, 500..<1_000).status == 201)
        #expect(try content(send("GET", name)) == blob)
        #expect(offset(name) == nil)
    }

    @Test func `bytes that are not the name's are thrown away`() throws {
        let blob = bytes(100)
        let answer = put(blob, name: digits(bytes(101)))
        #expect((answer.status, problem(answer)) == (400, "wrong_hash"))
        #expect(offset(digits(bytes(101))) == "0")
        #expect(server.store.blobFiles.all().isEmpty)
    }

    @Test(arguments: [
        "", "0", "ABCDEF", "../../server.db", "%2e%2e%2f", String(repeating: "A", count: 64),
        String(repeating: "a", count: 63), String(repeating: "a", count: 65),
        String(repeating: "a", count: 64), "uploads/" + String(repeating: "a", count: 56),
    ])
    func `every name of nothing is answered alike`(name: String) {
        let answer = send("GET", name)
        #expect((answer.status, problem(answer)) == (404, "not_found"))
        if name != String(repeating: "a", count: 64) {
            #expect(problem(send("PUT", name, body: [1])) == "not_found")
        }
    }

    @Test func `another space's blob is answered exactly as none, and kept twice`() throws {
        let blob = bytes(500)
        let stranger = try server.login("ben@example.org").access
        #expect(put(blob).status == 201)
        let none = String(repeating: "a", count: 64)
        for method in ["GET", "HEAD"] {
            let (theirs, nobodys) = (
                send(method, digits(blob), token: stranger), send(method, none, token: stranger)
            )
            #expect((theirs.status, theirs.body) == (nobodys.status, nobodys.body))
            #expect(theirs.fields == nobodys.fields)
        }
        // Putting it takes as long, and costs as much, as putting what no one has.
        #expect(put(blob, token: stranger).status == 201)
        #expect(server.store.blobFiles.all().count == 2)
    }

    @Test func `a quota is exact, and refuses nothing but blobs`() throws {
        #expect(put(bytes(2_000)).status == 201)
        let answer = put(bytes(1_001))
        #expect((answer.status, problem(answer)) == (403, "quota"))
        #expect(put(bytes(2_000)).status == 204)
        #expect(put(bytes(1_000)).status == 201)
        #expect(problem(put([1])) == "quota")
        var device = TestDevice(1)
        device.record("meal")
        #expect(server.sync(device.request, token: token).status == 200)
    }

    @Test func `two uploads at once can't pass the quota together`() throws {
        let (one, two) = (bytes(2_000), bytes(1_900))
        let first = try #require(server.server.sink(for: request("PUT", one)))
        let second = try #require(server.server.sink(for: request("PUT", two)))
        #expect(problem(finish(second, with: two)) == "quota")
        #expect(finish(first, with: one).status == 201)
    }

    @Test func `what a request lacks is said`() throws {
        let blob = bytes(100)
        let cases: [([(String, String)], Int, String)] = [
            ([("content-range", "bytes 0-98/100")], 400, "malformed_request"),
            ([("content-range", "bytes 0-99/99")], 400, "malformed_request"),
            ([("content-range", "bytes 0-99/*")], 400, "malformed_request"),
            ([("content-range", "lines 0-99/100")], 400, "malformed_request"),
            ([("content-encoding", "gzip")], 415, "unsupported_media_type"),
            ([("content-range", "bytes 0-99/10485761")], 413, "too_large"),
        ]
        for number in Self.greatNumbers {
            for (range, status, kind) in [
                ("bytes 0-99/\(number)", 413, "too_large"),
                ("bytes 0-\(number)/\(number)", 413, "too_large"),
                ("bytes 0-\(number)/100", 400, "malformed_request"),
                ("bytes \(number)-\(number)/100", 400, "malformed_request"),
            ] {
                let answer = send("PUT", digits(blob), [("content-range", range)], body: blob)
                #expect((answer.status, problem(answer)) == (status, kind), "\(range)")
            }
        }
        for (fields, status, kind) in cases {
            let answer = send("PUT", digits(blob), fields, body: blob)
            #expect((answer.status, problem(answer)) == (status, kind), "\(fields)")
        }
        #expect(problem(send("PUT", digits([]))) == "malformed_request")
        #expect(send("POST", digits(blob)).field("allow") == "GET, HEAD, PUT")
        #expect(problem(send("GET", digits(blob), token: "x")) == "unauthorized")
        #expect(problem(send("PUT", digits(blob), token: "x", body: blob)) == "unauthorized")
    }

    @Test func `a newer upload of the same blob takes over from one that hangs`() throws {
        let blob = bytes(1_000)
        let hanging = try #require(server.server.sink(for: request("PUT", blob)))
        blob[..<300].withUnsafeBytes { hanging.take($0) }
        #expect(offset(digits(blob)) == "300")
        #expect(put(blob, 300..<1_000).status == 201)
        // Whatever it still sends, it spoils nothing.
        let late = finish(hanging, with: [UInt8](repeating: 0, count: 700))
        #expect((late.status, problem(late)) == (409, "superseded"))
        #expect(try content(send("GET", digits(blob))) == blob)
    }

    @Test func `an upload that is broken off keeps what came`() throws {
        let blob = bytes(1_000)
        let broken = try #require(server.server.sink(for: request("PUT", blob)))
        blob[..<700].withUnsafeBytes { broken.take($0) }
        broken.cancel()
        #expect(offset(digits(blob)) == "700")
        #expect(put(blob, 700..<1_000).status == 201)
    }

    @Test func `an account has a fixed number of unfinished uploads, and the oldest give way`()
        throws
    {
        for number in 0..<BlobLimits.unfinishedMax + 3 {
            #expect(put(bytes(20 + number), 0..<10).status == 202)
        }
        let left = (0..<BlobLimits.unfinishedMax + 3).filter {
            offset(digits(bytes(20 + $0))) == "10"
        }
        #expect(left.count == BlobLimits.unfinishedMax)
        #expect(left.last == BlobLimits.unfinishedMax + 2)
    }

    @Test func `a session that asks too often waits`() throws {
        let server = try TestServer { $0.rates[.blobBySession] = Rate(burst: 2, interval: 1_000) }
        let token = try server.login().access
        let name = digits(bytes(10))
        for _ in 0..<2 {
            #expect(server.call("HEAD", "/v1/blobs/\(name)", token: token).status == 404)
        }
        #expect(
            problem(server.call("GET", "/v1/blobs/\(name)", token: token)) == "too_many_requests")
    }

    @Test func `a blob whose file is gone or cut can be put again`() throws {
        let blob = bytes(1_000)
        #expect(put(blob).status == 201)
        let file = server.store.blobFiles.path(try #require(server.store.blobFiles.all().first))
        truncate(file, 10)
        #expect(send("GET", digits(blob)).status == 404)
        #expect(put(blob).status == 201)
        unlink(file)
        #expect(send("HEAD", digits(blob)).status == 404)
        #expect(put(blob).status == 201)
        #expect(try content(send("GET", digits(blob))) == blob)
    }

    private func request(_ method: String, _ blob: [UInt8]) -> HTTPRequest {
        HTTPRequest(
            method: method, path: "/v1/blobs/\(digits(blob))",
            fields: [
                HTTPField("authorization", "Bearer \(token)"),
                HTTPField("content-length", "\(blob.count)"),
            ])
    }

    private func finish(_ sink: BodySink, with bytes: [UInt8]) -> HTTPResponse {
        bytes.withUnsafeBytes { sink.take($0) }
        let waiting = Answered()
        sink.finish { waiting.set($0) }
        return waiting.get()
    }
}

/// This many bytes, other ones for each length.
func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ count) }
}

/// The name of a blob.
func digits(_ blob: [UInt8]) -> String {
    sha256(blob).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// What a response would send.
func content(_ response: HTTPResponse) throws -> [UInt8] {
    guard let part = response.file else { return response.body }
    let file = open(part.path, O_RDONLY)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: Int(part.count))
    guard pread(file, &bytes, bytes.count, off_t(part.offset)) == bytes.count else {
        throw Unexpected(response: "a file that is too short")
    }
    return bytes
}
