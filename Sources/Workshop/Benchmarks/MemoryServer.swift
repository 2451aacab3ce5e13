import MacrologEvents
import MacrologWire

/// The server's rules on an array: replaces a server where a device is measured.
final class MemoryServer {
    private struct Row {
        let dot: Dot
        let body: [UInt8]
        let t: Int64
        /// The greatest time up to here.
        let latest: Int64
        /// Of the log up to here.
        let digest: PrefixDigest
    }

    private var rows: [Row] = []
    private var last: [Identifier: (seq: Int64, t: Int64)] = [:]
    private var now: Int64 = 1_900_000_000_000

    init() {}

    /// A server with the same log.
    init(copying other: MemoryServer) {
        (rows, last, now) = (other.rows, other.last, other.now)
    }

    var head: Int { rows.count }

    /// Admits the next event of its device.
    func admit(_ body: [UInt8], age: Int64 = 0) throws {
        let header = try body.withUnsafeBytes { try EventHeader.peeked($0) }
        let before = last[header.dot.device]
        guard header.dot.seq == (before?.seq ?? 0) + 1 else { return }
        now += 1
        let seen = header.base.n > 0 ? rows[Int(header.base.n.rawValue) - 1].latest : 0
        let t = Sealing.time(age: age, now: now, floor: max(seen, before?.t ?? 0))
        var digest = rows.last?.digest ?? .empty
        digest.add(
            hash: body.withUnsafeBytes { SHA256.words($0) },
            seal: Seal(n: Int64(rows.count + 1), t: t))
        rows.append(
            Row(
                dot: header.dot, body: body, t: t, latest: max(t, rows.last?.latest ?? 0),
                digest: digest))
        last[header.dot.device] = (header.dot.seq.rawValue, t)
    }

    /// Admits a push.
    func admit(_ request: SyncRequest) throws {
        for pushed in request.pushed { try admit(pushed.body, age: pushed.age.rawValue) }
    }

    /// The page after a cursor, for a device.
    func page(after cursor: Int, for device: Identifier, eventsMax: Int) -> SyncAnswer {
        let end = min(rows.count, cursor + eventsMax)
        return SyncAnswer(
            epoch: 7, head: Int64(rows.count), admitted: last[device]?.seq ?? 0, now: now,
            rows: rows[cursor..<end].map { row in
                SyncAnswer.Row(
                    t: row.t,
                    content: row.dot.device == device
                        ? .own(seq: row.dot.seq) : .event(row.body))
            },
            digest: end == 0 ? .empty : rows[end - 1].digest)
    }
}
