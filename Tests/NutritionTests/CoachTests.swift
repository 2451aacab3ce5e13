import MacrologEvents
import MacrologNutrition
import Testing

@Suite struct CoachTests {
    static let now: Int64 = 1_795_000_000_000
    static let hour: Int64 = 3_600_000

    /// A day of 2,550 kcal: 2,100 and 450 of activity.
    static let targets: DayTargets = {
        var plan = GoalPlan(id: Identifier(high: 0, low: 1), startDate: .earliest)
        plan.mode = .dynamic
        // Katch-McArdle: 370 + 21.6 × 63.8889 kg = 1,750 kcal.
        return plan.targets(
            on: .earliest, body: Body(weightGrams: 79_861, bodyFatBasisPoints: 2_000),
            activity: .measured(450_000))
    }()

    static func eaten(_ energy: Int64, protein: Int64 = 158_000) -> NutrientTotals {
        NutrientTotals(
            own: Nutrients(
                energy: energy * 1_000, protein: protein, carbs: 150_000, fat: 40_000),
            items: [])
    }

    static func facts(_ totals: NutrientTotals, minute: Int64 = 720) -> CoachFacts {
        CoachFacts(now: now, minuteOfDay: minute, targets: targets, totals: totals, active: 450_000)
    }

    static func topics(_ facts: CoachFacts) -> [CoachMessage.Topic] {
        CoachMessage.all(facts).map(\.topic)
    }

    @Test func `a workout is mentioned for two hours, until something is eaten`() {
        var facts = Self.facts(Self.eaten(1_500))
        facts.workouts = [
            CoachFacts.Workout(name: "Run", minutes: 30, endedAt: Self.now - Self.hour)
        ]
        #expect(
            CoachMessage.all(facts).first?.text
                == "Run ended 1 hour ago: 30 to 40 g of protein in the next hour would support recovery."
        )
        facts.lastMealAt = Self.now - 600_000
        #expect(Self.topics(facts) == [])
        facts.lastMealAt = nil
        facts.workouts[0] = CoachFacts.Workout(name: "Run", endedAt: Self.now - 3 * Self.hour)
        #expect(Self.topics(facts) == [])
        facts.workouts[0] = CoachFacts.Workout(name: "Run", endedAt: Self.now + Self.hour)
        #expect(Self.topics(facts) == [], "it has not ended yet")
    }

    @Test func `what is left is said in the evening, what is above at any hour`() throws {
        #expect(Self.topics(Self.facts(Self.eaten(1_750))) == [])
        let evening = CoachMessage.all(Self.facts(Self.eaten(1_750), minute: 1_200))
        #expect(evening.map(\.topic) == [.energyLeft])
        #expect(
            evening.first?.text
                == "800 kcal of today's 2,550 kcal are left. Another meal would fit."
        )
        let above = CoachMessage.all(Self.facts(Self.eaten(2_900)))
        #expect(
            above.first?.text
                == "Today is 350 kcal above the target of 2,550 kcal. One day is a small part of a week."
        )
        #expect(Self.topics(Self.facts(Self.eaten(2_500), minute: 1_200)) == [.onTarget])
        #expect(
            Self.topics(Self.facts(Self.eaten(2_500, protein: 60_000), minute: 1_200))
                == [.onTarget, .protein])
    }

    @Test func `a day that is complete has no meal to come, and a skipped one has no sums`() {
        var facts = Self.facts(Self.eaten(1_750, protein: 60_000), minute: 1_200)
        facts.hydration = Hydration(volumes: [500_000], target: 2_000_000)
        #expect(Self.topics(facts) == [.energyLeft, .protein, .water])
        facts.status = .complete
        #expect(Self.topics(facts) == [.water])
        facts.totals = Self.eaten(2_900)
        #expect(Self.topics(facts) == [.energyAbove, .water])
        facts.status = .skipped
        #expect(Self.topics(facts) == [])
    }

    @Test func `who fasts is not told to eat`() {
        var facts = Self.facts(Self.eaten(0), minute: 1_200)
        facts.workouts = [CoachFacts.Workout(name: "Run", endedAt: Self.now - 600_000)]
        facts.fast =
            Fasting([
                Fast(
                    id: Identifier(high: 0, low: 1), startedAt: Self.now - 13 * Self.hour,
                    targetMinutes: 960)
            ]).active(at: Self.now)
        let messages = CoachMessage.all(facts)
        #expect(messages.map(\.topic) == [.fasting])
        #expect(messages.first?.text == "The fast has lasted 13 h of 16 h.")
    }

    @Test func `water that is left is shown in litres`() {
        var facts = Self.facts(Self.eaten(2_500), minute: 1_200)
        facts.hydration = Hydration(volumes: [1_200_000], target: 2_000_000)
        #expect(
            CoachMessage.all(facts).last?.text == "0.8 l of today's 2.0 l of water are left.")
    }

    @Test func `no message blames, praises or commands`() {
        let words = [
            "bad", "cheat", "guilt", "fail", "should", "must", "sin", "naughty", "good job",
            "great", "lazy", "!", "burn off", "too much", "excellent", "only",
        ]
        var seen: [CoachMessage.Topic] = []
        for minute: Int64 in [60, 720, 1_200] {
            for energy: Int64 in [0, 1_000, 1_750, 2_550, 4_000] {
                for active: Int64? in [nil, 80_000, 600_000] {
                    for variant in 0..<4 {
                        var facts = Self.facts(Self.eaten(energy, protein: 20_000), minute: minute)
                        facts.active = active
                        if variant == 1 {
                            facts.workouts = [
                                CoachFacts.Workout(name: "Run", minutes: 5, endedAt: Self.now)
                            ]
                        }
                        if variant == 2 {
                            facts.fast =
                                Fasting([
                                    Fast(id: Identifier(high: 0, low: 1), startedAt: 0)
                                ]).active(at: Self.now)
                        }
                        if variant == 3 {
                            facts.targets = ScenarioTests.dynamic.targets(on: .earliest)
                        }
                        facts.hydration = Hydration(volumes: [], target: 2_000_000)
                        facts.patterns = PatternTests.patterns(
                            above: (14, 4), protein: (26, 2), streak: 30)
                        for message in CoachMessage.all(facts) {
                            seen.append(message.topic)
                            for word in words {
                                let text = " \(message.text.lowercased()) "
                                #expect(!text.contains(" \(word) "), "\(message.text)")
                                #expect(!text.contains("!"))
                            }
                        }
                    }
                }
            }
        }
        #expect(Set(seen).count >= 10)
    }
}

