/// The shares of all accounts: frozen copies that are found by the keyed digest of a token, and end by
/// themselves.
///
/// Of one that its owner ended the row stays until it would have expired, emptied: it has more openings than were
/// allowed, which is how it is recognised. So the request that made it makes it no second time.
import MacrologEvents

extension SQLServerStore {
    package func add(_ share: NewShare, then done: @escaping Done<ShareAddition>) {
        let cipher: AccountCipher
        do throws(StoreError) { cipher = try atRest.cipher(of: share.space) } catch {
            return done(.failure(error))
        }
        let document = cipher.stored(share.document, as: .document(of: share.id))
        let card = cipher.stored(share.card, as: .card(of: share.id))
        change(
            .of(share.space),
            { db, overlay in
                if try db.forgetShares(expiredBy: share.now, Self.forgottenAtOnce) > 0 {
                    overlay.emptiesLog = true
                }
                return try db.add(share, document: document, card: card)
            }, then: done)
    }

    package func shares(of space: Space, now: Int64) throws(StoreError) -> [StoredShare] {
        let cipher = try atRest.cipher(of: space)
        return try read { db throws(Database.Failure) in
            try db.all(
                """
                SELECT id, created, expires, opens_max, opens, document FROM share
                WHERE space = ? AND expires > ? AND (opens_max = 0 OR opens <= opens_max)
                ORDER BY created DESC, id
                """, space, now
            ) { row in
                StoredShare(
                    id: row.identifier(0), created: row.moment(1), expires: row.moment(2),
                    opensMax: row.int(3), opens: row.int(4),
                    document: row.bytes(5, .document(of: row.identifier(0)), cipher))
            }
        }
    }

    package func share(token digest: [UInt8], now: Int64) throws(StoreError) -> OpenShare? {
        guard let (space, cipher) = try owner(of: digest) else { return nil }
        return try read { db throws(Database.Failure) in
            try db.first(
                """
                SELECT id, expires, origin, document FROM share
                WHERE digest = ?1 AND space = ?2 AND expires > ?3
                AND (opens_max = 0 OR opens < opens_max)
                """, digest, space, now
            ) { row in
                OpenShare(
                    id: row.identifier(0), expires: row.moment(1), origin: row.text(2),
                    document: row.bytes(3, .document(of: row.identifier(0)), cipher))
            }
        }
    }

    package func card(
        token digest: [UInt8], openedAfter: Int64, now: Int64
    ) throws(StoreError) -> [UInt8]? {
        guard let (space, cipher) = try owner(of: digest) else { return nil }
        return try read { db throws(Database.Failure) in
            try db.first(
                """
                SELECT id, card FROM share WHERE digest = ?1 AND space = ?2 AND expires > ?3
                AND (opens_max = 0 OR opened >= ?4)
                """, digest, space, now, openedAfter
            ) { $0.bytes(1, .card(of: $0.identifier(0)), cipher) }
        }
    }

    /// The account that a share belongs to, if it is neither disabled nor deleted, and what its data
    /// are encrypted with.
    private func owner(of digest: [UInt8]) throws(StoreError) -> (Space, AccountCipher)? {
        let space = try read { db throws(Database.Failure) in
            try db.first(
                """
                SELECT space FROM share JOIN account USING (space)
                WHERE digest = ? AND disabled IS NULL AND deleted IS NULL
                """, digest
            ) { $0.space(0) }
        }
        guard let space else { return nil }
        return (space, try atRest.cipher(of: space))
    }

    package func countOpening(
        of share: Identifier, now: Int64, then done: @escaping Done<Bool>
    ) {
        let space: Space?
        do throws(StoreError) {
            // The last opening changes the account as well, which is locked before any other row.
            space = try read { db throws(Database.Failure) in
                try db.first(
                    "SELECT space FROM share WHERE id = ? AND opens_max > 0", share.bytes
                ) { $0.space(0) }
            }
        } catch { return done(.failure(error)) }
        countOpening(of: share, now: now, space.map { .of($0) } ?? .ofRows, then: done)
    }

    func countOpening(
        of share: Identifier, now: Int64, _ kind: ChangeKind, then done: @escaping Done<Bool>
    ) {
        change(
            kind, { [deletions] db, _ in try db.countOpening(of: share, now, deletions) },
            then: done)
    }

    package func removeShare(
        _ id: Identifier, of space: Space, entry: AuditEntry, then done: @escaping Done<Bool>
    ) {
        change(
            .of(space),
            { [deletions] db, overlay in
                try db.run(
                    """
                    UPDATE share SET opens_max = 1, opens = 2, opened = NULL, origin = '',
                        document = ?1, card = ?1
                    WHERE id = ?2 AND space = ?3 AND expires > ?4
                    AND (opens_max = 0 OR opens <= opens_max)
                    """, [UInt8](), id.bytes, space, entry.now)
                guard try db.changed() == 1 else { return false }
                try db.noteEndOfShare(of: space, at: entry.now, deletions)
                try db.record(entry, of: space)
                overlay.emptiesLog = true
                return true
            }, then: done)
    }
}

