/// What one of several stores does besides what the only one does.
import MacrologCryptography
import MacrologEvents
import MacrologPostgreSQL

extension PostgreSQLServerStore {
    /// The account of a token, which may have ended, and may be served elsewhere.
    func space(of token: OwnedToken) throws(StoreError) -> Space? {
        try read { db throws(PostgreSQLError) in
            switch token {
            case .session(let id):
                try db.first("SELECT space FROM session WHERE id = ?", id.bytes) { $0.space(0) }
            case .refresh(let digest):
                try db.first(
                    """
                    SELECT space FROM refresh JOIN session ON session.id = refresh.session
                    WHERE digest = ?
                    """, digest
                ) { $0.space(0) }
            case .share(let digest):
                try db.first("SELECT space FROM share WHERE digest = ?", digest) { $0.space(0) }
            case .opening(let id):
                try db.first("SELECT space FROM share WHERE id = ?", id.bytes) { $0.space(0) }
            }
        }
    }

    /// Whether this store serves the account of a name.
    func serves(_ account: Identifier) throws(StoreError) -> Bool {
        try read { db throws(PostgreSQLError) in
            try db.first(
                "SELECT 1 FROM account WHERE name = ? AND away IS NULL", account.bytes
            ) { _ in true } ?? false
        }
    }

    /// The key of an account as it is stored.
    func wrappedKey(of space: Space) throws(StoreError) -> [UInt8]? {
        try read { db throws(PostgreSQLError) in
            try db.first("SELECT wrapped FROM data_key WHERE space = ?", space) { $0.bytes(0) }
        }
    }

    /// Adds an account with the number that the directory has reserved for its address.
    ///
    /// - Parameters:
    ///   - isExpected: Whether the directory still expects the account here. It is asked while no one else can add
    ///     the number here: an account that has just moved away leaves its number free, and must not begin again. Its
    ///     last argument says whether the account was not here.
    ///   - done: Receives `nil` if the number belongs to an account that is deleted.
    func add(
        _ account: NewAccount, as space: Space,
        _ isExpected:
            @escaping @Sendable (inout PostgreSQLConnection, _ isNew: Bool) throws -> Bool,
        then done: @escaping Done<Addition?>
    ) {
        change(
            .ofServer,
            { [keys] db, _ in
                try db.allowPlacing()
                let known = try db.first("SELECT email_key FROM account WHERE space = ?", space) {
                    $0.bytes(0)
                }
                if let known, known != account.emailKey { return nil }
                let isNew = try db.add(account, as: space, spare: 0, keys)
                guard try isExpected(&db, isNew) else { throw StoreError.elsewhere }
                return isNew ? .added : .known
            }, then: done)
    }

    /// Tells whether this store has an account, while no one can add it.
    func settle(
        _ space: Space,
        _ note: @escaping @Sendable (inout PostgreSQLConnection, _ isMade: Bool) throws -> Void
    ) {
        change(
            .ofServer,
            { db, _ in
                let isMade = try db.first(
                    "SELECT 1 FROM account WHERE space = ? AND deleted IS NULL", space
                ) { _ in true }
                try note(&db, isMade == true)
            }, then: { _ in })
    }
}
