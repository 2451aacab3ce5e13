import MacrologReadModels
import MacrologSQLite
import MacrologTestSupport
import MacrologTodo
import SyncLog
import Testing

/// Goal: an app's tables never damage the log, and always show the entities that the app declared.
/// Method: names that clash, and files whose tables another version of an app declared.
@Suite struct TableTests {
    private let folder = ScratchFolder()
    private var path: String { folder.file("list.db") }

    private static func row(_: Identifier, _ fields: ValueMap) -> [Value]? {
        fields["title"].map { [$0] }
    }
    private static let event = table("event")
    private static let upper = table("Entity")
    private static let reserved = table("sqlite_todo")
    private static let spaced = table("to do")
    private static let todo = table("todo")
    private static let doubled = table("TODO")
    private static let note = AppTable("todo", of: "note", columns: [.text("title")], row: row)

    private static let ids = AppTable(
        "todo", of: TodoList.kind, columns: [.text("ID")], row: row)
    private static let twice = AppTable(
        "todo", of: TodoList.kind, columns: [.text("title"), .text("Title")]
    ) { _, _ in nil }
    private static let quoted = AppTable(
        "todo", of: TodoList.kind, columns: [.text("\"")], row: row)

    private static let select = AppTable(
        "select", of: TodoList.kind, columns: [.text("order"), .int("group", isOptional: true)]
    ) { _, fields in fields["title"].map { [$0, .null] } }

    private static let noted = AppTable(
        "noted", of: TodoList.kind,
        columns: [
            .text("title"), .text("note", isOptional: true), .bytes("photo", isOptional: true),
        ]
    ) { _, fields in
        fields["title"].map { [$0, fields["note"] ?? .null, fields["photo"] ?? .null] }
    }

    private static func table(_ name: StaticString) -> AppTable {
        AppTable(name, of: TodoList.kind, columns: [.text("title")], row: row)
    }

    private func tables() throws -> [String] {
        try SyncLog.open(at: path, tables: []).withStore { store in
            try store.db.all("SELECT name FROM pragma_table_list WHERE type = 'table'") {
                $0.text(0)
            }
        }
    }

    @Test func `a table named like one of the log is refused, and the log stays`() throws {
        _ = try TodoList(at: path).add("Milk")
        for (tables, code) in [
            ([Self.event], AppTableError.Code.reserved), ([Self.upper], .reserved),
            ([Self.reserved], .reserved), ([Self.spaced], .malformed),
            ([Self.todo, Self.doubled], .duplicate),
        ] {
            let error = #expect(throws: AppTableError.self) {
                try SyncLog.open(at: path, tables: tables)
            }
            #expect(error?.code == code && error?.hint != nil)
        }
        #expect(try TodoList(at: path).entries == ["Milk": false])
    }

    @Test func `two columns of one name, and one named id, are refused, and the log stays`()
        throws
    {
        _ = try TodoList(at: path).add("Milk")
        for (table, code, column) in [
            (Self.ids, AppTableError.Code.reserved, "ID"), (Self.twice, .duplicate, "Title"),
            (Self.quoted, .malformed, "\""),
        ] {
            let error = #expect(throws: AppTableError.self) {
                try SyncLog.open(at: path, tables: [table])
            }
            #expect(error?.code == code && error?.column == column && error?.hint != nil)
            #expect(error?.explanation.contains(column) == true)
        }
        #expect(try TodoList(at: path).entries == ["Milk": false])
    }

    @Test func `a table that the log was not opened with is the app's mistake`() async throws {
        _ = try TodoList(at: path).add("Milk")
        let replica = try SyncLog.open(at: path, tables: [Self.todo])
        // One of the same name is another table if its columns are others.
        for table in [Self.select, Self.ids] {
            let error = #expect(throws: AppTableError.self) { try replica.rows(of: table) }
            #expect(error?.code == .undeclared && error?.operation == "read the table")
            await #expect(throws: AppTableError.self) {
                for try await _ in replica.observe(table) {}
            }
        }
        #expect(try replica.rows(of: Self.todo).count == 1)
    }

    @Test func `a table of another kind is folded again`() throws {
        _ = try TodoList(at: path).add("Milk")
        #expect(try SyncLog.open(at: path, tables: [Self.todo]).rows(of: Self.todo).count == 1)
        #expect(try SyncLog.open(at: path, tables: [Self.note]).rows(of: Self.note).isEmpty)
    }

    @Test func `names of tables and columns may be words of SQL`() throws {
        let milk = try TodoList(at: path).add("Milk")
        let bread = try TodoList(at: path).add("Bread")
        let replica = try SyncLog.open(at: path, tables: [Self.select])
        #expect(try replica.rows(of: Self.select).count == 2)
        try replica.append([
            .set(["title": "Rye"], of: EntityKey(TodoList.kind, bread), as: "renamed")
        ])
        try replica.append([.delete(EntityKey(TodoList.kind, milk), as: "removed")])
        #expect(try replica.rows(of: Self.select).map(\.values) == [["Rye", .null]])
    }

    @Test func `what an entity lacks is null in a column that allows it, and no row elsewhere`()
        throws
    {
        let milk = try TodoList(at: path).add("Milk")
        let replica = try SyncLog.open(at: path, tables: [Self.noted])
        #expect(try replica.rows(of: Self.noted).map(\.values) == [["Milk", .null, .null]])
        let key = EntityKey(TodoList.kind, milk)
        try replica.append([.set(["note": "oat", "photo": .bytes([1])], of: key, as: "edited")])
        #expect(try replica.rows(of: Self.noted).map(\.values) == [["Milk", "oat", .bytes([1])]])
        try replica.append([.set(["note": 7], of: key, as: "edited")])
        #expect(try replica.rows(of: Self.noted).isEmpty)
    }

    @Test func `a table that the app no longer declares is dropped`() throws {
        _ = try TodoList(at: path).add("Milk")
        #expect(try !tables().contains("todo"))
        #expect(try tables().contains("event"))
        #expect(try TodoList(at: path).entries == ["Milk": false])
    }
}
