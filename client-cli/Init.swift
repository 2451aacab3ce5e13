import Commands
import JSON
import Macrolog

/// `init`: who you are, which units you use, and what you aim at.
enum Init {
    static let name = Parameter.option("name", .text, "What to call you.")
    static let birth = Parameter.option("birth", .birth, "Your day of birth.")
    static let sex = Parameter.option("sex", .word(Sex.self), "For the estimate of resting energy.")
    static let height = Parameter.option("height", .height, "178, 1.78m or 5ft10.")
    static let activity = Parameter.option(
        "activity", .word(ActivityLevel.self), "How much you move.")
    static let target = Parameter.option("target-weight", .weight, "The weight you aim at.")
    static let weight = Parameter.option("weight", .weight, "Your weight today: a first weigh-in.")
    static let diet = Parameter.option("diet", .word(DietType.self), "The diet you follow.")
    static let energyUnit = Parameter.option(
        "energy-unit", .word(EnergyUnit.self), "The unit in which energy is shown.")
    static let weightUnit = Parameter.option(
        "weight-unit", .word(WeightUnit.self), "The unit in which your weight is shown and typed.")
    static let heightUnit = Parameter.option(
        "height-unit", .word(HeightUnit.self), "The unit in which height is shown.")
    static let volumeUnit = Parameter.option(
        "volume-unit", .word(VolumeUnit.self), "The unit in which volumes are shown.")
    static let decimal = Parameter.option(
        "decimal", .word(DecimalMark.self),
        "How 1,234 is read: as one and a bit with comma, as a thousand and more with point, not at "
            + "all with auto.")
    static let dayStart = Parameter.option(
        "day-start", .moment,
        "When your day begins, up to 08:00: a snack before belongs to yesterday.")
    static let policy = Parameter.option(
        "weigh-policy", .word(WeighPolicy.self), "Which of several weigh-ins of a day counts.")
    static let homeZone = Parameter.option("zone", .text("ZONE"), "Where you live: Europe/Zurich.")

    static let command = Verb(
        "init", "Say who you are, which units you use and what you aim at.",
        example: "init --name Ada --weight-unit kg --kcal 2100 --p 120",
        "init --birth 1990-05-17 --sex female --height 168 --weight 64.2kg --mode dynamic",
        explanation: """
            Nothing of it is required, and everything can be changed by saying it again. In a
            terminal, and without options, you are asked.
            """, run: run
    ) {
        name
        birth
        sex
        height
        activity
        target
        weight
        diet
        energyUnit
        weightUnit
        heightUnit
        volumeUnit
        decimal
        dayStart
        policy
        homeZone
        GoalOptions.all
    }

    static func run(words: Words, home: inout Home) throws {
        let isAsked = !isAnythingTyped(words) && Terminal.canAsk && !home.isQuiet && !home.isJSON
        try record(isAsked ? try Questions.ask(of: words, &home) : words, &home)
        try tell(&home)
    }

    private static func isAnythingTyped(_ words: Words) -> Bool {
        let texts =
            words.has(name) || words.has(birth) || words.has(homeZone) || words.has(dayStart)
        let numbers = [height, target, weight].contains { words.has($0) }
        let choices =
            words.has(sex) || words.has(activity) || words.has(diet) || words.has(energyUnit)
            || words.has(weightUnit) || words.has(heightUnit) || words.has(volumeUnit)
            || words.has(decimal) || words.has(policy)
        return texts || numbers || choices || GoalOptions.areTyped(words)
    }

    /// Everything that was typed, recorded and taken back as one.
    private static func record(_ words: Words, _ home: inout Home) throws {
        var actions: [Action] = []
        let preferences = try changedPreferences(words, &home)
        // "--weight-unit lb --weight 176" is in pounds.
        home.assume(preferences)
        let profile = try changedProfile(words, &home)
        if let action = try home.saving(preferences) { actions.append(action) }
        if let action = try home.saving(profile) { actions.append(action) }
        if let typed = try home.value(weight, words), let grams = typed {
            let weighIn = WeighIn(
                id: try home.replica.newID(), on: try home.entryDate(), grams: grams)
            actions.append(.add(weighIn, today: try home.today))
        }
        if GoalOptions.areTyped(words),
            let action = try home.saving(try GoalSet.plan(words, &home))
        {
            actions.append(action)
        }
        if !actions.isEmpty { home.warn(try home.replica.record(actions)) }
    }

    private static func changedPreferences(
        _ words: Words, _ home: inout Home
    ) throws -> Preferences {
        var changed = try home.replica.preferences()
        if let unit = words[energyUnit] { changed.energyUnit = unit }
        if let unit = words[weightUnit] { changed.weightUnit = unit }
        if let unit = words[heightUnit] { changed.heightUnit = unit }
        if let unit = words[volumeUnit] { changed.volumeUnit = unit }
        if let mark = words[decimal] { changed.decimalMark = mark }
        if let start = words[dayStart] { changed.dayStartMinutes = start.minute }
        if let policy = words[policy] { changed.weighPolicy = policy }
        if let zone = words[homeZone] {
            guard Zone.exists(zone) else {
                throw words.refusal(
                    of: homeZone, "\"\(printable(zone))\" is not a time zone of this system",
                    instead: "an IANA name such as Europe/Zurich")
            }
            changed.zone = zone
        }
        return changed
    }

    private static func changedProfile(_ words: Words, _ home: inout Home) throws -> Profile {
        var changed = try home.replica.profile()
        if let name = words[name] { changed.displayName = name }
        if let birth = words[birth] { changed.birthDate = birth }
        if let sex = words[sex] { changed.sex = sex }
        if let height = try home.value(height, words) { changed.heightMillimeters = height }
        if let activity = words[activity] { changed.activityLevel = activity }
        if let target = try home.value(target, words) { changed.targetWeightGrams = target }
        if let diet = words[diet] { changed.dietType = diet }
        return changed
    }

    private static func tell(_ home: inout Home) throws {
        let profile = try home.replica.profile()
        let preferences = try home.replica.preferences()
        let path = try home.path
        try home.show(
            .object([
                JSON.Member("database", .string(path)),
                JSON.Member("profile", Value.map(profile.fields).json),
                JSON.Member("preferences", Value.map(preferences.fields).json),
            ])
        ) { home in
            let shown = Shown(preferences: preferences)
            home.say("Your log is \(path)")
            for (field, kind) in fields(profile, preferences) {
                let value = spoken(field.value, of: field.name, in: kind, shown)
                home.say("  \(padded(fieldInWords(field.name), to: 16))\(value)")
            }
            home.say("Next: macrolog add 'Oat porridge' --kcal 380, then macrolog day show")
        }
    }

    private static func fields(
        _ profile: Profile, _ preferences: Preferences
    ) -> [(ValueMap.Entry, Text)] {
        let entries =
            profile.fields.entries.map { ($0, Kind.profile.name) }
            + preferences.fields.entries.map { ($0, Kind.preferences.name) }
        return entries.filter { !$0.0.value.isNull }
    }
}

extension Form where Value: Choice {
    /// One of the words of a field.
    static func word(_ type: Value.Type) -> Form {
        .choice(type.allCases.map { (word: $0.name.string, value: $0) })
    }
}

extension Form where Value == Day {
    /// A date of the past.
    static var birth: Form {
        Form("DATE") { word throws(BadValue) in
            guard let day = Day(word) else {
                throw BadValue("is not a date", instead: "one such as 1990-05-17")
            }
            return day
        }
    }
}
