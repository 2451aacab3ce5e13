/// The directory of several stores: which of them serves each account. One of the stores keeps it.
///
/// The stores are the truth: the row of an account says whether its store serves it, or which one does. The
/// directory finds accounts, gives out their numbers, and keeps addresses unique.
import MacrologPostgreSQL

package struct Placement: Sendable {
    private let directory: PostgreSQLServerStore

    /// - Parameter directory: The store that keeps the directory.
    package init(_ directory: PostgreSQLServerStore) { self.directory = directory }

    /// The names of all stores, in order.
    package func stores() throws(StoreError) -> [String] {
        try directory.read { db throws(PostgreSQLError) in
            try db.all("SELECT name FROM placement_store ORDER BY name") { $0.text(0) }
        }
    }

    /// The store of an account; `nil` if there is no such account.
    package func store(of space: Space) throws(StoreError) -> String? {
        try directory.read { db throws(PostgreSQLError) in
            try db.first("SELECT store FROM placement WHERE space = ?", space) { $0.text(0) }
        }
    }

    /// The account of an address, found by the keyed digest of the address.
    package func find(
        emailKey: [UInt8]
    ) throws(StoreError) -> (space: Space, store: String)? {
        try directory.read { db throws(PostgreSQLError) in try db.placement(of: emailKey) }
    }

    /// How many moves were noted. Each is noted after its account is whole in the new store, and before anything
    /// of it is removed in the old one.
    package func moves() throws(StoreError) -> Int64 {
        try directory.read { db throws(PostgreSQLError) in
            try db.first("SELECT moves FROM store_part") { $0.int(0) } ?? 0
        }
    }

    /// The accounts whose last move has a greater number, in the order of these, at most 1,000.
    package func moved(
        after move: Int64
    ) throws(StoreError) -> [(space: Space, store: String, move: Int64)] {
        try directory.read { db throws(PostgreSQLError) in
            try db.all(
                """
                SELECT space, store, move FROM placement WHERE move > 0 AND move > ?
                ORDER BY move LIMIT 1000
                """, move
            ) { ($0.space(0), $0.text(1), $0.int(2)) }
        }
    }

    /// What came of reserving a place for an account.
    package enum Reservation: Hashable, Sendable {
        /// The number and the store. Then the account is to be added there, if it is not: who reserved it before may
        /// have been interrupted.
        case place(Space, in: String)
        /// There is no number left.
        case noRoom
        /// The invitation cannot be used.
        case notInvited
    }

    /// Gives an address a number and a store, or finds those that it has, and takes a use of an invitation, which the
    /// address holds until ``complete(_:)``, or until it is settled. An address that holds one takes no other.
    ///
    /// - Parameters:
    ///   - invitation: The digest of the invitation; `nil` if none is needed.
    ///   - now: Milliseconds since 1970 UTC.
    package func reserve(
        emailKey: [UInt8], in store: String, invitation: [UInt8]?, now: Int64
    ) throws(StoreError) -> Reservation {
        try directory.whole { db throws(PostgreSQLError) in
            let last = try db.first("SELECT last_space FROM server FOR UPDATE") { $0.int(0) } ?? 0
            let known = try db.placement(of: emailKey)
            guard known != nil || last < Place.spaceMax else { return .noRoom }
            let (space, store) = known ?? (last + 1, store)
            guard try db.hold(invitation, for: space, now: now) else { return .notInvited }
            // Writes as much for a known address as for a new one, so that response times do not tell addresses.
            try db.run("UPDATE server SET last_space = ?", max(last, space))
            try db.run(
                """
                INSERT INTO placement (space, email_key, store, invitation) VALUES (?, ?, ?, ?)
                ON CONFLICT (space) DO UPDATE
                SET invitation = coalesce(placement.invitation, excluded.invitation)
                """, space, emailKey, store, invitation)
            return .place(space, in: store)
        }
    }

    // MARK: Uses of invitations

    /// Whether an address whose account may not be made yet holds a use of an invitation.
    package func isHeld(_ invitation: [UInt8]) throws(StoreError) -> Bool {
        try directory.read { db throws(PostgreSQLError) in
            try db.first(
                """
                SELECT 1 FROM placement JOIN invitation ON digest = placement.invitation
                WHERE digest = ? LIMIT 1
                """, invitation
            ) { _ in true } ?? false
        }
    }

    /// The accounts whose addresses hold a use of an invitation, at most 1,000, and where they are to be.
    package func invited() throws(StoreError) -> [(space: Space, store: String)] {
        try directory.read { db throws(PostgreSQLError) in
            try db.all(
                """
                SELECT space, store FROM placement WHERE invitation IS NOT NULL
                ORDER BY space LIMIT 1000
                """
            ) { ($0.space(0), $0.text(1)) }
        }
    }

    /// Notes that an account is made: the use of an invitation that its address holds is used up.
    package func complete(_ space: Space) throws(StoreError) {
        try directory.whole { db throws(PostgreSQLError) in try db.endHold(of: space) }
    }

    /// Asks or changes the directory while a store is locked: on the connection at hand if that store keeps it. A node
    /// that waited for a second one might wait for those that wait for the lock.
    func during<T: Sendable>(
        _ db: inout PostgreSQLConnection, of store: PostgreSQLServerStore,
        _ body: @Sendable (inout PostgreSQLConnection) throws(PostgreSQLError) -> T
    ) throws -> T {
        store === directory ? try body(&db) : try directory.whole(body)
    }

    /// Frees the address of an account that is deleted, and the use of an invitation that it may hold.
    package func release(_ space: Space) throws(StoreError) {
        try directory.whole { db throws(PostgreSQLError) in
            try db.run("UPDATE placement SET email_key = NULL WHERE space = ?", space)
            try db.giveBackInvitation(of: space)
        }
    }

    /// Removes an account. To be called before its row goes, so that no move begins to copy what is left of it
    /// elsewhere.
    package func forget(_ space: Space) throws(StoreError) {
        try directory.whole { db throws(PostgreSQLError) in
            try db.run("DELETE FROM placement WHERE space = ?", space)
        }
    }
}

