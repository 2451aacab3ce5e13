/// Storage of accounts and sessions.
import MacrologEvents
import MacrologCryptography

extension SQLServerStore {
    package func account(emailKey: [UInt8]) throws(StoreError) -> Account? {
        try read { db throws(Database.Failure) in
            try db.first(
                """
                SELECT space, name, email_key, email, password, disabled, totp, totp_confirmed,
                totp_step, created FROM account WHERE email_key = ?
                """, emailKey
            ) { Account($0) }
        }
    }

    package func account(of space: Space) throws(StoreError) -> Account? {
        try read { db throws(Database.Failure) in
            try db.first(
                """
                SELECT space, name, email_key, email, password, disabled, totp, totp_confirmed,
                totp_step, created FROM account WHERE space = ? AND deleted IS NULL
                """, space
            ) { Account($0) }
        }
    }

    package func bcryptHash() throws(StoreError) -> [UInt8]? {
        try read { db throws(Database.Failure) in
            try db.first(
                """
                SELECT password FROM account WHERE password LIKE '$2_$%'
                ORDER BY substr(password, 5, 2) DESC LIMIT 1
                """
            ) { $0.bytes(0) }
        }
    }

    package func add(_ account: NewAccount, then done: @escaping Done<Addition>) {
        change(
            .ofServer, { [keys] db, _ in try db.add(account, keys) }, then: done)
    }

    package func begin(
        _ session: NewSession, sessionsMax: Int, then done: @escaping Done<[Identifier]?>
    ) {
        change(
            .of(session.space),
            { db, _ in
                guard try db.isActive(session.space),
                    try db.has(session.credentials, session.space),
                    try session.proof.map({ try db.use($0, of: session.space, session.now) })
                        ?? true
                else { return nil }
                if let hash = session.betterHash { try db.setPassword(hash, of: session.space) }
                try db.record(session.entry, of: session.space)
                try db.run(
                    """
                    INSERT INTO session (id, space, label, created, last_seen)
                    VALUES (?, ?, ?, ?, ?)
                    """, session.id.bytes, session.space, session.label, session.now, session.now)
                try db.run(
                    "INSERT INTO refresh (digest, session, created) VALUES (?, ?, ?)",
                    session.refresh, session.id.bytes, session.now)
                try db.run(
                    """
                    INSERT INTO known_network (digest, space, seen) VALUES (?, ?, ?)
                    ON CONFLICT (digest) DO UPDATE SET space = excluded.space, seen = excluded.seen
                    """, session.network, session.space, session.now)
                return try db.endSessions(
                    beyond: sessionsMax, of: session.space, besides: session.id, now: session.now)
            }, then: done)
    }

    package func begin(
        _ token: NewToken, sessionsMax: Int, then done: @escaping Done<[Identifier]?>
    ) {
        change(
            .of(token.space),
            { db, _ in
                guard try db.isActive(token.space), try db.session(token.maker) != nil else {
                    return nil
                }
                try db.run(
                    """
                    INSERT INTO session (id, space, label, created, last_seen, scope, first_day, ends)
                    VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7)
                    """, token.id.bytes, token.space, token.label, token.now,
                    token.right.scope.rawValue, token.right.firstDay, token.expires)
                try db.record(token.entry, of: token.space)
                return try db.endSessions(
                    beyond: sessionsMax, of: token.space, besides: token.id, now: token.now)
            }, then: done)
    }

    package func beginOwn(
        _ session: Identifier, of space: Space, label: String, now: Int64,
        then done: @escaping Done<Bool>
    ) {
        change(
            .of(space),
            { db, _ in
                guard try db.isActive(space) else { return false }
                try db.run(
                    """
                    INSERT INTO session (id, space, label, created, last_seen)
                    VALUES (?1, ?2, ?3, ?4, ?4) ON CONFLICT (id) DO UPDATE
                    SET revoked = NULL, label = ?3, created = ?4, last_seen = ?4
                    """, session.bytes, space, label, now)
                return true
            }, then: done)
    }

    package func hasLoggedIn(
        from network: [UInt8], to _: [UInt8], since: Int64
    ) throws(StoreError) -> Bool {
        try read { db throws(Database.Failure) in
            try db.first(
                "SELECT 1 FROM known_network WHERE digest = ? AND seen >= ?", network, since
            ) { _ in true } ?? false
        }
    }

    package func session(_ id: Identifier) throws(StoreError) -> StoredSession? {
        try read { db throws(Database.Failure) in try db.session(id) }
    }

    package func isDisabled(_ session: Identifier) throws(StoreError) -> Bool {
        try read { db throws(Database.Failure) in
            try db.first(
                """
                SELECT 1 FROM session JOIN account USING (space)
                WHERE id = ? AND disabled IS NOT NULL
                """, session.bytes
            ) { _ in true } ?? false
        }
    }

    package func session(ofRefresh digest: [UInt8]) throws(StoreError) -> Identifier? {
        try read { db throws(Database.Failure) in
            try db.first("SELECT session FROM refresh WHERE digest = ?", digest) {
                $0.identifier(0)
            }
        }
    }

