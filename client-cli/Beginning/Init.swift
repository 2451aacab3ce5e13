import MacrologArgumentParsing
import Macrolog
import MacrologFaces

/// `init`: who you are, which units you use, and what you aim at.
enum Init {
    static let command = Verb(
        "init", "Set up your profile, units and goals.",
        example: "init --name Ada --weight-unit kg --kcal 2100 --p 120",
        "init --birth 1990-05-17 --sex female --height 168 --weight 64.2kg --mode dynamic",
        explanation: """
            Everything is optional and can be changed later. In a terminal, without options, it asks.
            """, run: run
    ) { Beginning.options }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        if !Beginning.isAnythingTyped(arguments), Terminal.canAsk, !home.isQuiet, !home.isJSON {
            return try Onboard.interview(Beginning(arguments, &home), arguments, &home)
        }
        try Beginning(arguments, &home).record(&home)
        try tell(&home)
    }

    private static func tell(_ home: inout Home) throws {
        let profile = try home.replica.read { try $0.profile() }
        let preferences = try home.replica.read { try $0.preferences() }
        let path = try home.path
        try home.show(SettingJSON.begun(path, profile, preferences)) { home in
            let shown = Shown(preferences: preferences)
            home.say("Your log is \(path)")
            home.say(ProfileSettings.all.lines(profile, shown, isSet: true))
            home.say(PreferenceSettings.all.lines(preferences, shown, isSet: true))
            home.say("Next: macrolog add 'Oat porridge' --kcal 380, then macrolog day show")
        }
    }
}
