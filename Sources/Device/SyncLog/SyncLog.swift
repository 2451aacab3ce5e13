public import MacrologEngine
public import MacrologEvents
import MacrologLog
import MacrologReadModels
import MacrologSQLite

/// A log of any kind of entities that syncs between the devices of an account: events, merging,
/// recovery and read models, without a domain. Kinds and fields are names that the app chooses.
///
///     let replica = try SyncLog.open(at: path, tables: [todos])
///     try replica.append([.set(["title": "Milk"], of: key, as: "todo.added")])
///     let account = Account(of: replica, session: SessionFile(path: path + ".session"))
///     try await account.sync()
///     for row in try replica.rows(of: todos) { show(row.values) }
public enum SyncLog {
    /// Opens a replica in a file. A file that does not exist is created for a new device.
    ///
    /// - Parameters:
    ///   - tables: Folded from the log; a file whose tables differ is folded again.
    ///   - version: Increased when the same entities give other rows of the same tables.
    /// - Throws: ``AppTableError`` for a name that a table cannot have; ``ReplicaError``, which says
    ///   which process holds the file, or what is wrong with it.
    public static func open(
        at path: String, tables: [AppTable], version: UInt8 = 1
    ) throws -> Replica {
        try AppTableError.check(tables)
        return try Replica.open(at: path, folding: ReadModels(tables, version: version))
    }
}

extension Replica {
    /// Records drafts as events, in order, in one durable transaction.
    ///
    /// - Throws: ``ReplicaError`` where nothing can be recorded, or a draft is too large or malformed.
    ///   Nothing was written.
    public func append(_ drafts: [Draft]) throws {
        _ = try withStore { try $0.record(drafts, at: clock.read()) }
    }

    /// The fields of an entity, with an array for each set; `nil` where nothing is known of it, or it
    /// is deleted.
    public func fields(of entity: EntityKey) throws -> ValueMap? {
        try withStore { store in
            guard let state = try store.state(of: entity), !state.isDeleted else { return nil }
            return state.allFields
        }
    }

    /// The rows of a table that this replica was opened with, by their ids.
    ///
    /// - Throws: ``AppTableError`` with code `undeclared` for another table; ``ReplicaError`` where the log
    ///   cannot be read.
    public func rows(of table: AppTable) throws -> [AppTable.Row] {
        try withStore { try $0.rows(of: table.stored) }
    }

    /// The rows of a table that this replica was opened with, by their ids: now, and again after every
    /// commit of this process that changed them, events of other devices that arrive by syncing included.
    ///
    /// Equal rows come once, and an observer that is slower than the changes gets the newest only. What
    /// another process has recorded while the file was released is seen at the next use of this replica.
    /// While another process has the file, it waits.
    ///
    ///     for try await rows in replica.observe(todos) { show(rows) }
    ///
    /// - Returns: A stream that throws where ``rows(of:)`` would, and ends then.
    public func observe(_ table: AppTable) -> AsyncThrowingStream<[AppTable.Row], any Error> {
        observeReplica { replica, observer in
            try replica.withStore(for: observer) { try $0.rows(of: table.stored) }
        }
    }

    /// The fields that devices wrote without having seen each other's value. A device resolves one by
    /// writing a value again.
    public func allConflicts() throws -> [Conflict] {
        try withStore { try Conflict.all(in: &$0) }
    }
}

extension Store {
    fileprivate mutating func rows(of table: ReadModelTable) throws -> [AppTable.Row] {
        guard models.tables.contains(where: { $0.create.text == table.create.text }) else {
            throw AppTableError(code: .undeclared, table: "\(table.name)")
        }
        var rows: [AppTable.Row] = []
        try db.forEach(table.all) { row in
            let values = (1..<row.columnCount).map { column -> Value in
                switch row.type(column) {
                case .null: .null
                case .integer: .int(row.int(column))
                case .text: .text(row.name(column))
                case .blob: .bytes(row.bytes(column))
                }
            }
            rows.append(AppTable.Row(id: row.identifier(0), values: values))
        }
        return rows
    }
}