    package func sessions(of space: Space) throws(StoreError) -> [StoredSession] {
        while true {
            let removals = receipts.removals
            let stored = try storedSessions(of: space)
            guard let waiting = receipts.waiting(stored, since: removals) else { continue }
            return stored.map { session in
                var session = session
                if let receipt = waiting[session.id] {
                    session.lastSeen = max(session.lastSeen, receipt.seen)
                    session.held = receipt.held ?? session.held
                }
                return session
            }
        }
    }

    private func storedSessions(of space: Space) throws(StoreError) -> [StoredSession] {
        try read { db throws(Database.Failure) in
            try db.all(
                """
                SELECT session.id, session.space, name, label, session.created, last_seen, device,
                cursor, scope, first_day, ends FROM session JOIN account USING (space)
                WHERE session.space = ? AND revoked IS NULL ORDER BY session.created, session.id
                """, space
            ) { StoredSession($0) }
        }
    }

    package func rotate(_ rotation: Rotation, then done: @escaping Done<RotationOutcome>) {
        rotate(rotation, .repeatable, then: done)
    }

    func rotate(
        _ rotation: Rotation, _ kind: ChangeKind, then done: @escaping Done<RotationOutcome>
    ) {
        change(kind, { db, _ in try db.rotate(rotation) }, then: done)
    }

    package func revoke(
        _ session: Identifier, of space: Space, at now: Int64, then done: @escaping Done<Bool>
    ) {
        change(
            .of(space),
            { db, _ in
                try db.run(
                    """
                    UPDATE session SET revoked = ?
                    WHERE id = ? AND space = ? AND revoked IS NULL
                    """, now, session.bytes, space)
                return try db.changed() == 1
            }, then: done)
    }

    package func revokeAll(
        of space: Space, except session: Identifier, at now: Int64,
        then done: @escaping Done<[Identifier]>
    ) {
        change(
            .of(space),
            { db, _ in try db.endSessions(of: space, besides: session.bytes, at: now) },
            then: done)
    }

    package func rename(
        _ session: Identifier, of space: Space, to label: String, then done: @escaping Done<Bool>
    ) {
        change(
            .of(space),
            { db, _ in
                try db.run(
                    "UPDATE session SET label = ? WHERE id = ? AND space = ? AND revoked IS NULL",
                    label, session.bytes, space)
                return try db.changed() == 1
            }, then: done)
    }

    package func note(_ receipt: Receipt, isDurable: Bool) {
        receipts.keep(receipt, isUrgent: isDurable)
        // The next commit writes it too.
        if isDurable { change(.repeatable, { _, _ in }, then: { _ in }) }
    }
}

extension SQLDatabase where Self: ~Copyable {
    fileprivate mutating func add(
        _ account: NewAccount, _ keys: [DataKey]
    ) throws(Failure) -> Addition {
        let last = try first("SELECT last_space FROM server") { $0.int(0) } ?? 0
        guard last < Place.spaceMax else { return .noRoom }
        if let invitation = account.invitation {
            // Used up for a known address, too: otherwise it would tell which addresses are known.
            guard try useInvitation(invitation, now: account.now) else { return .notInvited }
        }
        try run("UPDATE server SET last_space = ?", last + 1)
        if try add(account, as: last + 1, spare: last + 1, keys) { return .added }
        try run("UPDATE server SET last_space = ?", last)
        return .known
    }

    /// Counts a use of an invitation; `false` if it cannot be used.
    mutating func useInvitation(_ digest: [UInt8], now: Int64) throws(Failure) -> Bool {
        try run(
            """
            UPDATE invitation SET used = used + 1
            WHERE digest = ? AND used < uses AND expires > ?
            """, digest, now)
        return try changed() == 1
    }

    /// Adds an account, unless the address has one.
    ///
    /// - Parameter spare: A number that no account has.
    /// - Returns: Whether it was added.
    mutating func add(
        _ account: NewAccount, as space: Space, spare: Space, _ keys: [DataKey]
    ) throws(Failure) -> Bool {
        try insert(account, space: space, emailKey: account.emailKey)
        if try changed() == 1 {
            try record(account.entry, of: space)
            try addKey(of: space, with: keys)
            return true
        }
        // Writes and flushes as much as for a new account, so that response times do not reveal
        // which addresses have accounts.
        try insert(account, space: spare, emailKey: blake2b(account.name.bytes))
        try record(account.entry, of: spare)
        try run("DELETE FROM audit WHERE space = ?", spare)
        try addKey(of: spare, with: keys)
        try run("DELETE FROM data_key WHERE space = ?", spare)
        try run("DELETE FROM account WHERE name = ?", account.name.bytes)
        return false
    }

