import MacrologEvents
import MacrologWire
import MacrologEngine

/// The requests of a device of a model world.
enum ModelRequest {
    case sync(
        device: Identifier, epoch: UInt32, cursor: Int64, digest: PrefixDigest,
        pushed: [(age: Int64, event: ModelEvent)], eventsMax: Int)
    case digests(DigestRequest)
    case heal(HealRequest, rows: ArraySlice<ModelRow>)
}

/// The answers of the server.
enum ModelAnswer {
    case page(
        epoch: UInt32, head: Int64, admitted: Int64, rows: ArraySlice<ModelRow>,
        digest: PrefixDigest)
    case digests(DigestAnswer)
    case healed(HealAnswer)
    case refused(SyncMachine.ErrorClass)
}

/// The server of a model world, by `protocol.md` §6.3 and §6.7. A value: a backup is a copy.
struct ModelServer {
    private struct Device {
        var seq: Int64 = 0
        var t: Int64 = 0
        var base: Int64 = 0
    }

    private(set) var rows: [ModelRow] = []
    private var devices: [Identifier: Device] = [:]
    var epoch: UInt32 = 1

    private var head: Int64 { Int64(rows.count) }

    mutating func answer(_ request: ModelRequest, now: Int64) -> ModelAnswer {
        switch request {
        case .sync(let device, let epoch, let cursor, let digest, let pushed, let eventsMax):
            guard epoch == self.epoch || epoch == 0 && cursor == 0, cursor <= head else {
                return .refused(.differs)
            }
            guard rows.digest(upTo: cursor) == digest else { return .refused(.differs) }
            if let error = admit(pushed, of: device, cursor: cursor, now: now) {
                return .refused(error)
            }
            let page = rows[Int(cursor)...].prefix(eventsMax)
            return .page(
                epoch: self.epoch, head: head, admitted: devices[device]?.seq ?? 0, rows: page,
                digest: rows.digest(upTo: cursor + Int64(page.count)))
        case .digests(let message): return digests(message)
        case .heal(let message, let given): return heal(message, given)
        }
    }

    private mutating func admit(
        _ pushed: [(age: Int64, event: ModelEvent)], of device: Identifier, cursor: Int64,
        now: Int64
    ) -> SyncMachine.ErrorClass? {
        var known = devices[device] ?? Device()
        if let first = pushed.first, first.event.event.dot.seq > known.seq + 1 {
            return .pushRefused(after: 0)
        }
        var new: [(age: Int64, event: ModelEvent)] = []
        for (age, event) in pushed {
            guard event.event.base.epoch == epoch || event.event.base.n <= cursor else {
                return .differs
            }
            if event.event.dot.seq > known.seq {
                new.append((age, event))
            } else if !holds(event) {
                return .deviceIDTaken
            }
        }
        var base = known.base
        for (_, event) in new {
            guard event.event.base.n >= base, event.event.base.n <= head else { return .differs }
            base = event.event.base.n.rawValue
        }
        for (age, event) in new {
            let seen = rows.latest(upTo: event.event.base.n.rawValue)
            let t = Sealing.time(age: age, now: now, floor: max(seen, known.t))
            rows.append(event, t: t)
            known = Device(
                seq: event.event.dot.seq.rawValue, t: t, base: event.event.base.n.rawValue)
        }
        if !new.isEmpty { devices[device] = known }
        return nil
    }

    private func holds(_ event: ModelEvent) -> Bool {
        rows.contains { $0.event.event.dot == event.event.dot && $0.event.hash == event.hash }
    }

    private func digests(_ message: DigestRequest) -> ModelAnswer {
        let ranges = message.ranges.compactMap { $0.cut(at: LogNumber(head)) }
        let digests = ranges.flatMap { range in
            zip([range.after] + range.ends, range.ends).map { begin, end in
                rows.digest(upTo: end.rawValue).subtracting(rows.digest(upTo: begin.rawValue))
            }
        }
        return .digests(DigestAnswer(epoch: epoch, head: LogNumber(head), digests: digests))
    }

    private var healed: ModelAnswer {
        .healed(
            HealAnswer(epoch: epoch, head: LogNumber(head), digest: rows.digest(upTo: head)))
    }

    private mutating func heal(
        _ message: HealRequest, _ given: ArraySlice<ModelRow>
    ) -> ModelAnswer {
        guard message.after == head else { return healed }
        var next = self
        for row in given {
            let (dot, base) = (row.event.event.dot, row.event.event.base.n.rawValue)
            let known = next.devices[dot.device] ?? Device()
            guard dot.seq == known.seq + 1, base >= known.base, base <= next.head,
                row.seal.t > max(next.rows.latest(upTo: base), known.t)
            else { return .refused(.differs) }
            next.rows.append(row.event, t: row.seal.t.rawValue)
            next.devices[dot.device] = Device(
                seq: dot.seq.rawValue, t: row.seal.t.rawValue, base: base)
        }
        guard next.rows.digest(upTo: next.head) == message.digest else {
            return .refused(.differs)
        }
        self = next
        return healed
    }
}
