import MacrologEvents

/// How a day's targets were computed, step by step, as a value that can be printed.
///
/// Every step is a sum that a person can check by hand. Assumptions, contradictions and missing
/// values are listed with it.
public struct TargetExplanation: Hashable, Sendable {
    /// One step: `Base: 1,780 kcal × 1.2 = 2,136 kcal`.
    struct Step: Hashable, Sendable {
        /// What is computed.
        let title: String
        /// How, without the result; empty where the result is all there is to say.
        let arithmetic: String
        /// The result with its unit.
        let result: String

        var line: String { "\(title): \(arithmetic.isEmpty ? "" : arithmetic + " = ")\(result)" }
    }

    /// The steps in the order of computing, such as `Base: 1,780 kcal × 1.2 = 2,136 kcal`.
    public let steps: [String]
    /// The assumptions about unknown values, one sentence each.
    package let assumptions: [String]
    /// Unusual or contradictory values, one sentence each, with numbers.
    public let warnings: [String]
    /// The value that is missing, and what to do about it; `nil` if none is.
    package let missing: String?

    /// Explains a plan's targets on a day. The parameters are those of
    /// ``GoalPlan/targets(on:profile:body:activity:expenditure:allowsDefault:)``.
    ///
    /// - Parameters:
    ///   - expenditure: The estimate, where there is one; used by an adaptive plan.
    ///   - preferences: The person's units.
    package init(
        of plan: GoalPlan, on day: Day, profile: Profile? = nil, body: Body = Body(),
        activity: ComputedTargets.Activity = .measured(0), expenditure: Expenditure? = nil,
        allowsDefault: Bool = false, in preferences: Preferences = Preferences()
    ) {
        let words = TargetWords(preferences: preferences)
        let targets = plan.targets(
            on: day, profile: profile, body: body, activity: activity,
            expenditure: expenditure?.millikilocalories, allowsDefault: allowsDefault)
        var steps: [Step] = []
        switch plan.mode ?? .fixed {
        case .fixed: steps = words.stated(plan, targets, day)
        case .percent: steps = words.shared(plan, profile, targets)
        case .dynamic, .adaptive:
            if let resting = targets.resting {
                steps.append(
                    Step(
                        title: "Resting energy",
                        arithmetic: words.equation(resting, body),
                        result: words.equated(resting.millikilocalories)))
                let used = plan.mode == .adaptive ? expenditure : nil
                let movement = plan.movement(
                    activity, profile: profile, expenditure: used?.millikilocalories)
                steps += words.energy(plan, targets, resting, movement, used)
            }
            if let computed = targets.computed {
                steps += words.macros(computed, profile, body)
            }
        }
        self.steps = steps.map { $0.line }
        assumptions = targets.assumptions.map { words.sentence($0) }
        warnings = (targets.computed?.warnings ?? []).map { warning in
            words.sentence(warning, targets.computed, targets.resting)
        }
        missing = targets.missing?.description
    }

    /// Explains what a plan's targets on a day would be, without measured activity and an estimated
    /// expenditure, in a person's units.
    public init(
        of plan: GoalPlan, on day: Day, profile: Profile, body: Body, in preferences: Preferences
    ) {
        self.init(
            of: plan, on: day, profile: profile, body: body, activity: .measured(0),
            in: preferences)
    }

    /// The whole as lines of text.
    public var lines: [String] {
        var lines = steps + assumptions.map { "Assumed: \($0)" }
        lines += warnings.map { "Note: \($0)" }
        if let missing { lines.append("Missing: \(missing)") }
        return lines
    }
}

