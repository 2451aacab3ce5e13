import Macrolog
import MacrologLog
import MacrologReadModels
import MacrologSQLite
import MacrologSystem
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: an observer reads again exactly when a commit wrote what it had read, in any process, and
/// always ends with what a fresh read says. Method: reads that are counted, on a real file; several
/// observers at once and actions by seed.
@Suite struct ObservingTests {
    private let folder = ScratchFolder()
    private let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private final class Counter: Sendable {
        private let count = Mutex(0)
        func add() { count.withLock { $0 += 1 } }
        var value: Int { count.withLock { $0 } }
    }

    private func open() throws -> Replica { try Replica.open(at: folder.file("log.db")) }

    private func meal(_ replica: Replica, _ kilocalories: Int64 = 300) -> Meal {
        Meal(
            id: replica.newID(), on: LocalDate(day: day), dishName: "Soup",
            nutrients: Nutrients(energy: kilocalories * 1_000))
    }

    private func weigh(_ replica: Replica, _ grams: Int64) throws {
        try replica.write { try $0.logWeight(grams: grams, on: LocalDate(day: day)) }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a weight does not read the meals again, a meal does`() async throws {
        let replica = try open()
        try replica.write { try $0.add(meal(replica)) }
        let (day, reads) = (day, Counter())
        var meals = replica.observe { diary in
            reads.add()
            return try diary.meals(on: day).count
        }.makeAsyncIterator()
        var weights = replica.observe { try $0.weighIns(on: day...day).count }.makeAsyncIterator()
        #expect(try await meals.next() == 1)
        #expect(try await weights.next() == 0)
        for count in 1...20 {
            try weigh(replica, 80_000 + Int64(count))
            #expect(try await weights.next() == count)
        }
        try replica.write { try $0.add(meal(replica)) }
        #expect(try await meals.next() == 2)
        #expect(reads.value == 2)
        // What was read and written before does not wake it again.
        for count in 21...25 {
            try weigh(replica, 80_000 + Int64(count))
            #expect(try await weights.next() == count)
        }
        try replica.write { try $0.add(meal(replica)) }
        #expect(try await meals.next() == 3)
        #expect(reads.value == 3)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a weight by another process reads the meals again, and so does a rebuild`() async throws {
        let replica = try open()
        try replica.write { try $0.add(meal(replica)) }
        let (day, reads) = (day, Counter())
        let values = replica.observe { diary in
            reads.add()
            // Each read differs, so that each comes.
            return try diary.meals(on: day).count * 0 + reads.value
        }
        var observed = values.makeAsyncIterator()
        #expect(try await observed.next() == 1)
        replica.releaseFile()
        let other = try Replica.open(at: replica.path)
        try weigh(other, 80_000)
        other.releaseFile()
        _ = try replica.device
        #expect(try await observed.next() == 2)
        _ = try replica.rebuild()
        #expect(try #require(try await observed.next()) >= 3)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a slow observer gets no value twice in a row`() async throws {
        let replica = try open()
        let day = day
        var meals = replica.observe { try $0.meals(on: day).count }.makeAsyncIterator()
        #expect(try await meals.next() == 0)
        // It asks for nothing while there is a meal, and none again.
        for _ in 0..<20 {
            try replica.write { try $0.add(meal(replica)) }
            await Task.yield()
            try replica.write { _ = try $0.undo() }
            await Task.yield()
        }
        let made = [meal(replica), meal(replica)]
        let writing = Task { try replica.write { for meal in made { try $0.add(meal) } } }
        #expect(try await meals.next() == 2)
        try await writing.value
    }

    @Test(.timeLimit(.minutes(10)))
    func `an observer waits while another process has the file`() async throws {
        let replica = try open()
        try replica.write { try $0.add(meal(replica)) }
        replica.releaseFile()
        let held = Mutex<LockFile?>(try LockFile.take(for: replica.path))
        let (day, pauses) = (day, Counter())
        var meals = replica.observeReplica(
            pause: {
                pauses.add()
                if pauses.value == 3 { held.withLock { $0 = nil } }
            },
            { replica, observer in
                try replica.withDiary(for: observer) { try $0.meals(on: day).count }
            }
        ).makeAsyncIterator()
        #expect(try await meals.next() == 1)
        #expect(pauses.value == 3)
    }

    @Test(.timeLimit(.minutes(10)))
    func `an error that is like that of a file in use ends an observer`() async throws {
        let (replica, pauses) = (try open(), Counter())
        var answers = replica.observeReplica(
            pause: { pauses.add() },
            { _, _ -> Int in throw ReplicaError(.busy, "another file is busy") }
        ).makeAsyncIterator()
        await #expect(throws: ReplicaError.self) { try await answers.next() }
        #expect(pauses.value == 0)
    }

    @Test(.timeLimit(.minutes(10)))
    func `the plan is among what a day's summary has read`() async throws {
        let replica = try open()
        let day = day
        var hasGoals = replica.observe { try $0.summary(of: day).targets != nil }
            .makeAsyncIterator()
        #expect(try await hasGoals.next() == false)
        var plan = GoalPlan(id: replica.newID(), startDate: day)
        plan.energyMillikilocalories = 2_000_000
        let made = plan
        try replica.write { try $0.add(made) }
        #expect(try await hasGoals.next() == true)
    }

    @Test func `what is recorded of entities says the kind of each`() throws {
        let replica = try open()
        var preferences = Preferences(id: Identities.preferences, fields: [:])
        preferences.dayStartMinutes = 240
        // No table has the name of one of these kinds.
        var profile = Profile(id: Identities.profile, fields: [:])
        profile.heightMillimeters = 1_700
        let drafts = [Draft.add(preferences, today: day), Draft.add(profile, today: day)]
        let now = replica.clock.read()
        let written = try replica.withStore { store in
            store.db.noteTouchedTables()
            store.db.forgetTouchedTables()
            try store.record(drafts, at: now)
            return store.db.writtenTables
        }
        for kind in [Preferences.kind, Profile.kind] {
            #expect(written.contains(kind.name.string), "\(written)")
        }
    }

    /// What the observers read: tables of read models, entities of a kind, and the log itself.
    private static let queries: [@Sendable (borrowing Diary, Day) throws -> String] = [
        { try "\($0.meals(on: $1))" },
        { try "\($0.summary(of: $1).totals)" },
        { try "\($0.weighIns(on: $1...$1))" },
        { try "\($0.entities(Water.self, on: $1...$1))" },
        { diary, _ in try "\(diary.preferences().fields)" },
        { diary, _ in try "\(diary.digests().cursor) \(diary.digests().days)" },
        { diary, _ in try "\(diary.latestEvents(3))" },
    ]

    @Test(.timeLimit(.minutes(10)))
    func `whatever happens, an observed value ends as a fresh read`() async throws {
        var dice = Dice.fresh("observing")
        let replica = try open()
        let day = day
        var streams = Self.queries.map { query in
            replica.observe { try query($0, day) }.makeAsyncIterator()
        }
        var last = try Self.queries.map { query in try replica.read { try query($0, day) } }
        for index in last.indices { #expect(try await streams[index].next() == last[index]) }
        for _ in 0..<40 {
            for _ in 0..<Int.random(in: 1...6, using: &dice) { try act(replica, &dice) }
            for (index, query) in Self.queries.enumerated() {
                let fresh = try replica.read { try query($0, day) }
                // Equal answers come once; an answer that never comes ends at the time limit.
                while last[index] != fresh {
                    last[index] = try #require(try await streams[index].next())
                }
            }
        }
    }

    private func act(_ replica: Replica, _ dice: inout Dice) throws {
        switch Int.random(in: 0...8, using: &dice) {
        case 0: try replica.write { try $0.add(meal(replica, dice.number(below: 900))) }
        case 1: try weigh(replica, 70_000 + dice.number(below: 20_000))
        case 2:
            let meals = try replica.read { try $0.meals(on: day) }
            guard let gone = meals.randomElement(using: &dice) else { return }
            try replica.write { try $0.delete(Meal.self, gone.meal.id) }
        case 3: do { try replica.write { _ = try $0.undo() } } catch is HistoryError {}
        case 4: _ = try replica.rebuild()
        case 5: replica.releaseFile()
        case 6:
            let microliters = dice.number(below: 900) * 1_000
            try replica.write {
                try $0.add(Water(id: $0.newID(), on: LocalDate(day: day), microliters: microliters))
            }
        case 7:
            let minutes = dice.number(below: 300)
            try replica.write {
                var preferences = try $0.preferences()
                preferences.dayStartMinutes = minutes
                try $0.save(preferences)
            }
        default:
            replica.releaseFile()
            let other = try Replica.open(at: replica.path)
            try other.write { try $0.add(meal(other)) }
            other.releaseFile()
        }
    }
}

extension Dice {
    fileprivate mutating func number(below limit: Int64) -> Int64 {
        Int64.random(in: 1..<limit, using: &self)
    }
}
