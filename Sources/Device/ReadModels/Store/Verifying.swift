package import MacrologEvents
package import MacrologLog
import MacrologRecovery
import MacrologSQLite

/// A verification of the file in small parts, so that recording does not have to wait for all of
/// it. In a large file each verification checks other rows.
package struct Verification: Sendable {
    /// The maximum number of events that one verification checks: a log of up to this size is
    /// checked completely.
    package static let eventsMax: Int64 = 20_000
    /// The maximum number of entities that one verification folds again: up to this number all are
    /// checked.
    package static let entitiesMax = 6_000
    /// Events of one part.
    static let partEvents: Int64 = 2_000
    /// Entities of one part.
    static let partEntities = 1_000
    /// Milliseconds between two verifications of a device that syncs all the time.
    package static let interval: Int64 = 3_600_000

    /// What is to be checked next.
    fileprivate enum Phase: Sendable {
        case unsealed, rows, entities, done
    }

    fileprivate var phase = Phase.unsealed
    fileprivate var eventsLeft = Self.eventsMax
    fileprivate var entitiesLeft = Self.entitiesMax
    /// Whether every checked row matches its stored digest.
    package fileprivate(set) var isSound = true
    /// How many parts of derived data were wrong, and were corrected.
    package fileprivate(set) var refolded: Int64 = 0
    /// How many own events were found that no device or server has any more.
    package fileprivate(set) var lost: Int64 = 0

    /// A verification that has not started.
    package init() {}

    /// Whether there is nothing more to check.
    package var isDone: Bool { phase == .done }
}

extension Store {
    /// Checks the next part, and corrects what is derived.
    ///
    /// - Parameters:
    ///   - next: The device ID to take if own unsealed events are lost.
    ///   - remember: Stores how many own events are found lost, in the transaction that sets them
    ///     aside: no later verification finds them.
    package mutating func verify(
        _ verification: inout Verification, next: @autoclosure () -> Identifier,
        remember: (_ lost: Int64, inout LogConnection) throws(LogError) -> Void = { _, _ in }
    ) throws(LogError) {
        switch verification.phase {
        case .unsealed:
            try verifyUnsealed(&verification, next(), remember)
            verification.phase = verification.isSound ? .rows : .done
        case .rows:
            try verifyRows(&verification)
        case .entities:
            try verifyEntities(&verification)
        case .done: break
        }
    }

    /// Whether every sealed row matches its stored digest. Reads and hashes all.
    package mutating func isLogSound() throws(LogError) -> Bool {
        var after: Int64 = 0
        repeat {
            let found = try log.verify(after: after, limit: Verification.partEvents, in: &db)
            guard found.isSound else { return false }
            after = found.through
        } while after > 0
        return true
    }

    private mutating func verifyUnsealed(
        _ verification: inout Verification, _ next: Identifier,
        _ remember: (Int64, inout LogConnection) throws(LogError) -> Void
    ) throws(LogError) {
        verification.lost = try takeLost(remember)
        let found = try log.verifyUnsealed(in: &db)
        if found.unreadableCount > 0, try log.missesSeals(in: &db) {
            // They may be sealed: a repair finds out, and brings them back.
            return verification.isSound = false
        }
        try addTouches(found, &verification)
        if log.nextDevice == nil, found.isInTheWay {
            verification.lost += found.lostCount
            try beginRotation(to: next, giving: found) { db throws(LogError) in
                try remember(found.lostCount, &db)
            }
        } else if found.unreadableCount > 0 {
            verification.lost += found.unreadableCount
            try change { log, db, models throws(LogError) in
                try log.giveUp(found, in: &db, updating: &models)
                try remember(found.unreadableCount, &db)
            }
        }
    }

    /// How many own events were lost when this device rotated its ID.
    private mutating func takeLost(
        _ remember: (Int64, inout LogConnection) throws(LogError) -> Void
    ) throws(LogError) -> Int64 {
        guard try log.hasLost(in: &db) else { return 0 }
        return try changeLog { log, db throws(LogError) in
            let lost = try log.takeLost(in: &db)
            try remember(lost, &db)
            return lost
        }
    }

    private mutating func verifyRows(_ verification: inout Verification) throws(LogError) {
        let after = try db.first("SELECT verified_n FROM maintenance") { $0.int(0) } ?? 0
        let part = min(Verification.partEvents, verification.eventsLeft)
        let found = try log.verify(after: min(after, log.cursor), limit: part, in: &db)
        guard found.isSound else {
            (verification.isSound, verification.phase) = (false, .done)
            return
        }
        try addTouches(found, &verification)
        verification.eventsLeft -= part
        if found.through != after {
            try db.run("UPDATE maintenance SET verified_n = ?", found.through)
        }
        if found.through == 0 || verification.eventsLeft == 0 {
            verification.phase = .entities
        }
    }

    private mutating func addTouches(
        _ found: EventLog.RowFindings, _ verification: inout Verification
    ) throws(LogError) {
        guard found.lacksTouches else { return }
        try change { log, db, models throws(LogError) in
            try log.addTouches(found, in: &db, updating: &models)
        }
        verification.refolded += 1
    }

    private mutating func verifyEntities(_ verification: inout Verification) throws(LogError) {
        let after = try db.first("SELECT verified_entity FROM maintenance") { $0.bytes(0) } ?? []
        let range = try IDRange.next(after: after, limit: Verification.partEntities, in: &db)
        do throws(LogError) {
            if try refoldIfWrong(range) {
                verification.refolded += 1
                noteCorrection()
            }
            if range.isLast, try fillIfWrong() {
                verification.refolded += 1
                noteCorrection()
            }
        } catch {
            guard case .damaged = error.code else { throw error }
            // A row from which others are folded cannot be read: only the events can restore it.
            try rebuild()
            verification.refolded += 1
        }
        verification.entitiesLeft -= Verification.partEntities
        let through = range.isLast ? [] : range.through
        if through != after {
            try db.run("UPDATE maintenance SET verified_entity = ?", through)
        }
        if range.isLast || verification.entitiesLeft <= 0 { verification.phase = .done }
    }

    /// Folds a range again and compares it with what is stored; writes it only if it differs.
    private mutating func refoldIfWrong(_ range: IDRange) throws(LogError) -> Bool {
        let (log, models) = (log, models)
        return try db.conditionalTransaction { db throws(LogError) in
            let before = try Self.hash(range, of: models, in: &db)
            var fold = models.begin()
            let dependents = try fold.folding.dependents(range, &db)
            try fold.clear(range, in: &db)
            try log.refold(range, in: &db, updating: &fold)
            guard try Self.hash(range, of: models, in: &db) != before else { return false }
            try fold.updateDependents(dependents, in: &db)
            return true
        }
    }

    /// Compares the rows that follow from other tables with what they follow from; writes them only if they differ.
    private mutating func fillIfWrong() throws(LogError) -> Bool {
        let models = models
        let tables = models.tables.filter { $0.fill != nil }.map { (name: $0.name, rows: $0.all) }
        guard !tables.isEmpty else { return false }
        return try db.conditionalTransaction { db throws(LogError) in
            let before = try Self.hashes(of: tables, in: &db)
            try models.fillTables(in: &db)
            return try Self.hashes(of: tables, in: &db) != before
        }
    }
}
