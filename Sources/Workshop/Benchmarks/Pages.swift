import MacrologEvents
import MacrologWire

/// Makes the consecutive pages that a server would send to a device that recorded none of the
/// events.
struct Pages {
    private var n: Int64 = 0
    private var t: Int64 = 1_900_000_000_000 << 16
    private var digest = PrefixDigest.empty

    /// All pages of a log, of 500 events each.
    static func all(of bodies: [[UInt8]]) -> [SyncAnswer] {
        var pages = Pages()
        return stride(from: 0, to: bodies.count, by: Limits.pageEventsMax).map {
            pages.next(bodies[$0..<min($0 + Limits.pageEventsMax, bodies.count)])
        }
    }

    /// The next page.
    mutating func next(_ bodies: some Sequence<[UInt8]>) -> SyncAnswer {
        var rows: [SyncAnswer.Row] = []
        for body in bodies {
            n += 1
            t += 1_000 << 16
            digest.add(
                hash: body.withUnsafeBytes { SHA256.words($0) }, seal: Seal(n: n, t: t))
            rows.append(SyncAnswer.Row(t: t, content: .event(body)))
        }
        return SyncAnswer(
            epoch: 7, head: n, admitted: 0, now: t >> 16, rows: rows, digest: digest)
    }
}
