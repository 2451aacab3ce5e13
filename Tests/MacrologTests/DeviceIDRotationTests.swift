import Foundation
import MacrologHTTP
import MacrologHTTPServer
import Macrolog
import MacrologEngine
import Synchronization
import MacrologSQLite
import Testing

/// Goal: a new device of an account with a long past takes the log page by page, shows each page at
/// once, can record meanwhile, and ends with the state of the other devices.
/// Method: the real server; a line that counts what goes over it, and is cut where the test says.
@Suite struct DeviceIDRotationTests {
    private let today = LocalDate(day: Day(year: 2026, month: 11, day: 20) ?? .earliest)
    private static let email = "ana@example.org"

    /// A line to the server.
    private final class Line: Sendable {
        let paths = Mutex<[String]>([])
        /// Whether a request may go.
        let allows = Mutex<@Sendable (HTTPRequest) -> Result<Void, TransportError>>({ _ in
            .success(())
        })

        /// How many exchanges went over it.
        var exchanges: Int {
            paths.withLock { $0 }.count { $0 == "/v1/sync" }
        }

        func cut(where isCut: @escaping @Sendable (HTTPRequest) -> Bool) {
            allows.withLock {
                $0 = { request in
                    isCut(request)
                        ? .failure(
                            TransportError(
                                code: .unreachable(detail: "cut"), operation: request.path))
                        : .success(())
                }
            }
        }
    }

    private struct LineTransport: Transport {
        let line: Line
        let real: ServerTransport

        func send(
            _ request: HTTPRequest, heldSeconds: Int64
        ) throws(TransportError) -> HTTPResponse {
            try line.allows.withLock { $0 }(request).get()
            line.paths.withLock { $0.append(request.path) }
            return try real.send(request, heldSeconds: heldSeconds)
        }

        func cancel() { real.cancel() }
    }

    private func meal(_ replica: Replica, _ name: String, _ day: LocalDate) -> Meal {
        Meal(
            id: replica.newID(), on: day, dishName: name, slot: "lunch",
            nutrients: Nutrients(energy: 400_000, protein: 20_000))
    }

    private func mark(_ day: Day, _ status: DayStatus, _ replica: Replica) throws {
        var log = try replica.read { try $0.dayLog(on: day) }
        log.status = status
        try replica.save(log)
    }

    /// A server where someone has recorded this many meals, a day each, and said that each day is
    /// complete; and their phone.
    private func past(_ days: Int64) async throws -> (server: RealServer, phone: Account) {
        let server = try RealServer()
        let phone = try await server.device("phone", of: Self.email)
        for back in (0..<days).reversed() {
            guard let day = Day(number: today.day.number - back) else { continue }
            try phone.replica.add(meal(phone.replica, "Dish \(back)", LocalDate(day: day)))
            try mark(day, .complete, phone.replica)
        }
        try await phone.sync()
        return (server, phone)
    }

    private func laptop(_ server: RealServer, _ line: Line) async throws -> Account {
        try await server.device("laptop", of: Self.email) {
            LineTransport(line: line, real: ServerTransport($0))
        }
    }

    /// Syncs until the line is cut after the first page.
    private func fetchFirstPage(_ laptop: Account, _ line: Line) async throws {
        let before = line.exchanges
        line.cut { request in request.path == "/v1/sync" && line.exchanges > before }
        await #expect(throws: AccountError.self) { try await laptop.sync() }
        let status = try laptop.replica.syncStatus()
        #expect(status.cursor == 500 && status.head == 600)
    }

    private func hash(_ account: Account) throws -> [UInt8] {
        try account.replica.withStore { try $0.stateHash() }
    }

    @Test func `a new device shows each page as it comes, and ends with the state of the other`()
        async throws
    {
        let (server, phone) = try await past(300)
        let line = Line()
        let laptop = try await laptop(server, line)
        let replica = laptop.replica
        let seen = Mutex<[(cursor: Int64, head: Int64, meals: Int)]>([])
        let done = try await laptop.sync { held, head, _ in
            let meals = try? replica.meals(on: Day.earliest...Day.latest).count
            seen.withLock { $0.append((held, head, meals ?? 0)) }
        }

        let steps = seen.withLock { $0 }
        #expect(steps.first?.cursor == 500 && steps.first?.head == 600)
        #expect(steps.first?.meals == 250)
        #expect(steps.last?.meals == 300)
        #expect((done.cursor, done.head, done.unsealed) == (600, 600, 0))
        #expect(try hash(laptop) == hash(phone))
        // It asks for nothing but the log.
        #expect(!line.paths.withLock { $0 }.contains { $0.hasPrefix("/v1/snapshot") })
    }

