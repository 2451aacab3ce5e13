/// Deletes rows that ended long ago: sessions, refresh tokens, networks, codes, invitations, entries
/// of audit trails; and shares as soon as they have expired.

extension SQLServerStore {
    /// Rows of each kind that one change deletes at most, so that other changes do not wait long.
    static var forgottenAtOnce: Int64 { 1_000 }

    package func forgetEnded(
        before: Int64, networksBefore: Int64, sharesBy now: Int64,
        then done: @escaping Done<Bool>
    ) {
        change(
            .repeatable,
            { db, overlay in
                let limit = Self.forgottenAtOnce
                var isFull = try db.forgetTokens(usedBefore: before, limit)
                isFull = try db.forgetSessions(endedBefore: before, limit) || isFull
                let shares = try db.forgetShares(expiredBy: now, limit)
                if shares > 0 { overlay.emptiesLog = true }
                isFull = isFull || shares == limit
                isFull = try db.forgetCodes(expiredBefore: before, limit) || isFull
                isFull = try db.forgetInvitations(expiredBefore: before, limit) || isFull
                isFull = try db.forgetAudit(before: before, limit) || isFull
                return try db.forgetNetworks(seenBefore: networksBefore, limit) || isFull
            }, then: done)
    }
}

extension SQLDatabase where Self: ~Copyable {
    fileprivate mutating func forgetTokens(
        usedBefore: Int64, _ limit: Int64
    ) throws(Failure) -> Bool {
        try run(
            """
            DELETE FROM refresh WHERE digest IN (
                SELECT digest FROM refresh WHERE used < ? LIMIT ?)
            """, usedBefore, limit)
        return try changed() == limit
    }

    /// A session has ended when it was revoked or has expired; that of a token ends on a day of its own.
    fileprivate mutating func forgetSessions(
        endedBefore: Int64, _ limit: Int64
    ) throws(Failure) -> Bool {
        let ended = try all(
            """
            SELECT id FROM session WHERE revoked < ?1 OR created < ?1 - ?2 OR ends < ?1 LIMIT ?3
            """, endedBefore, SessionLimits.absolute, limit
        ) { $0.bytes(0) }
        for session in ended {
            try run("DELETE FROM refresh WHERE session = ?", session)
            try run("DELETE FROM session WHERE id = ?", session)
        }
        return ended.count == limit
    }

    fileprivate mutating func forgetCodes(
        expiredBefore: Int64, _ limit: Int64
    ) throws(Failure) -> Bool {
        try run(
            """
            DELETE FROM code WHERE digest IN (SELECT digest FROM code WHERE expires < ? LIMIT ?)
            """, expiredBefore, limit)
        return try changed() == limit
    }

    fileprivate mutating func forgetInvitations(
        expiredBefore: Int64, _ limit: Int64
    ) throws(Failure) -> Bool {
        try run(
            """
            DELETE FROM invitation WHERE number IN (
                SELECT number FROM invitation WHERE expires < ? LIMIT ?)
            """, expiredBefore, limit)
        return try changed() == limit
    }

    /// Entries are written in the order of time: only the first ones are looked at.
    fileprivate mutating func forgetAudit(
        before: Int64, _ limit: Int64
    ) throws(Failure) -> Bool {
        try run(
            """
            DELETE FROM audit WHERE place IN (
                SELECT place FROM (SELECT place, at FROM audit ORDER BY place LIMIT ?2) AS first
                WHERE at < ?1)
            """, before, limit)
        return try changed() == limit
    }

    fileprivate mutating func forgetNetworks(
        seenBefore: Int64, _ limit: Int64
    ) throws(Failure) -> Bool {
        try run(
            """
            DELETE FROM known_network WHERE digest IN (
                SELECT digest FROM known_network WHERE seen < ? LIMIT ?)
            """, seenBefore, limit)
        return try changed() == limit
    }
}
