package import MacrologEvents
package import MacrologLog
package import MacrologSQLite

/// One column of a table of a read model.
package struct ReadModelColumn: Sendable {
    package let name: StaticString
    /// Its type and constraint in SQL.
    package let type: StaticString

    /// A whole number.
    package static func int(_ name: StaticString) -> ReadModelColumn {
        ReadModelColumn(name: name, type: "INTEGER NOT NULL")
    }
    /// A whole number, or nothing.
    package static func optionalInt(_ name: StaticString) -> ReadModelColumn {
        ReadModelColumn(name: name, type: "INTEGER")
    }
    /// 0 or 1.
    package static func bool(_ name: StaticString) -> ReadModelColumn { int(name) }
    /// UTF-8 text; `''` for none.
    package static func text(_ name: StaticString) -> ReadModelColumn {
        ReadModelColumn(name: name, type: "TEXT NOT NULL")
    }
    /// UTF-8 text, or nothing.
    package static func optionalText(_ name: StaticString) -> ReadModelColumn {
        ReadModelColumn(name: name, type: "TEXT")
    }
    /// Bytes, or nothing.
    package static func optionalBlob(_ name: StaticString) -> ReadModelColumn {
        ReadModelColumn(name: name, type: "BLOB")
    }
    /// Bytes, such as an ID.
    package static func blob(_ name: StaticString) -> ReadModelColumn {
        ReadModelColumn(name: name, type: "BLOB NOT NULL")
    }
}