    @Test func `what is recorded before the log is all here merges with what comes after`()
        async throws
    {
        let (server, phone) = try await past(300)
        let line = Line()
        let laptop = try await laptop(server, line)
        try await fetchFirstPage(laptop, line)
        let replica = laptop.replica
        let first = try #require(Day(number: today.day.number - 299))
        #expect(try replica.summary(of: first) == phone.replica.summary(of: first))

        // Recorded offline: something new, an edit, a deletion, a day that is here, one that is not.
        try replica.add(meal(replica, "Supper", today))
        let shown = try replica.meals(on: first)[0].meal
        try replica.save(shown.renamed("Renamed"))
        let second = try #require(Day(number: first.number + 1))
        try replica.delete(Meal.self, try replica.meals(on: second)[0].meal.id)
        try mark(first, .open, replica)
        try mark(today.day, .skipped, replica)
        #expect(try replica.read { try $0.history(of: Meal.self, shown.id) }.count == 2)
        #expect(try replica.conflicts().isEmpty)
        // What was done here can be undone, and the log can be seen as it was.
        try replica.save(try replica.require(Meal.self, shown.id).renamed("Typo"))
        try replica.undo()
        #expect(try replica.snapshot(asOf: .time(0)).meals(on: first).isEmpty)

        // Meanwhile the phone continues.
        try phone.replica.add(meal(phone.replica, "On the phone", today))
        try await phone.sync()

        line.cut { _ in false }
        for account in [laptop, phone, laptop] { try await account.sync() }
        #expect(try hash(laptop) == hash(phone))
        // What the laptop said of today had not seen what the phone had said before.
        #expect(try replica.conflicts() == phone.replica.conflicts())
        #expect(try replica.conflicts().count == 1)
        for replica in [laptop.replica, phone.replica] {
            #expect(try replica.meals(on: second).isEmpty)
            #expect(try replica.meals(on: first).map(\.meal.dishName) == ["Renamed"])
            #expect(
                Set(try replica.meals(on: today.day).map(\.meal.dishName)) == [
                    "Dish 0", "Supper", "On the phone",
                ])
        }
    }

    @Test func `who is interrupted after any request continues, and asks for no page twice`()
        async throws
    {
        let (server, phone) = try await past(300)
        let line = Line()
        let laptop = try await laptop(server, line)
        var cursors: [Int64] = []
        while true {
            // One request a round, each in a process of its own.
            let count = line.paths.withLock { $0.count }
            line.cut { _ in line.paths.withLock { $0.count } > count }
            let isDone = (try? await laptop.sync()) != nil
            laptop.replica.releaseFile()
            cursors.append(try laptop.replica.syncStatus().cursor)
            if isDone { break }
            try #require(cursors.count < 100)
        }
        #expect(cursors.prefix(2) == [500, 600])
        #expect(try hash(laptop) == hash(phone))
    }

    @Test func `an event that is spoiled while the rest is on its way is fetched again`()
        async throws
    {
        let (server, phone) = try await past(300)
        let line = Line()
        let laptop = try await laptop(server, line)
        let replica = laptop.replica
        try await fetchFirstPage(laptop, line)
        try replica.withStore { store in
            try store.db.run("DROP TRIGGER event_refuses_update")
            try store.db.run(
                """
                UPDATE event SET body = CAST(x'FF' || substr(body, 2) AS BLOB)
                WHERE dot = (SELECT dot FROM seal WHERE n = 7)
                """)
        }
        replica.releaseFile()
        line.cut { _ in false }
        try await laptop.sync()
        try await laptop.sync()
        #expect(try hash(laptop) == hash(phone))
    }

    @Test(arguments: [true, false])
    func `an own event that is spoiled while the rest is on its way does not stop it`(
        isOneBit: Bool
    ) async throws {
        let (server, phone) = try await past(300)
        let line = Line()
        let laptop = try await laptop(server, line)
        try await fetchFirstPage(laptop, line)
        let recorded = meal(laptop.replica, "Eggs", today)
        try laptop.replica.add(recorded)
        try laptop.replica.withStore { store in
            try store.db.run("DROP TRIGGER event_refuses_update")
            let row = try store.db.first("SELECT dot, body FROM event ORDER BY dot LIMIT 1") {
                (dot: $0.int(0), body: $0.bytes(1))
            }
            var (dot, body) = try #require(row)
            if isOneBit { body[0] ^= 64 } else { body = [0] }
            try store.db.run("UPDATE event SET body = ? WHERE dot = ?", body, dot)
        }
        #expect(try laptop.replica.check() != [])
        #expect(try !laptop.replica.logHealth().isQueueSound)
        laptop.replica.releaseFile()
        line.cut { _ in false }
        for account in [laptop, phone, laptop] { try await account.sync() }
        let status = try laptop.replica.syncStatus()
        #expect(status.unsealed == 0)
        #expect(status.lastRepair?.lost == 1)
        #expect(try hash(laptop) == hash(phone))
        #expect(try phone.replica.meal(recorded.id) == nil)
        #expect(try laptop.replica.check() == [])
        #expect(try laptop.replica.logHealth().isQueueSound)
    }

    @Test func `read models that are folded again meanwhile lose nothing that is shown`()
        async throws
    {
        let (server, phone) = try await past(300)
        let line = Line()
        let laptop = try await laptop(server, line)
        try await fetchFirstPage(laptop, line)
        let (before, after) = try laptop.replica.rebuild()
        #expect(before == after)
        line.cut { _ in false }
        try await laptop.sync()
        #expect(try hash(laptop) == hash(phone))
    }
}

extension Meal {
    fileprivate func renamed(_ name: String) -> Meal {
        var meal = self
        meal.dishName = name
        return meal
    }
}
