import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: a device that recovers a server cannot give it seals that no server can have given (`protocol.md` §6.7).
/// Method: a log of three events with one seal or base changed and every digest computed again, so
/// that nothing but the rule itself can refuse it.
@Suite(.onBothStores) struct ForgedSealTests {
    private struct Forged {
        var device: UInt64
        var seq: Int64
        var base: Int64
        var t: Int64

        init(_ device: UInt64, _ seq: Int64, base: Int64, t: Int64) {
            (self.device, self.seq, self.base, self.t) = (device, seq, base, t)
        }
    }

    private static let good = [
        Forged(1, 1, base: 0, t: 100 << 16), Forged(2, 1, base: 1, t: 200 << 16),
        Forged(1, 2, base: 1, t: 150 << 16),
    ]

    private static func request(_ events: [Forged]) -> HealRequest {
        var rows: [HealRequest.Row] = []
        var digest = PrefixDigest.empty
        for (index, forged) in events.enumerated() {
            let id = Identifier(high: forged.device, low: 0)
            let body = Event(
                dot: Dot(device: id, seq: forged.seq),
                base: Base(epoch: forged.base == 0 ? 0 : 7, n: forged.base), wall: 0,
                type: "meal.added", version: 1,
                changes: [Change(EntityKey("meal", id), [.set(["energy": 1])])]
            ).encoded()
            rows.append(.init(t: forged.t, body: body))
            digest.add(
                hash: body.withUnsafeBytes { SHA256.words($0) },
                seal: Seal(n: Int64(index + 1), t: forged.t))
        }
        return HealRequest(after: 0, rows: rows, digest: digest)
    }

    private static let forgeries: [(rule: String, forge: @Sendable (inout [Forged]) -> Void)] = [
        ("a time equal to that of what was seen", { $0[1].t = $0[0].t }),
        ("a time before that of what was seen", { $0[1].t = $0[0].t - 1 }),
        ("a time equal to that of its device's event before", { $0[2].t = $0[0].t }),
        ("a time before that of its device's event before", { $0[2].t = 1 << 16 }),
        ("a time beyond all times", { $0[2].t = (Sealing.latest + 1) << 16 }),
        ("a base at its own place", { $0[1].base = 2 }),
        ("a base beyond the log", { $0[2].base = 9 }),
        (
            "a base below that of its device's event before",
            {
                ($0[0].base, $0[2].base) = (0, 0); $0[1] = Forged(1, 2, base: 1, t: 120 << 16);
                $0[2].seq = 3
            }
        ),
        ("a number left out", { $0[2].seq = 3 }),
        ("a number twice", { $0[2].seq = 1 }),
        ("a first number that is not 1", { $0[1].seq = 2 }),
    ]

    private func send(_ request: HealRequest, _ server: TestServer, _ token: String)
        -> HTTPResponse
    {
        server.send(
            HTTPRequest(
                method: "POST", path: "/v1/heal",
                fields: [
                    HTTPField("Authorization", "Bearer \(token)"),
                    HTTPField("Content-Type", "application/cbor"),
                ], body: request.encoded()))
    }

    @Test func `each rule of sealing holds for what a device gives back`() throws {
        for (rule, forge) in Self.forgeries {
            let server = try TestServer()
            let token = try server.login().access
            var events = Self.good
            forge(&events)
            let answer = send(Self.request(events), server, token)
            #expect(answer.status == 409 && problem(answer) == "divergent", "\(rule)")
            // Nothing of it was kept: the log as it was is taken.
            let good = try HealAnswer.decoded(send(Self.request(Self.good), server, token).body)
            let digest = Self.request(Self.good).digest
            #expect(
                good == HealAnswer(epoch: 7, head: LogNumber(3), digest: digest), "\(rule)")
        }
    }

    /// Found by another implementer's client: the rows were stored, and no one could read them again.
    @Test(arguments: [
        Sealing.latest << 16 - 1, Sealing.latest << 16, (Sealing.latest + 1) << 16 - 1,
    ])
    func `the last times are read back, and later events are sealed after them`(_ last: Int64)
        throws
    {
        let folder = ScratchFolder()
        let clock = ManualClock()
        var times: [Int64] = []
        do {
            let server = try TestServer(folder: folder, clock: clock)
            let token = try server.login().access
            var events = Self.good
            events[2].t = last
            let healed = send(Self.request(events), server, token)
            #expect(try HealAnswer.decoded(healed.body).head == 3)
            var phone = TestDevice(9)
            for _ in 0..<3 {
                _ = try phone.fold(server.sync(phone.request, token: token).body)
                phone.record()
                phone.record()
            }
            _ = try phone.fold(server.sync(phone.request, token: token).body)
        }
        // From the file, with nothing in memory.
        let again = try TestServer(folder: folder, clock: clock)
        let token = try again.login().access
        var laptop = TestDevice(10)
        let answer = try laptop.fold(again.sync(laptop.request, token: token).body)
        times = answer.rows.map(\.t.rawValue)
        #expect(times == [100 << 16, 200 << 16] + (0...6).map { last + $0 })
    }
}
