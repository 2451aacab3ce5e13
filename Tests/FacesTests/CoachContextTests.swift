import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition
import Testing

/// Goal: a model reads of a day what AirFit's model read, in its order, and nothing that is not known.
/// Method: one day with everything, one with nothing, and one of which only the energy is known.
@Suite struct CoachContextTests {
    private static let now: Int64 = 1_795_000_000_000
    private static let hour: Int64 = 3_600_000

    /// A day of 2,550 kcal: 2,100 and 450 of activity.
    private static func facts(_ eaten: Nutrients) -> CoachFacts {
        var plan = GoalPlan(id: Identifier(high: 0, low: 1), startDate: .earliest)
        plan.mode = .dynamic
        // Katch-McArdle: 370 + 21.6 × 63.8889 kg = 1,750 kcal.
        let targets = plan.targets(
            on: .earliest, body: Body(weightGrams: 79_861, bodyFatBasisPoints: 2_000),
            activity: .measured(450_000))
        return CoachFacts(
            now: now, minuteOfDay: 720, targets: targets,
            totals: NutrientTotals(own: eaten, items: []), active: 450_000)
    }

    @Test func `the context has AirFit's keys in AirFit's order, and its numbers`() {
        var facts = Self.facts(
            Nutrients(energy: 1_200_000, protein: 85_000, carbs: 150_000, fat: 40_000))
        facts.workouts = [
            CoachFacts.Workout(
                name: "strength training - legs", minutes: 45, endedAt: Self.now - Self.hour)
        ]
        facts.lastMealAt = Self.now - 2 * Self.hour
        #expect(
            CoachContext(facts).json.compact == """
                {"baseCalories":2100,"activeCaloriesEarned":450,"totalTarget":2550,\
                "currentIntake":{"calories":1200,"protein":85,"carbs":150,"fat":40},\
                "workoutsToday":["45 min strength training - legs"],\
                "lastMealTime":"2 hours ago","timeSinceWorkout":"1 hour"}
                """)
    }

    @Test func `what is unknown is null, and nothing eaten is zero`() {
        let nothing = CoachFacts(now: 0, minuteOfDay: 0, totals: NutrientTotals())
        #expect(
            CoachContext(nothing).json.compact == """
                {"baseCalories":null,"activeCaloriesEarned":null,"totalTarget":null,\
                "currentIntake":{"calories":0,"protein":0,"carbs":0,"fat":0},\
                "workoutsToday":[],"lastMealTime":null,"timeSinceWorkout":null}
                """)
        let guessed = CoachContext(Self.facts(Nutrients(energy: 500_000))).json
        #expect(
            guessed["currentIntake"]?.compact
                == #"{"calories":500,"protein":null,"carbs":null,"fat":null}"#)
    }

    @Test
    func
        `the wider context has the keys of the second design in their order, and null for what is not logged`()
    {
        var facts = Self.facts(Nutrients(energy: 500_000))
        let legs = CoachFacts.Workout(name: "legs", minutes: 45)
        facts.workouts = [legs]
        var known = CoachBackground()
        (known.resting, known.age, known.sex, known.steps) = (1_850_000, 28, .male, 10_000)
        known.workouts = [CoachFacts.Workout(name: "Run"), legs]
        known.goal = CoachBackground.goal(adjust: 200_000, grams: 80_000, target: 70_000)
        (known.weightMicrogramsPerWeek, known.metYesterdayBasisPoints) = (226_796_000, 7_500)
        facts.background = known
        #expect(
            CoachContext(wide: facts).json.compact == """
                {"bmr":1850,"age":28,"biologicalSex":"male","weeklyWorkouts":["Run","45 min legs"],\
                "todaysActivity":{"activeCalories":450,"workouts":["45 min legs"]},\
                "stepCount":10000,"hrv":null,"sleepHours":null,"sleepQuality":null,\
                "muscleSoreness":null,"primaryGoal":"muscle_gain","weeklyWeightChange":0.227,\
                "energyLevels":null,"mealTimingPreference":null,"previousDayCompliance":75}
                """)
        var checkIn = CheckIn(on: .earliest)
        (checkIn.sleepMinutes, checkIn.variabilityMicroseconds) = (440, 62_500)
        (checkIn.soreness, checkIn.energyLevel) = (2, 2)
        facts.background?.checkIn = checkIn
        let rested = CoachContext(wide: facts).json
        #expect(rested["hrv"]?.compact == "62.5" && rested["sleepHours"]?.compact == "7.333")
        #expect(rested["muscleSoreness"]?.compact == #"{"overall":2}"#)
        #expect(rested["energyLevels"]?.string == "low" && rested["sleepQuality"] == .null)
        facts.background = nil
        let unknown = CoachContext(wide: facts).json
        for key in ["bmr", "biologicalSex", "stepCount", "primaryGoal", "previousDayCompliance"] {
            #expect(unknown[key] == .null)
        }
        #expect(CoachBackground.goal(adjust: 0, grams: 80_000, target: 70_000) == .fatLoss)
        #expect(CoachBackground.goal(adjust: 0, grams: 80_000, target: nil) == nil)
    }
}
