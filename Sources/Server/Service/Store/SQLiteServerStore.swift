/// The server's storage in one SQLite file: one write connection, a few read connections.
package import MacrologEvents
import MacrologWire
package import MacrologSQLite
package import MacrologCryptography
import MacrologSystem

/// A ``ServerStore`` in one SQLite file.
package final class SQLiteServerStore: SQLServerStore {
    package let epoch: UInt32
    package var isShared: Bool { false }
    /// No other process uses the file.
    package func lease(_: Lease, milliseconds _: Int64) -> Bool { true }
    package func release(_: Lease) {}
    package func ended(of _: [Space: [Identifier]]) -> [Identifier] { [] }
    package var sharedBuckets: (any SharedBuckets)? { nil }
    package let blobFiles: BlobFiles
    package let deletions: DeletionLedger
    let heads: Heads
    let atRest: AtRest
    /// The keys of encryption at rest.
    let keys: [DataKey]
    let readers: Readers
    let writer: Writer
    let receipts = Receipts()
    private let path: String
    /// The file as it was opened.
    private let opened: FileStatus?

    /// The migrations that create its tables.
    package static var migrations: [Migration] { Schema.migrations }

    /// Opens the file, creating it if it is missing.
    ///
    /// - Parameters:
    ///   - path: The file. No other process may use it meanwhile; see ``SQLite/LockFile``.
    ///   - keys: The keys of encryption at rest: the current one first, then those of before; none
    ///     to store everything as it is. ``ServerFile/keyProblem(_:keys:)`` says whether they suit.
    ///   - newEpoch: The epoch of the logs if the file is new, 1 to 2^32 − 1.
    ///   - readers: The maximum number of read connections.
    ///   - hasWriter: Whether a writer thread commits waiting changes in groups. Otherwise each
    ///     change is made synchronously by the thread that submits it, which makes simulations
    ///     deterministic.
    ///   - blobs: Where complete blobs are, if not in a folder beside the file.
    ///   - fatal: Called when it is unknown whether a commit, or a blob, is on disk; should end the
    ///     process. If it returns, nothing more is committed, and waiting changes are never
    ///     answered.
    package static func open(
        _ path: String, newEpoch: UInt32, keys: [DataKey] = [], readers: Int = 4,
        hasWriter: Bool = true, blobs: (any BlobStorage)? = nil,
        fatal: @escaping @Sendable (String) -> Void
    ) throws(SQLiteError) -> SQLiteServerStore {
        precondition(newEpoch > 0, "an epoch is never 0")
        // A long interval between checkpoints, because each one pauses the commits.
        var connection = try Connection.open(path, checkpointPages: 8_000)
        try connection.migrate(Schema.migrations)
        if try connection.first("SELECT epoch FROM server", row: { $0.int(0) }) == nil {
            try connection.run("INSERT INTO server (epoch) VALUES (?)", newEpoch)
        }
        try connection.transaction { db throws(SQLiteError) in try AtRest.prepare(&db, keys) }
        try connection.noteMissingWebhookDigests()
        let epoch = try connection.first("SELECT epoch FROM server") { $0.int(0) } ?? 0
        let deletions = DeletionLedger(of: path)
        try connection.overwriteDeleted()
        try connection.replay(deletions)
        let readers = try Readers(path, count: readers)
        return SQLiteServerStore(
            connection, UInt32(truncatingIfNeeded: epoch), path, deletions, keys, readers,
            hasWriter, blobs, fatal)
    }

    private init(
        _ connection: consuming Connection, _ epoch: UInt32, _ path: String,
        _ deletions: DeletionLedger, _ keys: [DataKey], _ readers: Readers, _ hasWriter: Bool,
        _ blobs: (any BlobStorage)?, _ fatal: @escaping @Sendable (String) -> Void
    ) {
        self.epoch = epoch
        self.path = path
        opened = FileStatus(of: path)
        self.deletions = deletions
        self.readers = readers
        self.keys = keys
        let atRest = AtRest(keys) { space throws(StoreError) in
            try readers.read { db throws(SQLiteError) in
                try db.first("SELECT wrapped FROM data_key WHERE space = ?", space) { $0.bytes(0) }
            }
        }
        self.atRest = atRest
        blobFiles = BlobFiles(of: path, atRest, elsewhere: blobs, fatal: fatal)
        heads = Heads()
        writer = Writer(connection, heads, receipts, hasThreads: hasWriter, fatal: fatal)
    }

    /// Transactions committed so far, each with one fsync.
    package var commits: Int { writer.commits }

    package func watch(_ grown: @escaping @Sendable ([Space: LogNumber]) -> Void) {
        heads.watch(grown)
    }

    package func head(of space: Space) throws(StoreError) -> SpaceHead {
        try heads.space(space) { () throws(StoreError) in
            try readers.read { db throws(SQLiteError) in try db.head(of: space) }
        }
    }

    package func standing(
        of device: Identifier, in space: Space, at cursor: LogNumber
    ) throws(StoreError) -> Standing {
        let head = try head(of: space)
        let key = DeviceKey(space: space, device: device)
        let own = try heads.device(key) { () throws(StoreError) in
            let cipher = try atRest.cipher(of: space)
            return try readers.read { db throws(SQLiteError) in try db.head(of: key, cipher) }
        }
        return Standing(
            head: head, digest: try digest(of: space, upTo: cursor, head), admitted: own.seq)
    }

    private func digest(
        of space: Space, upTo n: LogNumber, _ head: SpaceHead
    ) throws(StoreError) -> PrefixDigest? {
        if n == head.n { return head.digest }
        if n == 0 { return .empty }
        guard n > 0, n < head.n else { return nil }
        return try readers.read { db throws(SQLiteError) in
            try db.first(
                "SELECT digest FROM event WHERE place = ?", try db.place(space, n)
            ) { $0.digest(0) }
        }
    }

    package func checkWriting(then done: @escaping Done<Void>) {
        guard isInPlace else {
            return done(
                .failure(
                    .failed(
                        "\(path) was moved or removed while the server runs: what it stores is lost "
                            + "when it ends. Stop it, and restore a copy.")))
        }
        change(.repeatable, { db, _ in try db.run("UPDATE server SET epoch = epoch") }, then: done)
    }

    /// Whether the file that is open is still the one at the path: SQLite notices nothing.
    private var isInPlace: Bool {
        guard let opened, let found = FileStatus(of: path) else { return opened == nil }
        return found.inode == opened.inode && found.device == opened.device
    }

    package func close() {
        receipts.close()
        change(.repeatable, { _, _ in }, then: { _ in })
        writer.close()
    }

    func read<T: Sendable>(
        _ body: @Sendable (inout Connection) throws(SQLiteError) -> T
    ) throws(StoreError) -> T {
        try readers.read(body)
    }

    func change<Value: Sendable>(
        _ kind: ChangeKind,
        _ run: @escaping @Sendable (inout Connection, inout LogOverlay) throws -> Value,
        then done: @escaping Done<Value>
    ) {
        let kept = Kept<Value>()
        writer.submit(
            Job(
                share: kind.space.flatMap { space in kind.events.map { (space, $0) } },
                run: { connection, overlay in kept.keep(try run(&connection, &overlay)) },
                finish: { kept.answer($0, done) }))
    }
}
