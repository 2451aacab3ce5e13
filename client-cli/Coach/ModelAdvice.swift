import MacrologAnalysis
import MacrologArgumentParsing
import MacrologFaces
import MacrologJSON
import MacrologTerminal
import Macrolog

/// `coach advise --model`: the targets of a day as a model proposes them, or else those of the formulas. The
/// answer says which they are.
enum ModelAdvice {
    static func show(_ home: inout Home) throws {
        let settings = try Home.requiredProvider()
        let (facts, day) = (try CoachVerbs.facts(&home), try home.day)
        let targets = try home.read { try $0.targets(on: day) }.targets
        let provider = Provider(settings, secondsMax: Provider.adviceSeconds)
        home.replicaMayBeUsed()
        let advice = provider.advice(on: CoachContext(facts), else: targets)
        var isRecorded = true
        if case .model(let targets, let provider) = advice {
            do {
                try home.replica.write { try $0.record(targets, for: day, by: provider) }
            } catch let error as ReplicaError where error.code == .readOnly {
                isRecorded = false
                home.warn(
                    "the log is read-only here: the answer is not recorded, so it can't be accepted"
                )
            }
        }
        try home.show(advice.json) { home in
            let shown = try home.shown
            func line(_ amount: (Nutrient) -> Int64?) -> String {
                [Nutrient.energy, .protein, .carbs, .fat].compactMap { nutrient in
                    amount(nutrient).map {
                        "\(shown.name(of: nutrient)) \(shown.amountWithUnit($0, of: nutrient))"
                    }
                }.joined(separator: ", ")
            }
            switch advice {
            case .model(let advice, let provider):
                home.say(
                    "By a model (\(provider) \(printable(advice.model)), \(shown.share(advice.confidenceBasisPoints)) sure):"
                )
                home.say(line { advice.targets[$0] })
                home.say(wrapped(printable(advice.reasoning), to: home.width))
                for adjustment in advice.adjustments {
                    home.say(wrapped("- " + printable(adjustment), to: home.width))
                }
                if let carbs = advice.preWorkoutCarbs {
                    home.say(
                        "Before a workout: \(shown.amountWithUnit(carbs, of: .carbs)) of carbohydrate"
                    )
                }
                if let protein = advice.postWorkoutProtein {
                    home.say(
                        "After a workout: \(shown.amountWithUnit(protein, of: .protein)) of protein"
                    )
                }
                if let focus = advice.recoveryFocus {
                    home.say(wrapped("Recovery: " + printable(focus), to: home.width))
                }
                guard isRecorded else { return }
                let date = try home.dateOption(day)
                home.say("To make these the targets of the day: macrolog coach accept\(date)")
            case .formulas(let targets, let error):
                home.warn(error.ofAdvice)
                home.say("By the formulas:")
                home.say(
                    targets.map { targets in line { targets[$0]?.amount } }
                        ?? "no target: macrolog goal set")
            }
        }
    }
}

/// `coach accept`: what a model advised becomes the targets of a day.
enum AdviceAccept {
    static let command = Verb(
        "coach accept", "Take over what a model advised as the targets of the day.",
        example: "coach accept", "coach accept --date tomorrow",
        explanation: """
            The last answer of `coach advise --model` for the day: its energy, protein, carbs and fat become
            the goal of the day. From the next day on the goal that was in force before counts again; without
            one, the new goal stays in force. `undo` takes it back.
            """,
        run: { _, home in
            let day = try home.day
            let plan = try home.replica.write { try $0.acceptAdvice(on: day) }
            try GoalShow.show(on: day, &home)
            let next = try home.replica.read { try $0.goalPlans() }.map(\.startDate)
                .filter { $0 > plan.startDate }.min()
            home.say(
                next.map { "From \($0) on the goal of that day is in force." }
                    ?? "It stays in force until another goal is set.")
        })
}
