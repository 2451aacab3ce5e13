/// Which blobs exist, and which events reference them (`protocol.md` §6).
import MacrologEvents
import MacrologWire

extension SQLServerStore {
    package func blob(_ key: BlobKey) throws(StoreError) -> Int64? {
        try read { db throws(Database.Failure) in
            try db.first(
                "SELECT bytes FROM blob WHERE space = ? AND name = ?", key.space, key.name
            ) { $0.int(0, in: 0...(1 << 53)) }
        }
    }

    package func blobBytes(of space: Space) throws(StoreError) -> Int64 {
        try read { db throws(Database.Failure) in try db.blobBytes(of: space) }
    }

    package func keep(
        _ key: BlobKey, bytes: Int64, quota: Int64, now: Int64, then done: @escaping Done<Bool>
    ) {
        change(
            .of(key.space),
            { [isShared, blobFiles] db, _ in
                let known = try db.first(
                    "SELECT bytes FROM blob WHERE space = ? AND name = ?", key.space, key.name
                ) { $0.int(0, in: 0...(1 << 53)) }
                // Another process may have collected the file while the bytes came. From a storage that
                // is shared too, only what no row names and is old is removed.
                if isShared, !blobFiles.isShared, try !blobFiles.hasWhole(key, bytes: bytes) {
                    throw StoreError.busy
                }
                // The account may have been deleted while the bytes came.
                guard try db.isThere(key.space),
                    try db.blobBytes(of: key.space) - (known ?? 0) + bytes <= quota
                else { return false }
                try db.run(
                    """
                    INSERT INTO blob (space, name, bytes, stored) VALUES (?, ?, ?, ?)
                    ON CONFLICT (space, name)
                    DO UPDATE SET bytes = excluded.bytes, stored = excluded.stored
                    """, key.space, key.name, bytes, now)
                return true
            }, then: done)
    }

    package func unreferenced(before: Int64) throws(StoreError) -> [BlobKey] {
        // Candidates: no event names the blob, or one event removed it from a set. All other blobs are
        // held and need no further check.
        let candidates = try read { db throws(Database.Failure) in
            try db.all(
                """
                SELECT space, name FROM blob WHERE stored < ?1
                AND (
                    EXISTS (
                        SELECT 1 FROM blob_mention AS m
                        WHERE m.space = blob.space AND m.name = blob.name AND removes = 1)
                    OR NOT EXISTS (
                        SELECT 1 FROM blob_mention AS m
                        WHERE m.space = blob.space AND m.name = blob.name))
                """, before
            ) { BlobKey(space: $0.space(0), name: $0.bytes(1, count: BlobMention.nameBytes)) }
        }
        var unreferenced: [BlobKey] = []
        for key in candidates {
            let cipher = try atRest.cipher(of: key.space)
            let isUnreferenced = try read { db throws(Database.Failure) in
                try db.isUnreferenced(key, before: before, cipher)
            }
            if isUnreferenced { unreferenced.append(key) }
        }
        return unreferenced
    }

    package func forget(_ key: BlobKey, before: Int64, then done: @escaping Done<Bool>) {
        let cipher: AccountCipher
        do throws(StoreError) { cipher = try atRest.cipher(of: key.space) } catch {
            return done(.failure(error))
        }
        change(
            .of(key.space),
            { [isShared, blobFiles] db, _ in
                guard try db.isUnreferenced(key, before: before, cipher) else { return false }
                try db.run(
                    "DELETE FROM blob WHERE space = ? AND name = ?", key.space, key.name)
                // While the account is locked, no other process stores it again.
                if isShared { blobFiles.remove(key) }
                return true
            }, then: done)
    }
}

extension SQLServerStore {
    package func history() throws(StoreError) -> History? {
        try read { db throws(Database.Failure) in
            try db.first("SELECT began, mark, next FROM blob_history") { row in
                History(
                    began: row.moment(0),
                    marks: [row.bytesOrNull(1), row.bytesOrNull(2)].compactMap {
                        $0.map { HistoryMark(name: $0) }
                    })
            }
        }
    }

    package func set(_ history: History, then done: @escaping Done<Void>) {
        precondition(history.marks.count <= 2, "a storage has one of two marks")
        let marks = history.marks.map(\.name)
        change(
            .repeatable,
            { db, _ in
                try db.run("DELETE FROM blob_history")
                try db.run(
                    "INSERT INTO blob_history (began, mark, next) VALUES (?, ?, ?)", history.began,
                    marks.first, marks.count > 1 ? marks[1] : nil)
            }, then: done)
    }
}

extension SQLDatabase where Self: ~Copyable {
    fileprivate mutating func blobBytes(of space: Space) throws(Failure) -> Int64 {
        try first("SELECT CAST(coalesce(sum(bytes), 0) AS bigint) FROM blob WHERE space = ?", space)
        {
            $0.int(0, in: 0...(1 << 53))
        } ?? 0
    }

    /// Records which blobs an event names. Nearly every event names none, and then this costs
    /// nothing.
    mutating func note(
        _ mentions: [BlobMention], in space: Space, place: Int64, now: Int64
    ) throws(Failure) {
        for mention in mentions {
            try run(
                """
                INSERT INTO blob_mention (space, name, place, removes, admitted)
                VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """, space, mention.name, place, mention.isRemoval ? 1 : 0, now)
        }
    }

    /// Whether no event holds a blob, and both the blob and the events that name it are older than
    /// a given time.
    fileprivate mutating func isUnreferenced(
        _ key: BlobKey, before: Int64, _ cipher: AccountCipher
    ) throws(Failure) -> Bool {
        let stored = try first(
            "SELECT stored FROM blob WHERE space = ? AND name = ?", key.space, key.name
        ) { $0.int(0, in: 0...(1 << 53)) }
        guard let stored, stored < before else { return false }
        var holding = Holding(name: key.name)
        var isYoung = false
        try forEach(
            """
            SELECT admitted, event.place, t, body FROM blob_mention
            JOIN event ON event.place = blob_mention.place
            WHERE blob_mention.space = ? AND name = ? ORDER BY event.place
            """, key.space, key.name
        ) { row in
            isYoung = isYoung || row.int(0) >= before
            holding.fold(
                row.body(3, at: row.int(1), cipher), Seal(n: row.number(1), t: row.time(2)))
        }
        return !isYoung && !holding.isHeld
    }
}

/// The folded state of the events that name a blob. They are folded as on any device, except for
/// writes that do not name the blob; every write of a set element does.
private struct Holding {
    let name: [UInt8]
    /// Whether an event names it other than as an element of a set: such a reference never ends.
    private var isHeldForEver = false
    private var states: [EntityKey: EntityState] = [:]

    init(name: [UInt8]) { self.name = name }

    mutating func fold(_ body: [UInt8], _ seal: Seal) {
        guard let event = try? Event.decoded(body) else {
            isHeldForEver = true
            return
        }
        let stamp = Stamp(dot: event.dot, base: event.base, seal: seal)
        for change in event.changes {
            for operation in change.operations where operation.names(name) {
                guard operation.isMembership(of: name) else {
                    isHeldForEver = true
                    continue
                }
                states[change.entity, default: EntityState()]
                    .fold(Change(change.entity, [operation]), stamp: stamp)
            }
        }
    }

    var isHeld: Bool {
        isHeldForEver
            || states.values.contains { state in
                state.cells.contains { $0.writes.contains { $0.value == true } }
            }
    }
}
