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
                if let focus = advice.recoveryFocus {
                    home.say(wrapped("Recovery: " + printable(focus), to: home.width))
                }
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
