/// The server's storage in a PostgreSQL database that any number of equal nodes share.
package import MacrologEvents
import MacrologWire
package import MacrologPostgreSQL
package import MacrologCryptography
import MacrologSystem

/// A ``ServerStore`` in a PostgreSQL database. Nothing that matters lives in a node: the head of a log is
/// what its last row says, and the row of its account is the lock under which it grows.
package final class PostgreSQLServerStore: SQLServerStore {
    typealias Database = PostgreSQLConnection

    package let epoch: UInt32
    package var isShared: Bool { true }
    /// An account's key may have to be read first.
    package var queuesPushes: Bool { keys.isEmpty }
    package let blobFiles: BlobFiles
    package let deletions: DeletionLedger
    let atRest: AtRest
    let keys: [DataKey]
    let receipts = Receipts()
    let pool: PostgreSQLPool
    let address: PostgreSQLAddress
    /// Which of several stores this is; `nil` for the only one.
    package let part: StorePart?
    /// How long a check tries to write, in milliseconds: a database that is away is no reason for a
    /// service manager to end this process.
    private static let checkPatience: Int64 = 5_000
    private let writer: PostgreSQLWriter
    private let news: PostgreSQLNews
    /// Distinguishes this process from all others that take leases.
    private let process = randomBytes(16)

    /// The secrets are not those of the other nodes: no one could log in.
    package struct OtherSecrets: Error {}

    /// Opens the database, and makes its tables if they are missing.
    ///
    /// What its ledger says was deleted is deleted again, if the database was put back since.
    ///
    /// - Parameters:
    ///   - address: Where the database is.
    ///   - path: The folder of blobs, which all nodes must share, begins with this path.
    ///   - node: Names this node in that folder, always alike.
    ///   - ledger: The ledger of deletions, which each node has for itself; `nil` for that beside the blobs.
    ///   - keys: The keys of encryption at rest: the current one first, then those of before; none to
    ///     store everything as it is. All nodes have the same.
    ///   - secrets: The secrets of the service, the same on all nodes.
    ///   - newEpoch: The epoch of the logs if the database is new, 1 to 2^32 − 1.
    ///   - connections: The maximum number of connections for reads and changes, 5 to 20. Two more listen
    ///     and tell.
    ///   - hasThreads: Whether threads of the store make changes, several at a time. Otherwise each is
    ///     made by the thread that submits it, which makes simulations deterministic.
    ///   - blobs: Where complete blobs are, if not in a folder.
    ///   - fatal: Called when it is unknown whether a blob is on disk; should end the process.
    ///   - note: Receives why the database cannot be used, as a sentence for the log, at most once a minute.
    ///   - noteEnd: Called when it can be used again after that.
    package static func open(
        _ address: PostgreSQLAddress, beside path: String, node: String = "",
        ledger: DeletionLedger? = nil, secrets: Secrets, newEpoch: UInt32,
        keys: [DataKey] = [], connections: Int = 20, hasThreads: Bool = true,
        blobs: (any BlobStorage)? = nil, fatal: @escaping @Sendable (String) -> Void,
        note: @escaping @Sendable (String) -> Void = { _ in },
        noteEnd: @escaping @Sendable () -> Void = {}
    ) throws -> PostgreSQLServerStore {
        precondition(newEpoch > 0, "an epoch is never 0")
        var connection = try PostgreSQLConnection.open(address)
        try connection.requirePlace(address)
        if let mark = try connection.mark() { throw mark }
        // A role that only serves may not migrate, and need not as long as nothing is missing.
        if try !connection.pendingMigrations(PostgreSQLSchema.migrations).isEmpty {
            try connection.migrate(PostgreSQLSchema.migrations)
        }
        let part = try connection.part()
        let epoch = try connection.transaction { db in
            try db.run(
                "INSERT INTO server (epoch, secrets) VALUES (?, ?) ON CONFLICT DO NOTHING",
                newEpoch,
                secrets.mark)
            // Nodes that start together prepare the keys one after the other.
            let known = try db.first("SELECT epoch, secrets FROM server FOR UPDATE") {
                (epoch: $0.int(0), mark: $0.bytes(1))
            }
            guard let known, known.mark == secrets.mark else { throw OtherSecrets() }
            if let problem = AtRest.problem(try db.storedKeys(), keys) { throw problem }
            try AtRest.prepare(&db, keys)
            return known.epoch
        }
        let deletions = ledger ?? DeletionLedger(of: path)
        // Of one of several stores an account may be in another one: there `store restored` does it.
        if part == nil { try connection.transaction { try $0.deleteAgain(deletions) } }
        let pool = PostgreSQLPool(address, countMax: connections, note: note, noteEnd: noteEnd)
        return PostgreSQLServerStore(
            address, UInt32(truncatingIfNeeded: epoch), path, node, deletions, keys, pool, part,
            hasThreads, blobs, fatal)
    }

    private init(
        _ address: PostgreSQLAddress, _ epoch: UInt32, _ path: String, _ node: String,
        _ deletions: DeletionLedger, _ keys: [DataKey], _ pool: PostgreSQLPool,
        _ part: StorePart?, _ hasThreads: Bool, _ blobs: (any BlobStorage)?,
        _ fatal: @escaping @Sendable (String) -> Void
    ) {
        self.epoch = epoch
        self.keys = keys
        self.pool = pool
        self.address = address
        self.part = part
        self.deletions = deletions
        let atRest = AtRest(keys) { space throws(StoreError) in
            try pool.read { db throws(PostgreSQLError) in
                try db.first("SELECT wrapped FROM data_key WHERE space = ?", space) { $0.bytes(0) }
            }
        }
        self.atRest = atRest
        blobFiles = BlobFiles(of: path, atRest, node: node, elsewhere: blobs, fatal: fatal)
        news = PostgreSQLNews(address, pool, hasThreads: hasThreads)
        writer = PostgreSQLWriter(
            pool, news, receipts, isPart: part != nil, hasThreads: hasThreads)
    }

    package func head(of space: Space) throws(StoreError) -> SpaceHead {
        news.watch(space)
        return try read { db throws(PostgreSQLError) in try db.head(of: space) }
    }

    package func standing(
        of device: Identifier, in space: Space, at cursor: LogNumber
    ) throws(StoreError) -> Standing {
        try placedStanding(of: device, in: space, at: cursor).standing
    }

    /// The same, and whether this store serves the account, both at one moment.
    func placedStanding(
        of device: Identifier, in space: Space, at cursor: LogNumber
    ) throws(StoreError) -> (standing: Standing, away: Away) {
        news.watch(space)
        let question = StandingQuestion(
            key: DeviceKey(space: space, device: device), prefixes: [cursor],
            cipher: try atRest.cipher(of: space))
        let (found, away) = try read { [writer] db throws(PostgreSQLError) in
            var away = Away.missing
            let standings = try db.standings([question], hints: writer.hints) { away = $1 }
            return (standings[space], away)
        }
        guard let found else { throw .failed("the store has no epoch") }
        let digest = cursor == 0 ? .empty : found.prefixes[cursor]?.digest
        return (Standing(head: found.head, digest: digest, admitted: found.device.seq), away)
    }

    package func lease(_ task: Lease, milliseconds: Int64) throws(StoreError) -> Bool {
        try whole { [process] db throws(PostgreSQLError) in
            try db.run(
                """
                INSERT INTO lease (task, node, ends)
                VALUES (?1, ?2, clock_timestamp() + ?3 * interval '1 millisecond')
                ON CONFLICT (task) DO UPDATE SET node = excluded.node, ends = excluded.ends
                WHERE lease.node = excluded.node OR lease.ends < clock_timestamp()
                """, task.number, process, milliseconds)
            return try db.changed() == 1
        }
    }

    /// What fails ends by itself.
    package func release(_ task: Lease) {
        _ = try? whole { [process] db throws(PostgreSQLError) in
            try db.run("DELETE FROM lease WHERE task = ? AND node = ?", task.number, process)
        }
    }

    /// Runs statements as one transaction, now, without the locks of a change, and again if a connection had
    /// broken: they may be made twice.
    func whole<T: Sendable>(
        _ body: @Sendable (inout PostgreSQLConnection) throws(PostgreSQLError) -> T
    ) throws(StoreError) -> T {
        try pool.again { try $0.transaction { try body(&$0) } }
    }

    package func ended(
        of sessions: [Space: [Identifier]]
    ) throws(StoreError) -> [Identifier] {
        let numbers = PostgreSQLNumbers(sessions.keys.sorted())
        let alive = try read { db throws(PostgreSQLError) in
            try db.all(
                """
                SELECT id FROM session
                WHERE space IN (SELECT unnest(?)) AND revoked IS NULL
                """, numbers
            ) { $0.identifier(0) }
        }
        let all = Set(alive)
        return sessions.values.joined().filter { !all.contains($0) }
    }

    package func watch(_ grown: @escaping @Sendable ([Space: LogNumber]) -> Void) {
        news.tell(grown)
    }

    package func checkWriting(then done: @escaping Done<Void>) {
        guard blobFiles.local.isMounted else {
            return done(
                .failure(
                    .failed(
                        "the folder of photos, \(Files.folder(of: blobFiles.folder)), was unmounted or replaced while "
                            + "the server runs. Mount it, and start again.")))
        }
        let kept = Kept<Void>()
        writer.submit(
            PostgreSQLWriter.Job(
                kind: .repeatable, patience: Self.checkPatience,
                run: { db, _ in kept.keep(try db.run("UPDATE server SET epoch = epoch")) },
                finish: { kept.answer($0, done) }))
    }

    /// Transactions committed by this node so far.
    package var commits: Int { writer.commits }
    /// How often this node has waited for answers of the database.
    package var roundTrips: Int { pool.roundTrips }

    /// Writes what devices were last known to hold, which is done before this store closes. What another store is to
    /// write is passed over.
    func writeLastReceipts() {
        receipts.close()
        writer.writeDueReceipts()
    }

    package func close() {
        receipts.close()
        writer.close()
        news.close()
        pool.close()
    }

    func read<T: Sendable>(
        _ body: @Sendable (inout PostgreSQLConnection) throws(PostgreSQLError) -> T
    ) throws(StoreError) -> T {
        try pool.read(body)
    }

    func change<Value: Sendable>(
        _ kind: ChangeKind,
        _ run: @escaping @Sendable (inout PostgreSQLConnection, inout LogOverlay) throws -> Value,
        then done: @escaping Done<Value>
    ) {
        let kept = Kept<Value>()
        writer.submit(
            PostgreSQLWriter.Job(
                kind: kind, run: { db, overlay in kept.keep(try run(&db, &overlay)) },
                finish: { kept.answer($0, done) }))
    }
}

