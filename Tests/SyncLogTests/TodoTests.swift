import Foundation
import MacrologTestSupport
import MacrologTodo
import SyncLog
import Testing

/// Goal: an app of another domain keeps, merges and syncs its log by the engine alone.
/// Method: two devices with a to-do list and a real server process; nothing but `SyncLog` is imported.
@Suite struct TodoTests {
    private func list(_ name: String, at server: ServerProcess) async throws -> TodoList {
        let list = try TodoList(at: server.folder.file("\(name).db"))
        let (email, password) = ("ana@example.org", "nine purple lanterns hum")
        if name == "phone" {
            try await list.account.register(email: email, password: password, at: server.address)
        }
        try await list.account.logIn(
            email: email, password: password, at: server.address, deviceName: name)
        return list
    }

    @Test func `two devices keep one list, offline and online`() async throws {
        let server = try ServerProcess()
        let (phone, laptop) = (
            try await list("phone", at: server), try await list("laptop", at: server)
        )
        let (milk, bread) = (try phone.add("Milk"), try phone.add("Bread"))
        // What is recorded is shown at once, without a network.
        #expect(try phone.entries == ["Milk": false, "Bread": false])
        #expect(try laptop.entries.isEmpty)
        for app in [phone, laptop] { try await app.account.sync() }
        #expect(try laptop.entries == ["Milk": false, "Bread": false])

        // Offline, both change one entry in different fields, and one deletes the other entry.
        try phone.finish(milk)
        try laptop.rename(milk, "Oat milk")
        try laptop.delete(bread)
        for app in [phone, laptop, phone] { try await app.account.sync() }
        for app in [phone, laptop] {
            #expect(try app.entries == ["Oat milk": true])
            #expect(try app.replica.allConflicts().isEmpty)
            #expect(try app.replica.fields(of: EntityKey(TodoList.kind, bread)) == nil)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a table is observed: now, after what is recorded here, and what another device did`()
        async throws
    {
        let server = try ServerProcess()
        let (phone, laptop) = (
            try await list("phone", at: server), try await list("laptop", at: server)
        )
        let (counts, continuation) = AsyncStream.makeStream(of: Int.self)
        let watching = Task { try await laptop.watch { continuation.yield($0) } }
        defer { watching.cancel() }
        var shown = counts.makeAsyncIterator()
        #expect(await shown.next() == 0)
        _ = try laptop.add("Bread")
        #expect(await shown.next() == 1)
        _ = try phone.add("Milk")
        for app in [phone, laptop] { try await app.account.sync() }
        #expect(await shown.next() == 2)
    }

    @Test func `a conflict is the same on both devices, and is resolved by writing again`()
        async throws
    {
        let server = try ServerProcess()
        let (phone, laptop) = (
            try await list("phone", at: server), try await list("laptop", at: server)
        )
        let id = try phone.add("Milk")
        for app in [phone, laptop] { try await app.account.sync() }
        try phone.rename(id, "Goat milk")
        try laptop.rename(id, "Rice milk")
        for app in [phone, laptop, phone] { try await app.account.sync() }
        let conflicts = try phone.replica.allConflicts()
        #expect(conflicts.count == 1)
        #expect(try laptop.replica.allConflicts() == conflicts)
        let titles = conflicts.flatMap { [$0.winner] + $0.losers }.map(\.value)
        #expect(Set(titles) == ["Goat milk", "Rice milk"])
        let shown = (phone: try phone.entries, laptop: try laptop.entries)
        #expect(shown.phone == shown.laptop)

        try phone.rename(id, "Soy milk")
        for app in [phone, laptop] { try await app.account.sync() }
        for app in [phone, laptop] {
            #expect(try app.replica.allConflicts().isEmpty)
            #expect(try app.entries == ["Soy milk": false])
        }
    }

    @Test func `tables of another version are folded again from the log`() throws {
        let folder = ScratchFolder()
        let path = folder.file("list.db")
        do {
            _ = try TodoList(at: path).add("Milk")
        }
        let other = AppTable("task", of: TodoList.kind, columns: [.int("length")]) { _, fields in
            guard case .text(let title)? = fields["title"] else { return nil }
            return [.int(Int64(title.string.count))]
        }
        let again = try SyncLog.open(at: path, tables: [other])
        #expect(try again.rows(of: other).map(\.values) == [[.int(4)]])
    }

    @Test func `what another version wrote into a field stops no device`() async throws {
        let server = try ServerProcess()
        let (phone, laptop) = (
            try await list("phone", at: server), try await list("laptop", at: server)
        )
        let wrong: [ValueMap] = [
            ["title": .array([1, "x"])], ["title": .null], ["title": .bytes([1])],
            ["title": "Fine", "done": .array([])],
        ]
        let milk = try phone.add("Milk")
        let strict = AppTable("strict", of: TodoList.kind, columns: [.text("title"), .int("done")])
        { _, fields in [fields["title"] ?? "", fields["done"] ?? false] }
        let path = server.folder.file("strict.db")
        let other = try SyncLog.open(at: path, tables: [strict])
        let account = Account(of: other, session: SessionFile(path: path + ".session"))
        try await account.logIn(
            email: "ana@example.org", password: "nine purple lanterns hum", at: server.address,
            deviceName: "tablet")
        for fields in wrong {
            try phone.edit(milk, fields)
            try await phone.account.sync()
            try await laptop.account.sync()
            try await account.sync()
            #expect(try other.rows(of: strict).isEmpty)
        }
        #expect(try laptop.entries == ["Fine": false])
        try phone.edit(milk, ["title": "Milk", "done": true])
        for list in [phone, laptop] { try await list.account.sync() }
        try await account.sync()
        #expect(try other.rows(of: strict).map(\.values) == [["Milk", 1]])
    }
}
