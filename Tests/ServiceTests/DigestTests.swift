import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: a server tells the digest of any part of a log, to those who may know it, and of nothing else.
/// Method: the service as a function; the digests are computed again from the events.
@Suite(.onBothStores) struct DigestTests {
    private func ask(
        _ request: DigestRequest, _ server: TestServer, _ token: String, body: [UInt8]? = nil
    ) -> HTTPResponse {
        server.send(
            HTTPRequest(
                method: "POST", path: "/v1/digest",
                fields: [
                    HTTPField("Authorization", "Bearer \(token)"),
                    HTTPField("Content-Type", "application/cbor"),
                ], body: body ?? request.encoded()))
    }

    /// A server with some events, and p(n) for each number of them.
    private func world() throws -> (server: TestServer, token: String, prefixes: [PrefixDigest]) {
        let server = try TestServer()
        let token = try server.login().access
        var phone = TestDevice(1)
        for _ in 0..<40 { phone.record() }
        _ = try phone.fold(server.sync(phone.request, token: token))
        let reader = SyncRequest(
            device: Identifier(high: 9, low: 9), epoch: 0, cursor: 0, digest: .empty, pushed: [])
        let answer = try SyncAnswer.decoded(server.sync(reader, token: token).body)
        var prefixes = [PrefixDigest.empty]
        for (index, row) in answer.rows.enumerated() {
            guard case .event(let body) = row.content else { continue }
            var digest = prefixes[index]
            digest.add(
                hash: body.withUnsafeBytes { SHA256.words($0) },
                seal: Seal(n: Int64(index + 1), t: row.t))
            prefixes.append(digest)
        }
        try #require(prefixes.count == 41)
        return (server, token, prefixes)
    }

    @Test func `each part has the digest of its events`() throws {
        let (server, token, prefixes) = try world()
        let epoch = server.store.epoch
        let request = DigestRequest(
            ranges: [
                .init(after: 0, through: 33, parts: 16), .init(after: 33, through: 40, parts: 7),
            ])
        let answer = try DigestAnswer.decoded(ask(request, server, token).body)
        let expected = request.ranges.flatMap { range in
            zip([range.after] + range.ends, range.ends).map {
                prefixes[Int($1.rawValue)].subtracting(prefixes[Int($0.rawValue)])
            }
        }
        #expect(answer == DigestAnswer(epoch: epoch, head: LogNumber(40), digests: expected))
    }

    @Test(
        arguments: [
            (DigestRequest.Range(after: 0, through: 41, parts: 1), 0...40, 1),
            (.init(after: 0, through: .max, parts: 32), 0...40, 32),
            (.init(after: 37, through: 100_000, parts: 16), 37...40, 3),
            (.init(after: 40, through: 41, parts: 1), 40...40, 0),
            (.init(after: 50, through: 60, parts: 10), 40...40, 0),
        ] as [(DigestRequest.Range, ClosedRange<Int>, Int)])
    func `a range ends where the log ends, and no part is empty`(
        range: DigestRequest.Range, held: ClosedRange<Int>, parts: Int
    ) throws {
        let (server, token, prefixes) = try world()
        let answer = try DigestAnswer.decoded(
            ask(DigestRequest(ranges: [range]), server, token).body)
        #expect(answer.head == 40 && answer.digests.count == parts)
        var sum = PrefixDigest.empty
        for digest in answer.digests { sum.add(digest) }
        #expect(sum == prefixes[held.upperBound].subtracting(prefixes[held.lowerBound]))
    }

    @Test func `a stranger and nonsense are refused, and another account has another log`() throws {
        let (server, token, _) = try world()
        let request = DigestRequest(ranges: [.init(after: 0, through: 40, parts: 1)])
        #expect(ask(request, server, "unknown").status == 401)
        #expect(problem(ask(request, server, token, body: [0xa0])) == "malformed_request")
        let other = try server.login("ben@example.org").access
        let answer = try DigestAnswer.decoded(ask(request, server, other).body)
        #expect(answer.head == 0 && answer.digests.isEmpty)
        #expect(server.call("GET", "/v1/digest", token: token).status == 405)
    }
}
