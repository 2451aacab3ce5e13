/// Several requests in a row, whose numbers lie at their bounds and near those said before.
import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologService
import MacrologEngine

extension FuzzTarget {
    /// A byte for the kind of each request, then one for each of its numbers.
    static let sequence = FuzzTarget("sequence", inputBytesMax: 192) { input in
        try withBlobs {
            var sequence = RequestSequence(input)
            try sequence.play()
            try sequence.checkUnharmed()
        }
    }
}

/// A separate account, so that an input gives the same result each time, and its requests.
private struct RequestSequence {
    private var rest: ArraySlice<UInt8>
    private let email: String
    private var token: String
    /// The last number but one, and the last.
    private var used: (Int64, Int64) = (0, 0)
    /// The end of the log, as far as the answers have said it.
    private var head: (n: Int64, digest: PrefixDigest) = (0, .empty)
    private var admitted: Int64 = 0

    init(_ input: [UInt8]) {
        rest = input[...]
        email = PlayedServer.shared.newAddress()
        token = PlayedServer.shared.logIn(email)
    }

    mutating func play() throws {
        for _ in 0..<16 {
            guard let kind = rest.popFirst() else { return }
            let count = Int(kind >> 3 & 3) + 1
            switch kind & 7 {
            case 0: try push(count, kind)
            case 1: try pull()
            case 2: try healElsewhere()
            case 3: try recover(count)
            case 4: try askDigests(count)
            case 5: try poll()
            case 6: try askBlob(kind)
            default: try askDevices()
            }
        }
    }

    /// An ordinary device, which has seen nothing of all that.
    mutating func checkUnharmed() throws {
        let device = Identifier(high: 9, low: 9)
        for seq in 1...Int64(2) {
            let pushed = SyncRequest.Pushed(age: 0, body: Self.event(device, seq, .none, wall: 0))
            let request = SyncRequest(
                device: device, epoch: 0, cursor: 0, digest: .empty, pushed: [pushed], eventsMax: 0,
                bytesMax: 0)
            let response = try send("POST", "/v1/sync", body: request.encoded())
            let answer = try? SyncAnswer.decoded(response.body)
            try promise(answer?.admitted == seq, "an ordinary event is admitted afterwards")
        }
    }

    // Numbers

    /// One of 16 that matter, and with the upper bits one near it.
    private mutating func number() -> Int64 {
        let byte = rest.popFirst() ?? 0
        let numbers: [Int64] = [
            0, -1, 1, 1 << 31, 1 << 53, .max - 1, .max, .min, used.1, used.1 &+ 1, used.1 &- 1,
            used.0, head.n, head.n &+ 1, 1_700_000_000_000 << 16, admitted &+ 1,
        ]
        let offset = byte >> 4 == 0 ? 0 : Int64(byte >> 4) - 8
        let number = numbers[Int(byte & 0xF)] &+ offset
        used = (used.1, number)
        return number
    }

    private mutating func numbers(_ count: Int) -> [Int64] {
        var numbers: [Int64] = []
        for _ in 0..<count { numbers.append(number()) }
        return numbers
    }

    // Requests

    private static let device = Identifier(high: 7, low: 7)
    private static let other = Identifier(high: 8, low: 8)

    private static func event(
        _ device: Identifier, _ seq: Int64, _ base: Base, wall: Int64
    ) -> [UInt8] {
        let change = Change(EntityKey("am", device), [.delete])
        return Event(
            dot: Dot(device: device, seq: seq), base: base, wall: wall, type: "at",
            changes: [change]
        ).encoded()
    }

    private mutating func push(_ count: Int, _ kind: UInt8) throws {
        let device = kind & 0x20 == 0 ? Self.device : Self.other
        var pushed: [SyncRequest.Pushed] = []
        for _ in 0..<count {
            let seq = number()
            // Few events say more than that, or no log would ever grow.
            let more = kind & 0x40 == 0 ? [0, 0] : numbers(2)
            let base = kind & 0x80 == 0 ? .none : Base(epoch: PlayedServer.epoch, n: number())
            let body = Self.event(device, seq, base, wall: more[1])
            pushed.append(SyncRequest.Pushed(age: more[0], body: body))
        }
        try sync(
            SyncRequest(
                device: device, epoch: PlayedServer.epoch, cursor: head.n, digest: head.digest,
                pushed: pushed))
    }

