package import Events
package import Log
import SQLite

/// How a new device shows the hub's snapshot until it has the events, each step in one durable
/// transaction with the read models that follow from it.
extension Store {
    /// Notes what the hub has to offer.
    package mutating func announce(_ manifest: SnapshotManifest) throws {
        try change { log, db, _ in try log.announce(manifest, in: &db) }
    }

    /// Gives up what the hub does not have any more.
    package mutating func giveUpParts() throws {
        try change { log, db, _ in try log.giveUpParts(in: &db) }
    }

    /// Takes over a part.
    package mutating func install(_ part: [UInt8]) throws {
        try change { log, db, models in try log.install(part, in: &db, projecting: &models) }
    }

    /// What an exchange behind the preview should say; before anything is shown, only whether the
    /// hub's log is what the snapshot says.
    package mutating func tailRequest(
        eventsMax: Int, admitted: Int64, now: ClockReading
    ) throws -> SyncRequest? {
        guard let preview = log.preview else { return nil }
        let isFirst = preview.stage == .announced
        var request = try syncRequest(
            eventsMax: isFirst ? 1 : eventsMax, admitted: admitted, now: now)
        request.epoch = preview.epoch
        (request.cursor, request.digest) = (preview.seen, preview.seenDigest)
        if isFirst { (request.eventsMax, request.pushed) = (0, []) }
        return request
    }

    /// Shows what the hub has behind the preview.
    ///
    /// - Returns: Whether there was anything new.
    package mutating func applyTail(_ answer: SyncAnswer) throws -> Bool {
        try change { log, db, models in
            try log.applyTail(answer, in: &db, projecting: &models)
        }
    }

    /// Folds some of the entities anew that came with a snapshot.
    package mutating func checkPreview(limit: Int) throws {
        try change { log, db, models in
            let wrong = try log.checkPreview(limit: limit, in: &db, projecting: &models)
            guard wrong > 0 else { return }
            let before = try Memo.int(Self.correctedName, in: &db) ?? 0
            try Memo.set(Self.correctedName, before + wrong, in: &db)
        }
    }

    /// Whether events that made an entity what it is are still on their way.
    package mutating func isPreviewed(_ entity: EntityKey) throws -> Bool {
        try log.isPreviewed(entity, in: &db)
    }

    /// How many entities a snapshot had told otherwise than the events did, ever.
    package mutating func correctedCount() throws -> Int64 {
        try Memo.int(Self.correctedName, in: &db) ?? 0
    }

    private static let correctedName = "snapshot corrected"
}
