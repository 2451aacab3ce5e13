import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `profile show` and `profile set`: what the formulas know about a person.
enum ProfileVerbs {
    static let clear = Parameter.options(
        "clear", .choice(ProfileSettings.all.map { (word: $0.name, value: $0.name) }),
        "Clear this setting.")

    static let show = Verb(
        "profile show", "Show your profile.", example: "profile show",
        run: { _, home in try show(&home) })

    static let set = Verb(
        "profile set", "Set or change your profile.",
        example: "profile set --height 168 --activity light",
        "profile set --protein-per-lb 1.1 --fat-share 30", "profile set --clear body-fat",
        explanation: """
            Only what is typed changes. Computed targets of earlier days change with it; goals with
            numbers stay as they are.
            """, run: set
    ) {
        ProfileSettings.all.options
        clear
    }

    private static func set(_ arguments: ParsedArguments, _ home: inout Home) throws {
        let preferences = try home.preferences
        let old = try home.replica.read { try $0.profile() }
        var new = old
        for setting in ProfileSettings.all {
            if arguments[clear].contains(setting.name) {
                guard !arguments.has(setting.option) else {
                    throw arguments.usageError(
                        combining: "--clear \(setting.name)", "--\(setting.name)")
                }
                setting.clear(&new)
            }
            try setting.apply(arguments, to: &new, preferences)
        }
        guard
            ProfileSettings.all.contains(where: { arguments.has($0.option) })
                || arguments.has(clear)
        else {
            throw arguments.usageError(
                of: ProfileSettings.name.option, "is missing, and so is every other option",
                instead: "what changes, such as --height 168")
        }
        guard new.isChanged(since: old) else { return home.sayUnchanged() }
        home.warn(try home.replica.write { try $0.save(new) })
        try show(&home)
    }

    /// For how many days a level of ketones is shown.
    private static let ketoneDays = 30

    private static func show(_ home: inout Home) throws {
        let profile = try home.replica.read { try $0.profile() }
        let day = try home.day
        let (weighIn, body, ketone) = try home.read { diary in
            let ketone =
                profile.dietType == .keto
                ? try diary.entities(Ketone.self, on: day.lastDays(ketoneDays)).last : nil
            return (try diary.weighIn(onOrBefore: day), try diary.body(on: day), ketone)
        }
        let resting = Result {
            try RestingEnergy.estimate(for: body, formula: profile.restingFormula ?? .auto)
        }
        let energy = try? resting.get()
        let json = SettingJSON.profile(
            profile, ProfileSettings.all.map(\.field), of: body,
            resting: energy?.millikilocalories, ketone: ketone)
        try home.show(json) { home in
            let shown = Shown(preferences: try home.preferences)
            home.say(ProfileSettings.all.lines(profile, shown, isSet: false))
            if let weighIn, let grams = body.weightGrams {
                home.say(
                    "  \(padded("weight", to: 18))\(shown.weight(grams)), "
                        + "\(weighIn.localDate.day)")
            }
            if let ketone {
                home.say(
                    "  \(padded("ketones", to: 18))\(ketone.formatted(shown)), \(ketone.localDate.day)"
                )
            }
            if let age = body.age { home.say("  \(padded("age", to: 18))\(age)") }
            switch resting {
            case .success(let energy):
                home.say(
                    "  \(padded("resting energy", to: 18))"
                        + "\(shown.energyWithUnit(energy.millikilocalories)) a day")
                for assumption in energy.assumptions { home.warn(assumption.formatted(shown)) }
            case .failure(let reason):
                home.say("  \(padded("resting energy", to: 18))not known, \(reason)")
            }
        }
    }
}