extension SQLDatabase where Self: ~Copyable {
    fileprivate mutating func add(
        _ share: NewShare, document: [UInt8], card: [UInt8]
    ) throws(Failure) -> ShareAddition {
        try run("DELETE FROM share WHERE digest = ? AND expires <= ?", share.token, share.now)
        let known = try first(
            "SELECT space, id, expires, opens_max, opens FROM share WHERE digest = ?", share.token
        ) { row in
            let isEnded = row.int(3) > 0 && row.int(4) > row.int(3)
            return (row.space(0), row.identifier(1), row.moment(2), isEnded)
        }
        if let (space, id, expires, isEnded) = known {
            guard space == share.space else { return .taken }
            return isEnded ? .ended : .known(id, expires: expires)
        }
        let count = try first(
            """
            SELECT count(*) FROM share WHERE space = ? AND expires > ?
            AND (opens_max = 0 OR opens <= opens_max)
            """, share.space, share.now
        ) { $0.int(0) }
        guard count ?? 0 < ShareLimits.countMax, try isActive(share.space) else { return .noRoom }
        try run(
            """
            INSERT INTO share
            (id, space, digest, created, expires, opens_max, origin, document, card)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, share.id.bytes, share.space, share.token, share.now, share.expires,
            share.opensMax, share.origin, document, card)
        try record(share.entry, of: share.space)
        return .added
    }

    /// Counts an opening. The last one that is allowed is an end that a restored backup must not undo.
    fileprivate mutating func countOpening(
        of share: Identifier, _ now: Int64, _ ledger: DeletionLedger
    ) throws(Failure) -> Bool {
        try run(
            """
            UPDATE share SET opens = opens + 1, opened = ?1
            WHERE id = ?2 AND expires > ?1 AND (opens_max = 0 OR opens < opens_max)
            """, now, share.bytes)
        guard try changed() == 1 else { return false }
        let usedUp = try first(
            "SELECT space FROM share WHERE id = ? AND opens = opens_max", share.bytes
        ) { $0.space(0) }
        if let usedUp { try noteEndOfShare(of: usedUp, at: now, ledger) }
        return true
    }

    /// Writes down that an account ended a share, in the ledger and here. A file that knows of an earlier
    /// end only is a copy of before.
    fileprivate mutating func noteEndOfShare(
        of space: Space, at now: Int64, _ ledger: DeletionLedger
    ) throws(Failure) {
        let last = try first("SELECT unshared FROM account WHERE space = ?", space) {
            $0.moment(0)
        }
        let at = max(now, (last ?? 0) + 1)
        try note(.unshared, of: space, in: ledger, at: at)
        try run("UPDATE account SET unshared = ? WHERE space = ?", at, space)
    }

    /// Removes the shares of an account that ended one after this file was copied.
    mutating func endShares(of space: Space, endedAt end: Int64) throws(Failure) {
        try run("UPDATE account SET unshared = ?1 WHERE space = ?2 AND unshared < ?1", end, space)
        guard try changed() == 1 else { return }
        try run("DELETE FROM share WHERE space = ?", space)
    }

    /// Removes some shares that have expired, and returns how many.
    mutating func forgetShares(expiredBy now: Int64, _ limit: Int64) throws(Failure) -> Int64 {
        try run(
            "DELETE FROM share WHERE id IN (SELECT id FROM share WHERE expires <= ? LIMIT ?)", now,
            limit)
        return Int64(try changed())
    }

    /// Encrypts the shares that are stored as they are.
    mutating func encryptShares(_ atRest: AtRest) throws {
        let shares = try all(
            "SELECT id, space FROM share WHERE substr(card, 1, 1) <> x'FF' AND length(card) > 0"
        ) {
            ($0.identifier(0), $0.space(1))
        }
        for (id, space) in shares {
            let cipher = try atRest.cipher(of: space)
            let plain = try first("SELECT document, card FROM share WHERE id = ?", id.bytes) {
                ($0.bytes(0), $0.bytes(1))
            }
            guard let (document, card) = plain else { continue }
            try run(
                "UPDATE share SET document = ?, card = ? WHERE id = ?",
                cipher.stored(document, as: .document(of: id)),
                cipher.stored(card, as: .card(of: id)), id.bytes)
        }
    }

    /// The shares that cannot be read, one line each, but those of some accounts.
    mutating func damagedShares(
        _ atRest: AtRest, besides keyless: Set<Space>
    ) throws(Failure) -> [String] {
        let hasShares = try first("SELECT 1 FROM sqlite_schema WHERE name = 'share'") { _ in true }
        guard hasShares == true else { return [] }
        return try all("SELECT id, space, document, card FROM share ORDER BY space, id") { row in
            let (id, space) = (row.identifier(0), row.space(1))
            let cipher = (try? atRest.cipher(of: space)) ?? AccountCipher(key: nil)
            let isWhole =
                cipher.plain(row.bytes(2), as: .document(of: id)) != nil
                && cipher.plain(row.bytes(3), as: .card(of: id)) != nil
            return isWhole || keyless.contains(space)
                ? nil : "share \(id) of space \(space): it cannot be decrypted"
        }.compactMap { $0 }
    }
}

extension SQLRow where Self: ~Copyable {
    /// What belongs to a share; if it cannot be decrypted, the row counts as damaged.
    fileprivate func bytes(
        _ column: Int, _ context: AccountCipher.Context, _ cipher: AccountCipher
    ) -> [UInt8] {
        guard let plain = cipher.plain(bytes(column), as: context) else {
            damaged(column)
            return []
        }
        return plain
    }
}

extension AccountCipher.Context {
    /// The document of a share.
    static func document(of share: Identifier) -> Self { Self(bytes: [2] + share.bytes) }
    /// The card of a share.
    static func card(of share: Identifier) -> Self { Self(bytes: [3] + share.bytes) }
}
