import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// One question of the interview: when it is asked, how it is answered, and what to type instead
/// without a terminal.
struct Question: Sendable {
    /// The question, with its possible answers.
    let text: String
    /// The option that answers it: `--sex female`.
    let option: String
    /// Whether the answer is not known yet.
    let isOpen: @Sendable (Beginning) -> Bool
    /// Applies an answer.
    let answer: @Sendable (String, inout Beginning, inout Home) throws -> Void

    static let all: [Question] = [
        of(ProfileSettings.name, "What is your name?", "--name Ada"),
        of(
            PreferenceSettings.weightUnit, "In which unit do you weigh yourself? (kg, lb, st)",
            "--weight-unit kg"),
        of(
            PreferenceSettings.energyUnit, "In which unit do you count energy? (kcal, kj)",
            "--energy-unit kcal"),
        of(
            ProfileSettings.sex,
            "For the estimate of resting energy: male, female or unspecified?", "--sex female"),
        of(ProfileSettings.birth, "When were you born? (1990-05-17)", "--birth 1990-05-17"),
        of(ProfileSettings.height, "How tall are you? (178, 1.78m, 5ft10)", "--height 168"),
        weight,
        of(
            ProfileSettings.targetWeight, "What is your target weight?",
            "--target-weight 62kg"),
        of(
            ProfileSettings.activity,
            "How active are you? (sedentary, light, moderate, active, athlete)",
            "--activity light"),
        of(
            ProfileSettings.diet,
            "Do you follow a diet? (\(DietType.allCases.map { $0.name.string }.formattedList))",
            "--diet balanced"),
        aim, training,
    ]

    private static func of(
        _ setting: Setting<Profile>, _ text: String, _ option: String
    ) -> Question {
        Question(
            text: text, option: option, isOpen: { !setting.isSet(in: $0.profile) },
            answer: { word, draft, _ in
                let edit = try setting.form.read(word)
                try edit.apply(&draft.profile, draft.preferences)
            })
    }

    private static func of(
        _ setting: Setting<Preferences>, _ text: String, _ option: String
    ) -> Question {
        Question(
            text: text, option: option, isOpen: { !setting.isSet(in: $0.preferences) },
            answer: { word, draft, home in
                let edit = try setting.form.read(word)
                try edit.apply(&draft.preferences, draft.preferences)
                home.assume(draft.preferences)
            })
    }

    private static let weight = Question(
        text: "What do you weigh today?", option: "--weight 64.2kg",
        isOpen: { $0.grams == nil },
        answer: { word, draft, home in
            let typed = try Form<Typed>.weight.read(word)
            guard let grams = try typed.checked(draft.preferences) else { return }
            draft.weighIn = WeighIn(
                id: try home.replica.newID(), on: try home.entryDate(), grams: grams)
        })

    private static let aim = Question(
        text: "What is your aim for your weight? "
            + "(\(EnergyAim.allCases.map(\.name).joined(separator: ", ")), or kcal a day)",
        option: "--aim maintain", isOpen: { $0.goal == nil },
        answer: { word, draft, home in
            var plan = GoalPlan(id: try home.replica.newID(), startDate: draft.day)
            plan.source = .user
            if let aim = EnergyAim.allCases.first(where: { $0.name == word.lowercased() }) {
                plan.mode = .dynamic
                plan.energyAdjustBasisPoints = aim.basisPoints
            } else {
                guard word.utf8.contains(where: { (48...57).contains($0) }) else {
                    let form = Form<EnergyAim>.choice(
                        EnergyAim.allCases.map { (word: $0.name, value: $0) })
                    _ = try form.read(word)
                    return
                }
                plan.mode = .fixed
                plan.energyMillikilocalories = try Form<Typed>.energy.read(word)
                    .checked(draft.preferences)
            }
            draft.plan = plan
        })

    private static let training = Question(
        text: "What is your kind of training, if any? (strength, loss, endurance)",
        option: "--training strength",
        isOpen: {
            $0.profile.proteinMilligramsPerPound == nil && $0.profile.fatBasisPoints == nil
                && $0.goal?.mode != .fixed && $0.goal?.mode != .percent
        },
        answer: { word, draft, _ in
            let form = Form<MacroProfile>.choice(
                MacroProfile.allCases.map { (word: $0.name, value: $0) })
            try form.read(word).apply(to: &draft.profile)
        })
}

extension Beginning {
    /// What an answer changed, in words; `nil` if there is nothing to report.
    func effect(since before: Beginning) -> String? {
        let shown = Shown(preferences: preferences)
        var parts: [String] = []
        func number(_ name: String, _ old: Int64?, _ new: Int64?, _ text: (Int64) -> String) {
            guard let new, new != old else { return }
            parts.append("\(name) \(text(new))" + (old.map { ", it was \(text($0))" } ?? ""))
        }
        if profile.displayName != before.profile.displayName, let name = profile.displayName {
            parts.append("Hello, \(printable(name)).")
        }
        if preferences != before.preferences {
            parts.append(
                "80 kg will be shown as \(shown.weight(80_000)), "
                    + "2000 kcal as \(shown.energyWithUnit(2_000_000))")
        }
        number(
            "resting energy", before.resting?.millikilocalories, resting?.millikilocalories,
            shown.energyWithUnit)
        number(
            "energy", before.targets?[.energy]?.amount, targets?[.energy]?.amount,
            shown.energyWithUnit)
        for nutrient in [Nutrient.protein, .carbs, .fat] {
            number(
                nutrient.formatted, before.targets?[nutrient]?.amount, targets?[nutrient]?.amount
            ) {
                shown.amountWithUnit($0, of: nutrient)
            }
        }
        if profile.targetWeightGrams != before.profile.targetWeightGrams,
            let target = profile.targetWeightGrams, let grams
        {
            parts.append(
                "\(shown.weightChange(micrograms: (target - grams) * 1_000_000)) to go")
        }
        if profile.dietType != before.profile.dietType, let diet = profile.dietType {
            parts.append("meals can be scored as \(diet.name): macrolog diet score")
        }
        if parts.isEmpty, body != before.body, resting == nil {
            parts.append("resting energy can be estimated once your weight is known")
        }
        if parts.isEmpty, profile.activityLevel != before.profile.activityLevel {
            parts.append("the estimate of your expenditure is compared with this")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}
