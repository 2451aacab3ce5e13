/// Changes of accounts, their audit trails, and what an operator sees of them.
import MacrologEvents
import MacrologWire

extension SQLServerStore {
    package func update(_ update: AccountUpdate, then done: @escaping Done<[Identifier]?>) {
        change(
            .of(update.space), { [deletions] db, _ in try db.update(update, deletions) }, then: done
        )
    }

    package func record(_ entry: AuditEntry, of space: Space) {
        record(entry, of: space, then: { _ in })
    }

    func record(_ entry: AuditEntry, of space: Space, then done: @escaping Done<Void>) {
        change(
            .of(space),
            { db, _ in if try db.isThere(space) { try db.record(entry, of: space) } },
            then: done)
    }

    package func audit(of space: Space) throws(StoreError) -> [StoredAuditEntry] {
        try read { db throws(Database.Failure) in
            try db.all(
                """
                SELECT event, network, device, at FROM audit WHERE space = ?
                ORDER BY at DESC, place DESC
                """, space
            ) {
                StoredAuditEntry(
                    event: $0.text(0), network: $0.textOrNull(1), device: $0.textOrNull(2),
                    at: $0.moment(3))
            }
        }
    }

    package func facts(of space: Space?, now: Int64) throws(StoreError) -> [AccountFacts] {
        try read { db throws(Database.Failure) in
            try db.all(
                """
                SELECT a.name, a.email, a.created, a.disabled, a.password <> '',
                a.totp_confirmed, count(s.id), max(s.last_seen),
                coalesce((SELECT max(place) FROM event
                    WHERE place > a.space << 40 AND place < (a.space + 1) << 40) & ?1, 0),
                a.event_bytes,
                (SELECT count(*) FROM blob AS b WHERE b.space = a.space),
                (SELECT CAST(coalesce(sum(bytes), 0) AS bigint) FROM blob AS b WHERE b.space = a.space)
                FROM account AS a LEFT JOIN session AS s
                ON s.space = a.space AND s.revoked IS NULL AND s.created > ?2
                WHERE a.deleted IS NULL AND (?3 IS NULL OR a.space = ?3)
                GROUP BY a.space ORDER BY a.email, a.space
                """, Place.numberMax, now - SessionLimits.absolute, space
            ) { row in
                AccountFacts(
                    name: row.identifier(0), email: row.text(1), created: row.moment(2),
                    disabled: row.isNull(3) ? nil : row.moment(3), hasPassword: row.int(4) == 1,
                    hasSecondFactor: row.int(5) == 1, sessions: row.int(6),
                    lastSeen: row.isNull(7) ? nil : row.moment(7), events: row.int(8),
                    eventBytes: row.int(9), blobs: row.int(10), blobBytes: row.int(11))
            }
        }
    }

    package func blobs(of space: Space) throws(StoreError) -> [(key: BlobKey, bytes: Int64)] {
        try read { db throws(Database.Failure) in
            try db.all("SELECT name, bytes FROM blob WHERE space = ? ORDER BY name", space) {
                (
                    BlobKey(space: space, name: $0.bytes(0, count: BlobMention.nameBytes)),
                    $0.int(1, in: 0...(1 << 53))
                )
            }
        }
    }
}

// MARK: Invitations

extension SQLServerStore {
    package func invitations() throws(StoreError) -> [Invitation] {
        try read { db throws(Database.Failure) in
            try db.all(
                "SELECT number, created, expires, uses, used FROM invitation ORDER BY number"
            ) {
                Invitation(
                    number: $0.int(0), created: $0.moment(1), expires: $0.moment(2),
                    uses: $0.int(3), used: $0.int(4))
            }
        }
    }

    package func isOpen(invitation digest: [UInt8], now: Int64) throws(StoreError) -> Bool {
        try read { db throws(Database.Failure) in
            try db.first(
                "SELECT 1 FROM invitation WHERE digest = ? AND used < uses AND expires > ?",
                digest, now
            ) { _ in true } ?? false
        }
    }

