import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import MacrologTestSupport

/// The server's rules on an array: what a device test needs of a server, without one.
struct SyncServer {
    struct Row {
        let dot: Dot
        var body: [UInt8]
        var t: Int64
    }

    var epoch: UInt32 = 7
    var rows: [Row] = []
    var now: Int64 = 1_800_000_000_000

    /// Admits an event as it is, whichever device brings it.
    mutating func admit(_ event: Event, _ seal: Seal) {
        rows.append(Row(dot: event.dot, body: event.encoded(), t: seal.t.rawValue))
    }

    /// A push that no server takes (`protocol.md` §6.3, steps 5 and 7).
    struct Refused: Error { let dot: Dot }

    mutating func exchange(_ request: SyncRequest) throws -> SyncAnswer {
        for pushed in request.pushed {
            let header = try EventHeader.checked(pushed.body)
            guard !rows.contains(where: { $0.dot == header.dot }) else { continue }
            let last = try rows.last { $0.dot.device == header.dot.device }
                .map { try StoredEvent.decoded($0.body).header }
            guard header.dot.seq.rawValue == (last?.dot.seq.rawValue ?? 0) + 1,
                (last?.base.n.rawValue ?? 0)...Int64(rows.count) ~= header.base.n.rawValue
            else { throw Refused(dot: header.dot) }
            let seen = rows.prefix(Int(header.base.n.rawValue)).map(\.t)
            let own = rows.filter { $0.dot.device == header.dot.device }.map(\.t)
            let floor = (seen + own).max() ?? 0
            rows.append(
                Row(
                    dot: header.dot, body: pushed.body,
                    t: Sealing.time(age: pushed.age.rawValue, now: now, floor: floor)))
        }
        let page = rows.dropFirst(Int(request.cursor.rawValue)).prefix(Int(request.eventsMax))
        var digest = PrefixDigest.empty
        for (index, row) in rows.prefix(Int(request.cursor.rawValue) + page.count).enumerated() {
            digest.add(
                hash: try StoredEvent.hash(of: row.body),
                seal: Seal(n: Int64(index + 1), t: row.t))
        }
        return SyncAnswer(
            epoch: epoch, head: Int64(rows.count),
            admitted: rows.last { $0.dot.device == request.device }?
                .dot.seq.rawValue ?? 0, now: now,
            rows: page.map { row in
                SyncAnswer.Row(
                    t: row.t,
                    content: row.dot.device == request.device
                        ? .own(seq: row.dot.seq) : .event(row.body))
            }, digest: digest)
    }
}

extension SyncServer {
    /// Another server, which was put back to the first rows of this one.
    func restored(to count: Int, epoch: UInt32) -> SyncServer {
        SyncServer(epoch: epoch, rows: Array(rows.prefix(count)), now: now)
    }

    /// Stores what it has lost, if that follows its end.
    mutating func heal(_ request: HealRequest) throws -> HealAnswer {
        if request.after == Int64(rows.count) {
            for row in request.rows {
                let dot = try StoredEvent.decoded(row.body).header.dot
                rows.append(Row(dot: dot, body: row.body, t: row.t.rawValue))
            }
        }
        return HealAnswer(
            epoch: epoch, head: LogNumber(Int64(rows.count)), digest: prefixes[rows.count])
    }

    /// The digests of the first events, for each number of them.
    var prefixes: [PrefixDigest] {
        var prefixes = [PrefixDigest.empty]
        for (index, row) in rows.enumerated() {
            var digest = prefixes[index]
            digest.add(
                hash: (try? StoredEvent.hash(of: row.body)) ?? .zero,
                seal: Seal(n: Int64(index + 1), t: row.t))
            prefixes.append(digest)
        }
        return prefixes
    }

    func digests(_ request: DigestRequest) -> DigestAnswer {
        DigestAnswer(
            epoch: epoch, head: LogNumber(Int64(rows.count)),
            digests: Self.digests(request, prefixes))
    }

