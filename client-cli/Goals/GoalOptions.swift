import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// The options of a goal.
enum GoalOptions {
    static let sodium = Parameter.option("sodium", .milligrams, "Sodium at most, in milligrams.")
    static let water = Parameter.option("water", .volume, "Water to drink: 2l or 2000ml.")
    static let burned = Parameter.option(
        "burned", .energy, "Energy to burn by activity at least: 500kcal.")
    static let steps = Parameter.option(
        "steps", .orNone(.integer("STEPS", in: 0...200_000)),
        "Steps to take at least; n/a for none.")
    static let mode = Parameter.option(
        "mode", .choice(GoalMode.allCases.map { (word: $0.name.string, value: $0) }),
        "How the targets come about: the numbers typed, shares of the energy, or computed from "
            + "resting energy and weight.")
    static let adjust = Parameter.option(
        "adjust", .energyChange,
        "A deficit (-500) or surplus (300) for computed targets; replaces an --aim or an earlier "
            + "--adjust.")
    static let direction = Parameter.option(
        "direction", .choice(GoalDirection.allCases.map { (word: $0.name.string, value: $0) }),
        "Whether energy should be at most, at least or near the target.")
    static let shares = Parameter.option(
        "shares", .shares, "Protein, carbs and fat as percentages of the energy: 30/40/30.")

    static let aim = Parameter.option(
        "aim", .choice(EnergyAim.allCases.map { (word: $0.name, value: $0) }),
        "The aim for your weight, as a share of the energy of computed targets; replaces an "
            + "--adjust.")
    static let weekday = Parameter.options(
        "weekday", .weekdayGoals,
        "What differs on some days of the week: sat=2400kcal, sat,sun=p:150,water:3l, sat=none.")

    static let clear = Parameter.options(
        "clear", .goalParts, "Targets to remove: protein,water.")

    static let all: [Specification] = [
        NutrientOptions.kcal.specification, NutrientOptions.protein.specification,
        NutrientOptions.carbs.specification, NutrientOptions.fat.specification,
        NutrientOptions.fiber.specification, sodium.specification, water.specification,
        burned.specification, steps.specification, mode.specification, aim.specification,
        adjust.specification, direction.specification,
        shares.specification, weekday.specification,
        clear.specification,
    ]

    static func areTyped(_ arguments: ParsedArguments) -> Bool {
        let numbers = [
            NutrientOptions.kcal, NutrientOptions.protein, NutrientOptions.carbs,
            NutrientOptions.fat, NutrientOptions.fiber, sodium, water, burned, adjust,
        ]
        return numbers.contains { arguments.has($0) } || arguments.has(mode)
            || arguments.has(steps) || arguments.has(direction)
            || arguments.has(shares) || arguments.has(aim) || arguments.has(weekday)
            || arguments.has(clear)
    }

    /// Applies everything that was typed.
    static func apply(to plan: inout GoalPlan, _ arguments: ParsedArguments, _ home: inout Home)
        throws
    {
        if arguments.has(aim), arguments.has(adjust) {
            throw arguments.usageError(combining: "--adjust", "--aim")
        }
        for part in arguments[clear].joined() { part.clear(&plan) }
        if let value = try home.value(NutrientOptions.kcal, arguments) {
            plan.energyMillikilocalories = value
        }
        if let value = try home.value(NutrientOptions.protein, arguments) {
            plan.proteinMilligrams = value
        }
        if let value = try home.value(NutrientOptions.carbs, arguments) {
            plan.carbsMilligrams = value
        }
        if let value = try home.value(NutrientOptions.fat, arguments) { plan.fatMilligrams = value }
        if let value = try home.value(NutrientOptions.fiber, arguments) {
            plan.fiberMilligrams = value
        }
        if let value = try home.value(sodium, arguments) { plan.sodiumMilligrams = value }
        if let value = try home.value(water, arguments) { plan.waterMicroliters = value }
        if let value = try home.value(burned, arguments) { plan.burnedMillikilocalories = value }
        if let steps = arguments[steps] { plan.steps = steps }
        if let value = try home.value(adjust, arguments) {
            plan.energyAdjustMillikilocalories = value
            plan.energyAdjustBasisPoints = nil
        }
        if let direction = arguments[direction] { plan.direction = direction }
        if let shares = arguments[shares] { plan.macroShares = shares }
        if let aim = arguments[aim] {
            plan.energyAdjustBasisPoints = aim.basisPoints
            plan.energyAdjustMillikilocalories = nil
        }
        let chosen = arguments[mode] ?? implied(by: arguments, in: plan.mode ?? .fixed)
        // A deficit beside stated numbers, as an earlier system had it, says only which side of them is met. Of
        // computed ones it would be taken off.
        if ![.dynamic, .adaptive].contains(plan.mode), !arguments.has(adjust), !arguments.has(aim) {
            (plan.energyAdjustMillikilocalories, plan.energyAdjustBasisPoints) = (nil, nil)
        }
        let stated = plan
        plan.take(mode: chosen)
        // What was typed is not dropped without a word, as --kcal by --aim.
        let lost = GoalPart.dropped(stated, in: plan)
        let typed = optionsOfParts.first {
            lost.contains($0.word) && arguments.given($0.option)?.isEmpty == false
        }
        if let typed, let other = decisive(arguments, chosen) {
            throw arguments.usageError(combining: "--\(typed.option)", other)
        }
        let preferences = try home.preferences
        for typed in arguments[weekday] {
            do throws(BadValue) {
                try typed.apply(to: &plan, preferences)
            } catch {
                throw arguments.usageError(
                    of: weekday, "\"\(printable(typed.text))\" \(error.problem)",
                    instead: error.instead)
            }
        }
        plan.source = .user
    }
}

