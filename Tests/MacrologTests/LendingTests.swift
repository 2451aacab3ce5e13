import Foundation
import MacrologLog
import Macrolog
import MacrologReadModels
import MacrologSQLite
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: what is read together belongs together, and what is written together is all there or not at
/// all. Method: blocks that succeed, throw in the middle, are nested or used by several threads, on a
/// real file.
@Suite struct LendingTests {
    private let folder = ScratchFolder()
    private let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private struct Stop: Error {}

    private func open() throws -> Replica { try Replica.open(at: folder.file("log.db")) }

    private func meal(_ replica: Replica, _ kilocalories: Int64 = 300) -> Meal {
        Meal(
            id: replica.newID(), on: LocalDate(day: day), dishName: "Soup",
            nutrients: Nutrients(energy: kilocalories * 1_000))
    }

    @Test func `what a block writes is there together, and one undo takes all of it back`() throws {
        let replica = try open()
        let (soup, bread) = (meal(replica), meal(replica, 200))
        let seen = try replica.write { diary in
            try diary.add(soup)
            try diary.add(bread)
            try diary.logWeight(grams: 80_200, on: LocalDate(day: day))
            return try diary.meals(on: day).count
        }
        #expect(seen == 2, "the block reads what it has written")
        #expect(Set(try replica.latestEvents(9).map(\.event.group)).count == 1)
        #expect(try replica.undo().events == 3)
        let report = try replica.dayReport(of: day)
        #expect(report.meals.isEmpty && report.weighIns.isEmpty)
        try replica.redo()
        #expect(try replica.meals(on: day).count == 2)
    }