    private mutating func insert(
        _ account: NewAccount, space: Space, emailKey: [UInt8]
    ) throws(Failure) {
        try run(
            """
            INSERT INTO account (space, name, email_key, email, password, created)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (email_key) DO NOTHING
            """, space, account.name.bytes, emailKey, account.email,
            String(decoding: account.passwordHash, as: UTF8.self), account.now)
    }

    /// Ends the sessions in excess of the account's limit, least recently used first. The new
    /// session is kept.
    fileprivate mutating func endSessions(
        beyond count: Int, of space: Space, besides new: Identifier, now: Int64
    ) throws(Failure) -> [Identifier] {
        let surplus = try all(
            """
            SELECT id FROM session WHERE space = ? AND revoked IS NULL AND id <> ? AND created > ?
            ORDER BY last_seen DESC, created DESC, id LIMIT 1000000000 OFFSET ?
            """, space, new.bytes, now - SessionLimits.absolute, count - 1
        ) { $0.identifier(0) }
        for session in surplus {
            try run("UPDATE session SET revoked = ? WHERE id = ?", now, session.bytes)
        }
        return surplus
    }

    mutating func session(_ id: Identifier) throws(Failure) -> StoredSession? {
        try first(
            """
            SELECT id, session.space, name, label, session.created, last_seen, device, cursor,
            scope, first_day, ends FROM session JOIN account USING (space) WHERE id = ? AND revoked IS NULL
            """, id.bytes
        ) { StoredSession($0) }
    }

    /// A refresh token works once. Reuse within the repeat window means that the answer was lost;
    /// later reuse means that the token was stolen.
    fileprivate mutating func rotate(
        _ rotation: Rotation
    ) throws(Failure) -> RotationOutcome {
        let presented = try first(
            "SELECT session, created FROM refresh WHERE digest = ?", rotation.presented
        ) { (session: $0.identifier(0), created: $0.moment(1)) }
        guard let presented, let session = try session(presented.session),
            rotation.now < session.expires, rotation.now < presented.created + SessionLimits.idle
        else { return .unknown }
        // Of two requests at the same moment one finds it unused, wherever they arrive.
        try run(
            "UPDATE refresh SET used = ? WHERE digest = ? AND used IS NULL", rotation.now,
            rotation.presented)
        if try changed() == 1 {
            try run(
                "INSERT INTO refresh (digest, session, created) VALUES (?, ?, ?)",
                rotation.successor, session.id.bytes, rotation.now)
            try run(
                "UPDATE session SET last_seen = ? WHERE id = ?", rotation.now, session.id.bytes)
            return .rotated(session, isRetry: false)
        }
        let used = try first(
            "SELECT used FROM refresh WHERE digest = ?", rotation.presented
        ) { $0.moment(0) }
        guard let used else { return .unknown }
        // Only the last used token may be repeated, and only while its successor is unused.
        let isLast =
            try first(
                "SELECT 1 FROM refresh WHERE digest = ? AND used IS NULL", rotation.successor
            ) { _ in true } ?? false
        if isLast, rotation.now - used <= SessionLimits.repeatWindow {
            return .rotated(session, isRetry: true)
        }
        try run(
            "UPDATE session SET revoked = ? WHERE id = ?", rotation.now, session.id.bytes)
        return .reused(session)
    }
}

extension Account {
    /// From `space, name, email_key, email, password, disabled, totp, totp_confirmed, totp_step, created`.
    fileprivate init(_ row: borrowing some SQLRow & ~Copyable) {
        let hash = row.bytes(4)
        self.init(
            space: row.space(0), name: row.identifier(1), emailKey: row.bytes(2),
            email: row.text(3), passwordHash: hash.isEmpty ? nil : hash,
            isDisabled: !row.isNull(5),
            secondFactor: row.bytesOrNull(6).map {
                SecondFactor(sealed: $0, isConfirmed: row.int(7) == 1, step: row.int(8))
            }, created: row.moment(9))
    }
}

extension StoredSession {
    /// From `id, space, name, label, created, last_seen, device, cursor, scope, first_day, ends`.
    fileprivate init(_ row: borrowing some SQLRow & ~Copyable) {
        self.init(
            id: row.identifier(0), space: row.space(1), account: row.identifier(2),
            label: row.text(3), created: row.moment(4), lastSeen: row.moment(5),
            expires: row.isNull(10) ? row.moment(4) + SessionLimits.absolute : row.moment(10),
            held: row.isNull(6) || row.isNull(7)
                ? nil : Receipt.Held(device: row.identifier(6), cursor: row.count(7)),
            right: row.isNull(8)
                ? nil
                : TokenRight(
                    // What another build has written may do the least.
                    scope: TokenRight.Scope(rawValue: row.text(8)) ?? .quick,
                    firstDay: row.isNull(9) ? nil : row.int(9)))
    }
}

extension SQLRow where Self: ~Copyable {
    func identifier(_ column: Int) -> Identifier {
        guard !isNull(column), let identifier = withBytes(column, { Identifier(bytes: $0) }) else {
            damaged(column)
            return Identifier(high: 0, low: 0)
        }
        return identifier
    }
}
