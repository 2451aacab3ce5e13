/// What a log's events make of all entities, cut into parts, the most wanted first
/// (`protocol.md` §6.12). Nobody here knows what an entity means: what is wanted follows from how
/// many there are of a kind, from when they were last written, and from who names whom.
import Events
import SQLite

/// Builds one snapshot in a file of its own, with memory for a batch, however long the log.
struct SnapshotBuilder: ~Copyable {
    /// Where a part goes as soon as it is cut.
    typealias Sink = (_ hash: [UInt8], _ bytes: [UInt8]) throws -> Void

    private var work: Connection
    private let filterBytesMax: Int
    /// Bytes for entities in a part.
    private let room: Int
    private let roomInFirst: Int
    /// What events that were issued anew say, by their first name.
    private var reissues: [Dot: Set<[UInt8]>] = [:]

    /// Begins with nothing.
    ///
    /// - Parameters:
    ///   - path: A file that does not exist and may be filled.
    ///   - partBytes: Bytes of a part, at most.
    static func begin(workingIn path: String, partBytes: Int) throws -> SnapshotBuilder {
        var work = try Connection.open(path)
        try work.migrate([tables])
        return SnapshotBuilder(work, partBytes)
    }

    private init(_ work: consuming Connection, _ partBytes: Int) {
        self.work = work
        filterBytesMax = min(Limits.snapshotFilterBytesMax, partBytes / 8)
        room = partBytes - 64
        roomInFirst = room - filterBytesMax
    }

    private static let tables = Migration(
        name: "snapshot at work",
        """
        CREATE TABLE entity (
            key INTEGER PRIMARY KEY,
            id BLOB NOT NULL,
            kind TEXT NOT NULL,
            state BLOB NOT NULL,
            t INTEGER NOT NULL,                 -- of the last event that wrote it
            class INTEGER,                      -- how much it is wanted, 0 most; NULL: not at first
            referrers INTEGER NOT NULL DEFAULT 0,
            UNIQUE (id, kind)
        ) STRICT;
        CREATE TABLE reference (
            target INTEGER NOT NULL,
            source INTEGER NOT NULL,
            PRIMARY KEY (target, source)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX reference_by_source ON reference (source);
        """)

    /// One event of the log.
    struct Row: Sendable {
        let event: Event
        let seal: Seal
        /// The event that it was at first, as far as the log has one before it; of an event that
        /// was issued anew only.
        let original: StoredEvent?
    }

    /// Folds the next events of the log.
    mutating func fold(_ rows: [Row]) throws {
        var changes: [EntityKey: [(change: Change, stamp: Stamp)]] = [:]
        for row in rows where counts(row) {
            let stamp = Stamp(dot: row.event.dot, base: row.event.base, seal: row.seal)
            for change in row.event.changes {
                changes[change.entity, default: []].append((change, stamp))
            }
        }
        try work.transaction { work in
            for entity in changes.keys.sorted() {
                try Self.store(entity, changes[entity] ?? [], in: &work)
            }
        }
    }

    private static func store(
        _ entity: EntityKey, _ changes: [(change: Change, stamp: Stamp)],
        in work: inout Connection
    ) throws {
        let old = try work.first(
            "SELECT key, state, t FROM entity WHERE id = ? AND kind = ?", entity.id.bytes,
            entity.kind.string
        ) { row in
            (key: row.int(0), state: row.bytes(1), t: row.int(2))
        }
        var state = try old.map { try EntityState.decoded($0.state) } ?? EntityState()
        var t = old?.t ?? 0
        for (change, stamp) in changes {
            state.fold(change, stamp: stamp)
            t = max(t, stamp.seal?.t ?? 0)
        }
        if let old {
            try work.run(
                "UPDATE entity SET state = ?, t = ? WHERE key = ?", state.encoded(), t, old.key)
        } else {
            try work.run(
                "INSERT INTO entity (id, kind, state, t) VALUES (?, ?, ?, ?)", entity.id.bytes,
                entity.kind.string, state.encoded(), t)
        }
    }