@Suite struct ReminderTests {
    static let friday = Day("2026-11-20") ?? .earliest

    static func at(_ minute: Int64, daysLater: Int = 0) -> DueReminders.Moment {
        DueReminders.Moment(day: friday.advanced(by: daysLater), minute: minute)
    }

    static func reminder(
        _ number: UInt64, _ subject: ReminderKind, at minute: Int64
    ) -> Reminder {
        Reminder(id: Identifier(high: 0, low: number), of: subject, atMinute: minute)
    }

    static func due(
        _ reminders: [Reminder], after: DueReminders.Moment?, until: DueReminders.Moment,
        _ logged: DueReminders.Logged = DueReminders.Logged()
    ) -> [UInt64] {
        DueReminders(reminders, after: after, until: until, logged: { _ in logged }).due.map(
            \.id.low)
    }

    @Test func `a reminder is due once, at its minute`() {
        let lunch = Self.reminder(1, .meal, at: 750)
        #expect(Self.due([lunch], after: Self.at(749), until: Self.at(750)) == [1])
        #expect(Self.due([lunch], after: Self.at(750), until: Self.at(780)) == [])
        #expect(Self.due([lunch], after: Self.at(700), until: Self.at(749)) == [])
        #expect(Self.due([lunch], after: nil, until: Self.at(750)) == [1])
        #expect(Self.due([lunch], after: nil, until: Self.at(751)) == [])
    }

    @Test func `what is logged already is not asked for, unless the person wants it`() {
        var lunch = Self.reminder(1, .meal, at: 750)
        let weight = Self.reminder(2, .weight, at: 750)
        let water = Self.reminder(3, .water, at: 750)
        let fast = Self.reminder(4, .fast, at: 750)
        let goal = Self.reminder(5, .goal, at: 750)
        func due(_ logged: DueReminders.Logged) -> [UInt64] {
            Self.due(
                [lunch, weight, water, fast, goal], after: Self.at(749), until: Self.at(750), logged
            )
        }
        #expect(due(DueReminders.Logged()) == [1, 2, 3, 4, 5])
        #expect(due(DueReminders.Logged(slots: ["breakfast"])) == [1, 2, 3, 4, 5])
        #expect(due(DueReminders.Logged(slots: ["lunch"])) == [2, 3, 4, 5])
        #expect(due(DueReminders.Logged(hasWeight: true)) == [1, 3, 4, 5])
        #expect(due(DueReminders.Logged(hasWater: true)) == [1, 2, 4, 5])
        #expect(due(DueReminders.Logged(isFasting: true)) == [2, 3, 5])
        #expect(due(DueReminders.Logged(status: .complete)) == [2, 3, 4])
        #expect(due(DueReminders.Logged(status: .skipped)) == [2, 3, 4])
        lunch.onlyIfMissing = false
        #expect(due(DueReminders.Logged(slots: ["lunch"])) == [1, 2, 3, 4, 5])
        lunch.isEnabled = false
        #expect(due(DueReminders.Logged()) == [2, 3, 4, 5])
    }

