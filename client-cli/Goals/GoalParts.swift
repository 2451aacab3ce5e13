import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// A part of a goal that can be kept from the previous one, or cleared.
struct GoalPart: Sendable {
    /// Its name on the command line.
    let word: String
    /// Whether a plan has it.
    let isSaid: @Sendable (GoalPlan) -> Bool
    /// Clears it.
    let clear: @Sendable (inout GoalPlan) -> Void

    /// In display order.
    static let all: [GoalPart] = [
        part("kcal", \.energyMillikilocalories), part("protein", \.proteinMilligrams),
        part("carbs", \.carbsMilligrams), part("fat", \.fatMilligrams),
        part("fiber", \.fiberMilligrams), part("sodium", \.sodiumMilligrams),
        part("water", \.waterMicroliters), part("burned", \.burnedMillikilocalories),
        part("steps", \.steps), part("shares", \.macroShares),
        part("adjust", \.energyAdjustMillikilocalories), part("aim", \.energyAdjustBasisPoints),
        part("direction", \.direction), part("weekday", \.weekdayGoals),
    ]

    private static func part<Value: Sendable>(
        _ word: String, _ path: any WritableKeyPath<GoalPlan, Value?> & Sendable
    ) -> GoalPart {
        GoalPart(
            word: word, isSaid: { $0[keyPath: path] != nil }, clear: { $0[keyPath: path] = nil })
    }

    /// The parts that are equal in two plans.
    static func kept(_ old: GoalPlan, in new: GoalPlan) -> [String] {
        all.filter { part in
            guard part.isSaid(old), part.isSaid(new) else { return false }
            var (one, other) = (old, new)
            part.clear(&one)
            part.clear(&other)
            return Set(old.fields.entries).subtracting(one.fields.entries)
                == Set(new.fields.entries).subtracting(other.fields.entries)
        }.map(\.word)
    }

    /// `protein, carbs and fat`
    static func listed(_ arguments: [String]) -> String {
        guard let last = arguments.last, arguments.count > 1 else { return arguments.joined() }
        return arguments.dropLast().joined(separator: ", ") + " and " + last
    }

    /// The parts that the earlier plan has and the later one does not.
    static func dropped(_ old: GoalPlan, in new: GoalPlan) -> [String] {
        all.filter { $0.isSaid(old) && !$0.isSaid(new) }.map(\.word)
    }
}

extension Form where Value == [GoalPart] {
    /// `protein,water`
    static var goalParts: Form {
        let arguments = GoalPart.all.map(\.word)
        return Form("TARGETS", completion: .words(arguments)) { word throws(BadValue) in
            var parts: [GoalPart] = []
            for name in word.split(separator: ",").map(\.trimmingSpaces) {
                guard let part = GoalPart.all.first(where: { $0.word == name }) else {
                    throw BadValue(
                        "names \"\(printable(name))\", which is no target",
                        instead: arguments.formattedList)
                }
                parts.append(part)
            }
            return parts
        }
    }
}