extension TargetWords {
    func stated(_ plan: GoalPlan, _ targets: DayTargets, _ day: Day) -> [TargetExplanation.Step] {
        var steps: [TargetExplanation.Step] = []
        for target in targets.all {
            let result: String
            switch target.nutrient.unit {
            case .millikilocalories: result = energy(target.amount)
            case .milligrams: result = grams(target.amount)
            default: continue
            }
            let field: UTF8Text =
                target.nutrient == .energy
                ? "energy_mkcal" : UTF8Text(target.nutrient.key.string + "_mg")
            let isOwn = plan.weekdayGoals?[day.weekday, field] != nil
            steps.append(
                TargetExplanation.Step(
                    title: title(target.nutrient),
                    arithmetic: isOwn ? "as set for this weekday" : "as set", result: result))
        }
        return steps
    }

    func shared(
        _ plan: GoalPlan, _ profile: Profile?, _ targets: DayTargets
    ) -> [TargetExplanation.Step] {
        guard let energy = targets[.energy]?.amount else { return [] }
        var steps = [
            TargetExplanation.Step(
                title: "Energy", arithmetic: "as set", result: self.energy(energy))
        ]
        guard let shares = plan.macroShares ?? profile?.customMacroShares else { return steps }
        let parts: [(Nutrient, Int64, Int64)] = [
            (.protein, shares.protein, 4), (.carbs, shares.carbs, 4), (.fat, shares.fat, 9),
        ]
        for (nutrient, share, factor) in parts {
            guard let amount = targets[nutrient]?.amount else { continue }
            steps.append(
                TargetExplanation.Step(
                    title: title(nutrient),
                    arithmetic:
                        "\(self.energy(energy)) × \(percent(share)) \(dividedPerGram(factor))",
                    result: grams(amount)))
        }
        return steps
    }

    func energy(
        _ plan: GoalPlan, _ targets: DayTargets, _ resting: RestingEnergy,
        _ activity: ComputedTargets.Activity, _ expenditure: Expenditure?
    ) -> [TargetExplanation.Step] {
        var steps: [TargetExplanation.Step] = []
        let rest = energy(resting.millikilocalories)
        let whole: Int64
        var terms: [Int64]
        switch activity {
        case .estimated(let estimate):
            whole = estimate
            if let expenditure {
                steps.append(
                    TargetExplanation.Step(
                        title: "Expenditure", arithmetic: expenditure.explanation(in: preferences),
                        result: energy(whole)))
            }
            terms = [whole]
        case .level(let level):
            whole = Rounding.scaled(
                resting.millikilocalories, by: level.multiplierThousandths, over: 1_000)
            let factor = decimal(level.multiplierThousandths, 1_000, 3)
            steps.append(
                TargetExplanation.Step(
                    title: "Base", arithmetic: "\(rest) × \(factor) (\(level.name.string))",
                    result: energy(whole)))
            terms = [whole]
        case .measured(let active):
            let base = Rounding.scaled(resting.millikilocalories, by: 1_200, over: 1_000)
            whole = Rounding.sum(base, active)
            steps.append(
                TargetExplanation.Step(
                    title: "Base", arithmetic: "\(rest) × 1.2", result: energy(base)))
            terms = [base, active]
        }
        if let share = plan.energyAdjustBasisPoints, share != 0 {
            let part = Rounding.scaled(whole, by: share, over: 10_000)
            steps.append(
                TargetExplanation.Step(
                    title: "Aim", arithmetic: "\(energy(whole)) × \(percent(share))",
                    result: energy(part)))
            terms.append(part)
        }
        if let change = plan.energyAdjustMillikilocalories, change != 0 { terms.append(change) }
        guard let energy = targets[.energy]?.amount else { return steps }
        return steps + [
            TargetExplanation.Step(
                title: "Energy",
                arithmetic: terms.count == 1 ? "" : Display.terms(terms, in: energyUnit),
                result: self.energy(energy))
        ]
    }

