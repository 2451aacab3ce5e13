package import MacrologEvents
import MacrologWire
package import MacrologLog
import MacrologSQLite

/// The read models of an app, as a value that a ``Store`` is opened with: their tables, how entities
/// are folded into them, and what the store asks of them. The store knows nothing else of the app.
///
/// All tables are folded from entities and can be deleted, so there are no migrations: the hash of
/// their declarations is their version. If a file has tables of another version, they are dropped,
/// created again, and folded from the log.
package struct ReadModels: Sendable {
    /// Their tables. The order is that of their hashes.
    package let tables: [ReadModelTable]
    /// Begins a fold: once for each transaction.
    package let folding: @Sendable () -> Folding
    /// The table whose keys begin with the names of blobs, the SHA-256 of their bytes, by which
    /// entities name them; `nil` for an app without blobs.
    let blobs: BlobStatements?
    /// How many days of history the person wants to keep; `nil` for all.
    package let historyDays: @Sendable (inout LogConnection) throws(LogError) -> Int64?
    /// Empties indexes beside the tables.
    let clear: [StaticString]
    /// Builds such indexes again, after rows may have been edited by hand.
    let repair: [StaticString]
    private let version: [UInt8]

    /// Declares the read models of an app.
    ///
    /// - Parameters:
    ///   - foldVersion: Increased when the same log folds to other rows of the same tables.
    ///   - kinds: The kinds from which the tables are folded, where the tables do not decide it.
    package init(
        _ tables: [ReadModelTable], foldVersion: UInt8, kinds: [UTF8Text] = [],
        blobs: ReadModelTable? = nil,
        clear: [StaticString] = [],
        repair: [StaticString] = [],
        historyDays: @escaping @Sendable (inout LogConnection) throws(LogError) -> Int64? = {
            _ throws(LogError) in nil
        },
        folding: @escaping @Sendable () -> Folding
    ) {
        (self.tables, self.folding) = (tables, folding)
        self.blobs = blobs.map { BlobStatements($0.name) }
        (self.clear, self.repair, self.historyDays) = (clear, repair, historyDays)
        version = SHA256.hash(
            [foldVersion] + tables.flatMap { $0.create.text.utf8 }
                + kinds.flatMap { [0] + Array($0.string.utf8) })
    }

    /// Whether the file has the tables of this version.
    func areCurrent(in db: inout LogConnection) throws(LogError) -> Bool {
        try db.first("SELECT read_models FROM maintenance") { $0.bytesOrNull(0) } == version
    }

    /// Drops the file's read models, those of another version too, and creates empty tables. Call
    /// inside a transaction, and fold the log in it.
    package func makeTables(in db: inout LogConnection) throws(LogError) {
        try db.dropTables(except: EventLog.tableNames)
        for table in tables { try db.execute(table.create) }
        try db.run("UPDATE maintenance SET read_models = ?", version)
    }

    /// Replaces the rows that follow from other tables, after these were corrected.
    func fillTables(in db: inout LogConnection) throws(LogError) {
        for table in tables {
            guard let fill = table.fill else { continue }
            try db.run(table.clear)
            try db.run(fill)
        }
    }

    /// The fold of one transaction.
    package func begin() -> ReadModelFold { ReadModelFold(models: self, folding: folding()) }
}

/// How one transaction folds entities: closures that share what they remember between them.
package struct Folding {
    /// Notes that an entity has changed; `old` is `nil` when nothing was known of it.
    let update:
        (
            _ entity: EntityKey, _ old: EntityState?, _ new: EntityState,
            _ db: inout LogConnection
        ) throws(LogError) -> Void
    /// Writes everything that was noted.
    let flush: (inout LogConnection) throws(LogError) -> Void
    /// Forgets what was noted: the tables have been emptied.
    let forget: () -> Void
    /// The entities whose rows also depend on entities of a range.
    let dependents: (IDRange, inout LogConnection) throws(LogError) -> [Identifier]
    /// Notes that such entities have to be brought up to date.
    let note: ([Identifier], inout LogConnection) throws(LogError) -> Void

    /// Collects the closures. Those that are left out are for apps whose rows each follow from one
    /// entity.
    package init(
        update:
            @escaping (EntityKey, EntityState?, EntityState, inout LogConnection)
            throws(LogError) -> Void,
        flush: @escaping (inout LogConnection) throws(LogError) -> Void = {
            _ throws(LogError) in
        },
        forget: @escaping () -> Void = {},
        dependents: @escaping (IDRange, inout LogConnection) throws(LogError) -> [Identifier] = {
            _, _ throws(LogError) in []
        },
        note: @escaping ([Identifier], inout LogConnection) throws(LogError) -> Void = {
            _, _ throws(LogError) in
        }
    ) {
        (self.update, self.flush, self.forget) = (update, flush, forget)
        (self.dependents, self.note) = (dependents, note)
    }
}

/// Folds entities into an app's read models: what the log's generic state means.
package struct ReadModelFold: ReadModelUpdater {
    let models: ReadModels
    let folding: Folding

    package mutating func update(
        _ entity: EntityKey, from old: EntityState?, to new: EntityState, in db: inout LogConnection
    ) throws(LogError) {
        try folding.update(entity, old, new, &db)
    }

    package mutating func flush(in db: inout LogConnection) throws(LogError) {
        try folding.flush(&db)
    }

    package mutating func clear(in db: inout LogConnection) throws(LogError) {
        folding.forget()
        for table in models.tables { try db.run(table.clear) }
        for statement in models.clear { try db.run(statement) }
    }

    /// Empties the read models of some entities, before these are folded again.
    func clear(_ range: IDRange, in db: inout LogConnection) throws(LogError) {
        for sql in models.tables.compactMap({ $0.clearRange }) { try db.run(sql, range) }
    }

    /// Brings the rows of dependents up to date, after what they depend on was folded again.
    func updateDependents(
        _ dependents: [Identifier], in db: inout LogConnection
    ) throws(LogError) {
        try folding.note(dependents, &db)
        try folding.flush(&db)
        try models.fillTables(in: &db)
        for statement in models.repair { try db.run(statement) }
    }
}
