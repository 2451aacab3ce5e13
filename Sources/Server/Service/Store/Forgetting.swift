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
                var isFull = try db.forgetSessions(endedBefore: before, limit)
                let shares = try db.forgetShares(expiredBy: now, limit)
                if shares > 0 { overlay.emptiesLog = true }
                isFull = isFull || shares == limit
                let ended: [(sql: StaticString, before: Int64)] = [
                    (
                        """
                        DELETE FROM refresh WHERE digest IN (
                            SELECT digest FROM refresh WHERE used < ? LIMIT ?)
                        """, before
                    ),
                    (
                        """
                        DELETE FROM code WHERE digest IN (
                            SELECT digest FROM code WHERE expires < ? LIMIT ?)
                        """, before
                    ),
                    (
                        """
                        DELETE FROM invitation WHERE number IN (
                            SELECT number FROM invitation WHERE expires < ? LIMIT ?)
                        """, before
                    ),
                    (
                        """
                        DELETE FROM audit WHERE place IN (
                            SELECT place FROM audit WHERE at < ? LIMIT ?)
                        """, before
                    ),
                    (
                        """
                        DELETE FROM known_network WHERE digest IN (
                            SELECT digest FROM known_network WHERE seen < ? LIMIT ?)
                        """, networksBefore
                    ),
                ]
                for (sql, before) in ended {
                    isFull = try db.forget(sql, before: before, limit) || isFull
                }
                return isFull
            }, then: done)
    }
}

extension SQLDatabase where Self: ~Copyable {
    /// Deletes rows that ended before a time.
    ///
    /// - Parameter sql: Deletes at most as many rows as its second value says, of those before the first.
    /// - Returns: Whether there may be more.
    fileprivate mutating func forget(
        _ sql: StaticString, before: Int64, _ limit: Int64
    ) throws(Failure) -> Bool {
        try run(sql, before, limit)
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
}