/// A table of a read model, as a value. Everything that is done with whole tables follows from it:
/// creating and emptying it, hashing it, and finding the rows of an entity, of a range of entities
/// or of a day.
///
///     static let table = ReadModelTable(
///         "todo", key: [.int("day"), .blob("id")],
///         columns: [.text("title"), .optionalInt("done_at")], day: "day")
package struct ReadModelTable: Sendable {
    package let name: StaticString
    /// Creates the table, without rows.
    package let create: JoinedSQL
    /// Inserts a row, or replaces the row with the same key: one value per column.
    package let insert: JoinedSQL
    /// Deletes a row: one value per column of the key.
    package let delete: JoinedSQL
    /// Deletes all rows.
    package let clear: JoinedSQL
    /// Deletes the rows of a range: of the entities whose ids are greater than the first value, and
    /// not greater than the second; `nil` for a table of rows that follow from other tables.
    package let clearRange: JoinedSQL?
    /// All rows in the order of their keys.
    package let all: JoinedSQL
    /// The rows of a range in the order of their keys; `nil` where ``clearRange`` is.
    package let range: JoinedSQL?
    /// Inserts all rows, as they follow from other tables, into the empty table; `nil` for rows that
    /// are folded from entities.
    package let fill: JoinedSQL?
    /// The rows of a day in the order of their keys; `nil` for a table without days.
    package let ofDay: JoinedSQL?
    /// The days that have rows; `nil` for a table without days.
    package let days: JoinedSQL?
    /// The ids of the entities that have rows, once for each row, with the day of the row: the newest
    /// day first, or `NULL` in a table without days. Of one kind where the rows of several kinds are
    /// in one table, so that the kind is the only value.
    package let ids: JoinedSQL
    /// Whether the key begins with the kind of the entity.
    package let isByKind: Bool
    /// How many columns the key has.
    package let keyCount: Int

    /// Declares a table.
    ///
    /// - Parameters:
    ///   - key: The columns of the primary key, which also gives rows their order.
    ///   - columns: The other columns.
    ///   - rowid: A column with a number that this file gives each row, for an index to refer to. It
    ///     is in no hash.
    ///   - entity: The column with the ID of the entity from which a row is folded.
    ///   - query: Returns all rows, if they follow from those of other tables and not each from one
    ///     entity, which they do not name then. Folds keep them up to date; the query corrects what was
    ///     damaged.
    ///   - day: The column with the day of a row, in days since 1970-01-01.
    ///   - also: Indexes and triggers.
    ///   - quotesNames: Whether the names of the table and of its columns may be words of SQL, such as
    ///     `order`.
    package init(
        _ name: StaticString, key: [ReadModelColumn], columns: [ReadModelColumn] = [],
        rowid: StaticString? = nil,
        entity: StaticString = "id", following query: StaticString? = nil,
        day: StaticString? = nil, also: StaticString = "", quotesNames: Bool = false
    ) {
        self.name = name
        isByKind = key.contains { "\($0.name)" == "kind" }
        keyCount = key.count
        let all = key + columns
        let quoted: (StaticString) -> [StaticString] = { quotesNames ? ["\"", $0, "\""] : [$0] }
        let table = quoted(name)
        let names = Self.list(all.map { quoted($0.name) }, ", ")
        let keys = Self.list(key.map { quoted($0.name) }, ", ")
        let unique: [StaticString] = [rowid == nil ? "PRIMARY KEY (" : "UNIQUE ("] + keys + [")"]
        let number: [StaticString] = rowid.map { [$0, " INTEGER PRIMARY KEY, "] } ?? []
        let definitions: [StaticString] = all.flatMap { quoted($0.name) + [" ", $0.type, ", "] }
        let values: [[StaticString]] = all.map { _ in ["?"] }
        let inRange: [StaticString] = [" WHERE ", entity, " > ? AND ", entity, " <= ?"]
        let newestFirst: [StaticString] = day.map { [" ORDER BY ", $0, " DESC"] } ?? []
        let ofKind: [StaticString] = isByKind ? [" WHERE kind = ?"] : []
        let isOfEntities = query == nil
        create = Self.join(
            ["CREATE TABLE "], table, [" ("], number, definitions, unique,
            [rowid == nil ? ") STRICT, WITHOUT ROWID;\n" : ") STRICT;\n", also])
        insert = Self.join(
            ["INSERT OR REPLACE INTO "], table, [" ("], names, [") VALUES ("],
            Self.list(values, ", "), [")"])
        delete = Self.join(
            ["DELETE FROM "], table, [" WHERE "],
            Self.list(key.map { quoted($0.name) }, " = ? AND "), [" = ?"])
        clear = Self.join(["DELETE FROM "], table)
        clearRange = isOfEntities ? Self.join(["DELETE FROM "], table, inRange) : nil
        self.all = Self.join(["SELECT "], names, [" FROM "], table, [" ORDER BY "], keys)
        range =
            isOfEntities
            ? Self.join(["SELECT "], names, [" FROM "], table, inRange, [" ORDER BY "], keys) : nil
        fill = query.map { Self.join(["INSERT INTO "], table, [" ", $0]) }
        ofDay = day.map {
            Self.join(
                ["SELECT "], names, [" FROM "], table, [" WHERE ", $0, " = ?"], [" ORDER BY "], keys
            )
        }
        days = day.map { Self.join(["SELECT DISTINCT ", $0, " FROM "], table) }
        ids = Self.join(
            ["SELECT ", entity, ", ", day ?? "NULL", " FROM "], table, ofKind, newestFirst)
    }

    private static func join(_ parts: [StaticString]...) -> JoinedSQL {
        JoinedSQL(parts.flatMap { $0 })
    }

    private static func list(
        _ parts: [[StaticString]], _ separator: StaticString
    ) -> [StaticString] {
        Array(parts.joined(separator: [separator]))
    }

    /// Replaces the rows of an entity: only those that changed are written.
    package func replace(
        _ old: [[Value]], with new: [[Value]], in db: inout LogConnection
    ) throws(LogError) {
        for row in old where !new.contains(row) {
            try db.run(delete, RowValues(row.prefix(keyCount)))
        }
        for row in new where !old.contains(row) { try db.run(insert, RowValues(row[...])) }
    }
}

/// The values of a row, bound one after the other.
package struct RowValues: Bindable {
    private let values: ArraySlice<Value>

    /// - Precondition: Neither arrays nor maps: no column holds one.
    package init(_ values: ArraySlice<Value>) { self.values = values }

    package func bind(to binder: inout Binder) {
        for value in values {
            switch value {
            case .null: binder.null()
            case .bool(let flag): flag.bind(to: &binder)
            case .int(let number): number.bind(to: &binder)
            case .text(let text): text.bind(to: &binder)
            case .bytes(let bytes): bytes.bind(to: &binder)
            case .array, .map: preconditionFailure("a column holds one value")
            }
        }
    }
}

extension Value {
    /// A number, or nothing.
    package static func optional(_ number: Int64?) -> Value { number.map { .int($0) } ?? .null }
    /// The bytes of an ID.
    package static func id(_ id: Identifier) -> Value { .bytes(id.bytes) }
}
