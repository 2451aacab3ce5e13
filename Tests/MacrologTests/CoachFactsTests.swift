import Foundation
import Macrolog
import MacrologTestSupport
import Testing

/// Goal: a coach who is asked at a moment knows what has come by then, and nothing that comes later.
/// Method: one replica in a folder of its own, with a day of which everything has a time.
@Suite struct CoachFactsTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private func withReplica(_ body: (Replica) throws -> Void) throws {
        let folder = ScratchFolder()
        try body(
            try Replica.open(at: folder.file("log.db"), zone: LocalZone(name: "UTC") { _ in 0 }))
    }

    private func minute(_ minute: Int64) -> Int64 { (day.number * 1_440 + minute) * 60_000 }

    private func date(_ minute: Int64?, _ day: Day? = nil) -> LocalDate {
        LocalDate(
            day: day ?? self.day, occurredAt: minute.map { self.minute($0) }, offsetMinutes: 0)
    }

    private func meal(_ energy: Int64, at minute: Int64?, _ replica: Replica) -> Meal {
        Meal(
            id: replica.newID(), on: date(minute), slot: "lunch",
            nutrients: Nutrients(energy: energy * 1_000))
    }

    private func facts(at minute: Int64, _ replica: Replica) throws -> CoachFacts {
        try replica.read { try $0.coachFacts(at: self.minute(minute)) }
    }

    @Test func `a meal that is eaten before its planned time counts from then on`() throws {
        try withReplica { replica in
            var dinner = meal(900, at: 1_230, replica)
            dinner.isConsumed = false
            try replica.add(dinner)
            #expect(try facts(at: 1_085, replica).totals[.energy] == nil)
            dinner.isConsumed = true
            dinner.consumedAt = minute(1_080)
            try replica.save(dinner)
            #expect(try facts(at: 1_079, replica).lastMealAt == nil)
            let after = try facts(at: 1_085, replica)
            #expect(after.totals[.energy] == 900_000 && after.lastMealAt == minute(1_080))
            #expect(try facts(at: 1_240, replica).lastMealAt == minute(1_230))
        }
    }

    @Test func `what happens after the moment is left out`() throws {
        try withReplica { replica in
            try replica.logWeight(grams: 81_647, on: date(nil))
            try replica.add(BodyFat(id: replica.newID(), on: date(nil), basisPoints: 2_175))
            var plan = GoalPlan(id: replica.newID(), startDate: day)
            plan.mode = .dynamic
            plan.waterMicroliters = 2_000_000
            try replica.add(plan)
            try replica.add(meal(200, at: nil, replica))
            try replica.add(meal(1_000, at: 724, replica))
            try replica.add(Water(id: replica.newID(), on: date(600), microliters: 250_000))
            var walk = ActivityEntry(id: replica.newID(), on: date(540), name: "Walk")
            (walk.energyMillikilocalories, walk.durationSeconds) = (180_000, 3_600)
            try replica.add(walk)

            let early = try facts(at: 420, replica)
            #expect(early.totals[.energy] == 200_000, "a meal without a time may have been eaten")
            #expect(early.active == nil && early.workouts.isEmpty && early.lastMealAt == nil)
            #expect(early.targets?[.energy].map { ($0.amount + 500) / 1_000 } == 2_100)
            #expect(early.hydration?.totalMicroliters == 0)

            let noon = try facts(at: 720, replica)
            #expect(noon.totals[.energy] == 200_000 && noon.active == 180_000)
            #expect(noon.targets?[.energy].map { ($0.amount + 500) / 1_000 } == 2_280)
            #expect(noon.workouts.map(\.name) == ["Walk"])
            #expect(noon.hydration?.totalMicroliters == 250_000)
            #expect(try facts(at: 724, replica).totals[.energy] == 1_200_000)
            #expect(try replica.summary(of: day).totals[.energy] == 1_200_000, "the whole day")
        }
    }

    @Test func `a workout over midnight is spoken of after it`() throws {
        try withReplica { replica in
            let yesterday = day.advanced(by: -1)
            var run = ActivityEntry(
                id: replica.newID(), on: date(-45, yesterday), name: "Run")
            (run.energyMillikilocalories, run.durationSeconds) = (400_000, 3_600)
            try replica.add(run)
            let night = try facts(at: 30, replica)
            #expect(night.lastWorkout?.endedAt == minute(15))
            #expect(night.workouts.isEmpty && night.active == nil, "it counts for yesterday")
            #expect(CoachMessage.all(night).map(\.topic) == [.workout])
            #expect(try facts(at: 135, replica).lastWorkout != nil)
            #expect(try facts(at: 136, replica).lastWorkout == nil)
        }
    }

    @Test func `what is known around the day is collected when it is asked for`() throws {
        try withReplica { replica in
            let yesterday = day.advanced(by: -1)
            try replica.logWeight(
                grams: 80_700, on: LocalDate(day: day.advanced(by: -7)))
            try replica.logWeight(grams: 80_000, on: date(nil))
            var plan = GoalPlan(id: replica.newID(), startDate: yesterday)
            (plan.energyMillikilocalories, plan.proteinMilligrams) = (2_000_000, 100_000)
            try replica.add(plan)
            var profile = try replica.read { try $0.profile() }
            (profile.sex, profile.targetWeightGrams) = (.male, 75_000)
            try replica.put(profile)
            var eaten = Meal(id: replica.newID(), on: LocalDate(day: yesterday), slot: "lunch")
            (eaten[.energy], eaten[.protein]) = (2_000_000, 40_000)
            try replica.add(eaten)
            for (number, time) in [540, 1_000].enumerated() {
                var walk = ActivityEntry(
                    id: replica.newID(), on: date(Int64(time)), name: "Walk \(number)")
                (walk.energyMillikilocalories, walk.steps) = (100_000, 3_000)
                try replica.add(walk)
            }
            #expect(try facts(at: 720, replica).background == nil)
            let noon = minute(720)
            let known = try #require(
                try replica.read { try $0.coachFacts(at: noon, withBackground: true) }.background)
            #expect(known.sex == .male && known.goal == .fatLoss && known.steps == 3_000)
            #expect(known.workouts.map(\.name) == ["Walk 0"])
            #expect(known.metYesterdayBasisPoints == 5_000)
            #expect(known.weightMicrogramsPerWeek ?? 0 < 0)
        }
    }
}
