import Foundation
import HTTP
import HTTPServer
import Macrolog
import Sync
import Synchronization
import SQLite
import Testing

/// Goal: a new device of somebody with a long past can be used after a moment, records what its
/// person sees and nothing else, and ends as if it had never seen a snapshot.
/// Method: the real server with snapshots of short logs in small parts; a line that counts what goes
/// over it, and is cut where the test says.
@Suite struct NewDeviceTests {
    private let today = LocalDate(day: Day(year: 2026, month: 11, day: 20) ?? .earliest)
    private static let email = "ana@example.org"

    /// A line to the server.
    private final class Line: Sendable {
        let paths = Mutex<[String]>([])
        /// Whether a request may go.
        let allows = Mutex<@Sendable (HTTPRequest) -> Result<Void, TransportError>>({ _ in
            .success(())
        })
        /// An answer in the server's place.
        let answers = Mutex<@Sendable (HTTPRequest) -> HTTPResponse?>({ _ in nil })

        /// The parts that were asked for.
        var parts: [String] {
            paths.withLock { $0 }.filter { $0.hasPrefix("/v1/snapshot/") }
        }

        func cut(where isCut: @escaping @Sendable (HTTPRequest) -> Bool) {
            allows.withLock {
                $0 = { request in
                    isCut(request)
                        ? .failure(
                            TransportError(
                                reason: .unreachable(detail: "cut"), operation: request.path))
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
            if let answer = line.answers.withLock({ $0 })(request) { return answer }
            return try real.send(request, heldSeconds: heldSeconds)
        }

        func cancel() { real.cancel() }
    }

    private func meal(_ replica: Replica, _ name: String, _ day: LocalDate) -> Meal {
        Meal(
            id: replica.newID(), on: day, dishName: name, type: "lunch",
            nutrients: Nutrients(energy: 400_000, protein: 20_000))
    }

    private func mark(_ day: Day, _ status: DayStatus, _ replica: Replica) throws {
        var log = try replica.dayLog(on: day)
        log.status = status
        try replica.save(log)
    }

    /// A server where somebody has recorded so many meals, a day each, and said that each day is
    /// complete; and their phone.
    private func past(_ days: Int64) async throws -> (server: RealServer, phone: Account) {
        let server = try RealServer(snapshots: (eventsMin: 100, partBytes: 20_000))
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

    /// Syncs until the line is cut behind the first part.
    private func fetchFirstPart(_ laptop: Account, _ line: Line) async {
        line.cut { request in
            request.path.hasPrefix("/v1/snapshot/") && line.parts.count == 1
        }
        await #expect(throws: AccountError.self) { try await laptop.sync() }
    }

    private func hash(_ account: Account) throws -> [UInt8] {
        try account.replica.withStore { try $0.stateHash() }
    }

    @Test
    func `a new device can be used after the first part, and ends as one that folded the log`()
        async throws
    {
        let (server, phone) = try await past(200)
        let line = Line()
        let laptop = try await laptop(server, line)
        let seen = Mutex<[SyncProgress]>([])
        let done = try await laptop.sync { progress in seen.withLock { $0.append(progress) } }

        let steps = seen.withLock { $0 }
        let usable = try #require(steps.firstIndex { $0.arrival?.isUsable == true })
        #expect(steps[usable].cursor == 0 && steps[usable].arrival?.parts == 1)
        #expect((steps[usable].arrival?.partCount ?? 0) > 3)
        #expect(done.arrival == nil && (done.cursor, done.unsealed) == (400, 0))
        #expect(try hash(laptop) == hash(phone))
        #expect(try laptop.replica.withStore { try $0.correctedCount() } == 0)
        #expect(line.parts.count == Set(line.parts).count)

        // And afterwards nothing of it is left.
        try await laptop.sync()
        #expect(line.paths.withLock { $0.last } == "/v1/sync")
        #expect(try laptop.replica.syncStatus().arrival == nil)
    }

    @Test func `what is seen on the first screen is what the phone shows, and can be changed`()
        async throws
    {
        let (server, phone) = try await past(200)
        let line = Line()
        let laptop = try await laptop(server, line)
        await fetchFirstPart(laptop, line)
        let replica = laptop.replica
        #expect(try replica.syncStatus().arrival?.isUsable == true)
        #expect(try replica.syncStatus().cursor == 0)
        #expect(try replica.summary(of: today.day) == phone.replica.summary(of: today.day))

        // Recorded offline: something new, an edit, a deletion, and today.
        try replica.add(meal(replica, "Supper", today))
        let shown = try replica.meals(on: today.day)[0].meal
        var renamed = shown
        renamed.dishName = "Renamed"
        try replica.save(renamed)
        let yesterday = try #require(Day(number: today.day.number - 1))
        try replica.delete(Meal.self, try replica.meals(on: yesterday)[0].meal.id)
        try mark(today.day, .open, replica)
        // A day that nobody has said anything about.
        let tomorrow = try #require(Day(number: today.day.number + 1))
        try mark(tomorrow, .skipped, replica)

        // What was said about a day long ago has not come: nobody can say that they had seen it.
        let old = try #require(Day(number: today.day.number - 190))
        #expect(throws: ReplicaError(.notArrived)) { try mark(old, .open, replica) }
        // How it came about is not known yet, and that is no failure.
        #expect(try replica.history(of: Meal.self, shown.id).count == 1)
        #expect(try replica.disagreements().isEmpty)
        #expect(try replica.explain(today.day).isEmpty == false)
        #expect(throws: ReplicaError(.notArrived)) { try replica.past(upTo: .time(0)) }

        // What is new here can be taken back; an edit of what was there before can't be yet, because
        // what it was before is not known.
        try replica.save(try replica.require(Meal.self, shown.id).renamed("Typo"))
        #expect(throws: ReplicaError(.notArrived)) { try replica.undo() }
        try replica.save(try replica.require(Meal.self, shown.id).renamed("Renamed"))
        try replica.add(meal(replica, "Never mind", today))
        try replica.undo()

        // Meanwhile the phone goes on.
        try phone.replica.add(meal(phone.replica, "On the phone", today))
        try await phone.sync()

        line.cut { _ in false }
        #expect(try await laptop.sync().arrival == nil)
        try await phone.sync()
        try await laptop.sync()
        #expect(try hash(laptop) == hash(phone))
        for replica in [laptop.replica, phone.replica] {
            #expect(try replica.disagreements().isEmpty)
            #expect(try replica.meals(on: yesterday).isEmpty)
            #expect(
                Set(try replica.meals(on: today.day).map(\.meal.dishName)) == [
                    "Renamed", "Supper", "On the phone",
                ])
            try mark(old, .skipped, replica)
        }
    }

    @Test func `who is interrupted after any request goes on, and asks for no part twice`()
        async throws
    {
        let (server, phone) = try await past(200)
        let line = Line()
        let laptop = try await laptop(server, line)
        var rounds = 0
        while true {
            // One request a round, each in a process of its own.
            let count = line.paths.withLock { $0.count }
            line.cut { _ in line.paths.withLock { $0.count } > count }
            let isDone = (try? await laptop.sync()) != nil
            laptop.replica.letGo()
            rounds += 1
            if isDone, try laptop.replica.syncStatus().arrival == nil { break }
            try #require(rounds < 100)
        }
        #expect(rounds > 4 && line.parts.count == Set(line.parts).count)
        #expect(try hash(laptop) == hash(phone))
    }

    @Test func `an event that is spoiled while the rest is on its way is fetched again`()
        async throws
    {
        let (server, phone) = try await past(300)
        let line = Line()
        let laptop = try await laptop(server, line)
        let replica = laptop.replica
        // One request a round, until some of the log is here.
        while try replica.syncStatus().cursor == 0 {
            let count = line.paths.withLock { $0.count }
            try #require(count < 100)
            line.cut { _ in line.paths.withLock { $0.count } > count }
            _ = try? await laptop.sync()
            replica.letGo()
        }
        #expect(try replica.syncStatus().arrival != nil)
        try replica.withStore { store in
            try store.db.run("DROP TRIGGER event_refuses_update")
            try store.db.run(
                """
                UPDATE event SET body = CAST(x'FF' || substr(body, 2) AS BLOB)
                WHERE dot = (SELECT dot FROM seal WHERE n = 7)
                """)
        }
        replica.letGo()
        line.cut { _ in false }
        try await laptop.sync()
        try await laptop.sync()
        #expect(try replica.syncStatus().arrival == nil)
        #expect(try hash(laptop) == hash(phone))
    }

    @Test(arguments: [true, false])
    func `an own event that is spoiled while the rest is on its way does not stop it`(
        isMendable: Bool
    ) async throws {
        let (server, phone) = try await past(200)
        let line = Line()
        let laptop = try await laptop(server, line)
        await fetchFirstPart(laptop, line)
        let recorded = meal(laptop.replica, "Eggs", today)
        try laptop.replica.add(recorded)
        try laptop.replica.withStore { store in
            try store.db.run("DROP TRIGGER event_refuses_update")
            let row = try store.db.first("SELECT dot, body FROM event ORDER BY dot LIMIT 1") {
                (dot: $0.int(0), body: $0.bytes(1))
            }
            var (dot, body) = try #require(row)
            if isMendable { body[0] ^= 64 } else { body = [0] }
            try store.db.run("UPDATE event SET body = ? WHERE dot = ?", body, dot)
        }
        #expect(try laptop.replica.check() != [])
        #expect(try !laptop.replica.logHealth().isQueueSound)
        laptop.replica.letGo()
        line.cut { _ in false }
        for account in [laptop, phone, laptop] { try await account.sync() }
        let status = try laptop.replica.syncStatus()
        #expect(status.arrival == nil && status.unsealed == 0)
        #expect(status.lastRepair?.flipped == (isMendable ? 1 : 0))
        #expect(status.lastRepair?.lost == (isMendable ? 0 : 1))
        #expect(try hash(laptop) == hash(phone))
        #expect(try (phone.replica.meal(recorded.id) != nil) == isMendable)
        #expect(try laptop.replica.check() == [])
        #expect(try laptop.replica.logHealth().isQueueSound)
    }

    @Test(arguments: [404, 503])
    func `a server without snapshots, or too busy for one, brings the log as ever`(
        status: Int
    ) async throws {
        let (server, phone) = try await past(60)
        let line = Line()
        let asked = Mutex(0)
        line.answers.withLock {
            $0 = { request in
                guard request.path == "/v1/snapshot",
                    asked.withLock({
                        $0 += 1; return $0
                    }) == 1
                else { return nil }
                return HTTPResponse(
                    status: status, fields: [HTTPField("content-type", "application/problem+json")],
                    body: Array(#"{"type":"urn:macrolog:problem:x","title":"No."}"#.utf8))
            }
        }
        let laptop = try await laptop(server, line)
        if status == 503 { await #expect(throws: AccountError.self) { try await laptop.sync() } }
        try await laptop.sync()
        #expect(line.parts.isEmpty == (status == 404))
        #expect(try hash(laptop) == hash(phone))
    }

    @Test func `a snapshot that is another one between two parts is gone on with`() async throws {
        let (server, phone) = try await past(200)
        let line = Line()
        let laptop = try await laptop(server, line)
        line.cut { request in
            request.path.hasPrefix("/v1/snapshot/") && line.parts.count == 2
        }
        await #expect(throws: AccountError.self) { try await laptop.sync() }
        // Enough happens for a new snapshot, which another new device has made.
        for index in 0..<50 {
            try phone.replica.add(meal(phone.replica, "Later \(index)", today))
        }
        try await phone.sync()
        try await server.device("tablet", of: Self.email).sync()
        line.cut { _ in false }
        let before = line.paths.withLock { $0.filter { $0 == "/v1/snapshot" }.count }
        try await laptop.sync()
        #expect(line.paths.withLock { $0.filter { $0 == "/v1/snapshot" }.count } == before + 1)
        #expect(try hash(laptop) == hash(phone))
        #expect(try laptop.replica.withStore { try $0.correctedCount() } == 0)
    }

    @Test func `read models that are folded anew meanwhile lose nothing that is shown`()
        async throws
    {
        let (server, phone) = try await past(200)
        let line = Line()
        let laptop = try await laptop(server, line)
        await fetchFirstPart(laptop, line)
        let (before, after) = try laptop.replica.rebuild()
        #expect(before == after)
        #expect(try laptop.replica.summary(of: today.day) == phone.replica.summary(of: today.day))
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
