public import MacrologEvents
import MacrologLog
import MacrologReadModels
import MacrologSQLite

/// A table of an app, in the file of the log: a row for each entity of a kind, as long as the app
/// returns one. It is written in the transaction that records or receives an event, so that it is
/// never older than the log.
///
///     static let todos = AppTable(
///         "todo", of: "todo", columns: [.text("title"), .int("done")]
///     ) { _, fields in [fields["title"] ?? "", fields["done"] ?? false] }
///
/// Declare each table once, as a `static let`: its SQL stays in memory for the life of the program.
public struct AppTable: Sendable {
    /// A column beside `id`, the ID of the entity.
    public struct Column: Sendable {
        let stored: ReadModelColumn

        /// A whole number, or a truth as 0 or 1; null where `isOptional`.
        public static func int(_ name: StaticString, isOptional: Bool = false) -> Column {
            Column(stored: isOptional ? .optionalInt(name) : .int(name))
        }

        /// UTF-8 text.
        public static func text(_ name: StaticString) -> Column { Column(stored: .text(name)) }

        /// Bytes, such as an ID.
        public static func bytes(_ name: StaticString) -> Column { Column(stored: .blob(name)) }
    }

    /// One row.
    public struct Row: Hashable, Sendable {
        /// The entity.
        public let id: Identifier
        /// The values of the columns, in their order.
        public let values: [Value]
    }

    let kind: Text
    let stored: ReadModelTable
    private let row: @Sendable (Identifier, ValueMap) -> [Value]?
    private let count: Int

    /// Declares a table.
    ///
    /// - Precondition: The closure returns a value for each column, neither an array nor a map.
    /// - Parameters:
    ///   - name: Its name in SQL; none of the log's own tables.
    ///   - kind: The kind of the entities, as events name it.
    ///   - row: The values of an entity's row from its fields; `nil` for no row. It is not asked about
    ///     deleted entities. Its result follows from its arguments alone.
    public init(
        _ name: StaticString, of kind: Text, columns: [Column],
        row: @escaping @Sendable (_ id: Identifier, _ fields: ValueMap) -> [Value]?
    ) {
        (self.kind, self.row, count) = (kind, row, columns.count)
        stored = ReadModelTable(name, key: [.blob("id")], columns: columns.map { $0.stored })
    }

    private func values(_ id: Identifier, _ state: EntityState?) -> [Value]? {
        guard let state, !state.isDeleted, let values = row(id, state.allFields) else { return nil }
        precondition(values.count == count, "a row has a value for each column")
        return [.bytes(id.bytes)] + values
    }

    func update(
        _ id: Identifier, from old: EntityState?, to new: EntityState, in db: inout LogConnection
    ) throws(LogError) {
        let (before, after) = (values(id, old), values(id, new))
        guard before != after else { return }
        try stored.replace(before.map { [$0] } ?? [], with: after.map { [$0] } ?? [], in: &db)
    }
}

extension ReadModels {
    /// Those of an app.
    init(_ tables: [AppTable], version: UInt8) {
        let byKind = Dictionary(grouping: tables) { $0.kind }
        self.init(tables.map { $0.stored }, foldVersion: version) {
            Folding { entity, old, new, db throws(LogError) in
                for table in byKind[entity.kind] ?? [] {
                    try table.update(entity.id, from: old, to: new, in: &db)
                }
            }
        }
    }
}