    /// Of all events that say the same, only the first counts.
    private mutating func counts(_ row: Row) -> Bool {
        let event = row.event
        guard let origin = event.origin else {
            guard let said = reissues[event.dot] else { return true }
            return !said.contains(SHA256.hash(event.said))
        }
        let said = event.said
        let isNew = reissues[origin, default: []].insert(SHA256.hash(said)).inserted
        return isNew && row.original?.says(event) != true
    }

    /// Cuts what was folded into parts.
    ///
    /// - Returns: The parts in their order; `nil` when an entity is too large for a part.
    mutating func cut(to sink: Sink) throws -> [SnapshotManifest.Part]? {
        let (room, roomInFirst) = (room, roomInFirst)
        let longest = try work.first("SELECT max(length(state) + length(kind)) FROM entity") {
            $0.intOrNull(0) ?? 0
        }
        guard longest ?? 0 < Int64(roomInFirst) else { return nil }
        try noteReferences()
        try classify()
        let first = try firstPart()
        var parts = [try Self.put(first, to: sink)]
        var items: [SnapshotPart.Item] = []
        var bytes = 0
        func flush() throws {
            guard !items.isEmpty else { return }
            let part = SnapshotPart(elsewhere: IdentifierFilter(capacity: 0), items: items)
            parts.append(try Self.put(part, to: sink))
            items.removeAll(keepingCapacity: true)
            bytes = 0
        }
        try work.forEach(
            "SELECT kind, id, state FROM entity WHERE class IS NOT -1 ORDER BY t DESC, id, kind"
        ) { row in
            let item = Self.item(row)
            if bytes + item.byteCountMax > room { try flush() }
            bytes += item.byteCountMax
            items.append(item)
        }
        try flush()
        return parts.count > Limits.snapshotPartsMax ? nil : parts
    }

    private static func put(
        _ part: SnapshotPart, to sink: Sink
    ) throws -> SnapshotManifest.Part {
        let bytes = part.encoded()
        let hash = SHA256.hash(bytes)
        try sink(hash, bytes)
        return SnapshotManifest.Part(
            hash: hash, byteCount: Int64(bytes.count), entityCount: Int64(part.items.count))
    }

    private static func item(_ row: borrowing SQLite.Row) -> SnapshotPart.Item {
        guard let id = row.withBytes(1, { Identifier(bytes: $0) }) else {
            preconditionFailure("an id has 16 bytes")
        }
        return SnapshotPart.Item(entity: EntityKey(Text(row.text(0)), id), state: row.bytes(2))
    }

    /// The entities that are wanted first, and a filter of all others. They are marked with −1.
    private mutating func firstPart() throws -> SnapshotPart {
        let roomInFirst = roomInFirst
        var items: [SnapshotPart.Item] = []
        var keys: [Int64] = []
        var bytes = 0
        try work.forEachWhile(
            """
            SELECT kind, id, state, key FROM entity WHERE class IS NOT NULL
            ORDER BY class, CASE class WHEN 4 THEN -referrers ELSE -t END, -t, id, kind
            """
        ) { row in
            let item = Self.item(row)
            bytes += item.byteCountMax
            guard bytes <= roomInFirst else { return false }
            items.append(item)
            keys.append(row.int(3))
            return true
        }
        try work.transaction { work in
            for key in keys { try work.run("UPDATE entity SET class = -1 WHERE key = ?", key) }
        }
        let count = try work.first("SELECT count(*) FROM entity") { $0.int(0) } ?? 0
        var elsewhere = IdentifierFilter(
            capacity: Int(count) - items.count, byteCountMax: filterBytesMax)
        try work.forEach("SELECT id FROM entity WHERE class IS NOT -1") { row in
            if let id = row.withBytes(0, { Identifier(bytes: $0) }) { elsewhere.insert(id) }
        }
        return SnapshotPart(elsewhere: elsewhere, items: items)
    }
}

