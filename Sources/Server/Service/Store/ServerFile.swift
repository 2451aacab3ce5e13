/// Operator commands on the server's database file as a whole: back up, restore, check.
package import MacrologEvents
import MacrologWire
import MacrologSQLite
package import MacrologSystem
package import MacrologCryptography

/// The server's database as a file.
package enum ServerFile {
    /// Writes a consistent copy, even while a server is using the file.
    ///
    /// It reads one snapshot over a separate connection that never writes and never checkpoints, so
    /// the server continues undisturbed and its write-ahead log stays intact. The copy is a single
    /// file without a write-ahead log.
    ///
    /// The blobs that the copy names are copied into a folder next to it, `copy.blobs`. A blob file
    /// never changes under its name, so blobs need no snapshot. ``check(_:)`` reports blobs that
    /// are damaged or missing.
    ///
    /// The copy gets its name last, so that one without its blobs never looks whole. Until then it has a new name,
    /// such as `copy.5f0c19aa5f0c19aa.unfinished`: the folder may be a person's own, and none of its files is touched.
    ///
    /// - Parameters:
    ///   - copy: A file that does not exist yet.
    ///   - inDataFolder: Whether the folder is a server's own. Then the name until the end is `copy.unfinished`, by which
    ///     the next command finds and removes what a killed one has left.
    /// - Throws: ``SQLiteError`` with code `earlier` or `newer` for a file of another build, before
    ///   anything is written.
    package static func backUp(
        _ path: String, to copy: String, inDataFolder: Bool = false
    ) throws {
        guard !Files.exists(copy) else { throw SQLiteError.beside(copy, "the file exists already") }
        let unique = inDataFolder ? "" : ".\(hexadecimal(randomBytes(8)))"
        let unfinished = "\(copy)\(unique).unfinished"
        do {
            try copyDatabase(path, to: unfinished, isOwn: false)
            try copyBlobs(of: path, to: copy, namedIn: unfinished)
            do throws(SystemError) {
                try Files.move(unfinished, to: copy)
                try Files.flushFolder(of: copy)
            } catch {
                throw StoreError(error, "name a backup")
            }
        } catch {
            for end in ["", "-wal", "-shm"] { Files.remove(unfinished + end) }
            throw error
        }
    }

    /// - Parameter list: The copy of the database, whose list loses what is gone.
    private static func copyBlobs(
        of path: String, to copy: String, namedIn list: String
    ) throws {
        let (source, target) = (BlobFiles(of: path), BlobFiles(of: copy))
        var gone: [BlobKey] = []
        for (key, bytes) in try blobs(list) {
            if source.bytes(key) == bytes {
                try source.copy(key, to: target)
            } else {
                gone.append(key)
            }
        }
        try target.syncToDisk()
        // A blob that was collected meanwhile is not missing.
        let known = gone.isEmpty ? [] : Set(try blobs(path).map(\.key))
        gone.removeAll { known.contains($0) }
        try forgetBlobs(gone, in: list)
    }

    /// Removes blobs from the list of a copy.
    package static func forgetBlobs(_ gone: [BlobKey], in copy: String) throws {
        guard !gone.isEmpty else { return }
        var connection = try Connection.open(copy)
        for key in gone {
            try connection.run(
                "DELETE FROM blob WHERE space = ? AND name = ?", key.space, key.name)
        }
        try connection.checkpoint()
    }

    /// Whether the accounts of a file belong to these secrets; also for a file without accounts.
    package static func accounts(of path: String, belongTo secrets: Secrets) throws -> Bool {
        var connection = try Connection.open(path, mode: .readOnly)
        return try connection.accountsBelong(to: secrets)
    }

    /// Matches the addresses of all accounts with new secrets. What was proved with the lost ones is
    /// gone: sessions, recovery codes, links to share, and from which networks people logged in.
    ///
    /// - Parameter now: When the sessions end, in milliseconds since 1970 UTC.
    /// - Returns: The addresses of accounts whose second factor cannot be checked any more.
    package static func rekey(
        _ path: String, to secrets: Secrets, now: Int64
    ) throws -> [String] {
        var connection = try Connection.open(path)
        try connection.migrate(Schema.migrations)
        let withoutFactor = try connection.transaction { db in
            let accounts = try db.all(
                "SELECT space, email FROM account WHERE deleted IS NULL"
            ) { (space: $0.int(0), email: $0.text(1)) }
            for account in accounts {
                guard let email = try? Email(account.email) else { continue }
                try db.run(
                    "UPDATE account SET email_key = ? WHERE space = ?", secrets.digest(of: email),
                    account.space)
            }
            try db.run("UPDATE session SET revoked = ? WHERE revoked IS NULL", now)
            try db.run("DELETE FROM code")
            try db.run("DELETE FROM known_network")
            // No token of a link can be matched any more.
            try db.run("DELETE FROM share")
            return try db.all(
                """
                SELECT email FROM account WHERE totp_confirmed = 1 AND deleted IS NULL ORDER BY email
                """
            ) { $0.text(0) }
        }
        try connection.checkpoint()
        return withoutFactor
    }

    /// Encrypts the events, blobs, shares and webhooks that are stored as they are, and leaves no trace
    /// of them in the file and next to it. What an interrupted attempt left is finished.
    ///
    /// - Parameters:
    ///   - keys: One at least; the first encrypts.
    ///   - lock: The lock of the file, which nothing else uses then.
    /// - Returns: How many events there were.
    package static func encrypt(
        _ path: String, keys: [DataKey], holding lock: borrowing LockFile
    ) throws -> Int64 {
        precondition(!keys.isEmpty, "nothing can be encrypted without a key")
        var connection = try Connection.open(path)
        try connection.migrate(Schema.migrations)
        try connection.transaction { db throws(SQLiteError) in try AtRest.prepare(&db, keys) }
        let wrapped = try connection.wrappedKeys()
        let atRest = AtRest(keys) { wrapped[$0] }
        let count = try connection.encryptRows(atRest)
        try connection.checkpoint()
        let files = BlobFiles(of: path, atRest)
        for key in files.all() { try files.encrypt(key) }
        try files.removePlain()
        return count
    }

    /// Writes a consistent copy of the database alone, as ``backUp(_:to:)``.
    ///
    /// - Parameter isOwn: Whether only this program uses the name of the copy, and of what an interrupted attempt
    ///   left.
    package static func copyDatabase(
        _ path: String, to copy: String, isOwn: Bool = true
    ) throws {
        var connection = try Connection.open(path, mode: .readOnly)
        try connection.checkMigrations(Schema.migrations)
        try connection.backup(to: copy, isOwn: isOwn)
    }

    /// The names of the steps that a file lacks to be one of this version.
    ///
    /// - Throws: ``SQLiteError`` with code `earlier` or `newer` for a file of another build.
    package static func pendingUpgrades(_ path: String) throws -> [String] {
        var connection = try Connection.open(path, mode: .readOnly)
        return try connection.pendingMigrations(Schema.migrations)
    }

    /// Makes the missing steps.
    ///
    /// - Parameter lock: The lock of the file, which nothing else uses then.
    package static func upgrade(_ path: String, holding lock: borrowing LockFile) throws {
        var connection = try Connection.open(path)
        try connection.migrate(Schema.migrations)
        try connection.checkpoint()
    }

    /// The blobs beside a file, with the keys to read them.
    package static func blobFiles(_ path: String, keys: [DataKey]) throws -> BlobFiles {
        var connection = try Connection.open(path, mode: .readOnly)
        let wrapped = try connection.wrappedKeys()
        return BlobFiles(of: path, AtRest(keys) { wrapped[$0] })
    }

    /// The blobs that a file names, and their lengths.
    package static func blobs(_ path: String) throws -> [(key: BlobKey, bytes: Int64)] {
        var connection = try Connection.open(path, mode: .readOnly)
        return try connection.blobs()
    }

    /// Prepares a copy to be served: gives its log a new epoch, which makes devices start recovery.
    ///
    /// Deletes all refresh tokens: a token that was used after the backup would otherwise be valid
    /// again. Sessions that began after the backup are not in the copy. A session that was revoked
    /// after the backup cannot be identified, so it stays valid until its access token expires,
    /// unless all sessions are ended. Invitations, reset codes and shares that may be opened a limited
    /// number of times are void: one of them may have been used or revoked after the backup. So are all
    /// shares of an account that ended one after the backup. Nothing is sent to webhooks until their owners
    /// test them.
    ///
    /// - Parameters:
    ///   - email: The address of the account that alone was restored: all this is then done to it, and nothing to the
    ///     others. `nil` for all.
    ///   - epoch: The new epoch, 1 to 2^32 − 1, different from the old one.
    ///   - endsSessions: Ends all sessions, so that every user must log in again.
    ///   - deletions: Accounts that were deleted or disabled after the backup, and are again; `nil` for
    ///     the ledger beside the file.
    ///   - hasBlobs: Whether blobs are beside the file. Accounts that are deleted again stay without them, until a
    ///     server has removed their blobs elsewhere.
    ///   - now: Milliseconds since 1970 UTC.
    /// - Returns: How many accounts were deleted again.
    @discardableResult
    package static func renew(
        _ path: String, of email: String? = nil, epoch: UInt32, endsSessions: Bool,
        deletions: DeletionLedger? = nil, hasBlobs: Bool = true, now: Int64
    ) throws -> Int {
        precondition(epoch > 0, "an epoch is never 0")
        var connection = try Connection.open(path)
        try connection.allowServing(evenIfMoved: email == nil)
        try connection.migrate(Schema.migrations)
        try connection.overwriteDeleted()
        let gone = try connection.transaction { db in
            try db.beRestored(
                email, epoch: epoch, endsSessions: endsSessions,
                deletions: deletions ?? DeletionLedger(of: path), now: now)
        }
        for space in gone { try BlobFiles(of: path).removeAll(of: space) }
        if hasBlobs { try connection.transaction { try $0.removeEmptied(gone) } }
        try connection.checkpoint()
        return gone.count
    }

    /// Checkpoints the write-ahead log into the database file, which then is all there is to move, unless another
    /// process writes. A file too damaged for that is left unchanged.
    package static func checkpoint(_ path: String) {
        do {
            var connection = try Connection.open(path)
            try connection.checkpoint()
        } catch {}
    }

    /// What is wrong with the keys for a database.
    package enum KeyProblem: Error {
        /// It is encrypted, and no key is given.
        case missing
        /// None of the keys given is its key.
        case wrong
    }

    /// What is wrong with these keys of encryption at rest for a database; `nil` if they suit.
    package static func keyProblem(_ path: String, keys: [DataKey]) throws -> KeyProblem? {
        var connection = try Connection.open(path, mode: .readOnly)
        return try AtRest.problem(&connection, keys)
    }

    /// The contents of a file.
    package struct Contents: Sendable {
        package var epoch: UInt32 = 0
        package var accounts: Int64 = 0
        package var events: Int64 = 0
        package var blobs: Int64 = 0
        /// One digest of the logs of all spaces.
        package var digest: [UInt8] = []
        /// The problems found, one line each, about 100 at most; empty for a sound file.
        package var problems: [String] = []
        /// Accounts whose data are encrypted, and whose keys are not in the file.
        package var keyless: [Identifier] = []
    }
}

