package import Events
package import SQLite

/// How a preview comes, part by part, and goes. All of these are called inside a transaction.
extension EventLog {
    /// Notes what the hub has to offer, or has now in the place of what it had.
    ///
    /// - Throws: ``LogError`` with reason `divergent` when it is of another log than this one.
    package mutating func announce(
        _ manifest: SnapshotManifest, in db: inout Connection
    ) throws {
        guard epoch == 0 || epoch == manifest.epoch,
            preview == nil || preview?.epoch == manifest.epoch
        else { throw LogError(.divergent(n: 0)) }
        let held = Set(
            try db.all("SELECT hash FROM snapshot_part WHERE is_here = 1") { $0.bytes(0) })
        try db.run("DELETE FROM snapshot_part")
        for (position, part) in manifest.parts.enumerated() {
            try db.run(
                "INSERT INTO snapshot_part (position, hash, is_here) VALUES (?, ?, ?)", position,
                part.hash, held.contains(part.hash))
        }
        if let preview, preview.stage >= .usable {
            // What is here goes as far as before; the exchanges behind it lead to the new number.
            try db.run("UPDATE snapshot SET n = ?", manifest.n)
        } else {
            try db.run("DELETE FROM snapshot")
            try db.run(
                """
                INSERT INTO snapshot (one, stage, epoch, n, seen, seen_digest, elsewhere)
                VALUES (1, ?, ?, ?, ?, ?, x'')
                """, Preview.Stage.announced.rawValue, manifest.epoch, manifest.n, manifest.n,
                manifest.digest)
        }
        preview = try Self.preview(in: &db)
        if preview?.missing.isEmpty == true { try reach(.whole, in: &db) }
    }

    /// Gives up what the hub does not have any more. What is here stays, and the log brings the rest.
    package mutating func giveUpParts(in db: inout Connection) throws {
        guard preview?.stage ?? .announced >= .usable else { return try dropPreview(in: &db) }
        try db.run("DELETE FROM snapshot_part")
        try db.run("UPDATE snapshot SET n = min(n, seen)")
        preview = try Self.preview(in: &db)
    }

    /// Takes over a part: its entities stand where they belong, together with what is known here
    /// already, and whoever reads sees them.
    ///
    /// - Throws: ``LogError`` with reason `badSnapshot` when it is not a part of this snapshot.
    package mutating func install(
        _ part: [UInt8], in db: inout Connection, projecting projector: inout some Projector
    ) throws {
        guard let preview, preview.stage >= .confirmed, SHA256.hash(part) == preview.missing.first
        else { throw LogError(.badSnapshot) }
        let content: SnapshotPart
        do throws(CBORError) { content = try SnapshotPart.decoded(part) } catch {
            throw LogError(.badSnapshot)
        }
        for item in content.items {
            var new: EntityState
            do throws(CBORError) { new = try EntityState.decoded(item.state) } catch {
                throw LogError(.badSnapshot)
            }
            guard new.isSealed(upTo: preview.n) else { throw LogError(.badSnapshot) }
            let old = try EntityTable.state(of: item.entity, in: &db)
            if let old { new.merge(old) }
            try db.run(
                "INSERT OR REPLACE INTO preview (id, kind, whole) VALUES (?, ?, 1)", item.entity.id,
                item.entity.kind)
            guard new != old else { continue }
            if let old {
                // What this device recorded may have been seen, and overwritten, before it knew.
                try Touches.add(
                    old.stamps.lazy.map(\.dot), keys: keys, unknownTo: new, of: item.entity,
                    in: &db)
            }
            try EntityTable.store(new, was: old, for: item.entity, in: &db)
            try projector.project(item.entity, from: old, to: new, in: &db)
        }
        try projector.flush(in: &db)
        let position = try db.first(
            "SELECT min(position) FROM snapshot_part WHERE is_here = 0"
        ) { $0.int(0) }
        try db.run("UPDATE snapshot_part SET is_here = 1 WHERE position = ?", position)
        if position == 0 {
            try db.run("UPDATE snapshot SET elsewhere = ?", content.elsewhere.bytes)
        }
        self.preview?.missing.removeFirst()
        try reach(preview.missing.count == 1 ? .whole : .usable, in: &db)
    }

