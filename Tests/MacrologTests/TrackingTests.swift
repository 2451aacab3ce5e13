import Foundation
import Macrolog
import MacrologTestSupport
import Testing

/// Goal: what an app records of water, body, movement and fasts is read back, counted once, and part of
/// the targets wherever these are asked for. Method: one replica in a folder of its own.
@Suite struct TrackingTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private func withReplica(_ body: (Replica) throws -> Void) throws {
        let folder = ScratchFolder()
        try body(try Replica.open(at: folder.file("log.db")))
    }

    private func minute(_ minute: Int64) -> Int64 { (day.number * 1_440 + minute) * 60_000 }

    private func date(_ minute: Int64? = nil) -> LocalDate {
        LocalDate(day: day, occurredAt: minute.map { self.minute($0) }, offsetMinutes: 0)
    }

    private func run(_ energy: Int64, by source: UTF8Text, at minute: Int64, _ replica: Replica)
        -> ActivityEntry
    {
        var run = ActivityEntry(id: replica.newID(), on: date(minute), name: "Running")
        run.energyMillikilocalories = energy
        run.durationSeconds = 3_600
        run.source = source
        return run
    }

    /// 180 lb, of which 21.75 % fat: 1,750 kcal at rest by Katch-McArdle.
    private func prepare(_ replica: Replica) throws {
        try replica.logWeight(grams: 81_647, on: date())
        try replica.add(BodyFat(id: replica.newID(), on: date(), basisPoints: 2_175))
        var plan = GoalPlan(id: replica.newID(), startDate: day)
        plan.mode = .dynamic
        try replica.add(plan)
    }

    @Test func `2 AirFit scenarios 1-4: what is burned moves the targets, in every reading`() throws
    {
        try withReplica { replica in
            try prepare(replica)
            #expect(
                try replica.read { try $0.targets(on: day) }.targets?.computed?.explanation(
                    in: .kilocalories)
                    == "2,100 + 0 = 2,100 kcal")
            let training = run(450_000, by: "manual", at: 480, replica)
            try replica.add(training)
            let readings = [
                try replica.read { try $0.targets(on: day) }.targets?.computed,
                try replica.summary(of: day).targets?.computed,
            ]
            for targets in readings {
                #expect(targets?.explanation(in: .kilocalories) == "2,100 + 450 = 2,550 kcal")
            }
            let mean = try replica.read { try $0.stats(over: day...day) }.targetAverage(
                of: .energy)?
                .amount
            #expect((2_549_500...2_550_500).contains(mean ?? 0))
            #expect(
                try replica.read { try $0.targets(on: day) }.explanation?.steps
                    .contains { $0.contains("2,100 + 450") } == true)
            try replica.delete(ActivityEntry.self, training.id)
            var tracked = EnergyDay(on: day, source: "watch")
            tracked.activeMillikilocalories = 80_000
            try replica.add(tracked)
            #expect(
                try replica.summary(of: day).targets?.computed?.explanation(in: .kilocalories)
                    == "2,100 + 80 = 2,180 kcal")
            try replica.add(run(680_000, by: "manual", at: 480, replica))
            #expect(
                try replica.summary(of: day).targets?.computed?.explanation(in: .kilocalories)
                    == "2,100 + 680 = 2,780 kcal",
                "600 more than on the day of rest")
        }
        try withReplica { replica in
            var plan = GoalPlan(id: replica.newID(), startDate: day)
            plan.mode = .dynamic
            try replica.add(plan)
            try replica.add(run(450_000, by: "manual", at: 480, replica))
            #expect(try replica.summary(of: day).targets?.missing == .weight)
        }
    }

    @Test func `a workout that two sources tell, and a tracker's day around it, count once`() throws
    {
        try withReplica { replica in
            try prepare(replica)
            try replica.add(run(450_000, by: "manual", at: 480, replica))
            try replica.add(run(430_000, by: "watch", at: 490, replica))
            #expect(
                try replica.read { try $0.movement(on: day) }.activeMillikilocalories == 450_000)
            #expect(try replica.read { try $0.movement(on: day) }.duplicates.count == 1)
            var tracked = EnergyDay(on: day, source: "watch")
            tracked.activeMillikilocalories = 520_000
            tracked.steps = 8_000
            try replica.add(tracked)
            var typed = EnergyDay(on: day, source: "manual")
            typed.steps = 8_200
            try replica.put(typed)
            let movement = try replica.read { try $0.movement(on: day) }
            #expect(movement.activeMillikilocalories == 520_000)
            #expect(movement.steps == 8_200)
            #expect(
                try replica.read { try $0.targets(on: day) }.targets?.computed?.active == 520_000)
        }
    }

    @Test func `a fixed plan stays as it is, whatever is burned`() throws {
        try withReplica { replica in
            var plan = GoalPlan(id: replica.newID(), startDate: day)
            plan.energyMillikilocalories = 2_000_000
            try replica.add(plan)
            try replica.add(run(450_000, by: "manual", at: 480, replica))
            #expect(try replica.summary(of: day).targets?[.energy]?.amount == 2_000_000)
        }
    }

    @Test func `body fat counts from the last reading, with a weight or without`() throws {
        try withReplica { replica in
            var first = WeighIn(id: replica.newID(), on: LocalDate(day: day), grams: 80_000)
            first.bodyFatBasisPoints = 2_200
            try replica.add(first)
            let next = day.advanced(by: 1)
            try replica.logWeight(grams: 80_000, on: LocalDate(day: next))
            #expect(try replica.read { try $0.bodyFat(upTo: next) } == 2_200)
            let later = LocalDate(day: next.advanced(by: 1))
            let caliper = BodyFat(id: replica.newID(), on: later, basisPoints: 2_000)
            try replica.add(caliper)
            #expect(try replica.read { try $0.bodyFat(upTo: next) } == 2_200)
            #expect(try replica.read { try $0.bodyFat(upTo: later.day) } == 2_000)
            let resting = try replica.withStore {
                try $0.body(of: Profile(id: Identities.profile, fields: [:]), on: later.day)
            }
            #expect(try RestingEnergy.estimate(for: resting).millikilocalories == 1_752_400)
            try replica.delete(BodyFat.self, caliper.id)
            #expect(try replica.read { try $0.bodyFat(upTo: later.day) } == 2_200)
        }
    }

    @Test func `weigh-ins of long ago give no forecast`() throws {
        try withReplica { replica in
            for (ago, grams) in [(14, 81_000), (7, 80_500), (0, 80_000)] as [(Int, Int64)] {
                try replica.logWeight(grams: grams, on: LocalDate(day: day.advanced(by: -ago)))
            }
            for (later, isThere) in [(0, true), (27, true), (28, false), (250, false)] {
                let outlook = try replica.read {
                    try $0.weightOutlook(on: day.advanced(by: later))
                }
                #expect((outlook != nil) == isThere, "\(later) days later")
            }
        }
    }

    @Test func `what was eaten without numbers is no intake of a day`() throws {
        try withReplica { replica in
            try prepare(replica)
            for ago in 1...20 {
                let date = LocalDate(day: day.advanced(by: -ago))
                try replica.logWeight(grams: 80_000, on: date)
                try replica.add(
                    Meal(
                        id: replica.newID(), on: date, dishName: "Soup",
                        nutrients: Nutrients(energy: 2_600_000)))
                guard ago <= 8 else { continue }
                try replica.add(
                    Meal(id: replica.newID(), on: date, dishName: "Restaurant"))
            }
            let report = try replica.read { try $0.targets(on: day) }
            #expect(report.expenditure?.intakeDays == 12)
            #expect(report.expenditure?.meanIntake == 2_600_000)
        }
    }

    @Test func `water is summed against the target, that in food where it is to count`() throws {
        try withReplica { replica in
            var plan = GoalPlan(id: replica.newID(), startDate: day)
            plan.waterMicroliters = 2_000_000
            try replica.add(plan)
            for _ in 0..<3 {
                try replica.add(Water(id: replica.newID(), on: date(), microliters: 250_000))
            }
            var melon = Meal(
                id: replica.newID(), on: date(), dishName: "Melon", slot: "snack",
                nutrients: Nutrients(energy: 60_000))
            melon[.water] = 180_000
            try replica.add(melon)
            let water = try replica.read { try $0.hydration(on: day) }
            #expect(water.totalMicroliters == 750_000)
            #expect(water.remainingMicroliters == 1_250_000)
            var preferences = try replica.preferences()
            preferences.countsFoodWater = true
            try replica.put(preferences)
            #expect(try replica.read { try $0.hydration(on: day) }.totalMicroliters == 930_000)
            melon.isConsumed = false
            try replica.save(melon)
            #expect(try replica.read { try $0.hydration(on: day) }.totalMicroliters == 750_000)
        }
    }

    @Test func `a fast starts in the future only as far as two clocks differ`() throws {
        try withReplica { replica in
            let now = replica.now
            let finding = #expect(throws: EntryError.self) {
                try replica.write { try $0.startFast(at: now + 10 * 60_000) }
            }
            guard case .invalid(let findings)? = finding?.code else {
                Issue.record("not refused")
                return
            }
            #expect(findings.map(\.field) == ["started_at"])
            try replica.write { try $0.startFast(at: now + 3 * 60_000) }
        }
    }

    @Test func `one fast is on at a time, until it ends or is cancelled`() throws {
        try withReplica { replica in
            #expect(throws: EntryError(.noFastInProgress)) {
                try replica.write { try $0.endFast() }
            }
            let start = minute(1_200)
            let fast = try replica.write {
                try $0.startFast(at: start, targetMinutes: 960, preset: "16:8")
            }.fast
            #expect(throws: EntryError(.fastInProgress)) {
                try replica.write { try $0.startFast(at: start + 1) }
            }
            #expect(throws: EntryError.self) {
                try replica.write { try $0.endFast(at: start - 1) }
            }
            let end = start + 965 * 60_000
            #expect(try replica.write { try $0.endFast(at: end) }.fast.id == fast.id)
            let span = try #require(try replica.read { try $0.fasting() }.spans.first)
            #expect(span.minutes(at: .max) == 965)
            #expect(span.hasReachedTarget(at: end) == true)
            let second = try replica.write { try $0.startFast(at: end + 60_000) }.fast
            #expect(try replica.write { try $0.cancelFast(at: end + 120_000) }.id == second.id)
            #expect(try replica.read { try $0.fasting() }.spans.count == 1)
            try replica.write { try $0.startFast(at: end + 180_000) }
            let words = try replica.latestEvents(10).map(\.event.type.string)
            #expect(
                words == [
                    "fast.started", "fast.cancelled", "fast.started", "fast.ended", "fast.started",
                ])
        }
    }

    @Test func `what was deleted and is put again comes back with its new value`() throws {
        try withReplica { replica in
            var steps = EnergyDay(on: day, source: "manual")
            steps.steps = 8_200
            try replica.put(steps)
            _ = try replica.undo()
            #expect(try replica.read { try $0.movement(on: day) }.steps == nil)
            steps.steps = 9_000
            try replica.put(steps)
            #expect(try replica.read { try $0.movement(on: day) }.steps == 9_000)
            let count = try replica.latestEvents(10).count
            try replica.put(steps)
            #expect(try replica.latestEvents(10).count == count, "nothing new is no event")
        }
    }

    @Test func `an observer of the day's water sees each drink`() async throws {
        let folder = ScratchFolder()
        let replica = try Replica.open(at: folder.file("log.db"))
        let day = day
        var totals = replica.observe { try $0.hydration(on: day).totalMicroliters }
            .makeAsyncIterator()
        #expect(try await totals.next() == 0)
        try replica.add(Water(id: replica.newID(), on: date(), microliters: 250_000))
        #expect(try await totals.next() == 250_000)
    }
}