    static func digests(
        _ request: DigestRequest, _ prefixes: [PrefixDigest]
    ) -> [PrefixDigest] {
        let head = LogNumber(Int64(prefixes.count - 1))
        return request.ranges.compactMap { $0.cut(at: head) }.flatMap { range in
            let ends = [range.after] + range.ends
            return zip(ends, ends.dropFirst()).map {
                prefixes[Int($1.rawValue)].subtracting(prefixes[Int($0.rawValue)])
            }
        }
    }
}

/// A device on a database of its own.
final class Device {
    var store: Store
    var reading = ClockSample(
        wall: 1_800_000_000_000, monotonic: 5_000, boot: Identifier(high: 1, low: 1))

    private let folder: ScratchFolder?

    /// - Parameter isOnDisk: Whether the database is a file, which can be closed and opened again.
    init(_ letter: Character, isOnDisk: Bool = false) throws {
        let low = UInt64(letter.asciiValue ?? 0)
        folder = isOnDisk ? ScratchFolder() : nil
        let connection =
            try folder.map { try LogConnection.open($0.file("log.db")) }
            ?? LogConnection.inMemory()
        store = try Store.open(connection, newDevice: Identifier(high: 0xA, low: low))
    }

    func record(_ type: UTF8Text, _ kind: Kind, _ id: Identifier, _ operations: [CellOperation])
        throws
    {
        reading.wall += 1_000
        reading.monotonic += 1_000
        _ = try store.record(
            [Draft(type, [Change(EntityKey(kind.name, id), operations)])], at: reading)
    }

    /// Closes the file and opens it again.
    func reopen() throws {
        guard let folder else { return }
        let unused = Identifier(high: 0, low: 0)
        store = try Store.open(try LogConnection.inMemory(), newDevice: unused)
        store = try Store.open(try LogConnection.open(folder.file("log.db")), newDevice: unused)
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

    /// Finds how its log and the server's differ, and does what follows from that.
    ///
    /// - Parameter digesting: The server that answers for the digests, if it is another one.
    @discardableResult
    func recover(
        from server: inout SyncServer, answering digesting: SyncServer? = nil, as next: Identifier,
        trips: (MessageSizes) -> Void = { _ in }
    ) throws -> RecoveryResult {
        var recovering = try store.recovering()
        while true {
            switch recovering.action {
            case .ask(let request):
                let answer = (digesting ?? server).digests(request)
                trips(.init(up: request.encoded().count, down: answer.encoded().count))
                try recovering.handle(.digests(answer))
            case .fetch(let request):
                let answer = try server.exchange(request)
                trips(.init(up: request.encoded().count, down: answer.encoded().count))
                try recovering.handle(.rows(answer))
            case .give(let after):
                let request = try store.healRequest(recovering, after: after, eventsMax: 10)
                let answer = try server.heal(request)
                trips(.init(up: request.encoded().count, down: answer.encoded().count))
                try recovering.handle(.given(request, answer))
            case .finish: return try store.recover(recovering, as: next)
            }
        }
    }

    /// Replaces rows that differ from the server's.
    func repair(
        from server: SyncServer, answering digesting: SyncServer? = nil, as next: Identifier
    ) throws -> RecoveryResult {
        var server = server
        return try recover(from: &server, answering: digesting, as: next)
    }

    func sync(_ server: inout SyncServer, eventsMax: Int = 500) throws {
        server.now = max(server.now, reading.wall)
        repeat {
            let request = try store.syncRequest(
                eventsMax: eventsMax, admitted: 0, now: reading, serverNow: server.now)
            try store.apply(try server.exchange(request))
        } while store.log.unsealedCount > 0 || store.log.cursor < Int64(server.rows.count)
    }

    /// Heals, and syncs until nothing of its own waits.
    func recover(_ server: inout SyncServer, next name: () -> Identifier) throws {
        // What was repaired may have hidden what is to be given back.
        for _ in 0..<3 where try !recover(from: &server, as: name()).hasRepaired { break }
        try sync(&server)
    }

    /// Heals, and syncs until nothing of anybody waits to be reissued.
    func recoverAndSync(_ server: inout SyncServer, next name: () -> Identifier) throws {
        try recover(&server, next: name)
        while store.log.owesOrphans {
            try store.beginRotation(to: name())
            try sync(&server)
        }
    }
}

/// The bytes of a request and of its answer.
struct MessageSizes {
    let up: Int
    let down: Int
}