    /// Takes in what the hub has behind the preview: nothing becomes part of the log by it, but it is
    /// shown.
    ///
    /// - Returns: Whether there was anything new.
    package mutating func applyTail(
        _ answer: SyncAnswer, in db: inout Connection, projecting projector: inout some Projector
    ) throws -> Bool {
        guard var preview, answer.epoch == preview.epoch else {
            throw LogError(.divergent(n: cursor))
        }
        try checkAdmitted(answer)
        var fold = Fold()
        for row in answer.rows {
            let seal = Seal(n: preview.seen + 1, t: row.t)
            let (event, hash) = try event(of: row, in: &db)
            preview.seenDigest.add(hash: hash, seal: seal)
            preview.seen = seal.n
            switch row.content {
            case .own: fold.seal(event.dot, seal, of: event.changes)
            case .event:
                // Whether the log has to remember that this one touched something is seen when the
                // log has it: it folds once more then, and changes nothing.
                fold.add(
                    event.changes, stamp: Stamp(dot: event.dot, base: event.base, seal: seal))
            }
            for change in event.changes {
                try db.run(
                    "INSERT OR IGNORE INTO preview (id, kind, whole) VALUES (?, ?, 0)",
                    change.entity.id, change.entity.kind)
            }
        }
        guard preview.seenDigest == answer.digest else {
            throw LogError(.divergent(n: preview.seen))
        }
        try fold.flush(in: &db, keys: keys, projecting: &projector)
        try projector.flush(in: &db)
        try db.run(
            "UPDATE snapshot SET seen = ?, seen_digest = ?", preview.seen, preview.seenDigest)
        self.preview = preview
        if preview.stage == .announced {
            try adopt(preview.epoch, in: &db)
            try reach(.confirmed, in: &db)
            return true
        }
        return !answer.rows.isEmpty
    }

    private func event(
        of row: SyncAnswer.Row, in db: inout Connection
    ) throws -> (Event, SHA256.Words) {
        let bytes: [UInt8]
        switch row.content {
        case .own(let seq):
            guard let body = try ownBody(seq, in: &db) else {
                throw LogError(.rolledBack(seq: seq))
            }
            bytes = body
        case .event(let body): bytes = body
        }
        do throws(CBORError) {
            let entry = LogEntry(try StoredEvent.decoded(bytes), nil)
            return (entry.event, try StoredEvent.hash(of: bytes))
        } catch {
            throw LogError(.malformedEvent(error))
        }
    }

    /// Folds some of the entities anew that a snapshot had brought, now that all their events are
    /// here. After the last one the preview is gone.
    ///
    /// - Returns: How many the snapshot had told wrong.
    package mutating func checkPreview(
        limit: Int, in db: inout Connection, projecting projector: inout some Projector
    ) throws -> Int64 {
        guard let preview, cursor >= preview.seen else { return 0 }
        let entities = try db.all("SELECT kind, id FROM preview ORDER BY id, kind LIMIT ?", limit) {
            EntityKey($0.name(0), $0.identifier(1))
        }
        var wrong: Int64 = 0
        for entity in entities {
            try db.run("DELETE FROM preview WHERE id = ? AND kind = ?", entity.id, entity.kind)
            if try refold(entity, from: EntityState(), in: &db, projecting: &projector) {
                wrong += 1
            }
        }
        try projector.flush(in: &db)
        if entities.count < limit { try dropPreview(in: &db) }
        return wrong
    }

    /// How many entities wait to be folded anew.
    package func previewedCount(in db: inout Connection) throws -> Int64 {
        try db.first("SELECT count(*) FROM preview") { $0.int(0) } ?? 0
    }

    /// Whether an entity's state came with a snapshot, at least in part.
    package func isPreviewed(_ entity: EntityKey, in db: inout Connection) throws -> Bool {
        guard preview != nil else { return false }
        return try db.first(
            "SELECT 1 FROM preview WHERE id = ? AND kind = ?", entity.id, entity.kind
        ) { _ in true } ?? false
    }

    /// Forgets the preview; the states that it brought stay until they are folded anew.
    package mutating func dropPreview(in db: inout Connection) throws {
        try db.run("DELETE FROM snapshot")
        try db.run("DELETE FROM snapshot_part")
        try db.run("DELETE FROM preview")
        preview = nil
    }

    private mutating func reach(_ stage: Preview.Stage, in db: inout Connection) throws {
        try db.run("UPDATE snapshot SET stage = ?", stage.rawValue)
        preview?.stage = stage
    }
}
