/// Deleting accounts: at once for everyone who asks, and then row by row.
import MacrologEvents
import MacrologSQLite
import MacrologPostgreSQL
import MacrologCryptography

extension SQLServerStore {
    /// Rows of each kind that one change removes at most, so that other changes do not wait long.
    static var removedAtOnce: Int64 { 1_000 }

    package func removeDeleted(then done: @escaping Done<(isMore: Bool, emptied: [Space])>) {
        change(
            .repeatable, { db, _ in try db.removeDeleted(atMost: Self.removedAtOnce) }, then: done)
    }

    package func removeEmptied(_ spaces: [Space], then done: @escaping Done<Void>) {
        change(
            .repeatable,
            { db, overlay in
                try db.removeEmptied(spaces)
                overlay.emptiesLog = true
            },
            then: { [atRest] result in
                if case .success = result { for space in spaces { atRest.forget(space) } }
                done(result)
            })
    }
}

extension Connection {
    /// Makes deleted rows unreadable in the file, not only unused.
    mutating func overwriteDeleted() throws(SQLiteError) {
        try execute("PRAGMA secure_delete = ON")
    }
}

extension SQLDatabase where Self: ~Copyable {
    /// Brings the accounts of a ledger that are here, or one of them, into the state that it tells.
    mutating func replay(
        _ ledger: DeletionLedger, of account: Identifier? = nil
    ) throws(Failure) {
        var entries: [DeletionLedger.Entry]
        do { entries = try ledger.entries() } catch {
            throw .ledger(ledger.path, error)
        }
        if let account { entries = entries.filter { $0.account == account } }
        for entry in entries where entry.change == .unshared {
            if let space = try space(of: entry.account) {
                try endShares(of: space, endedAt: entry.at)
            }
        }
        let states = entries.filter { $0.change != .unshared }
        let last = Dictionary(states.map { ($0.account, $0) }, uniquingKeysWith: { $1 })
        for (account, at) in entries.filter({ $0.change == .deleted }).map({ ($0.account, $0.at) })
        {
            if let space = try space(of: account) { _ = try markDeleted(space, at: at) }
        }
        for entry in last.values {
            guard let space = try space(of: entry.account) else { continue }
            try setDisabled(entry.change == .disabled ? entry.at : nil, space)
        }
    }

    private mutating func space(of account: Identifier) throws(Failure) -> Space? {
        try first(
            "SELECT space FROM account WHERE name = ? AND deleted IS NULL", account.bytes
        ) { $0.space(0) }
    }

    /// Disables an account that is enabled, which ends its sessions; or enables it.
    private mutating func setDisabled(_ at: Int64?, _ space: Space) throws(Failure) {
        try run(
            "UPDATE account SET disabled = ?1 WHERE space = ?2 AND (disabled IS NULL) = (?1 IS NOT NULL)",
            at, space)
        if let at, try changed() == 1 { _ = try endSessions(of: space, besides: [], at: at) }
    }

    /// Writes down what a restored backup must not undo, before it is done: it stays done whatever
    /// happens next.
    mutating func note(
        _ change: DeletionLedger.Change, of space: Space, in ledger: DeletionLedger, at now: Int64
    ) throws(Failure) {
        let name = try first("SELECT name FROM account WHERE space = ?", space) { $0.identifier(0) }
        guard let name else { return }
        do { try ledger.add(DeletionLedger.Entry(name, change, at: now)) } catch {
            throw .ledger(ledger.path, error)
        }
    }

    /// What everyone who asks sees of a deletion. The address is free again.
    mutating func markDeleted(
        _ space: Space, at now: Int64
    ) throws(Failure) -> [Identifier] {
        // The key must be unique, and that of no address.
        try run(
            """
            UPDATE account SET deleted = ?, email = '', email_key = ?, password = '', totp = NULL
            WHERE space = ? AND deleted IS NULL
            """, now, blake2b(randomBytes(32)), space)
        guard try changed() == 1 else { return [] }
        return try endSessions(of: space, besides: [], at: now)
    }