    private mutating func pull() throws {
        let cursor = number()
        try sync(
            SyncRequest(
                device: Self.device, epoch: PlayedServer.epoch, cursor: cursor,
                digest: cursor == head.n ? head.digest : .empty, pushed: [], eventsMax: number(),
                bytesMax: number()))
    }

    private mutating func sync(_ request: SyncRequest) throws {
        let response = try send("POST", "/v1/sync", body: request.encoded())
        guard response.status == 200 else { return }
        let answer = try SyncAnswer.decoded(response.body)
        let end = request.cursor.adding(Int64(answer.rows.count))
        try promise(end.map { $0 <= answer.head } == true, "no row lies beyond the end of the log")
        if request.device == Self.device { admitted = answer.admitted.rawValue }
        if end == answer.head { head = (answer.head.rawValue, answer.digest) }
    }

    private mutating func healElsewhere() throws {
        let row = HealRequest.Row(
            t: number(), body: Self.event(Self.other, number(), .none, wall: 0))
        let request = HealRequest(after: number(), rows: [row], digest: head.digest)
        try send("POST", "/v1/heal", body: request.encoded())
    }

    private mutating func recover(_ count: Int) throws {
        var digest = head.digest
        var rows: [HealRequest.Row] = []
        for place in 1...Int64(count) {
            let (t, seq) = (number(), number())
            let body = Self.event(Self.other, seq, .none, wall: 0)
            digest.add(
                hash: try StoredEvent.hash(of: body), seal: Seal(n: head.n + place, t: t))
            rows.append(HealRequest.Row(t: t, body: body))
        }
        let request = HealRequest(after: head.n, rows: rows, digest: digest)
        let response = try send("POST", "/v1/heal", body: request.encoded())
        guard response.status == 200 else { return }
        let answer = try HealAnswer.decoded(response.body)
        if answer.head == head.n + Int64(count) {
            try promise(answer.digest == digest, "what was given back has its digest")
            head = (answer.head.rawValue, digest)
        }
    }

    private mutating func askDigests(_ count: Int) throws {
        var ranges: [DigestRequest.Range] = []
        for _ in 0..<count {
            ranges.append(
                DigestRequest.Range(after: number(), through: number(), parts: Int(number())))
        }
        let request = DigestRequest(ranges: ranges)
        let response = try send("POST", "/v1/digest", body: request.encoded())
        guard response.status == 200 else { return }
        let answer = try DigestAnswer.decoded(response.body)
        try promise(
            answer.digests.count
                == ranges.compactMap { $0.cut(at: answer.head) }.reduce(0) { $0 + $1.parts },
            "each part has a digest")
    }

    private mutating func poll() throws {
        try send("GET", "/v1/events", query: "after=\(number())&wait=\(number())")
    }

    private mutating func askBlob(_ kind: UInt8) throws {
        let bytes: [UInt8] = [1, 2, 3]
        let path = "/v1/blobs/\(hexadecimal(SHA256.hash(bytes)))"
        if kind & 0x20 == 0 {
            try send("GET", path, [HTTPField("range", "bytes=\(number())-\(number())")])
        } else {
            let range = "bytes \(number())-\(number())/\(number())"
            let part = kind & 0x40 == 0 ? bytes : [UInt8](bytes.prefix(Int(kind >> 3 & 3)))
            try send("PUT", path, [HTTPField("content-range", range)], body: part)
        }
    }

    private mutating func askDevices() throws {
        try send("DELETE", "/v1/devices/\(number())")
        try send("GET", "/v1/devices")
    }

    @discardableResult
    private mutating func send(
        _ method: String, _ path: String, query: String = "", _ fields: [HTTPField] = [],
        body: [UInt8] = []
    ) throws -> HTTPResponse {
        let type = HTTPField("content-type", "application/cbor")
        var request = HTTPRequest(
            method: method, path: path, fields: fields + [type], body: body, peer: "192.0.2.1")
        request.query = query
        let statuses = PlayedServer.statuses.union([201, 206, 416])
        let response = try PlayedServer.shared.check(request, token: token, statuses: statuses)
        guard response.status == 401 else { return response }
        // Time has passed while requests were held.
        token = PlayedServer.shared.logIn(email)
        return try PlayedServer.shared.check(request, token: token, statuses: statuses)
    }
}
