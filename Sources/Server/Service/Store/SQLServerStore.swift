/// A store whose statements both databases understand. What it reads and decides is written once, in the
/// files beside this one; when a change is made, and when it is durable, is each database's own matter.
import MacrologCryptography
import Synchronization

/// A ``ServerStore`` on a database of SQL.
protocol SQLServerStore: ServerStore {
    associatedtype Database: SQLDatabase, ~Copyable

    var atRest: AtRest { get }
    /// The keys of encryption at rest.
    var keys: [DataKey] { get }
    var receipts: Receipts { get }

    /// Lends a connection for reading. Each statement sees what was committed before it.
    func read<T: Sendable>(
        _ body: @Sendable (inout Database) throws(Database.Failure) -> T
    ) throws(StoreError) -> T

    /// Queues a change that returns a value, and is made whole or not at all.
    func change<Value: Sendable>(
        _ kind: ChangeKind,
        _ run: @escaping @Sendable (inout Database, inout LogOverlay) throws -> Value,
        then done: @escaping Done<Value>)
}

extension SQLServerStore {
    package func usage() throws(StoreError) -> StoreUsage {
        try read { db throws(Database.Failure) in
            let accounts = try db.first(
                "SELECT count(*), CAST(coalesce(sum(event_bytes), 0) AS bigint) FROM account"
            ) { ($0.int(0), $0.int(1)) }
            let blobs = try db.first(
                "SELECT count(*), CAST(coalesce(sum(bytes), 0) AS bigint) FROM blob"
            ) {
                ($0.int(0), $0.int(1))
            }
            return StoreUsage(
                accounts: accounts?.0 ?? 0, eventBytes: accounts?.1 ?? 0, blobs: blobs?.0 ?? 0,
                blobBytes: blobs?.1 ?? 0)
        }
    }
}

/// What a change needs to be alone with.
struct ChangeKind: Sendable {
    /// The account whose data it reads and changes: no other change of the account is made meanwhile.
    var space: Space?
    /// Of a change that takes its account's share of a transaction: its events.
    var events: Int?
    /// The push that it admits, with what encrypts it: such changes of several accounts are made together.
    var push: (push: Push, cipher: AccountCipher)?
    /// Whether it counts accounts, or people without one: no other such change is made meanwhile.
    var isOfServer = false
    /// Whether making it twice is the same as making it once, and gives the right answer.
    var isRepeatable = false

    /// A change of one account.
    static func of(_ space: Space) -> ChangeKind { ChangeKind(space: space) }
    /// Events for the log of an account, which are found again by their dots.
    static func events(_ count: Int, of space: Space) -> ChangeKind {
        ChangeKind(space: space, events: count, isRepeatable: true)
    }
    /// A push.
    static func push(_ push: Push, _ cipher: AccountCipher) -> ChangeKind {
        ChangeKind(
            space: push.space, events: push.events.count, push: (push, cipher), isRepeatable: true)
    }
    /// A change of what all accounts share.
    static let ofServer = ChangeKind(isOfServer: true)
    /// A change each of whose statements stands for itself.
    static let ofRows = ChangeKind()
    /// The same, and making it twice is the same as making it once.
    static let repeatable = ChangeKind(isRepeatable: true)
}

/// The value of a change: written where the change is made, and read where it is answered.
final class Kept<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func keep(_ made: Value) { value.withLock { $0 = made } }

    func answer(_ error: StoreError?, _ done: Done<Value>) {
        if let error { return done(.failure(error)) }
        done(
            value.withLock { $0 }.map { .success($0) } ?? .failure(.failed("a change gave nothing"))
        )
    }
}
