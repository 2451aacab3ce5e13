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

    /// Gives an address a number and a store, or finds those that it has. Then the account is to be added in
    /// that store, if it is not there: who reserved it may have been interrupted.
    ///
    /// - Returns: `nil` if there is no number left.
    package func reserve(
        emailKey: [UInt8], in store: String
    ) throws(StoreError) -> (space: Space, store: String, isNew: Bool)? {
        try directory.whole { db throws(PostgreSQLError) in
            let last = try db.first("SELECT last_space FROM server FOR UPDATE") { $0.int(0) } ?? 0
            if let known = try db.placement(of: emailKey) {
                // Writes as much as for a new one, so that response times do not tell addresses.
                try db.run("UPDATE server SET last_space = ?", last)
                try db.run("UPDATE placement SET store = store WHERE space = ?", known.space)
                return (known.space, known.store, false)
            }
            guard last < Place.spaceMax else { return nil }
            try db.run("UPDATE server SET last_space = ?", last + 1)
            try db.run(
                "INSERT INTO placement (space, email_key, store) VALUES (?, ?, ?)", last + 1,
                emailKey, store)
            return (last + 1, store, true)
        }
    }

    /// Notes that a store serves an account.
    package func place(_ space: Space, in store: String) throws(StoreError) {
        try directory.whole { db throws(PostgreSQLError) in
            try db.place(space, in: store)
        }
    }

    /// Frees the address of an account that is deleted.
    package func release(_ space: Space) throws(StoreError) {
        try directory.whole { db throws(PostgreSQLError) in
            try db.run("UPDATE placement SET email_key = NULL WHERE space = ?", space)
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
        try first("SELECT away, arrival FROM account WHERE space = ?", space) {
            $0.isNull(0) ? .here(arrival: $0.int(1)) : .at($0.text(0))
        } ?? .missing
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
