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
///     ) { _, fields in
///         guard case .text(let title)? = fields["title"] else { return nil }
///         return [.text(title), .bool(fields["done"] == true)]
///     }
///
/// Declare each table once, as a `static let`: its SQL stays in memory for the life of the program.
public struct AppTable: Sendable {
    /// A column beside `id`, the ID of the entity.
    public struct Column: Sendable {
        let stored: ReadModelColumn
        let accepts: @Sendable (Value) -> Bool

        /// A whole number, or a truth as 0 or 1; null where `isOptional`.
        public static func int(_ name: StaticString, isOptional: Bool = false) -> Column {
            Column(stored: isOptional ? .optionalInt(name) : .int(name)) {
                $0.int != nil || $0.bool != nil || isOptional && $0.isNull
            }
        }

        /// UTF-8 text; null where `isOptional`.
        public static func text(_ name: StaticString, isOptional: Bool = false) -> Column {
            Column(stored: isOptional ? .optionalText(name) : .text(name)) {
                $0.text != nil || isOptional && $0.isNull
            }
        }

        /// Bytes, such as an ID; null where `isOptional`.
        public static func bytes(_ name: StaticString, isOptional: Bool = false) -> Column {
            Column(stored: isOptional ? .optionalBlob(name) : .blob(name)) {
                $0.bytes != nil || isOptional && $0.isNull
            }
        }
    }

    /// One row.
    public struct Row: Hashable, Sendable {
        /// The entity.
        public let id: Identifier
        /// The values of the columns, in their order.
        public let values: [Value]
    }

    let kind: UTF8Text
    let stored: ReadModelTable
    private let row: @Sendable (Identifier, ValueMap) -> [Value]?
    let columns: [Column]

    /// Declares a table.
    ///
    /// - Precondition: The closure returns a value for each column.
    /// - Parameters:
    ///   - name: Its name in SQL; none of the log's own tables.
    ///   - columns: Each with a name of its own in SQL, and none of them `id`.
    ///   - kind: The kind of the entities, as events name it.
    ///   - row: The values of an entity's row from its fields; `nil` for no row. It is not asked about
    ///     deleted entities. Its result follows from its arguments alone. Other devices may have
    ///     written anything into a field, or unset it: values that do not fit the columns are no row.
    public init(
        _ name: StaticString, of kind: UTF8Text, columns: [Column],
        row: @escaping @Sendable (_ id: Identifier, _ fields: ValueMap) -> [Value]?
    ) {
        (self.kind, self.row, self.columns) = (kind, row, columns)
        stored = ReadModelTable(
            name, key: [.blob("id")], columns: columns.map { $0.stored }, quotesNames: true)
    }

    private func values(_ id: Identifier, _ state: EntityState?) -> [Value]? {
        guard let state, !state.isDeleted, let values = row(id, state.allFields) else { return nil }
        precondition(values.count == columns.count, "a row has a value for each column")
        guard zip(columns, values).allSatisfy({ $0.accepts($1) }) else { return nil }
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
        self.init(tables.map { $0.stored }, foldVersion: version, kinds: tables.map { $0.kind }) {
            Folding { entity, old, new, db throws(LogError) in
                for table in byKind[entity.kind] ?? [] {
                    try table.update(entity.id, from: old, to: new, in: &db)
                }
            }
        }
    }
}
