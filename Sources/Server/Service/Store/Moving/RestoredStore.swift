/// What is done to a store, or to one account of it, that went back to an earlier state, and before a store that was
/// left is served again.
package import MacrologPostgreSQL
import MacrologEvents
import MacrologSQLite

/// The account to restore is not there.
package struct UnknownAccount: Error {}

extension PostgreSQLServerStore {
    /// Prepares a database that was restored by PostgreSQL's own means, as ``ServerFile/renew(_:epoch:endsSessions:deletions:now:)``
    /// prepares a file. No server may be connected; but if one account was restored, all others are served meanwhile.
    ///
    /// - Parameters:
    ///   - path: The folder of blobs begins with this path.
    ///   - email: The address of the account that alone was restored; `nil` for all.
    /// - Returns: How many accounts were deleted again.
    /// - Throws: ``StoreMoveError`` if servers run, or for one of several stores as a whole, for which there is
    ///   ``RestoredStores``; ``StoreMark`` for a database that is not complete; ``UnknownAccount``.
    package static func renew(
        _ address: PostgreSQLAddress, beside path: String, of email: String? = nil, epoch: UInt32,
        endsSessions: Bool, deletions: DeletionLedger, now: Int64
    ) throws -> Int {
        precondition(epoch > 0, "an epoch is never 0")
        var connection = try PostgreSQLConnection.open(address)
        guard try email != nil || !connection.isPart() else { throw StoreMoveError.isPart }
        guard try email != nil || !connection.hasServers() else {
            throw StoreMoveError.serversRun(address.summary)
        }
        try connection.allowServing(evenIfMoved: email == nil)
        guard try connection.steps().contains(PostgreSQLSchema.migrations[0].name),
            try connection.epoch() != nil
        else { throw StoreMoveError.sourceIsEmpty }
        try connection.migrate(PostgreSQLSchema.migrations)
        let gone = try connection.transaction { db in
            try db.beRestored(
                email, epoch: epoch, endsSessions: endsSessions, deletions: deletions, now: now)
        }
        for space in gone { try BlobFiles(of: path).removeAll(of: space) }
        return gone.count
    }
}

extension MovableDatabase where Self: ~Copyable {
    /// Takes away the mark of a store that was left; refuses any other mark.
    mutating func allowServing(evenIfMoved: Bool = true) throws {
        guard let mark = try mark() else { return }
        guard case .moved = mark, evenIfMoved else { throw mark }
        try transaction { db in
            try db.refuseChanges(false)
            try db.remove(mark)
        }
    }
}

extension SQLDatabase where Self: ~Copyable {
    /// Gives the log of the account of an address, or all logs for `nil`, a new epoch, and ends what may have been used
    /// or withdrawn since.
    ///
    /// - Returns: The spaces of accounts that were deleted again.
    mutating func beRestored(
        _ email: String?, epoch: UInt32, endsSessions: Bool, deletions: DeletionLedger,
        now: Int64
    ) throws -> [Space] {
        var space: Space?
        if let email {
            let found = try first(
                "SELECT space FROM account WHERE lower(email) = lower(?) AND email <> ''", email
            ) { $0.space(0) }
            guard let found else { throw UnknownAccount() }
            space = found
        }
        return try beRestored(
            space, epoch: epoch, endsSessions: endsSessions, deletions: deletions, now: now)
    }

    /// The same for the account of a number.
    mutating func beRestored(
        _ space: Space?, epoch: UInt32, endsSessions: Bool, deletions: DeletionLedger,
        now: Int64
    ) throws -> [Space] {
        var account: Identifier?
        if let space {
            // Its row is the lock of its log.
            try run("UPDATE account SET epoch = ? WHERE space = ?", epoch, space)
            account = try first("SELECT name FROM account WHERE space = ?", space) {
                $0.identifier(0)
            }
        } else {
            try run("UPDATE server SET epoch = ?", epoch)
            try run("UPDATE account SET epoch = NULL WHERE epoch IS NOT NULL")
        }
        try replay(deletions, of: account)
        // The accounts themselves go when the server has removed what is elsewhere of them.
        let gone = try removeDeleted(atMost: .max).emptied
        try endWhatMayBeUsed(space)
        if endsSessions {
            try run(
                "UPDATE session SET revoked = ?2 WHERE revoked IS NULL AND (?1 IS NULL OR space = ?1)",
                space, now)
        }
        return gone
    }

    /// Ends what may have been used or withdrawn since the backup: of an account, or of all for `nil`.
    private mutating func endWhatMayBeUsed(_ space: Space?) throws(Failure) {
        try run(
            "DELETE FROM refresh WHERE ?1 IS NULL OR session IN (SELECT id FROM session WHERE space = ?1)",
            space)
        try run("DELETE FROM code WHERE kind <> 'recovery' AND (?1 IS NULL OR space = ?1)", space)
        if space == nil { try run("DELETE FROM invitation") }
        // One that was ended stays as its trace.
        try run(
            """
            DELETE FROM share
            WHERE opens_max > 0 AND opens <= opens_max AND (?1 IS NULL OR space = ?1)
            """, space)
        // One of them may have been removed after the backup.
        try run("UPDATE webhook SET stopped = 'restored' WHERE ?1 IS NULL OR space = ?1", space)
        try noteAddressDigests(of: space)
        try run(
            """
            DELETE FROM webhook_message
            WHERE ?1 IS NULL OR webhook IN (SELECT id FROM webhook WHERE space = ?1)
            """, space)
    }
}
