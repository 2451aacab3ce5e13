import Foundation
import Macrolog
import MacrologFormats
import MacrologGuide
import MacrologTestSupport
import Testing

/// Goal: what the pages of the library tell an app's author to write compiles with public names alone,
/// runs, and does what the page says.
/// Method: `Examples/Guide/Guide.swift` holds every block of the pages; it is called here with a real server.
@Suite struct GuideTests {
    @Test func `getting started: what was undone is back, and the edit is kept`() throws {
        let folder = ScratchFolder()
        let (day, foods) = try Guide.begin(at: folder.file("ana.db"))
        #expect(day.consumedMeals == 2 && day.totals[.energy] == 500_000 && foods.isEmpty)
        let replica = try Replica.open(at: folder.file("other.db"))
        #expect(try #require(Guide.explain(replica)).hasPrefix("Cannot redo: "))
        #expect(
            Guide.alert(EntryError(.noFastInProgress))
                == "Cannot end the fast: no fast in progress.")
    }

    @Test func `getting started: a date is on the day that its time zone says`() throws {
        // 2026-11-20 at 23:30 UTC.
        let date = Date(timeIntervalSince1970: 1_795_217_400)
        for (name, day, offset) in [
            ("Europe/Zurich", "2026-11-21", 60), ("America/New_York", "2026-11-20", -300),
        ] as [(String, String, Int64)] {
            let zone = try #require(TimeZone(identifier: name))
            let picked = try #require(Guide.day(of: date, in: zone))
            #expect("\(picked.day)" == day && picked.offsetMinutes == offset)
            #expect(picked.occurredAt == 1_795_217_400_000 && picked.zone?.string == name)
        }
    }

    @Test func `foods: 150 g have the nutrients of one and a half times 100 g`() throws {
        let folder = ScratchFolder()
        let replica = try Replica.open(at: folder.file("ana.db"))
        let totals = try #require(try Guide.eat(replica))
        #expect(totals[.energy] == 558_000 && totals[.protein] == 20_250)
    }

    @Test func `recipes, water, widgets: servings are eaten, a glass is drunk, and a widget reads`()
        throws
    {
        let folder = ScratchFolder()
        let replica = try Replica.open(at: folder.file("ana.db"))
        #expect(try Guide.cook(replica)?[.energy] == 393_750)
        #expect(try Guide.drink(replica) == 250_000)
        replica.releaseFile()
        #expect(try Guide.widget(at: folder.file("ana.db")).totals[.energy] == 393_750)
        #expect(try replica.summary(of: try replica.today()).consumedMeals == 1)
    }

    @Test func `files: a log comes back from its export, once, and a file is looked at first`()
        throws
    {
        let folder = ScratchFolder()
        let replica = try Replica.open(at: folder.file("ana.db"))
        _ = try Guide.eat(replica)
        let today = try replica.today()
        let files = try ["log.json", "meals.csv"].map { name in
            #expect(FileManager.default.createFile(atPath: folder.file(name), contents: nil))
            return try #require(FileHandle(forWritingAtPath: folder.file(name)))
        }
        #expect(try Guide.export(replica, to: files[0], and: files[1], on: today...today) == 1)
        let json = try Data(contentsOf: URL(filePath: folder.file("log.json")))
        #expect(try JSONSerialization.jsonObject(with: json) is [String: Any])
        let csv = try Data(contentsOf: URL(filePath: folder.file("meals.csv")))
        #expect(try Guide.bring(csv, into: replica) { $0.same == 1 && $1.isEmpty }?.new == 0)
        let other = try Replica.open(at: folder.file("other.db"))
        #expect(try Guide.bring(csv, into: other) { _, _ in true }?.new == 1)
        #expect(try other.summary(of: today).totals[.energy] == 558_000)
        // Nothing is written before the person agrees, and what is wrong with a row is shown.
        let rows = ["Date,Food,Energy (kcal)", "2026-11-20,Soup,300", "2026-11-20,Bread,many", ""]
        let sheet = Data(rows.joined(separator: "\n").utf8)
        let before = try other.meals(on: .earliest ... .latest).count
        let refused = try Guide.bring(sheet, into: other) { forecast, rejected in
            #expect(forecast.new == 1 && rejected.map(\.line) == [3])
            return false
        }
        #expect(try refused == nil && other.meals(on: .earliest ... .latest).count == before)
    }

    @Test func `observing: each change shows the day again, and several things belong together`()
        async throws
    {
        let folder = ScratchFolder()
        let replica = try Replica.open(at: folder.file("ana.db"))
        let now = try replica.localDate()
        let (shown, continuation) = AsyncStream.makeStream(of: Int.self)
        let task = Guide.watch(replica, now.day) { continuation.yield($0.consumedMeals) }
        defer { task.cancel() }
        var counts = shown.makeAsyncIterator()
        #expect(await counts.next() == 0)
        try replica.add(Meal(id: replica.newID(), on: now, dishName: "Soup"))
        #expect(await counts.next() == 1)
        // A widget records, and the app comes to the foreground.
        replica.releaseFile()
        let widget = try Replica.open(at: replica.path)
        try widget.add(Meal(id: widget.newID(), on: now, dishName: "Bread"))
        widget.releaseFile()
        try Guide.comeToForeground(replica)
        #expect(await counts.next() == 2)
        for try await screen in Guide.screens(replica, now.day) {
            #expect(screen.meals.count == screen.day.consumedMeals)
            break
        }
        #expect(try Guide.lookBack(replica).meals(on: now.day).isEmpty)
    }

    @Test
    func `two devices meet: both show one value, the other is a conflict, and it is resolved`()
        async throws
    {
        let server = try RealServer()
        let first = try Replica.open(at: server.folder + "/first.db")
        let owner = Account(of: first, session: SessionFile(path: first.path + ".session"))
        try await owner.register(
            email: "ana@example.org", password: RealServer.password, at: server.address)
        let met = try await Guide.meet(
            in: server.folder, at: server.address, password: RealServer.password)
        // Which of the two came later is a matter of a millisecond; all agree about it.
        #expect(met.phone == met.laptop)
        #expect([440_000, 460_000].contains(met.phone.totals[.energy]))
        #expect(met.conflicts.count == 1)
        let phone = try Replica.open(at: server.folder + "/phone.db")
        #expect(try Guide.list(phone).count == 1)
        try Guide.resolve(phone)
        #expect(try Guide.list(phone).isEmpty)
        let today = try phone.localDate().day
        #expect(try phone.summary(of: today).totals[.energy] != met.phone.totals[.energy])
    }

    @Test func `syncing: once, all the time, and everywhere`() async throws {
        let server = try RealServer()
        let replica = try Replica.open(at: server.folder + "/phone.db")
        let owner = Account(of: replica, session: SessionFile(path: replica.path + ".none"))
        try await owner.register(
            email: "ana@example.org", password: RealServer.password, at: server.address)
        let account = try await Guide.connect(
            replica, to: server.address, password: RealServer.password, deviceName: "phone")
        try replica.logWeight(grams: 80_200, on: try replica.localDate())
        let done = try await Guide.syncOnce(account)
        #expect(done.unsealed == 0 && done.head == 1)
        #expect(try Guide.isEverywhere(replica))
        #expect(try Guide.list(replica) == [])
        let syncing = Guide.keepSyncing(account)
        syncing.cancel()
        await syncing.value
    }

    @Test func `syncing: of a person who leaves nothing stays on the device`() async throws {
        let server = try RealServer()
        let folder = server.folder + "/ana"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let replica = try Replica.open(at: folder + "/log.db")
        let account = try await server.logIn(replica, "phone", of: "ana@example.org")
        try replica.logWeight(grams: 80_200, on: try replica.localDate())
        // What the server lacks is not lost by mistake.
        await #expect(throws: AccountError.unsynced(1)) {
            try await Guide.leave(replica, account, folder: folder)
        }
        try await account.sync()
        try await Guide.leave(replica, account, folder: folder)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }
}