extension PostgreSQLServerStore {
    /// Whether a store serves an account.
    package enum Away: Hashable, Sendable {
        /// It does. `arrival` is another number after each move that brought the account here.
        case here(arrival: Int64)
        /// Another one does, or is about to: its name.
        case at(String)
        /// It has no such account.
        case missing
    }

    /// Whether this store serves an account.
    package func away(_ space: Space) throws(StoreError) -> Away {
        try read { db throws(PostgreSQLError) in try db.away(space) }
    }
}

extension PostgreSQLRow {
    /// Whether the store serves an account, from `away, arrival` of its row.
    func away(_ column: Int) -> PostgreSQLServerStore.Away {
        isNull(column) ? .here(arrival: int(column + 1)) : .at(text(column))
    }
}

/// What a store says about itself where there are several.
package struct StorePart: Hashable, Sendable {
    /// Its name, by which placements and ``PostgreSQLServerStore/Away`` call it.
    package let name: String
    /// 16 bytes, the same in all stores of one service.
    package let service: [UInt8]
    /// Whether it keeps the directory.
    package let isDirectory: Bool
}

extension PostgreSQLConnection {
    mutating func away(_ space: Space) throws(PostgreSQLError) -> PostgreSQLServerStore.Away {
        try first("SELECT away, arrival FROM account WHERE space = ?", space) { $0.away(0) }
            ?? .missing
    }

    /// Which of several stores this is; `nil` for the only one.
    mutating func part() throws(PostgreSQLError) -> StorePart? {
        try first("SELECT name, service, is_directory FROM store_part") {
            StorePart(name: $0.text(0), service: $0.bytes(1), isDirectory: $0.int(2) == 1)
        }
    }

    /// Whether this is one of several stores: a database of an earlier version is not.
    mutating func isPart() throws(PostgreSQLError) -> Bool {
        guard
            try first("SELECT to_regclass('store_part') IS NOT NULL", row: { $0.int(0) == 1 })
                == true
        else { return false }
        return try part() != nil
    }

    /// Lets this transaction change accounts that this store does not serve, and add accounts.
    mutating func allowPlacing() throws(PostgreSQLError) {
        try run("SET LOCAL macrolog.placement = 'on'")
    }