extension Connection {
    /// The keys of all accounts as they are stored; empty for a file of before there were any.
    mutating func wrappedKeys() throws(SQLiteError) -> [Space: [UInt8]] {
        guard try hasDataKeys() else { return [:] }
        let all = try all("SELECT space, wrapped FROM data_key") { ($0.space(0), $0.bytes(1)) }
        return Dictionary(all, uniquingKeysWith: { first, _ in first })
    }

    /// Encrypts the shares and events that are stored as they are. They stay the same events, so the law
    /// that none is changed is lifted within the transaction.
    fileprivate mutating func encryptRows(_ atRest: AtRest) throws -> Int64 {
        let count = try transaction { db in
            try db.encryptShares(atRest)
            try db.encryptWebhooks(atRest)
            try db.execute("DROP TRIGGER event_refuses_update")
            let places = try db.all(
                "SELECT place, space FROM event WHERE substr(body, 1, 1) <> x'FF' ORDER BY place"
            ) { ($0.int(0), $0.space(1)) }
            for (place, space) in places {
                let body = try db.first("SELECT body FROM event WHERE place = ?", place) {
                    $0.bytes(0)
                }
                let cipher = try atRest.cipher(of: space)
                try db.run(
                    "UPDATE event SET body = ? WHERE place = ?",
                    cipher.stored(body ?? [], at: place), place)
            }
            try db.execute(
                """
                CREATE TRIGGER event_refuses_update BEFORE UPDATE ON event
                BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;
                """)
            return Int64(places.count)
        }
        try execute("VACUUM")
        return count
    }

    /// The blobs of all spaces; empty for a schema without blobs.
    mutating func blobs() throws(SQLiteError) -> [(key: BlobKey, bytes: Int64)] {
        let hasBlobs = try first("SELECT 1 FROM sqlite_schema WHERE name = 'blob'") { _ in true }
        guard hasBlobs == true else { return [] }
        return try all("SELECT space, name, bytes FROM blob ORDER BY space, name") {
            (
                BlobKey(space: $0.space(0), name: $0.bytes(1, count: BlobMention.nameBytes)),
                $0.int(2)
            )
        }
    }
}
