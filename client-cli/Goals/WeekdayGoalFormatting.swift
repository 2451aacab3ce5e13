import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// `sat,sun=2400kcal`: different goals for some weekdays, as typed.
struct TypedWeekdayGoals: Sendable {
    let text: String
    /// 1 for Monday to 7.
    fileprivate let weekdays: [Int]
    /// The different goals; empty for `none`, which removes the weekday's own goals.
    fileprivate let goals: [(field: UTF8Text, amount: Typed)]

    /// Writes them into a plan.
    func apply(to plan: inout GoalPlan, _ preferences: Preferences) throws(BadValue) {
        var all = plan.weekdayGoals ?? WeekdayGoals()
        for weekday in weekdays {
            if goals.isEmpty {
                for goal in WeekdayGoals.formatted { all[weekday, goal.field] = nil }
            }
            for goal in goals {
                guard let amount = try goal.amount.checked(preferences) else {
                    throw BadValue("has an unknown number", instead: goal.amount.scale.example)
                }
                guard let bounds = WeekdayGoals.bounds(of: goal.field), bounds.contains(amount)
                else { throw BadValue("is out of range", instead: "a smaller number") }
                all[weekday, goal.field] = amount
            }
        }
        plan.weekdayGoals = all.map.entries.isEmpty ? nil : all
    }
}

extension WeekdayGoals {
    /// The goals that a weekday can have: name, field and unit of each.
    static let formatted:
        [(word: String, field: UTF8Text, scale: TypedScale, nutrient: Nutrient?)] = [
            ("kcal", "energy_mkcal", .energy, .energy), ("p", "protein_mg", .grams, .protein),
            ("c", "carbs_mg", .grams, .carbs), ("f", "fat_mg", .grams, .fat),
            ("fiber", "fiber_mg", .grams, .fiber), ("sodium", "sodium_mg", .milligrams, nil),
            ("water", "water_ul", .volume, nil),
        ]

    static func bounds(of field: UTF8Text) -> ClosedRange<Int64>? {
        Kind.goalPlan.field(field)?.bounds?.accepted
    }

    /// `sat 2,400 kcal; sun 2,400 kcal, protein 150.0 g`
    func formatted(_ shown: Shown) -> String {
        (1...7).compactMap { weekday in
            let parts = Self.formatted.compactMap { goal -> String? in
                guard let amount = self[weekday, goal.field] else { return nil }
                switch goal.scale {
                case .energy: return shown.energyWithUnit(amount)
                case .volume: return "water \(shown.volume(amount))"
                case .milligrams: return "sodium \(NumberFormat.grouped.text(amount)) mg"
                default:
                    guard let nutrient = goal.nutrient else { return nil }
                    return "\(nutrient.formatted) \(shown.amountWithUnit(amount, of: nutrient))"
                }
            }
            return parts.isEmpty
                ? nil : "\(Weekdays.short(weekday)) \(parts.joined(separator: ", "))"
        }.joined(separator: "; ")
    }

    /// The goals that a plan's mode computes, so that a weekday can't state them.
    func computed(in mode: GoalMode) -> [String] {
        let fields: [UTF8Text] =
            switch mode {
            case .fixed: []
            case .percent: ["protein_mg", "carbs_mg", "fat_mg"]
            case .dynamic, .adaptive: ["energy_mkcal", "protein_mg", "carbs_mg", "fat_mg"]
            }
        return Self.formatted.filter { goal in
            fields.contains(goal.field) && (1...7).contains { self[$0, goal.field] != nil }
        }.map(\.word)
    }
}

extension Form where Value == TypedWeekdayGoals {
    /// `sat=2400kcal`, `sat,sun=p:150,water:3l`, `weekend=none`
    static var weekdayGoals: Form {
        Form("DAYS=GOALS") { word throws(BadValue) in
            let wrong = BadValue(
                "is not a weekday with its goals",
                instead: "sat=2400kcal, sat,sun=kcal:2400,p:150,water:3l, weekend=none")
            guard let equals = word.firstIndex(of: "=") else { throw wrong }
            var weekdays: [Int] = []
            for name in word[..<equals].split(separator: ",") {
                let name = name.trimmingSpaces.lowercased()
                if name == "weekend" {
                    weekdays += [6, 7]
                } else if name == "weekdays" {
                    weekdays += 1...5
                } else if let number = Weekdays.number(name) {
                    weekdays.append(number)
                } else {
                    throw BadValue(
                        "names \"\(printable(name))\", which is not a day of the week",
                        instead: "mon to sun, weekdays or weekend")
                }
            }
            let goals = word[word.index(after: equals)...]
            guard !weekdays.isEmpty, !goals.isEmpty else { throw wrong }
            if goals == "none" {
                return TypedWeekdayGoals(text: word, weekdays: weekdays, goals: [])
            }
            var read: [(field: UTF8Text, amount: Typed)] = []
            for (index, part) in goals.split(separator: ",", omittingEmptySubsequences: false)
                .enumerated()
            {
                let pair = part.split(separator: ":", maxSplits: 1).map(\.trimmingSpaces)
                let named = pair.count == 2 ? pair[0] : index == 0 ? "kcal" : ""
                guard let amount = pair.last,
                    let goal = WeekdayGoals.formatted.first(where: { $0.word == named })
                else { throw wrong }
                let typed = try Form<Typed>.typed("", goal.scale).read(amount)
                read.append((goal.field, typed))
            }
            return TypedWeekdayGoals(text: word, weekdays: weekdays, goals: read)
        }
    }
}