    /// Notes in the directory that a store serves an account.
    ///
    /// - Parameters:
    ///   - old: The store that the directory must still name; `nil` for any.
    ///   - move: The last move of the account, which must still be this one; `nil` for any.
    mutating func place(
        _ space: Space, in store: String, from old: String? = nil, after move: Int64? = nil
    ) throws(PostgreSQLError) {
        // One move after the other: who has seen a number has seen all before it.
        try run("UPDATE store_part SET moves = moves + 1")
        try run(
            """
            UPDATE placement SET store = ?2, move = (SELECT moves FROM store_part)
            WHERE space = ?1 AND store <> ?2 AND store = coalesce(?3, store)
                AND move = coalesce(?4, move)
            """, space, store, old, move)
    }

    /// Where the directory says that an account is, and the number of its last move.
    mutating func placement(
        of space: Space
    ) throws(PostgreSQLError) -> (store: String, move: Int64)? {
        try first("SELECT store, move FROM placement WHERE space = ?", space) {
            ($0.text(0), $0.int(1))
        }
    }

    /// The account of an address, and where the directory says that it is.
    mutating func placement(
        of emailKey: [UInt8]
    ) throws(PostgreSQLError) -> (space: Space, store: String)? {
        try first("SELECT space, store FROM placement WHERE email_key = ?", emailKey) {
            ($0.space(0), $0.text(1))
        }
    }
}

extension PostgreSQLConnection {
    /// Whether an account may be added to a store: the directory names that store, and the address still holds the use
    /// of an invitation that it took.
    mutating func expects(
        _ space: Space, in store: String, isInvited: Bool
    ) throws(PostgreSQLError) -> Bool {
        try first(
            """
            SELECT 1 FROM placement
            WHERE space = ? AND store = ? AND (invitation IS NOT NULL OR ? = 0)
            """, space, store, isInvited
        ) { _ in true } ?? false
    }

    /// Ends an interrupted registration: the use of an invitation is used up, or given back.
    ///
    /// - Parameters:
    ///   - store: Who calls has made sure that the account cannot be added to this store until this is done.
    ///   - isMade: Whether the store has the account.
    mutating func settle(
        _ space: Space, in store: String, isMade: Bool
    ) throws(PostgreSQLError) {
        let found = try first(
            "SELECT store, move FROM placement WHERE space = ? FOR UPDATE", space
        ) { (store: $0.text(0), move: $0.int(1)) }
        guard let found, found.store.utf8.elementsEqual(store.utf8) else { return }
        // An account that has moved is made.
        if !isMade, found.move == 0 {
            try giveBackInvitation(of: space)
        } else {
            try endHold(of: space)
        }
    }

    /// Takes a use of an invitation for an account that is to be made, unless its address holds one.
    ///
    /// - Returns: `false` if the invitation cannot be used.
    fileprivate mutating func hold(
        _ invitation: [UInt8]?, for space: Space, now: Int64
    ) throws(PostgreSQLError) -> Bool {
        guard let invitation else { return true }
        let held = try first(
            """
            SELECT digest FROM placement JOIN invitation ON digest = placement.invitation
            WHERE space = ? FOR UPDATE OF placement
            """, space
        ) { $0.bytes(0) }
        guard let held else {
            // One that the operator has revoked is none.
            try endHold(of: space)
            return try useInvitation(invitation, now: now)
        }
        guard held != invitation else { return true }
        return try first(
            "SELECT 1 FROM invitation WHERE digest = ? AND used < uses AND expires > ?", invitation,
            now
        ) { _ in true } ?? false
    }

    fileprivate mutating func endHold(of space: Space) throws(PostgreSQLError) {
        try run(
            "UPDATE placement SET invitation = NULL WHERE space = ? AND invitation IS NOT NULL",
            space)
    }

    /// Gives back the use of an invitation that an address holds.
    fileprivate mutating func giveBackInvitation(of space: Space) throws(PostgreSQLError) {
        let held = try first(
            "SELECT invitation FROM placement WHERE space = ? FOR UPDATE", space
        ) { $0.bytesOrNull(0) }
        guard let held, let held else { return }
        try run("UPDATE invitation SET used = used - 1 WHERE digest = ? AND used > 0", held)
        try endHold(of: space)
    }
}