// What is wanted first.
extension SnapshotBuilder {
    /// How many entities a kind may have to come as a whole in the first part: settings, goals.
    static let smallKindMax: Int64 = 64
    /// How long before the last event an entity was last written to count as recent, in ms.
    static let recentMilliseconds: Int64 = 31 * 86_400_000
    /// How many may refer to a recent entity so that they come with it: the items of a meal do, the
    /// meals of a food don't.
    static let companionsMax: Int64 = 64

    /// Finds who names whom: a value of sixteen bytes that is the id of an entity.
    private mutating func noteReferences() throws {
        var last: Int64 = 0
        while true {
            let rows = try work.all(
                "SELECT key, state FROM entity WHERE key > ? ORDER BY key LIMIT 2000", last
            ) { (key: $0.int(0), state: $0.bytes(1)) }
            guard let end = rows.last?.key else { break }
            last = end
            try work.transaction { work in
                for row in rows {
                    for id in try EntityState.decoded(row.state).namedIDs {
                        try work.run(
                            """
                            INSERT OR IGNORE INTO reference (target, source)
                            SELECT key, ?1 FROM entity WHERE id = ?2 AND key <> ?1
                            """, row.key, id)
                    }
                }
            }
        }
        try work.transaction { work in
            try work.run(
                """
                UPDATE entity SET referrers = found.count FROM
                    (SELECT target, count(*) AS count FROM reference GROUP BY target) AS found
                WHERE key = found.target
                """)
        }
    }

    private mutating func classify() throws {
        let roomInFirst = roomInFirst
        try work.transaction { work in
            // Kinds of which there are few.
            try work.run(
                """
                UPDATE entity SET class = 0 WHERE kind IN
                    (SELECT kind FROM entity GROUP BY kind HAVING count(*) <= ?)
                """, Self.smallKindMax)
            // The last month, the newest first, but leaving room for what it refers to.
            try work.run(
                """
                UPDATE entity SET class = 1 WHERE key IN (
                    SELECT key FROM (
                        SELECT key, sum(length(state) + 64) OVER (ORDER BY t DESC, id, kind) AS room
                        FROM entity WHERE class IS NULL
                        AND t >= (SELECT max(t) FROM entity) - ?1)
                    WHERE room <= ?2)
                """, Self.recentMilliseconds << 16, Int64(roomInFirst / 10 * 6))
            // What belongs to it.
            try work.run(
                """
                UPDATE entity SET class = 2 WHERE class IS NULL AND key IN (
                    SELECT source FROM reference JOIN entity AS whole ON whole.key = target
                    WHERE whole.class = 1 AND whole.referrers <= ?)
                """, Self.companionsMax)
            // What any of these name, and what those name.
            for _ in 0..<3 {
                try work.run(
                    """
                    UPDATE entity SET class = 3 WHERE class IS NULL AND key IN (
                        SELECT target FROM reference JOIN entity AS part ON part.key = source
                        WHERE part.class <= 3)
                    """)
            }
            // What is named at all, most often first.
            try work.run("UPDATE entity SET class = 4 WHERE class IS NULL AND referrers > 0")
        }
    }
}

extension StoredEvent {
    /// Whether an event that was issued anew is this one once more.
    fileprivate func says(_ event: Event) -> Bool {
        switch self {
        case .whole(let original): original.said == event.said
        case .skeleton(let skeleton): skeleton.says(event)
        }
    }
}

extension EntityState {
    /// The values of sixteen bytes that are shown: ids, if there are such entities.
    fileprivate var namedIDs: [[UInt8]] {
        cells.compactMap { cell in
            switch cell.key {
            case .field: cell.winner.value.bytes.flatMap { $0.count == 16 ? $0 : nil }
            case .member(_, let element): element.bytes.flatMap { $0.count == 16 ? $0 : nil }
            case .life, .newer: nil
            }
        }
    }
}
