import Events
import Log
import Nutrition
import Projections
import SQLite

/// The hub's rules on an array: what a device test needs of a server, without one.
struct Hub {
    struct Row {
        let dot: Dot
        var body: [UInt8]
        var t: Int64
    }

    var epoch: UInt32 = 7
    var rows: [Row] = []
    var now: Int64 = 1_800_000_000_000

    /// Admits an event as it is, whoever brings it.
    mutating func admit(_ event: Event, _ seal: Seal) {
        rows.append(Row(dot: event.dot, body: event.encoded(), t: seal.t))
    }

    mutating func exchange(_ request: SyncRequest) throws -> SyncAnswer {
        for pushed in request.pushed {
            let header = try EventHeader.checked(pushed.body)
            guard !rows.contains(where: { $0.dot == header.dot }) else { continue }
            let seen = rows.prefix(Int(header.base.n)).map(\.t)
            let own = rows.filter { $0.dot.device == header.dot.device }.map(\.t)
            let floor = (seen + own).max() ?? 0
            rows.append(
                Row(
                    dot: header.dot, body: pushed.body,
                    t: Sealing.time(age: pushed.age, now: now, floor: floor)))
        }
        let page = rows.dropFirst(Int(request.cursor)).prefix(Int(request.eventsMax))
        var digest = PrefixDigest.empty
        for (index, row) in rows.prefix(Int(request.cursor) + page.count).enumerated() {
            digest.add(
                hash: try StoredEvent.hash(of: row.body),
                seal: Seal(n: Int64(index + 1), t: row.t))
        }
        return SyncAnswer(
            epoch: epoch, head: Int64(rows.count),
            admitted: rows.last { $0.dot.device == request.device }?.dot.seq ?? 0, now: now,
            rows: page.map { row in
                SyncAnswer.Row(
                    t: row.t,
                    content: row.dot.device == request.device
                        ? .own(seq: row.dot.seq) : .event(row.body))
            }, digest: digest)
    }
}

extension Hub {
    /// The digests of the first events, for each number of them.
    var prefixes: [PrefixDigest] {
        var prefixes = [PrefixDigest.empty]
        for (index, row) in rows.enumerated() {
            var digest = prefixes[index]
            digest.add(
                hash: row.body.withUnsafeBytes { SHA256.words($0) },
                seal: Seal(n: Int64(index + 1), t: row.t))
            prefixes.append(digest)
        }
        return prefixes
    }

    func digests(_ request: DigestRequest) -> DigestAnswer {
        DigestAnswer(epoch: 7, digests: Self.digests(request, prefixes))
    }

    static func digests(
        _ request: DigestRequest, _ prefixes: [PrefixDigest]
    ) -> [PrefixDigest] {
        request.ranges.flatMap { range in
            let ends = [range.after] + range.ends
            return zip(ends, ends.dropFirst()).map {
                prefixes[Int($1)].subtracting(prefixes[Int($0)])
            }
        }
    }
}

/// A device on a database of its own.
final class Device {
    var store: Store
    var reading = ClockReading(
        wall: 1_800_000_000_000, monotonic: 5_000, boot: Identifier(high: 1, low: 1))

    private let folder: Folder?

    /// - Parameter isOnDisk: Whether the database is a file, which can be closed and opened again.
    init(_ letter: Character, isOnDisk: Bool = false) throws {
        let low = UInt64(letter.asciiValue ?? 0)
        folder = isOnDisk ? try Folder() : nil
        let connection =
            try folder.map { try Connection.open($0.file("log.db")) }
            ?? Connection.open("", mode: .memory)
        store = try Store.open(connection, newDevice: Identifier(high: 0xA, low: low))
    }

    func record(_ type: Text, _ kind: Kind, _ id: Identifier, _ operations: [Operation]) throws {
        reading.wall += 1_000
        reading.monotonic += 1_000
        _ = try store.record(
            [Draft(type, [Change(EntityKey(kind.name, id), operations)])], at: reading)
    }

    /// Closes the file and opens it again.
    func reopen() throws {
        guard let folder else { return }
        let nobody = Identifier(high: 0, low: 0)
        store = try Store.open(try Connection.open("", mode: .memory), newDevice: nobody)
        store = try Store.open(try Connection.open(folder.file("log.db")), newDevice: nobody)
    }

    /// Lets anybody change what is to stay as it is.
    func unlock() throws {
        for sql in [
            "DROP TRIGGER event_refuses_update", "DROP TRIGGER event_refuses_delete",
            "DROP TRIGGER seal_refuses_update", "DROP TRIGGER seal_refuses_delete",
        ] as [StaticString] {
            try store.db.run(sql)
        }
    }

    /// Looks through the whole file.
    func look(next: Identifier) throws -> Verification {
        var verification = Verification()
        while !verification.isDone { try store.verify(&verification, next: next) }
        return verification
    }

    func sync(_ hub: inout Hub, eventsMax: Int = 500) throws {
        hub.now = max(hub.now, reading.wall)
        repeat {
            let request = try store.syncRequest(eventsMax: eventsMax, admitted: 0, now: reading)
            try store.apply(try hub.exchange(request))
        } while store.log.unsealedCount > 0 || store.log.cursor < Int64(hub.rows.count)
    }
}
