package import MacrologEvents
package import MacrologLog
package import MacrologRecovery
package import MacrologWire

/// What a store writes when the server or this file has lost something.
extension Store {
    /// Rotates this device's ID as ``beginRotation(to:also:)`` does, without own events that no
    /// device or server has any more.
    mutating func beginRotation(
        to device: Identifier, giving lost: EventLog.RowFindings,
        also: (inout LogConnection) throws(LogError) -> Void
    ) throws(LogError) {
        try reserve(log.unsealedCount + log.orphans, under: device, after: 0)
        try change { log, db, models throws(LogError) in
            try log.giveUp(lost, in: &db, updating: &models)
            try log.beginRotation(to: device, in: &db, updating: &models)
            try also(&db)
        }
    }

    /// Corrects the table of void events, which only this file has; not where rows of the log are damaged, from
    /// which it would follow wrongly.
    mutating func correctVoids() throws(LogError) {
        do throws(LogError) {
            guard try !log.wrongVoids(in: &db).isEmpty, try isLogSound() else { return }
        } catch {
            guard case .damaged = error.code else { throw error }
            return
        }
        try changeLog { log, db throws(LogError) in try log.correctVoids(in: &db) }
    }

    /// Starts a recovery.
    package mutating func recovering() throws(LogError) -> Recovering {
        try log.recovering(in: &db)
    }

    /// The next rows that a recovery gives back to the server.
    package mutating func healRequest(
        _ recovering: Recovering, after: Int64, eventsMax: Int
    ) throws(LogError) -> HealRequest {
        try log.healRequest(recovering, after: after, eventsMax: eventsMax, in: &db)
    }

    /// Writes the result of a recovery into the log, in one durable transaction.
    ///
    /// - Parameters:
    ///   - device: The device ID to take if the server's log has forked.
    ///   - also: Further writes of the same transaction.
    package mutating func recover(
        _ found: Recovering, as device: Identifier,
        also: (RecoveryResult, inout LogConnection) throws(LogError) -> Void = { _, _ in }
    ) throws(LogError) -> RecoveryResult {
        try change { log, db, models throws(LogError) in
            let result = try log.recover(found, as: device, in: &db, updating: &models)
            try also(result, &db)
            return result
        }
    }
}
