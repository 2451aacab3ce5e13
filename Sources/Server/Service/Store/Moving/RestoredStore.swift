/// What is done to a store that went back to an earlier state, and before one that was left is served again.
package import MacrologPostgreSQL
import MacrologEvents
import MacrologSQLite

extension PostgreSQLServerStore {
    /// Prepares a database that was restored by PostgreSQL's own means, as ``ServerFile/renew(_:epoch:endsSessions:deletions:now:)``
    /// prepares a file. No server may be connected.
    ///
    /// - Parameter path: The folder of blobs begins with this path.
    /// - Returns: How many accounts were deleted again.
    /// - Throws: ``StoreMoveError`` if servers run; ``StoreMark`` for a database that is not complete.
    package static func renew(
        _ address: PostgreSQLAddress, beside path: String, epoch: UInt32, endsSessions: Bool,
        deletions: DeletionLedger, now: Int64
    ) throws -> Int {
        precondition(epoch > 0, "an epoch is never 0")
        var connection = try PostgreSQLConnection.open(address)
        guard try connection.serversConnected() == 0 else {
            throw StoreMoveError.serversRun(address.summary)
        }
        try connection.allowServing()
        guard try connection.steps().contains(PostgreSQLSchema.migrations[0].name),
            try connection.epoch() != nil
        else { throw StoreMoveError.sourceIsEmpty }
        try connection.migrate(PostgreSQLSchema.migrations)
        let gone = try connection.transaction { db in
            try db.beRestored(
                epoch: epoch, endsSessions: endsSessions, deletions: deletions, now: now)
        }
        for space in gone { try BlobFiles(of: path).removeAll(of: space) }
        return gone.count
    }
}

extension MovableDatabase where Self: ~Copyable {
    /// Takes away the mark of a store that was left.
    mutating func allowServing() throws {
        guard let mark = try mark() else { return }
        guard case .moved = mark else { throw mark }
        try transaction { db in
            try db.refuseChanges(false)
            try db.remove(mark)
        }
    }
}

extension SQLDatabase where Self: ~Copyable {
    /// Gives all logs a new epoch, and ends what may have been used or withdrawn since.
    ///
    /// - Returns: The spaces of accounts that were deleted again.
    mutating func beRestored(
        epoch: UInt32, endsSessions: Bool, deletions: DeletionLedger, now: Int64
    ) throws -> [Space] {
        try replay(deletions)
        // The accounts themselves go when the server has removed what is elsewhere of them.
        let gone = try removeDeleted(atMost: .max).emptied
        try run("UPDATE server SET epoch = ?", epoch)
        try run("DELETE FROM refresh")
        // Which of them were used or revoked after the backup is not known.
        try run("DELETE FROM code WHERE kind <> 'recovery'")
        try run("DELETE FROM invitation")
        try run("DELETE FROM share WHERE opens_max > 0")
        // One of them may have been removed after the backup.
        try run("UPDATE webhook SET stopped = 'restored'")
        try noteAddressDigests(of: nil)
        try run("DELETE FROM webhook_message")
        if endsSessions {
            try run("UPDATE session SET revoked = ? WHERE revoked IS NULL", now)
        }
        return gone
    }
}
