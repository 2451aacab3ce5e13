import Foundation
import MacrologTestSupport
import SyncLog
import Testing

/// A to-do list: the whole domain of another app.
private enum Todo {
    static let kind: Text = "todo"

    static let table = AppTable("todo", of: kind, columns: [.text("title"), .int("done")]) {
        _, fields in
        guard case .text(let title)? = fields["title"] else { return nil }
        return [.text(title), .int(fields["done"] == true ? 1 : 0)]
    }

    static func add(_ id: Identifier, _ title: Text) -> Draft {
        Draft("todo.added", [Change(EntityKey(kind, id), [.set(["title": .text(title)])])])
    }

    static func edit(_ id: Identifier, _ fields: ValueMap) -> Draft {
        Draft("todo.edited", [Change(EntityKey(kind, id), [.set(fields)])])
    }

    static func delete(_ id: Identifier) -> Draft {
        Draft("todo.deleted", [Change(EntityKey(kind, id), [.delete])])
    }
}

/// Goal: an app of another domain keeps, merges and syncs its log by the engine alone.
/// Method: two devices with a to-do list and a real server process; nothing but `SyncLog` is imported.
@Suite struct TodoTests {
    private struct App {
        let replica: Replica
        let account: Account

        init(_ name: String, at server: ServerProcess) async throws {
            let path = server.folder.file("\(name).db")
            replica = try SyncLog.open(at: path, tables: [Todo.table])
            account = Account(of: replica, session: SessionFile(path: path + ".session"))
            let (email, password) = ("ana@example.org", "nine purple lanterns hum")
            if name == "phone" {
                try await account.register(email: email, password: password, at: server.address)
            }
            try await account.logIn(
                email: email, password: password, at: server.address, deviceName: name)
        }

        /// The list as the app shows it.
        var list: [String: Bool] {
            get throws {
                var list: [String: Bool] = [:]
                for row in try replica.rows(of: Todo.table) {
                    guard case .text(let title) = row.values[0] else { continue }
                    list[title.string] = row.values[1] == .int(1)
                }
                return list
            }
        }
    }

    @Test func `two devices keep one list, offline and online`() async throws {
        let server = try ServerProcess()
        let (phone, laptop) = (
            try await App("phone", at: server), try await App("laptop", at: server)
        )
        let (milk, bread) = (phone.replica.newID(), phone.replica.newID())
        try phone.replica.record([Todo.add(milk, "Milk"), Todo.add(bread, "Bread")])
        // What is recorded is shown at once, without a network.
        #expect(try phone.list == ["Milk": false, "Bread": false])
        #expect(try laptop.list.isEmpty)
        for app in [phone, laptop] { try await app.account.sync() }
        #expect(try laptop.list == ["Milk": false, "Bread": false])

        // Offline, both change one entry in different fields, and one deletes the other entry.
        try phone.replica.record([Todo.edit(milk, ["done": true])])
        try laptop.replica.record([Todo.edit(milk, ["title": "Oat milk"]), Todo.delete(bread)])
        for app in [phone, laptop, phone] { try await app.account.sync() }
        for app in [phone, laptop] {
            #expect(try app.list == ["Oat milk": true])
            #expect(try app.replica.conflicts().isEmpty)
            #expect(try app.replica.fields(of: EntityKey(Todo.kind, bread)) == nil)
        }
    }

    @Test func `a conflict is the same on both devices, and is resolved by writing again`()
        async throws
    {
        let server = try ServerProcess()
        let (phone, laptop) = (
            try await App("phone", at: server), try await App("laptop", at: server)
        )
        let id = phone.replica.newID()
        try phone.replica.record([Todo.add(id, "Milk")])
        for app in [phone, laptop] { try await app.account.sync() }
        try phone.replica.record([Todo.edit(id, ["title": "Goat milk"])])
        try laptop.replica.record([Todo.edit(id, ["title": "Rice milk"])])
        for app in [phone, laptop, phone] { try await app.account.sync() }
        let conflicts = try phone.replica.conflicts()
        #expect(conflicts.count == 1)
        #expect(try laptop.replica.conflicts() == conflicts)
        let titles = conflicts.flatMap { [$0.winner] + $0.losers }.map(\.value)
        #expect(Set(titles) == ["Goat milk", "Rice milk"])
        let shown = (phone: try phone.list, laptop: try laptop.list)
        #expect(shown.phone == shown.laptop)

        try phone.replica.record([Todo.edit(id, ["title": "Soy milk"])])
        for app in [phone, laptop] { try await app.account.sync() }
        for app in [phone, laptop] {
            #expect(try app.replica.conflicts().isEmpty)
            #expect(try app.list == ["Soy milk": false])
        }
    }

    @Test func `tables of another version are folded again from the log`() throws {
        let folder = ScratchFolder()
        let path = folder.file("list.db")
        do {
            let replica = try SyncLog.open(at: path, tables: [Todo.table])
            try replica.record([Todo.add(replica.newID(), "Milk")])
        }
        let other = AppTable("task", of: Todo.kind, columns: [.int("length")]) { _, fields in
            guard case .text(let title)? = fields["title"] else { return nil }
            return [.int(Int64(title.string.count))]
        }
        let again = try SyncLog.open(at: path, tables: [other])
        #expect(try again.rows(of: other).map(\.values) == [[.int(4)]])
    }
}