    package func addInvitation(
        _ digest: [UInt8], uses: Int64, expires: Int64, now: Int64,
        then done: @escaping Done<Int64>
    ) {
        change(
            .ofRows,
            { db, _ in
                try db.first(
                    """
                    INSERT INTO invitation (digest, created, expires, uses) VALUES (?, ?, ?, ?)
                    RETURNING number
                    """, digest, now, expires, uses
                ) { $0.int(0) } ?? 0
            }, then: done)
    }

    package func removeInvitation(_ number: Int64, then done: @escaping Done<Bool>) {
        change(
            .ofRows,
            { db, _ in
                try db.run("DELETE FROM invitation WHERE number = ?", number)
                return try db.changed() == 1
            }, then: done)
    }
}

extension SQLDatabase where Self: ~Copyable {
    /// Whether there is an account that is not deleted.
    mutating func isThere(_ space: Space) throws(Failure) -> Bool {
        try first("SELECT 1 FROM account WHERE space = ? AND deleted IS NULL", space) { _ in true }
            ?? false
    }

    /// Whether there is an account that is neither disabled nor deleted.
    mutating func isActive(_ space: Space) throws(Failure) -> Bool {
        try first(
            "SELECT 1 FROM account WHERE space = ? AND disabled IS NULL AND deleted IS NULL", space
        ) { _ in true } ?? false
    }

    /// Whether an account still has the credentials that were checked.
    mutating func has(_ credentials: Credentials, _ space: Space) throws(Failure) -> Bool {
        try first(
            "SELECT 1 FROM account WHERE space = ? AND password = ? AND totp_confirmed = ?", space,
            String(decoding: credentials.passwordHash, as: UTF8.self), credentials.asksForCode
        ) { _ in true } ?? false
    }

    mutating func setPassword(_ hash: [UInt8], of space: Space) throws(Failure) {
        try run(
            "UPDATE account SET password = ? WHERE space = ?",
            String(decoding: hash, as: UTF8.self), space)
    }

    /// Uses up a proof; `false` if it is none.
    mutating func use(
        _ proof: Proof, of space: Space, _ now: Int64
    ) throws(Failure) -> Bool {
        switch proof {
        case .reset(let digest):
            try run(
                """
                DELETE FROM code
                WHERE digest = ? AND space = ? AND kind <> 'recovery' AND expires > ?
                """, digest, space, now)
        case .recovery(let digest):
            try run(
                """
                DELETE FROM code
                WHERE digest = ? AND space = ? AND kind = 'recovery' AND expires > ?
                """, digest, space, now)
        case .step(let step):
            try run(
                "UPDATE account SET totp_step = ?1 WHERE space = ?2 AND totp_step < ?1", step,
                space)
        }
        return try changed() == 1
    }

    /// Adds to an audit trail. From a full one failures go first, then exports: neither a stranger who
    /// guesses nor a program that exports every hour pushes out what else happened.
    mutating func record(_ entry: AuditEntry, of space: Space) throws(Failure) {
        try run(
            "INSERT INTO audit (space, at, event, network, device) VALUES (?, ?, ?, ?, ?)", space,
            entry.now, entry.event.rawValue, entry.network, entry.device)
        try run(
            """
            DELETE FROM audit WHERE place IN (
                SELECT place FROM audit WHERE space = ?
                ORDER BY event IN ('login_failed', 'reset_failed', 'totp_refused'),
                event IN ('exported', 'token_used'), place DESC
                LIMIT 1000000000 OFFSET ?)
            """, space, AuditEntry.countMax)
    }

    /// Ends the sessions of a space but one, and returns them.
    mutating func endSessions(
        of space: Space, besides kept: [UInt8], at now: Int64
    ) throws(Failure) -> [Identifier] {
        let ended = try all(
            "SELECT id FROM session WHERE space = ? AND id <> ? AND revoked IS NULL", space, kept
        ) { $0.identifier(0) }
        try run(
            "UPDATE session SET revoked = ? WHERE space = ? AND id <> ? AND revoked IS NULL", now,
            space, kept)
        return ended
    }