    /// Removes rows of deleted accounts, the last events first: what is left of a log is its
    /// beginning.
    mutating func removeDeleted(
        atMost limit: Int64
    ) throws(Failure) -> (isMore: Bool, emptied: [Space]) {
        let spaces = try all("SELECT space FROM account WHERE deleted IS NOT NULL") { $0.space(0) }
        for (index, space) in spaces.enumerated() {
            guard try !remove(space, limit) else { return (true, Array(spaces[..<index])) }
        }
        return (false, spaces)
    }

    /// Removes deleted accounts of which nothing else is left.
    mutating func removeEmptied(_ spaces: [Space]) throws(Failure) {
        for space in spaces {
            try run("DELETE FROM account WHERE space = ? AND deleted IS NOT NULL", space)
        }
    }

    /// Removes rows of a space, the last events first, each with the blobs that it names.
    ///
    /// - Returns: Whether there may be more.
    mutating func remove(_ space: Space, _ limit: Int64) throws(Failure) -> Bool {
        let first = try place(space, .zero)
        let events = try all(
            "SELECT place FROM event WHERE place > ? AND place <= ? ORDER BY place DESC LIMIT ?",
            first, try endPlace(of: space), limit
        ) { $0.int(0) }
        for place in events {
            try run("DELETE FROM blob_mention WHERE place = ?", place)
            try removeEvent(at: place)
        }
        if events.count == limit { return true }
        try run("DELETE FROM blob WHERE space = ?", space)
        try run(
            "DELETE FROM refresh WHERE session IN (SELECT id FROM session WHERE space = ?)", space)
        try run("DELETE FROM session WHERE space = ?", space)
        try run("DELETE FROM known_network WHERE space = ?", space)
        try run("DELETE FROM code WHERE space = ?", space)
        try run("DELETE FROM audit WHERE space = ?", space)
        try run("DELETE FROM share WHERE space = ?", space)
        try run("DELETE FROM analysis_day WHERE space = ?", space)
        try removeWebhooks(of: space)
        try run("DELETE FROM data_key WHERE space = ?", space)
        return false
    }
}

extension PostgreSQLConnection {
    /// How many names one statement looks for.
    private static let namesAtOnce = 1_000

    /// Deletes the accounts again that a ledger says were deleted.
    mutating func deleteAgain(_ ledger: DeletionLedger) throws(PostgreSQLError) {
        let entries: [DeletionLedger.Entry]
        do { entries = try ledger.entries() } catch { throw .ledger(ledger.path, error) }
        let times = Dictionary(
            entries.filter { $0.change == .deleted }.map { ($0.account, $0.at) },
            uniquingKeysWith: { first, _ in first })
        var rest = times.keys.sorted()[...]
        while !rest.isEmpty {
            let digits = rest.prefix(Self.namesAtOnce).map { hexadecimal($0.bytes) }
            let found = try all(
                """
                SELECT space, name FROM account WHERE deleted IS NULL
                    AND name IN (SELECT decode(unnest(string_to_array(?, ' ')), 'hex'))
                ORDER BY space
                """, digits.joined(separator: " ")
            ) { ($0.space(0), $0.identifier(1)) }
            for (space, name) in found { _ = try markDeleted(space, at: times[name] ?? 0) }
            rest = rest.dropFirst(Self.namesAtOnce)
        }
    }
}

extension SQLFailure {
    /// The ledger cannot be read or written: then no one may be served who was deleted.
    fileprivate static func ledger(_ path: String, _ error: any Error) -> Self {
        let line = (error as? DeletionLedger.Damage)?.line
        return .beside(
            path,
            line.map { "line \($0) is damaged; restore the file from a copy, or remove that line" }
                ?? "\(error)")
    }
}