    @Test func `a block that throws leaves nothing, in the file as in memory`() throws {
        let replica = try open()
        try replica.add(meal(replica))
        let before = try replica.latestEvents(9)
        #expect(throws: Stop.self) {
            try replica.write { diary in
                try diary.add(meal(replica))
                try diary.add(meal(replica))
                throw Stop()
            }
        }
        #expect(try replica.latestEvents(9) == before)
        #expect(try replica.meals(on: day).count == 1)
        replica.releaseFile()
        #expect(try replica.latestEvents(9) == before, "the file says the same")
        try replica.add(meal(replica))
        #expect(
            try replica.latestEvents(9).first?.event.dot.seq.rawValue == 2, "no gap, no dot twice")
    }

    @Test(arguments: [true, false])
    func `a large block keeps the device, whether it throws or not`(throwing: Bool) throws {
        let replica = try open()
        try replica.add(meal(replica))
        let device = try replica.device
        let undoable = meal(replica)
        try replica.add(undoable)
        var recorded = 0
        do {
            try replica.write { diary in
                for _ in 0..<2_500 {
                    try diary.logWeight(grams: 80_200, on: LocalDate(day: day))
                    recorded += 1
                }
                if throwing { throw Stop() }
            }
        } catch is Stop {}
        #expect(recorded == 2_500)
        replica.releaseFile()
        try replica.undo()
        #expect(try replica.meals(on: day).count == (throwing ? 1 : 2))
        // A device ID is rotated when the next event is recorded.
        #expect(try replica.device == device)
    }

    @Test func `what is added is looked up once, and refused where it is deleted`() throws {
        let replica = try open()
        try replica.add(meal(replica))
        try replica.write { diary in
            let today = try diary.today()
            func statements(
                _ diary: inout Diary, _ body: (inout Diary) throws -> Void
            ) throws -> Int64 {
                let before = try diary.withStore { $0.db.counters.statements }
                try body(&diary)
                return try diary.withStore { $0.db.counters.statements } - before
            }
            // The first event of an action opens a part of the transaction.
            try diary.add(meal(replica))
            try diary.add(meal(replica))
            let (recorded, added) = (meal(replica), meal(replica))
            let recording = try statements(&diary) { diary in
                _ = try diary.today()
                try diary.record([.add(recorded, today: today)])
            }
            #expect(try statements(&diary) { try $0.add(added) } == recording)
            try diary.delete(Meal.self, added.id)
            let item = MealItem(id: diary.newID(), of: added.id, name: "Rice")
            for body in [
                { try $0.add(added) }, { try $0.add(added, items: [item]) },
            ] as [(inout Diary) throws -> Void] {
                do { try body(&diary) } catch let error as DiaryError {
                    #expect(error.refusal?.code == .deleted(.meal))
                    continue
                }
                Issue.record("a deleted meal is added")
            }
        }
        #expect(try replica.meals(on: day).count == 4)
    }

    @Test func `what follows an undo in a block is an action of its own`() throws {
        let replica = try open()
        let (tea, soup, bread) = (meal(replica), meal(replica), meal(replica))
        try replica.add(tea)
        try replica.write { diary in
            try diary.add(soup)
            try diary.undo()
            try diary.add(bread)
        }
        #expect(try Set(replica.meals(on: day).map { $0.meal.id }) == [tea.id, bread.id])
        try replica.undo()
        #expect(try replica.meals(on: day).map { $0.meal.id } == [tea.id])
        try replica.redo()
        #expect(try Set(replica.meals(on: day).map { $0.meal.id }) == [tea.id, bread.id])
    }

    @Test func `a block may go on after a verb that was refused`() throws {
        let replica = try open()
        let soup = meal(replica)
        try replica.write { diary in
            try diary.add(soup)
            #expect(throws: DiaryError.self) { try diary.delete(Meal.self, diary.newID()) }
            do throws(DiaryError) { try diary.restore(Meal.self, diary.newID()) } catch {
                #expect(error.refusal?.code == .notFound(.meal))
            }
            try diary.markConsumed(soup.id, false)
        }
        #expect(try replica.require(Meal.self, soup.id).isConsumed == false)
        #expect(try replica.latestEvents(9).count == 2)
    }

    @Test func `an error inside a block says what was attempted, why it failed and what to do`()
        throws
    {
        let replica = try open()
        let soup = meal(replica)
        try replica.add(soup)
        try replica.write { diary in
            try diary.delete(Meal.self, soup.id)
            do { try diary.markConsumed(soup.id) } catch let error as any ExplainedError {
                #expect(error.operation == "change the meal")
                #expect(error.explanation == "that meal is deleted")
                #expect(error.hint != nil && !error.isRetryable)
            }
            do throws(DiaryError) { try diary.undo(group: diary.newID()) } catch {
                #expect(error.cause == .history(HistoryError(.noSuchEvent)))
            }
        }
        let past = try replica.snapshot(asOf: .event(replica.latestEvents(1)[0].event.dot))
        #expect(try past.meals(on: day).isEmpty)
        let error = #expect(throws: ReplicaError.self) { try past.write { try $0.add(meal(past)) } }
        #expect(error?.code == .readOnlySnapshot)
    }

    @Test func `what is deleted cannot be added unseen`() throws {
        let replica = try open()
        let (soup, bread) = (meal(replica), meal(replica))
        let item = MealItem(id: replica.newID(), of: soup.id, name: "Lentils")
        try replica.add(soup, items: [item])
        try replica.delete(Meal.self, soup.id)
        let count = try replica.latestEvents(9).count
        #expect(throws: EntryError(.deleted(.meal))) { try replica.add(soup) }
        try replica.write { try $0.restore(Meal.self, soup.id) }
        try replica.delete(MealItem.self, item.id)
        #expect(throws: EntryError(.deleted(.mealItem))) { try replica.add(item) }
        #expect(throws: EntryError(.deleted(.mealItem))) { try replica.add(bread, items: [item]) }
        #expect(try replica.meal(bread.id) == nil)
        #expect(try replica.latestEvents(9).count == count + 2)
    }

    @Test(.timeLimit(.minutes(10)))
    func `an observer sees what a rebuild has corrected`() async throws {
        let replica = try open()
        let soup = meal(replica)
        try replica.add(soup)
        let day = day
        var counts = replica.observe { try $0.meals(on: day).count }.makeAsyncIterator()
        #expect(try await counts.next() == 1)
        try replica.withStore { store in try store.db.run("DELETE FROM meal") }
        #expect(try replica.meals(on: day).isEmpty)
        try replica.write { diary in for _ in 0..<2 { try diary.add(meal(replica)) } }
        #expect(try await counts.next() == 2, "the new ones alone")
        _ = try replica.rebuild()
        #expect(try await counts.next() == 3)
    }

    @Test(.timeLimit(.minutes(10)))
    func `an observer sees what another process recorded while the file was released`() async throws
    {
        let replica = try open()
        try replica.add(meal(replica))
        let day = day
        var counts = replica.observe { try $0.meals(on: day).count }.makeAsyncIterator()
        #expect(try await counts.next() == 1)
        replica.releaseFile()
        let other = try Replica.open(at: replica.path)
        try other.add(meal(other))
        other.releaseFile()
        // The next use of the replica finds out.
        _ = try replica.device
        #expect(try await counts.next() == 2)
    }

    @Test func `random blocks leave what those that returned have written`() throws {
        var dice = Dice.fresh("random blocks")
        let replica = try open()
        var expected: Set<Identifier> = []
        for _ in 0..<60 {
            let fails = Int.random(in: 0..<3, using: &dice) == 0
            let count = Int.random(in: 0..<4, using: &dice)
            let deleted = Bool.random(using: &dice) ? expected.randomElement(using: &dice) : nil
            let added = (0..<count).map { _ in meal(replica) }
            try? replica.write { diary in
                for meal in added { try diary.add(meal) }
                if let deleted { try diary.delete(Meal.self, deleted) }
                if fails { throw Stop() }
            }
            if fails { continue }
            expected.formUnion(added.map { $0.id })
            if let deleted { expected.remove(deleted) }
        }
        #expect(try Set(replica.meals(on: day).map { $0.meal.id }) == expected)
        let hash = try replica.withStore { try $0.stateHash() }
        try replica.withStore { try $0.rebuild() }
        #expect(try replica.withStore { try $0.stateHash() } == hash)
    }

    @Test func `a block that uses the replica instead of its diary gets an error at once`() throws {
        let replica = try open()
        let other = try Replica.open(at: folder.file("other.db"))
        func code(_ body: () throws -> Void) -> ReplicaError.Code? {
            do { try body() } catch { return (error as? ReplicaError)?.code }
            return nil
        }
        let soup = meal(replica)
        #expect(
            code { try replica.read { _ in try replica.write { try $0.add(soup) } } } == .nested)
        #expect(code { try replica.write { _ in _ = try replica.meals(on: day) } } == .nested)
        #expect(
            code { try replica.read { _ in _ = try replica.read { $0.now } } } == .nested)
        #expect(ReplicaError.nested.hint == "call the diary that read or write has passed")
        try replica.write { diary in
            try diary.add(soup)
            try other.add(soup)
        }
        #expect(try other.meals(on: day) == replica.meals(on: day), "another log is not this one")
    }

    @Test func `a thread that records waits until a block has read`() async throws {
        let replica = try open()
        let (soup, day) = (meal(replica), day)
        let isDone = Atomic(false)
        let counts = try replica.read { diary in
            let before = try diary.meals(on: day).count
            Thread.detachNewThread {
                _ = try? replica.add(soup)
                isDone.store(true, ordering: .sequentiallyConsistent)
            }
            for _ in 0..<200 { _ = try diary.meals(on: day) }
            return [before, try diary.meals(on: day).count]
        }
        #expect(counts == [0, 0])
        eventually { isDone.load(ordering: .sequentiallyConsistent) }
        #expect(try replica.meals(on: day).count == 1)
    }

    @Test func `an observer hears of a block once, and a slow one of the newest state only`()
        async throws
    {
        let replica = try open()
        let day = day
        var counts = replica.observe { try $0.meals(on: day).count }.makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try replica.write { diary in
            for _ in 0..<3 { try diary.add(meal(replica)) }
        }
        #expect(try await counts.next() == 3)
        var slow = replica.observe { try $0.meals(on: day).count }.makeAsyncIterator()
        for _ in 0..<4 { try replica.add(meal(replica)) }
        #expect(try await slow.next() == 7)
    }

    @Test func `a copy of an earlier time is read, and refuses what a block writes`() throws {
        let replica = try open()
        try replica.add(meal(replica))
        let past = try replica.snapshot(asOf: .time(replica.now))
        #expect(try past.read { try $0.meals(on: day).count } == 1)
        #expect(throws: ReplicaError(LogError(.readOnlySnapshot))) {
            try past.write { try $0.add(meal(replica)) }
        }
    }

    @Test func `each replica counts days in its own zone`() throws {
        let hour: Int64 = 60
        let east = LocalZone(name: "Pacific/Kiritimati") { _ in 14 * hour }
        let west = LocalZone(name: "Pacific/Niue") { _ in -11 * hour }
        let noon: Int64 = 1_710_072_000_000
        let days = try [east, west].map { zone in
            let file = folder.file("\(zone.offsetMinutes(0)).db")
            let replica = try Replica.open(at: file, zone: zone)
            let date = try replica.localDate(at: noon)
            #expect(date.zone == zone.name)
            return date.day
        }
        #expect(days[1].distance(to: days[0]) == 1, "noon in UTC is tomorrow there")
    }
}

