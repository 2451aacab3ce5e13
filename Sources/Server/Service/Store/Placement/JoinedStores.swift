/// Several stores as one service: how they become one, and what lies in each.
package import MacrologPostgreSQL
package import MacrologEvents
package import MacrologCryptography

/// Why stores cannot be one service, or are not.
package enum JoinError: Error, Equatable {
    /// A store was not joined.
    case notJoined(String)
    /// A store of the service was not given.
    case notGiven(String)
    /// Servers are connected to the database of a store.
    case serversRun(String)
    /// It belongs to another service.
    case otherService(String)
    /// It was joined under another name.
    case otherName(String, known: String)
    /// None of the stores keeps the directory that they share.
    case directoryMissing
    /// Its accounts have numbers or addresses of others: how many.
    case collides(String, Int)
    /// It is new under the name of a store that is known, and lacks the accounts of that one: how many. It is joined, and
    /// marked as ``StoreMark/restoring(epoch:)``.
    case lacks(String, Int)
}

/// An account as a list of all stores shows it.
package struct PlacedAccount: Hashable, Sendable {
    package let space: Space
    /// What clients see of it.
    package let name: Identifier
    package let email: String
    /// Bytes of its events.
    package let bytes: Int64
    /// The store, and the one for which it is closed there.
    package let store: String
    package let closedFor: String?
}

package struct JoinedStores: Sendable {
    private let stores: [(name: String, address: PostgreSQLAddress)]

    /// - Parameter stores: Each has the tables of this version, and an epoch.
    package init(_ stores: [(name: String, address: PostgreSQLAddress)]) { self.stores = stores }

    /// What each store says about itself, in their order; `nil` for one that was not joined.
    package func parts() throws(PostgreSQLError) -> [StorePart?] {
        var parts: [StorePart?] = []
        for store in stores {
            var connection = try PostgreSQLConnection.open(store.address)
            parts.append(try connection.part())
        }
        return parts
    }

    /// Makes sure that these are all stores of one service.
    ///
    /// - Returns: The one that keeps the directory.
    /// - Throws: ``JoinError``, and what the databases say.
    package func directory() throws -> (name: String, address: PostgreSQLAddress) {
        let parts = try parts()
        for (store, part) in zip(stores, parts) {
            guard let part else { throw JoinError.notJoined(store.name) }
            guard part.name == store.name else {
                throw JoinError.otherName(store.name, known: part.name)
            }
        }
        guard let (directory, own) = zip(stores, parts).first(where: { $0.1?.isDirectory == true })
        else { throw JoinError.directoryMissing }
        for (store, part) in zip(stores, parts) where part?.service != own?.service {
            throw JoinError.otherService(store.name)
        }
        var connection = try PostgreSQLConnection.open(directory.address)
        let all = try connection.all("SELECT name FROM placement_store ORDER BY name") {
            $0.text(0)
        }
        if let missing = all.first(where: { name in !stores.contains { $0.name == name } }) {
            throw JoinError.notGiven(missing)
        }
        return directory
    }

    /// The number of an account, by its address; `nil` if the directory has none.
    ///
    /// - Parameter secrets: Those of the service.
    package func space(of email: String, _ secrets: Secrets) throws -> Space? {
        var connection = try PostgreSQLConnection.open(directory().address)
        guard let email = try? Email(email) else { return nil }
        return try connection.placement(of: secrets.digest(of: email))?.space
    }

    /// The move of an account between these stores.
    ///
    /// - Throws: ``JoinError`` unless these are all stores of one service, and what the databases say.
    package func move(
        of space: Space, keys: [DataKey],
        note: @escaping @Sendable (AccountMove.Step) throws -> Void = { _ in }
    ) throws -> AccountMove {
        AccountMove(
            space,
            among: Dictionary(
                stores.map { ($0.name, $0.address) }, uniquingKeysWith: { first, _ in first }),
            directory: try directory().name, keys: keys, note: note)
    }

    /// Makes one service of the stores, or adds to it those that are not in it yet. The first time the first one
    /// keeps the directory. What the directory lacks of the accounts in the stores is added to it.
    ///
    /// - Returns: The names of the stores that are new.
    /// - Throws: ``JoinError``, and what the databases say. It can be called again.
    package func join() throws -> [String] {
        let parts = try parts()
        for (store, part) in zip(stores, parts) {
            if let part, part.name != store.name {
                throw JoinError.otherName(store.name, known: part.name)
            }
            var connection = try PostgreSQLConnection.open(store.address)
            if let mark = try connection.mark() { throw MarkedStore(store.name, mark) }
            guard part == nil else { continue }
            guard try !connection.hasServers() else { throw JoinError.serversRun(store.name) }
        }
        let known = zip(stores, parts).first { $0.1?.isDirectory == true }
        guard let directory = known?.0 ?? (parts.allSatisfy { $0 == nil } ? stores.first : nil)
        else { throw JoinError.directoryMissing }
        let service = known?.1?.service ?? randomBytes(16)
        if let stranger = zip(stores, parts).first(where: {
            $1.map { $0.service != service } ?? false
        }) {
            throw JoinError.otherService(stranger.0.name)
        }
        let inOrder =
            [directory] + stores.filter { $0.name != directory.name }
        var new: [String] = []
        for store in inOrder {
            let isNew = zip(stores, parts).contains { $0.0.name == store.name && $0.1 == nil }
            var own = try PostgreSQLConnection.open(store.address)
            var list = try PostgreSQLConnection.open(directory.address)
            let part = StorePart(
                name: store.name, service: service, isDirectory: store.name == directory.name)
            let missing = try list.transaction { list in
                if part.isDirectory { try list.become(part) }
                return try list.addPlacements(of: store.name, from: &own, isNew: isNew)
            }
            if !part.isDirectory {
                try own.transaction { own in
                    try own.become(part)
                    guard missing > 0 else { return }
                    try own.add(.restoring(epoch: own.epoch() ?? 1))
                }
            }
            guard missing == 0 else { throw JoinError.lacks(store.name, missing) }
            if isNew { new.append(store.name) }
        }
        return new
    }

    /// The accounts of all stores, by their addresses; without those that another store has taken over.
    ///
    /// - Parameter space: The only one that is meant.
    package func accounts(of space: Space? = nil) throws(PostgreSQLError) -> [PlacedAccount] {
        var accounts: [PlacedAccount] = []
        for store in stores {
            var connection = try PostgreSQLConnection.open(store.address)
            accounts += try connection.all(
                """
                SELECT space, name, email, event_bytes, away FROM account
                WHERE deleted IS NULL AND (?1 IS NULL OR space = ?1)
                """, space
            ) {
                PlacedAccount(
                    space: $0.space(0), name: $0.identifier(1), email: $0.text(2), bytes: $0.int(3),
                    store: store.name, closedFor: $0.textOrNull(4))
            }
        }
        let rows = Set(accounts.map { [String($0.space), $0.store] })
        return accounts.filter { account in
            account.closedFor.map { !rows.contains([String(account.space), $0]) } ?? true
        }.sorted { ($0.email, $0.space) < ($1.email, $1.space) }
    }
}