    func macros(
        _ targets: ComputedTargets, _ profile: Profile?, _ body: Body
    ) -> [TargetExplanation.Step] {
        let pounds = self.pounds(body.weightGrams ?? 0)
        let perPound = profile?.proteinMilligramsPerPound ?? 900
        let share = profile?.fatBasisPoints ?? 3_000
        let energy = self.energy(targets.energy)
        var steps = [
            TargetExplanation.Step(
                title: "Protein", arithmetic: "\(pounds) × \(decimal(perPound, 1_000, 3)) g",
                result: grams(targets.wishedProtein)),
            TargetExplanation.Step(
                title: "Fat", arithmetic: "\(energy) × \(percent(share)) \(dividedPerGram(9))",
                result: grams(targets.wishedFat)),
        ]
        if !targets.isFeasible {
            if targets.fat != targets.wishedFat {
                steps.append(
                    TargetExplanation.Step(
                        title: "Fat, reduced",
                        arithmetic: "what protein leaves, no less than 20 % of \(energy)",
                        result: grams(targets.fat)))
            }
            if targets.protein != targets.wishedProtein {
                steps.append(
                    TargetExplanation.Step(
                        title: "Protein, reduced",
                        arithmetic:
                            "(\(energy) - \(perGram(9)) × \(grams(targets.fat))) \(dividedPerGram(4))",
                        result: grams(targets.protein)))
            }
        }
        let used =
            "\(perGram(4)) × \(grams(targets.protein)) - \(perGram(9)) × \(grams(targets.fat))"
        steps.append(
            TargetExplanation.Step(
                title: "Carbohydrate", arithmetic: "(\(energy) - \(used)) \(dividedPerGram(4))",
                result: grams(targets.carbs)))
        return steps
    }

    func equation(_ resting: RestingEnergy, _ body: Body) -> String {
        let weight = kilograms(body.weightGrams ?? 0)
        let isMale = body.sex == .male
        let height = body.heightMillimeters ?? (isMale ? 1_780 : 1_650)
        let centimeters = self.centimeters(height)
        let age = body.age ?? 30
        let lean = {
            let fat = percent(body.bodyFatBasisPoints ?? 0)
            return "\(weight) × (100 % - \(fat))"
        }
        if resting.assumptions == [.everything] { return "a guess, nothing computed" }
        switch resting.formula {
        case .katch: return "Katch-McArdle, 370 + 21.6 × \(lean())"
        case .cunningham: return "Cunningham, 500 + 22 × \(lean())"
        case .mifflin, .auto:
            return "Mifflin-St Jeor, 10 × \(weight) + 6.25 × \(centimeters) - 5 × \(age)"
                + (isMale ? " + 5" : " - 161")
        case .harrisBenedict:
            return isMale
                ? "Harris-Benedict, 88.362 + 13.397 × \(weight) + 4.799 × \(centimeters)"
                    + " - 5.677 × \(age)"
                : "Harris-Benedict, 447.593 + 9.247 × \(weight) + 3.098 × \(centimeters)"
                    + " - 4.33 × \(age)"
        }
    }

    func sentence(
        _ warning: ComputedTargets.Warning, _ targets: ComputedTargets?, _ resting: RestingEnergy?
    ) -> String {
        let energy = self.energy(targets?.energy ?? 0)
        switch warning {
        case .infeasible:
            let protein = targets?.wishedProtein ?? 0
            let fat = targets?.wishedFat ?? 0
            let both = Atwater.energy(protein: protein, carbs: 0, fat: fat)
            return "\(grams(protein)) of protein and \(grams(fat)) of fat are"
                + " \(self.energy(both)), more than \(energy): less protein per pound, less fat"
                + " or more energy would fit"
        case .belowResting:
            return "\(energy) is less than the body uses at rest"
                + " (\(self.energy(resting?.millikilocalories ?? 0)))"
        case .belowFloor:
            return "\(energy) is less than is usually advised without medical care"
        }
    }
    /// An assumption, and what to do about it.
    func sentence(_ assumption: RestingEnergy.Assumption) -> String {
        switch assumption {
        case .age: "an age of 30: set the date of birth"
        case .sex: "the equation for women, the lower one: set the sex"
        case .height:
            "a height of \(centimeters(1_780)) (men) or \(centimeters(1_650)) (women): set the height"
        case .everything: "a resting energy of \(energy(1_800_000)): log a weight"
        }
    }
}
