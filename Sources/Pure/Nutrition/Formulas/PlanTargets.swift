import MacrologEvents

extension GoalPlan {
    /// The plan in force on a day: of those that have started, the one that started last.
    ///
    /// - Parameter plans: In the order in which their start days were written: of two plans that
    ///   start on one day, the later in this order counts, but a person's own goes before one that a
    ///   model proposed. Deleted plans are left out.
    public static func inForce(on day: Day, among plans: [GoalPlan]) -> GoalPlan? {
        var found: GoalPlan?
        for plan in plans where plan.startDate <= day {
            if let best = found, best.startDate > plan.startDate { continue }
            if let best = found, best.startDate == plan.startDate, plan.source == .ai,
                best.source != .ai
            {
                continue
            }
            found = plan
        }
        return found
    }

    /// The plan's targets on a day.
    ///
    /// A weekday's own numbers go before the plan's. Fixed: the numbers as stated. Percent: the stated
    /// energy, divided by the plan's shares or else the profile's. Dynamic: see ``ComputedTargets``. Adaptive:
    /// as dynamic, with ``GoalPlan/movement(_:profile:expenditure:)``. Fibre, sodium, water, energy to burn and steps
    /// are always as stated.
    ///
    /// - Parameters:
    ///   - day: Decides the weekday.
    ///   - profile: Protein per pound, fat's share, shares, the equation, and how strict the targets are.
    ///   - body: The known values of the body on that day.
    ///   - activity: The day's active energy, or a level.
    ///   - expenditure: The estimated daily expenditure, in thousandths of a kilocalorie; see
    ///     ``Expenditure``.
    ///   - allowsDefault: Whether 1,800 kcal replace a resting energy that cannot be computed.
    ///     Then energy is a guess, and macronutrients still have no target.
    package func targets(
        on day: Day, profile: Profile? = nil, body: Body = Body(),
        activity: ComputedTargets.Activity = .measured(0), expenditure: Int64? = nil,
        allowsDefault: Bool = false
    ) -> DayTargets {
        var amounts = Nutrients()
        var computed: ComputedTargets?
        var resting: RestingEnergy?
        var assumptions: [RestingEnergy.Assumption] = []
        var missing: InsufficientData?
        switch mode ?? .fixed {
        case .fixed:
            amounts[.energy] = number("energy_mkcal", on: day)
            amounts[.protein] = number("protein_mg", on: day)
            amounts[.carbs] = number("carbs_mg", on: day)
            amounts[.fat] = number("fat_mg", on: day)
        case .percent:
            let energy = number("energy_mkcal", on: day)
            amounts[.energy] = energy
            if let energy, let shares = macroShares ?? profile?.customMacroShares {
                let masses = ComputedTargets.masses(of: energy, shares: shares)
                amounts[.protein] = masses.protein
                amounts[.carbs] = masses.carbs
                amounts[.fat] = masses.fat
            } else {
                missing = energy == nil ? .energy : .shares
            }
        case .dynamic, .adaptive:
            do throws(InsufficientData) {
                let estimate = try RestingEnergy.estimate(
                    for: body, formula: profile?.restingFormula ?? .auto)
                resting = estimate
                assumptions = estimate.assumptions
                let found = dynamic(estimate, profile, body, activity, expenditure)
                computed = found
                amounts = Nutrients(
                    energy: found.energy, protein: found.protein, carbs: found.carbs,
                    fat: found.fat)
            } catch {
                missing = error
                if allowsDefault {
                    resting = .fallback
                    assumptions = RestingEnergy.fallback.assumptions
                    amounts[.energy] =
                        dynamic(.fallback, profile, body, activity, expenditure).energy
                }
            }
        }
        amounts[.fiber] = number("fiber_mg", on: day)
        amounts[.sodium] = number("sodium_mg", on: day)
            .map { Rounding.scaled($0, by: 1_000_000, over: 1) }
        return DayTargets(
            plan: id,
            all: amounts.entries.map {
                Target(
                    $0.nutrient, $0.amount, direction(of: $0.nutrient),
                    flexibility: profile?.macroFlexibility ?? .balanced)
            },
            waterMicroliters: number("water_ul", on: day),
            burnedMillikilocalories: burnedMillikilocalories, steps: steps, computed: computed,
            resting: resting, assumptions: assumptions, missing: missing)
    }

    /// What the plan's targets on a day would be, without measured activity and an estimated expenditure.
    ///
    /// - Parameters:
    ///   - day: Decides the weekday.
    ///   - profile: Protein per pound, fat's share, shares and the equation.
    ///   - body: The known values of the body on that day.
    public func targets(on day: Day, profile: Profile, body: Body) -> DayTargets {
        targets(on: day, profile: profile, body: body, activity: .measured(0))
    }

    /// How movement enters the targets. For a dynamic plan as measured. For an adaptive plan by the
    /// estimated expenditure, in thousandths of a kilocalorie; until there is one, by the activity
    /// level of the profile, or as measured where the profile states none above sedentary.
    func movement(
        _ measured: ComputedTargets.Activity, profile: Profile?, expenditure: Int64?
    ) -> ComputedTargets.Activity {
        guard mode == .adaptive else { return measured }
        if let expenditure { return .estimated(expenditure) }
        guard let level = profile?.activityLevel, level != .sedentary else { return measured }
        return .level(level)
    }

    private func dynamic(
        _ resting: RestingEnergy, _ profile: Profile?, _ body: Body,
        _ activity: ComputedTargets.Activity, _ expenditure: Int64?
    ) -> ComputedTargets {
        let activity = movement(activity, profile: profile, expenditure: expenditure)
        let whole = ComputedTargets(
            resting: resting.millikilocalories, activity: activity, weightGrams: 0)
        let share = Rounding.scaled(
            Rounding.sum(whole.base, whole.active ?? 0), by: energyAdjustBasisPoints ?? 0,
            over: 10_000)
        let adjust = Rounding.sum(share, energyAdjustMillikilocalories ?? 0)
        return ComputedTargets(
            resting: resting.millikilocalories, activity: activity,
            adjust: min(max(adjust, -10_000_000), 10_000_000),
            weightGrams: body.weightGrams ?? 0,
            proteinMilligramsPerPound: profile?.proteinMilligramsPerPound ?? 900,
            fatBasisPoints: profile?.fatBasisPoints ?? 3_000, sex: body.sex)
    }

    /// Energy as the plan says or, by default, at most with a deficit, at least with a surplus and
    /// near it otherwise; sodium at most; protein and fibre at least; the others near.
    package func direction(of nutrient: Nutrient) -> GoalDirection {
        switch nutrient {
        case .energy:
            if let direction { return direction }
            let adjust =
                (energyAdjustMillikilocalories ?? 0).signum()
                + (energyAdjustBasisPoints ?? 0).signum()
            return adjust < 0 ? .max : adjust > 0 ? .min : .range
        case .sodium, .sugars, .addedSugars, .saturatedFat, .cholesterol: return .max
        case .protein, .fiber, .water: return .min
        default: return .range
        }
    }

    private func number(_ field: UTF8Text, on day: Day) -> Int64? {
        weekdayGoals?[day.weekday, field] ?? fields[field]?.int
    }
}