    fileprivate mutating func update(
        _ update: AccountUpdate, _ ledger: DeletionLedger
    ) throws(Failure) -> [Identifier]? {
        let (space, now) = (update.space, update.now)
        guard try isThere(space) else { return nil }
        if let credentials = update.credentials, try !has(credentials, space) { return nil }
        // A confirmed second factor is ended, never replaced.
        if case .some(.some) = update.secondFactor, try hasSecondFactor(space) { return nil }
        var endsSecondFactor = false
        if let proof = update.proof {
            endsSecondFactor = try self.endsSecondFactor(proof)
            guard try use(proof, of: space, now) else { return nil }
        }
        if update.deletes {
            try note(.deleted, of: space, in: ledger, at: now)
            return try markDeleted(space, at: now)
        }
        if let hash = update.passwordHash {
            try setPassword(hash, of: space)
            try stopWebhooks(of: space)
            // A code that was asked for before is another way in.
            try run("DELETE FROM code WHERE space = ? AND kind <> 'recovery'", space)
        }
        if let isDisabled = update.isDisabled {
            try note(isDisabled ? .disabled : .enabled, of: space, in: ledger, at: now)
            if isDisabled {
                // The time of the first one stays.
                try run(
                    "UPDATE account SET disabled = ? WHERE space = ? AND disabled IS NULL", now,
                    space)
            } else {
                try run("UPDATE account SET disabled = NULL WHERE space = ?", space)
            }
        }
        if let factor = update.secondFactor { try setSecondFactor(factor, of: space) }
        if let codes = update.recoveryCodes {
            try run("DELETE FROM code WHERE space = ? AND kind = 'recovery'", space)
            for code in codes { try addCode("recovery", code, expires: .max, of: space) }
        }
        if let code = update.resetCode {
            try run("DELETE FROM code WHERE space = ? AND kind <> 'recovery'", space)
            try addCode(
                code.endsSecondFactor ? "reset_totp" : "reset", code.digest, expires: code.expires,
                of: space)
        }
        if let entry = update.entry { try record(entry, of: space) }
        if endsSecondFactor { try endSecondFactor(of: space, update) }
        return switch update.ending {
        case .none: []
        case .all: try endSessions(of: space, besides: [], at: now)
        case .others(let kept): try endSessions(of: space, besides: kept.bytes, at: now)
        }
    }

    private mutating func hasSecondFactor(_ space: Space) throws(Failure) -> Bool {
        try first("SELECT 1 FROM account WHERE space = ? AND totp_confirmed = 1", space) { _ in
            true
        } ?? false
    }

    private mutating func setSecondFactor(
        _ factor: SecondFactor?, of space: Space
    ) throws(Failure) {
        try run(
            "UPDATE account SET totp = ?, totp_confirmed = ?, totp_step = ? WHERE space = ?",
            factor?.sealed, factor?.isConfirmed ?? false, factor?.step ?? 0, space)
    }

    /// Whether a proof is a reset code that also ends the second factor.
    private mutating func endsSecondFactor(_ proof: Proof) throws(Failure) -> Bool {
        guard case .reset(let digest) = proof else { return false }
        return try first(
            "SELECT 1 FROM code WHERE digest = ? AND kind = 'reset_totp'", digest
        ) { _ in true } ?? false
    }

    /// Ends the second factor of an account, because a reset code says so.
    private mutating func endSecondFactor(
        of space: Space, _ update: AccountUpdate
    ) throws(Failure) {
        if try hasSecondFactor(space) {
            try record(
                AuditEntry(
                    event: .totpDisabled, network: update.entry?.network, now: update.now),
                of: space)
        }
        try setSecondFactor(nil, of: space)
        try run("DELETE FROM code WHERE space = ? AND kind = 'recovery'", space)
    }

    private mutating func addCode(
        _ kind: String, _ digest: [UInt8], expires: Int64, of space: Space
    ) throws(Failure) {
        try run(
            "INSERT INTO code (digest, space, kind, expires) VALUES (?, ?, ?, ?)", digest, space,
            kind, expires)
    }
}
