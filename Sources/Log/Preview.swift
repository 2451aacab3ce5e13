package import Events
import SQLite

/// What a new device shows before it has the events: the hub's snapshot, and what has happened since
/// (`protocol.md` §6.12).
///
/// It is a preview of the log and no part of it. The states that came with it stand in the table of
/// entities like any other; the table `preview` says which they are, and each is folded anew from
/// the events once these have come. Then the preview is gone.
package struct Preview: Hashable, Sendable {
    /// How far it has come.
    package enum Stage: Int64, Comparable, Sendable {
        /// The hub says that there is one.
        case announced
        /// The hub's log is known to have its digest.
        case confirmed
        /// The first part is here: whoever looks sees the last month, and may record.
        case usable
        /// All parts are here: everything is known but how it came about.
        case whole

        package static func < (left: Stage, right: Stage) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// How far it has come.
    package internal(set) var stage: Stage
    /// The epoch of the log it is of.
    package let epoch: UInt32
    /// How many events the hub has folded.
    package internal(set) var n: Int64
    /// How many events are in the states, with those that have come since.
    package internal(set) var seen: Int64
    /// Their digest.
    package internal(set) var seenDigest: PrefixDigest
    /// The parts that are not here yet, in their order.
    package internal(set) var missing: [[UInt8]]
    /// How many parts there are.
    package internal(set) var partCount: Int64

    /// Up to where an event that is recorded now had seen the hub's log; 0 where nothing is shown.
    var claim: Int64 { stage >= .usable ? seen : 0 }
}

/// What to do next about a snapshot.
package enum SnapshotStep: Hashable, Sendable {
    /// Ask what there is.
    case manifest
    /// Fetch the part of this hash.
    case part([UInt8])
    /// Exchange behind what the preview has seen.
    case tail
    /// Take the next page of the log, as ever.
    case page
    /// Fold some entities anew: all their events are here.
    case check
}

extension EventLog {
    /// Whether this device has nothing of the hub's log, so that a snapshot would help.
    private var isFresh: Bool {
        cursor == 0 && sealedSeq == 0 && nextDevice == nil && fork == nil && orphans == 0
    }

    /// What to do next about a snapshot; `nil` when nothing is.
    ///
    /// - Parameters:
    ///   - head: How far the hub's log goes, as far as is known.
    ///   - admitted: The greatest number of this device's events that the hub is known to have.
    package func snapshotStep(head: Int64, admitted: Int64) -> SnapshotStep? {
        guard let preview else { return isFresh ? .manifest : nil }
        if preview.stage == .announced || preview.seen < preview.n { return .tail }
        if preview.stage == .confirmed { return preview.missing.first.map { .part($0) } }
        if cursor >= preview.seen { return .check }
        let owes = nextDevice == nil && lastSeq > max(admitted, sealedSeq)
        if owes || head > preview.seen { return .tail }
        return preview.missing.first.map { .part($0) } ?? .page
    }

    /// Whether what is known of an entity is all that the preview has seen of it, so that an event
    /// that changes it may say so.
    ///
    /// While parts are missing, that is so of an entity that came in a part, or that is in no part:
    /// the first one brings a filter of the ids in all others. And who makes a new id by chance
    /// (version 7) knows that nobody has it.
    func isKnown(_ entity: EntityKey, in db: inout Connection) throws -> Bool {
        guard let preview, preview.stage == .usable else { return true }
        let isWhole = try db.first(
            "SELECT whole FROM preview WHERE id = ? AND kind = ?", entity.id, entity.kind
        ) { $0.bool(0) }
        if isWhole == true { return true }
        let filter = try db.first("SELECT elsewhere FROM snapshot") {
            IdentifierFilter(bytes: $0.bytes(0))
        }
        if let filter, let elsewhere = filter, !elsewhere.mayContain(entity.id) { return true }
        guard isWhole == nil, entity.id.high >> 12 & 0xF == 7 else { return false }
        let state = try EntityTable.state(of: entity, in: &db)
        return state?.withoutUnsealed().cells.isEmpty ?? true
    }

    static func preview(in db: inout Connection) throws -> Preview? {
        let missing = try db.all(
            "SELECT hash FROM snapshot_part WHERE is_here = 0 ORDER BY position"
        ) { $0.bytes(0) }
        let count = try db.first("SELECT count(*) FROM snapshot_part") { $0.int(0) } ?? 0
        return try db.first(
            "SELECT stage, epoch, n, seen, seen_digest FROM snapshot"
        ) { row in
            guard let stage = Preview.Stage(rawValue: row.int(0)),
                let seenDigest = PrefixDigest(bytes: row.bytes(4))
            else { preconditionFailure("the table allows nothing else") }
            return Preview(
                stage: stage, epoch: UInt32(truncatingIfNeeded: row.int(1)), n: row.int(2),
                seen: row.int(3), seenDigest: seenDigest, missing: missing, partCount: count)
        }
    }
}
