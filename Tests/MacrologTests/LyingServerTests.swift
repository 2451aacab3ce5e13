import MacrologEvents
import MacrologWire
import Foundation
import MacrologHTTP
import MacrologJSON
import Macrolog
import MacrologEngine
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: whatever numbers a server answers with, a device ends with a typed error or in order, and
/// records on.
/// Method: a server that answers by hand, with every pair of numbers at their bounds, each twice in
/// a row to the same device; a trap would end the tests.
@Suite(.timeLimit(.minutes(4))) struct LyingServerTests {
    private static let bounds: [Int64] = [0, -1, 1, 1 << 31, 1 << 40, 1 << 53, .max - 1, .max]
    private static let stranger = Identifier(high: 5, low: 5)
    private static let epoch: UInt32 = 9

    /// What is asked, and two numbers: the answer.
    typealias Lie = @Sendable (HTTPRequest, Int64, Int64) -> HTTPResponse

    private final class Liar: Transport {
        private struct State {
            var lie: Lie
            var numbers: (Int64, Int64) = (0, 0)
        }

        private let state: Mutex<State>

        init(_ lie: @escaping Lie) { state = Mutex(State(lie: lie)) }

        func say(_ a: Int64, _ b: Int64) { state.withLock { $0.numbers = (a, b) } }

        func send(
            _ request: HTTPRequest, heldSeconds: Int64
        ) throws(TransportError) -> HTTPResponse {
            let (lie, numbers) = state.withLock { ($0.lie, $0.numbers) }
            return lie(request, numbers.0, numbers.1)
        }

        func cancel() {}
    }

    private static func cbor(_ body: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: 200, fields: [HTTPField("content-type", "application/cbor")], body: body)
    }

    private static func json(_ text: String) -> HTTPResponse {
        HTTPResponse(
            status: 200, fields: [HTTPField("content-type", "application/json")],
            body: Array(text.utf8))
    }

    private static func problem(_ status: Int, _ kind: String, _ more: String) -> HTTPResponse {
        let body =
            #"{"type":"urn:macrolog:problem:\#(kind)","title":"no","status":\#(status)\#(more)}"#
        return HTTPResponse(
            status: status, fields: [HTTPField("content-type", "application/problem+json")],
            body: Array(body.utf8))
    }

    private static func event(
        _ device: Identifier, _ seq: Int64, base: Base = .none, wall: Int64 = 0
    ) -> [UInt8] {
        let change = Change(EntityKey("am", stranger), [.delete])
        return Event(
            dot: Dot(device: device, seq: seq), base: base, wall: wall, type: "at",
            changes: [change]
        ).encoded()
    }

    /// A page with these rows, whose digest is right.
    private static func page(
        _ request: HTTPRequest, _ rows: [SyncAnswer.Row], head: Int64? = nil, admitted: Int64 = 0,
        now: Int64 = 0
    ) -> HTTPResponse {
        guard let message = try? SyncRequest.decoded(request.body) else {
            return problem(404, "not_found", "")
        }
        var (n, digest) = (message.cursor.rawValue, message.digest)
        for row in rows {
            n &+= 1
            guard case .event(let body) = row.content else { continue }
            // What is no event has no bytes in a page; the target `page` is for those.
            guard (try? body.withUnsafeBytes { try EventHeader.peeked($0) }) != nil,
                let hash = try? StoredEvent.hash(of: body)
            else { return cbor([]) }
            digest.add(hash: hash, seal: Seal(n: n, t: row.t))
        }
        let answer = SyncAnswer(
            epoch: epoch, head: head ?? n, admitted: admitted, now: now, rows: rows, digest: digest)
        return cbor(answer.encoded())
    }

    private static func row(_ body: [UInt8], t: Int64 = 1) -> SyncAnswer.Row {
        SyncAnswer.Row(t: t, content: .event(body))
    }

    private static let lies: [(String, Lie)] = [
        ("head and admitted", { page($0, [], head: $1, admitted: $2) }),
        ("now and head", { page($0, [], head: $2, now: $1) }),
        (
            "head and a row",
            { page($0, [row(event(stranger, 1), t: $2)], head: $1) }
        ),
        ("seqs", { page($0, [row(event(stranger, $1)), row(event(stranger, $2), t: 2)]) }),
        (
            "a good row, then a seq and a time",
            { request, a, b in
                page(request, [row(event(stranger, 1)), row(event(stranger, a), t: b)])
            }
        ),
        ("times", { page($0, [row(event(stranger, 1), t: $1), row(event(stranger, 2), t: $2)]) }),
        (
            "base and wall",
            { request, a, b in
                page(request, [row(event(stranger, 1, base: Base(epoch: epoch, n: a), wall: b))])
            }
        ),
        (
            "own seqs",
            { request, a, b in
                page(
                    request,
                    [a, b].map { SyncAnswer.Row(t: 1, content: .own(seq: Seq($0))) })
            }
        ),
        (
            "seqs of one's own name",
            { request, a, b in
                let known = named.withLock { $0 }
                return page(request, [row(event(known, a)), row(event(known, b), t: 2)])
            }
        ),
        (
            "another log",
            { request, a, b in
                switch request.path {
                case "/v1/digest":
                    let answer = DigestAnswer(
                        epoch: 8, head: LogNumber(a), digests: b > 0 ? [.empty] : [])
                    return cbor(answer.encoded())
                case "/v1/heal":
                    let answer = HealAnswer(epoch: 8, head: LogNumber(b), digest: .empty)
                    return cbor(answer.encoded())
                default: return problem(409, "epoch_changed", #","epoch":\#(a)"#)
                }
            }
        ),
        (
            "another log without events",
            { request, a, b in
                switch request.path {
                case "/v1/digest":
                    return cbor(DigestAnswer(epoch: 8, head: .zero, digests: []).encoded())
                case "/v1/heal":
                    // What was given back is there, or something else of any length.
                    let given = try? HealRequest.decoded(request.body)
                    let answer = HealAnswer(
                        epoch: 8, head: LogNumber(a), digest: given?.digest ?? .empty)
                    return cbor(answer.encoded())
                default: return problem(409, "epoch_changed", #","epoch":\#(b)"#)
                }
            }
        ),
        (
            "a log that differs",
            { request, a, b in
                if let asked = try? DigestRequest.decoded(request.body),
                    request.path == "/v1/digest"
                {
                    let count = asked.ranges.reduce(0) { $0 + $1.parts }
                    let digests = [PrefixDigest](repeating: .empty, count: count)
                    return cbor(
                        DigestAnswer(epoch: epoch, head: LogNumber(b), digests: digests).encoded())
                }
                guard (try? SyncRequest.decoded(request.body))?.device == .zero else {
                    return problem(409, "divergent", "")
                }
                return page(request, [row(event(stranger, a), t: b)])
            }
        ),
        ("expected seq", { _, a, b in problem(409, "expected_seq", #","seq":\#(a),"x":\#(b)"#) }),
        ("dot reuse", { _, a, b in problem(409, "dot_reuse", #","seq":\#(a),"x":\#(b)"#) }),
        (
            "versions",
            { _, a, b in
                problem(426, "unsupported_version", #","version":\#(a),"oldest":\#(b)"#)
            }
        ),
        (
            "retry",
            { _, a, b in
                var answer = problem(503, "busy", "")
                answer.fields.append(HTTPField("retry-after", "\(a == 0 ? b : a)"))
                return answer
            }
        ),
        (
            "receipts",
            { request, a, b in
                guard request.path == "/v1/devices" else { return page(request, []) }
                return json(
                    #"{"epoch":9,"now":\#(a),"devices":[{"id":"\#(stranger)","name":"x","created":\#(a),"#
                        + #""last_seen":\#(b),"current":false,"device":"\#(stranger)","cursor":\#(b)}]}"#
                )
            }
        ),
    ]

    /// The name under which the device of a test recorded first.
    private static let named = Mutex(Identifier(high: 0, low: 0))

    private let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private func record(_ replica: Replica) throws {
        try replica.add(
            Meal(
                id: replica.newID(), on: LocalDate(day: day), dishName: "Soup", slot: "lunch",
                nutrients: Nutrients(energy: 400_000)))
    }

    private func inFolder(_ body: (String) async throws -> Void) async throws {
        let folder = ScratchFolder()
        try await body(folder.path)
    }

    private func account(_ path: String, _ liar: Liar) throws -> Account {
        let session = SessionFile(path: path + ".session")
        try session.save(
            Session(
                server: "http://127.0.0.1:1", email: "a@b.c", account: "a", accessToken: "x",
                refreshToken: "y"))
        let account = Account(of: try Replica.open(at: path), session: session) { _ in liar }
        try record(account.replica)
        return account
    }

    @Test(arguments: lies.indices)
    func `every pair of numbers in an answer ends in order or in a typed error`(
        index: Int
    ) async throws {
        let (name, lie) = Self.lies[index]
        try await inFolder { folder in
            for (round, a) in Self.bounds.enumerated() {
                for (place, b) in Self.bounds.enumerated() {
                    let liar = Liar(lie)
                    let account = try account("\(folder)/\(round)-\(place).db", liar)
                    defer { account.replica.releaseFile() }
                    if name == "seqs of one's own name" {
                        let own = try account.replica.read { try $0.statistics() }.device
                        Self.named.withLock { $0 = own }
                    }
                    liar.say(a, b)
                    for _ in 0..<2 {
                        do { try await account.sync() } catch is AccountError {}
                        _ = try account.replica.syncStatus()
                    }
                    try record(account.replica)
                    #expect(
                        try account.replica.meals(on: day).count >= 2, "\(name): \(a), \(b)")
                }
            }
        }
    }
}