extension PostgreSQLConnection {
    /// Notes which of several stores this is.
    fileprivate mutating func become(_ part: StorePart) throws(PostgreSQLError) {
        try run(
            """
            INSERT INTO store_part (name, service, is_directory) VALUES (?, ?, ? = 1)
            ON CONFLICT DO NOTHING
            """, part.name, part.service, part.isDirectory)
    }

    /// Adds to the directory what it lacks of a store's accounts.
    ///
    /// - Parameter isNew: Whether none of the store's accounts may be in the directory under another store.
    /// - Returns: How many accounts a new store lacks that the directory has in it.
    fileprivate mutating func addPlacements(
        of store: String, from own: inout PostgreSQLConnection, isNew: Bool
    ) throws -> Int {
        try run("INSERT INTO placement_store (name) VALUES (?) ON CONFLICT DO NOTHING", store)
        // Who adds an account waits.
        try run("SELECT 1 FROM server FOR UPDATE")
        var (last, count, collisions) = (Space(0), 0, 0)
        while true {
            let page = try own.all(
                """
                SELECT space, email_key, deleted FROM account WHERE away IS NULL AND space > ?
                ORDER BY space LIMIT 1000
                """, last
            ) { (space: $0.space(0), emailKey: $0.isNull(2) ? $0.bytes(1) : nil) }
            guard let end = page.last?.space else { break }
            for account in page {
                try run(
                    """
                    INSERT INTO placement (space, email_key, store) VALUES (?, ?, ?)
                    ON CONFLICT DO NOTHING
                    """, account.space, account.emailKey, store)
            }
            let placed = try first(
                "SELECT count(*) FROM placement WHERE space > ? AND space <= ? AND store = ?", last,
                end, store
            ) { $0.int(0) }
            count += page.count
            collisions += max(0, page.count - Int(placed ?? 0))
            last = end
        }
        guard collisions == 0 || !isNew else { throw JoinError.collides(store, collisions) }
        try run("UPDATE server SET last_space = greatest(last_space, ?)", last)
        let placed = try first("SELECT count(*) FROM placement WHERE store = ?", store) {
            Int($0.int(0))
        }
        return isNew ? max(0, (placed ?? 0) - count) : 0
    }
}
