import MacrologEvents
import MacrologNutrition
import Testing

/// The four scenarios of AirFit's design, on a person of 180 lb whose resting energy is 1,750 kcal.
@Suite struct ScenarioTests {
    static let dynamic: GoalPlan = {
        var plan = GoalPlan(id: Identifier(high: 0, low: 1), startDate: .earliest)
        plan.mode = .dynamic
        return plan
    }()

    /// 180 lb; Mifflin-St Jeor gives 1,749.6 kcal.
    static let body = Body(
        weightGrams: 81_647, heightMillimeters: 1_749, age: 33, sex: .male,
        bodyFatBasisPoints: nil)

    static func targets(active: Int64) -> ComputedTargets {
        ComputedTargets(
            resting: 1_750_000, activity: .measured(active), weightGrams: body.weightGrams ?? 0)
    }

    @Test func `AirFit scenario 1: a training day grows from 2100 to 2550 kcal`() {
        #expect(Self.targets(active: 0).explanation(in: .kilocalories) == "2,100 + 0 = 2,100 kcal")
        #expect(
            Self.targets(active: 450_000).explanation(in: .kilocalories)
                == "2,100 + 450 = 2,550 kcal"
        )
        var facts = CoachFacts(
            now: 1_795_000_000_000, minuteOfDay: 1_050, totals: NutrientTotals(),
            active: 450_000)
        facts.workouts = [
            CoachFacts.Workout(
                name: "Strength training", minutes: 45, endedAt: 1_795_000_000_000 - 3_600_000)
        ]
        #expect(CoachMessage.all(facts).map(\.topic) == [.workout])
    }

    @Test func `AirFit scenario 2: a rest day is 2180 kcal, and calmly so`() throws {
        #expect(
            Self.targets(active: 80_000).explanation(in: .kilocalories) == "2,100 + 80 = 2,180 kcal"
        )
        let targets = Self.dynamic.targets(
            on: .earliest, body: Self.body, activity: .measured(80_000))
        var facts = CoachFacts(
            now: 1_795_000_000_000, minuteOfDay: 720, targets: targets, totals: NutrientTotals(),
            active: 80_000)
        let message = try #require(CoachMessage.all(facts).first { $0.topic == .rest })
        #expect(message.text.contains("recover"))
        // A short walk leaves the day quiet; an activity of unknown energy may not.
        facts.workouts = [CoachFacts.Workout(name: "Walk", minutes: 20)]
        #expect(CoachMessage.all(facts).map(\.topic) == [.rest])
        facts.isActivePartial = true
        #expect(CoachMessage.all(facts).isEmpty)
    }

    @Test func `AirFit scenario 3: a hike no one planned adds its 600 kcal by itself`() {
        var hike = ActivityEntry(
            id: Identifier(high: 0, low: 9), on: LocalDate(day: .earliest), name: "Hike")
        let before = DayEnergy(activities: [], days: []).activeMillikilocalories
        hike.energyMillikilocalories = 600_000
        let after = DayEnergy(activities: [hike], days: []).activeMillikilocalories
        #expect(
            Self.targets(active: after).energy - Self.targets(active: before).energy == 600_000)
        #expect(Self.targets(active: after).protein == Self.targets(active: before).protein)
    }

    @Test func `AirFit scenario 4: missing data is named, and 1800 is a guess only when allowed`() {
        let targets = Self.dynamic.targets(on: .earliest)
        #expect(targets.missing == .weight)
        #expect(targets[.energy] == nil)
        let guessed = Self.dynamic.targets(on: .earliest, allowsDefault: true)
        #expect(guessed[.energy]?.amount == 2_160_000, "1800 × 1.2")
        #expect(guessed[.protein] == nil, "without a weight there is no protein target")
        #expect(guessed.assumptions == [.everything])
        #expect(guessed.missing == .weight)
        let lines = TargetExplanation(of: Self.dynamic, on: .earliest, allowsDefault: true).lines
        #expect(lines.contains("Assumed: a resting energy of 1,800 kcal: log a weight"))
        #expect(lines.contains("Missing: no weight is known: log a weight"))
        let facts = CoachFacts(
            now: 0, minuteOfDay: 600, targets: targets, totals: NutrientTotals())
        #expect(
            CoachMessage.all(facts).first?.text
                == "Not known yet: no weight is known: log a weight."
        )
    }
}
