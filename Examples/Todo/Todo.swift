public import SyncLog

/// A to-do list: the whole domain of an app that keeps its log by ``SyncLog`` alone. It is compiled
/// as another package would be, so it can use only what is public.
public struct TodoList: Sendable {
    /// The open log.
    public let replica: Replica
    /// The account whose devices share the list.
    public let account: Account

    // show: table
    /// A row for each entry with a title.
    public static let table = AppTable("todo", of: kind, columns: [.text("title"), .int("done")]) {
        _, fields in
        guard case .text(let title)? = fields["title"] else { return nil }
        return [.text(title), .bool(fields["done"] == true)]
    }

    /// The kind of an entry in events.
    public static let kind: UTF8Text = "todo"
    // end

    /// Opens the list in a file, or creates it.
    public init(at path: String) throws {
        // show: open
        replica = try SyncLog.open(at: path, tables: [Self.table])
        account = Account(of: replica, session: SessionFile(path: path + ".session"))
        // end
    }

    /// Adds an entry.
    public func add(_ title: String) throws -> Identifier {
        // show: append
        let id = replica.newID()
        try replica.append([
            .set(["title": .text(UTF8Text(title))], of: EntityKey(Self.kind, id), as: "todo.added")
        ])
        // end
        return id
    }

    /// Gives an entry another title.
    public func rename(_ id: Identifier, _ title: String) throws {
        try edit(id, ["title": .text(UTF8Text(title))])
    }

    /// Marks an entry as done.
    public func finish(_ id: Identifier) throws { try edit(id, ["done": true]) }

    /// Deletes an entry.
    public func delete(_ id: Identifier) throws {
        try replica.append([.delete(EntityKey(Self.kind, id), as: "todo.deleted")])
    }

    /// Writes any fields, as another version of the app might.
    public func edit(_ id: Identifier, _ fields: ValueMap) throws {
        try replica.append([.set(fields, of: EntityKey(Self.kind, id), as: "todo.edited")])
    }

    /// Calls a block with the number of entries, now and after each change, until the task is cancelled.
    public func watch(_ show: @Sendable (_ count: Int) async -> Void) async throws {
        // show: watch
        for try await rows in replica.observe(Self.table) { await show(rows.count) }
        // end
    }

    /// The titles, and whether each entry is done.
    public var entries: [String: Bool] {
        get throws {
            var entries: [String: Bool] = [:]
            // show: rows
            for row in try replica.rows(of: Self.table) {
                guard case .text(let title) = row.values[0] else { continue }
                entries[title.string] = row.values[1] == .int(1)
            }
            // end
            return entries
        }
    }
}
