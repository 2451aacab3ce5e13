/// Encryption at rest: event bodies, blobs and shares are encrypted with a key of their account, which is
/// stored encrypted with the server's key. That one is kept outside the data folder and its copies.
import MacrologEvents
import MacrologSQLite
import MacrologCryptography
import Synchronization

/// The keys of all accounts.
final class AtRest: Sendable {
    private let keys: [DataKey]
    private let wrapped: @Sendable (Space) throws(StoreError) -> [UInt8]?
    private let cache = Mutex<[Space: DataKey]>([:])

    /// - Parameters:
    ///   - keys: The server's keys: the current one first, then those of before; none to store
    ///     everything as it is.
    ///   - wrapped: The key of an account as it is stored.
    init(
        _ keys: [DataKey], wrapped: @escaping @Sendable (Space) throws(StoreError) -> [UInt8]?
    ) {
        self.keys = keys
        self.wrapped = wrapped
    }

    /// Whether new events and blobs are encrypted.
    var isOn: Bool { !keys.isEmpty }

    /// What encrypts the data of an account, which has its key from its beginning on. Not to be
    /// called while a reader is borrowed.
    func cipher(of space: Space) throws(StoreError) -> AccountCipher {
        guard isOn else { return AccountCipher(key: nil) }
        if let key = cache.withLock({ $0[space] }) { return AccountCipher(key: key) }
        guard let stored = try wrapped(space),
            let key = Self.unwrapped(stored, of: space, with: keys)?.key
        else { throw .failed("account \(space) has no key that the server's key opens") }
        cache.withLock { $0[space] = key }
        return AccountCipher(key: key)
    }

    /// Forgets the key of an account that is deleted.
    func forget(_ space: Space) { cache.withLock { $0[space] = nil } }

    // MARK: The keys of the accounts

    fileprivate static func bigEndian(_ number: Int64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// A new key, encrypted with the current one.
    static func wrapped(_ key: [UInt8], of space: Space, with keys: [DataKey]) -> [UInt8]? {
        keys.first?.seal(key, for: [0] + bigEndian(space))
    }

    /// The key, and whether the current one encrypted it.
    private static func unwrapped(
        _ wrapped: [UInt8], of space: Space, with keys: [DataKey]
    ) -> (key: DataKey, bytes: [UInt8], isCurrent: Bool)? {
        for (index, outer) in keys.enumerated() {
            if let bytes = outer.open(wrapped, for: [0] + bigEndian(space)),
                bytes.count == DataKey.byteCount
            {
                return (DataKey(bytes), bytes, index == 0)
            }
        }
        return nil
    }

    /// Gives every account a key, encrypted with the current one. To be called in a transaction.
    ///
    /// - Throws: The error for a number if a key was encrypted with none of these.
    static func prepare<Database: SQLDatabase & ~Copyable>(
        _ db: inout Database, _ keys: [DataKey]
    ) throws(Database.Failure) {
        guard !keys.isEmpty else { return }
        let all = try db.all("SELECT space, wrapped FROM data_key") {
            ($0.space(0), $0.bytes(1))
        }
        for (space, wrapped) in all {
            guard let key = unwrapped(wrapped, of: space, with: keys) else {
                throw .number("the server's key does not open the key of account \(space)")
            }
            guard !key.isCurrent else { continue }
            try db.run(
                "UPDATE data_key SET wrapped = ? WHERE space = ?",
                self.wrapped(key.bytes, of: space, with: keys), space)
        }
        let bare = try db.all(
            "SELECT space FROM account WHERE space NOT IN (SELECT space FROM data_key)"
        ) { $0.space(0) }
        for space in bare { try db.addKey(of: space, with: keys) }
    }

    /// What is wrong with these keys for a database; `nil` if they suit.
    static func problem(
        _ db: inout Connection, _ keys: [DataKey]
    ) throws(SQLiteError) -> ServerFile.KeyProblem? {
        problem(try db.wrappedKeys(), keys)
    }

    /// What is wrong with these keys for accounts whose keys are stored so; `nil` if they suit.
    static func problem(
        _ wrapped: [Space: [UInt8]], _ keys: [DataKey]
    ) -> ServerFile.KeyProblem? {
        if keys.isEmpty, !wrapped.isEmpty { return .missing }
        let isWrong = wrapped.contains { unwrapped($0.value, of: $0.key, with: keys) == nil }
        return isWrong ? .wrong : nil
    }
}

/// Encrypts and decrypts the data of one account.
struct AccountCipher: Sendable {
    /// No event, document or picture begins with this byte: what follows is encrypted.
    private static let mark: UInt8 = 0xFF

    /// `nil` if everything is stored as it is.
    let key: DataKey?

    /// What bytes belong to: they cannot be read as anything else of the account.
    struct Context {
        let bytes: [UInt8]

        /// The body of an event.
        static func event(at place: Int64) -> Context {
            Context(bytes: [1] + AtRest.bigEndian(place))
        }
    }

    /// Bytes as they are stored. They must not begin with 255.
    func stored(_ plain: [UInt8], as context: Context) -> [UInt8] {
        key.map { [Self.mark] + $0.seal(plain, for: context.bytes) } ?? plain
    }

    /// The bytes that are stored in this form; `nil` if they are damaged.
    func plain(_ stored: [UInt8], as context: Context) -> [UInt8]? {
        guard stored.first == Self.mark else { return stored }
        return key?.open(stored.dropFirst(), for: context.bytes)
    }

    /// The body of an event as it is stored.
    func stored(_ body: [UInt8], at place: Int64) -> [UInt8] {
        stored(body, as: .event(at: place))
    }

    /// The body of an event that is stored in this form; `nil` if it is damaged.
    func body(_ stored: [UInt8], at place: Int64) -> [UInt8]? {
        plain(stored, as: .event(at: place))
    }
}

extension SQLRow where Self: ~Copyable {
    /// The body of an event; if it cannot be decrypted, the row counts as damaged.
    func body(_ column: Int, at place: Int64, _ cipher: AccountCipher) -> [UInt8] {
        guard let body = cipher.body(bytes(column), at: place) else {
            damaged(column)
            return []
        }
        return body
    }
}

extension SQLDatabase where Self: ~Copyable {
    /// Gives an account its key.
    mutating func addKey(of space: Space, with keys: [DataKey]) throws(Failure) {
        let wrapped = AtRest.wrapped(randomBytes(DataKey.byteCount), of: space, with: keys)
        guard let wrapped else { return }
        try run("INSERT INTO data_key (space, wrapped) VALUES (?, ?)", space, wrapped)
    }
}

extension Connection {
    /// Whether the file has the table of keys.
    mutating func hasDataKeys() throws(SQLiteError) -> Bool {
        try first("SELECT 1 FROM sqlite_schema WHERE name = 'data_key'") { _ in true } ?? false
    }
}