extension GoalOptions {
    /// The parts of a goal that a mode may drop, and the options that state them.
    private static let optionsOfParts: [(word: String, option: String)] = [
        ("kcal", "kcal"), ("protein", "p"), ("carbs", "c"), ("fat", "f"), ("shares", "shares"),
        ("adjust", "adjust"), ("aim", "aim"),
    ]

    /// The option that decides the mode beside numbers, as it is typed; `nil` for none.
    private static func decisive(_ arguments: ParsedArguments, _ chosen: GoalMode) -> String? {
        if arguments.has(mode) { return "--mode \(chosen.name)" }
        if arguments.has(shares) { return "--shares" }
        if arguments.has(adjust) { return "--adjust" }
        return arguments.has(aim) ? "--aim" : nil
    }

    /// The mode that fits the typed options: the goal's mode, unless it computes a value that was
    /// typed, or states a value that is to be computed.
    private static func implied(by arguments: ParsedArguments, in mode: GoalMode) -> GoalMode {
        let macros = [NutrientOptions.protein, NutrientOptions.carbs, NutrientOptions.fat]
        if arguments.has(shares) { return .percent }
        if arguments.has(adjust) || arguments.has(aim) {
            return mode == .adaptive ? .adaptive : .dynamic
        }
        let isStated = macros.contains { arguments.has($0) }
        switch mode {
        case .fixed: return .fixed
        case .percent: return isStated ? .fixed : .percent
        case .dynamic, .adaptive:
            return isStated || arguments.has(NutrientOptions.kcal) ? .fixed : mode
        }
    }
}

extension GoalPlan {
    /// Sets a mode, and clears the fields that have no meaning in it.
    fileprivate mutating func take(mode new: GoalMode) {
        if new == .dynamic || new == .adaptive { energyMillikilocalories = nil }
        if new != .fixed {
            (proteinMilligrams, carbsMilligrams, fatMilligrams) = (nil, nil, nil)
        }
        if new == .fixed || new == .percent {
            (energyAdjustMillikilocalories, energyAdjustBasisPoints) = (nil, nil)
        }
        if new != .percent { macroShares = nil }
        mode = new
    }
}

extension Form where Value == MacroShares {
    /// `30/40/30` or `33.3/33.3/33.4`
    static var shares: Form {
        Form("P/C/F") { word throws(BadValue) in
            let parts = word.split(separator: "/", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { basisPoints(String($0)) }
            guard parts.count == 3, numbers.count == 3,
                let shares = MacroShares(protein: numbers[0], carbs: numbers[1], fat: numbers[2])
            else {
                throw BadValue(
                    "is not three percentages that sum to 100", instead: "30/40/30")
            }
            return shares
        }
    }

    /// A percentage with two decimal places at most; `nil` for anything else.
    private static func basisPoints(_ text: String) -> Int64? {
        guard let quantity = try? NumberReader(decimalMark: .auto).read(text),
            quantity.unit == nil, quantity.measure == nil, quantity.milli.isMultiple(of: 10)
        else { return nil }
        return quantity.milli / 10
    }
}