extension Lease {
    /// What stands for it in the table: 0, a space, or a negative number for a request.
    fileprivate var number: Int64 {
        switch self {
        case .collection: 0
        case .messages(let space): space
        case .request(let id): id.bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) } | .min
        }
    }
}

extension PostgreSQLPool {
    /// How long a connection that works is looked for, in milliseconds.
    private static var patience: Int64 { 2_000 }

    /// Reads, again if a connection had broken or a statement was ended.
    func read<T: Sendable>(
        _ body: @Sendable (inout PostgreSQLConnection) throws(PostgreSQLError) -> T
    ) throws(StoreError) -> T {
        try again { db in
            // With a pooler in between the limits of time are those of a transaction.
            guard db.isPooled else { return try body(&db) }
            return try db.transaction { try body(&$0) }
        }
    }

    /// Does what may be done twice, again if a connection had broken or a statement was ended.
    func again<T: Sendable>(
        _ body: @Sendable (inout PostgreSQLConnection) throws -> T
    ) throws(StoreError) -> T {
        let deadline = SystemClock.monotonicMilliseconds + Self.patience
        while true {
            do {
                return try lend(body)
            } catch {
                let isWorthIt = (error as? PostgreSQLError)?.isRetryable == true
                guard isWorthIt, SystemClock.monotonicMilliseconds < deadline else {
                    throw StoreError(error)
                }
            }
            PostgreSQLWriter.pause(atMost: 50)
        }
    }
}

extension StoreError {
    /// What an error of the database is for who asked.
    init(_ error: any Error) {
        if let error = error as? StoreError {
            self = error
            return
        }
        guard let error = error as? PostgreSQLError else {
            self = .failed("\(error)")
            return
        }
        self =
            error.isFull
            ? .full
            : error.isRetryable
                ? .busy : error.state == "ML001" ? .elsewhere : .failed("\(error)")
    }
}