/// Goal: one read of a day says what the single reads say. Method: a day with something of every kind,
/// by way of both.
@Suite struct DayReportTests {
    private let folder = ScratchFolder()
    private let day = Day(year: 2024, month: 3, day: 10) ?? .earliest

    @Test func `a day's report holds what the single reads hold`() throws {
        let replica = try Replica.open(at: folder.file("log.db"))
        let date = LocalDate(day: day)
        let eaten = Meal(
            id: replica.newID(), on: date, slot: "lunch",
            nutrients: Nutrients(energy: 400_000, carbs: 50_000))
        var planned = PlanEntry(id: replica.newID(), on: date, slot: "dinner")
        planned.name = "Chili"
        try replica.write { diary in
            try diary.add(eaten)
            try diary.add(planned)
            try diary.logWeight(grams: 80_200, on: date)
            try diary.add(Water(id: diary.newID(), on: date, microliters: 250_000))
            try diary.add(Ketone(id: diary.newID(), on: date, micromoles: 1_200))
        }
        let report = try replica.dayReport(of: day)
        try replica.read { diary in
            #expect(try report.summary == diary.summary(of: day))
            #expect(try report.meals == diary.meals(on: day))
            #expect(try report.netCarbs == diary.netCarbs(of: report.meals[0]))
            #expect(try report.water == diary.hydration(on: day))
            #expect(try report.movement == diary.movement(on: day))
            #expect(try report.weighIns == diary.weighIns(on: day...day))
            #expect(try report.trend == diary.weightTrend(through: day))
            #expect(try report.ketones == diary.entities(Ketone.self, on: day...day))
            let today = try diary.today()
            #expect(report.today == today)
        }
        #expect(report.plan.map(\.name) == ["Chili"] && report.plan.first?.isDone == false)
        _ = try replica.write { try $0.perform(planned.id) }
        #expect(try replica.dayReport(of: day).plan.first?.isDone == true)
    }

    @Test func `a fast belongs to the days that it touches in the replica's own zone`() throws {
        let zone = LocalZone(name: nil) { _ in 60 }
        let replica = try Replica.open(at: folder.file("log.db"), zone: zone)
        // 20:00 to 00:30 local time, which is 23:30 UTC of the first day.
        let start: Int64 = 1_710_097_200_000
        let end = start + 4 * 3_600_000 + 1_800_000
        try replica.write { diary in
            try diary.startFast(at: start)
            try diary.endFast(at: end)
        }
        #expect(try replica.dayReport(of: day).fasts.count == 1)
        #expect(try replica.dayReport(of: day.advanced(by: 1)).fasts.count == 1)
        #expect(try replica.dayReport(of: day.advanced(by: 2)).fasts.isEmpty)
        // One that was never ended is also on the days up to today.
        try replica.write { try $0.startFast(at: start + 86_400_000) }
        #expect(try replica.dayReport(of: day.advanced(by: 4)).fasts.count == 1)
    }
}