    @Test func `a meal without a slot means the one at its time`() {
        var late = Self.reminder(1, .meal, at: 1_200)
        let check = DueReminders(
            [late], after: Self.at(1_199), until: Self.at(1_200), logged: { _ in .init() })
        #expect(check.due.first?.slot == "dinner")
        #expect(check.due.first?.text() == "Nothing is logged for Dinner yet.")
        late.slot = "second-dinner"
        #expect(
            Self.due(
                [late], after: Self.at(1_199), until: Self.at(1_200),
                DueReminders.Logged(slots: ["dinner"])) == [1])
    }

    @Test func `weekdays are those chosen, Monday first`() {
        var weekend = Self.reminder(1, .weight, at: 420)
        weekend.weekdays = 32 + 64
        #expect(Self.due([weekend], after: Self.at(419), until: Self.at(420)) == [])
        #expect(
            Self.due(
                [weekend], after: Self.at(419, daysLater: 1), until: Self.at(420, daysLater: 1))
                == [1])
        weekend.weekdays = 16
        #expect(Self.due([weekend], after: Self.at(419), until: Self.at(420)) == [1])
    }

    @Test func `a check across midnight asks each day, and a long sleep brings no flood`() {
        let evening = Self.reminder(1, .goal, at: 1_430)
        let morning = Self.reminder(2, .weight, at: 10)
        var asked: [Day] = []
        let check = DueReminders(
            [morning, evening], after: Self.at(1_425), until: Self.at(15, daysLater: 1)
        ) { day in
            asked.append(day)
            return DueReminders.Logged()
        }
        #expect(check.due.map(\.id.low) == [1, 2])
        #expect(asked == [Self.friday, Self.friday.advanced(by: 1)])
        let slept = Self.due(
            [morning], after: Self.at(0, daysLater: -30), until: Self.at(15))
        #expect(slept == [2, 2], "yesterday's and today's, not thirty")
    }

    @Test func `clocks that spring skip no reminder, and clocks that fall back repeat none`() {
        // 02:30 does not exist on 2026-03-08 in New York: the check goes from 01:59 to 03:00.
        let night = Self.reminder(1, .weight, at: 150)
        let spring = Day("2026-03-08") ?? .earliest
        func at(_ minute: Int64, _ day: Day) -> DueReminders.Moment {
            DueReminders.Moment(day: day, minute: minute)
        }
        #expect(Self.due([night], after: at(119, spring), until: at(180, spring)) == [1])
        // 01:30 comes twice on 2026-11-01.
        let twice = Self.reminder(1, .weight, at: 90)
        let autumn = Day("2026-11-01") ?? .earliest
        var count = 0
        var last = at(60, autumn)
        for minute: Int64 in [70, 80, 90, 100, 119, 60, 70, 80, 90, 100, 119, 120, 130] {
            let check = DueReminders(
                [twice], after: last, until: at(minute, autumn), logged: { _ in .init() })
            last = check.checkedUntil
            count += check.due.count
        }
        #expect(count == 1)
    }

    @Test func `a clock that once ran years ahead silences nothing, and a flight repeats nothing`()
    {
        let lunch = Self.reminder(1, .meal, at: 750)
        func check(_ minute: Int64, after: DueReminders.Moment?) -> DueReminders {
            DueReminders(
                [lunch], after: after, until: Self.at(minute), logged: { _ in .init() })
        }
        let ahead = check(750, after: Self.at(0, daysLater: 1_500))
        #expect(ahead.due.count == 1 && ahead.checkedUntil == Self.at(750))
        // Six hours to the west: 12:30 was shown before the flight.
        let west = check(750, after: Self.at(1_020))
        #expect(west.due.isEmpty && west.checkedUntil == Self.at(1_020))
    }
}
