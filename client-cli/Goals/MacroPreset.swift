import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `macro preset`: protein and fat goals for a kind of training.
enum MacroPreset {
    static let name = Parameter.argument(
        "name", .choice(MacroProfile.allCases.map { (word: $0.name, value: $0) }),
        "The kind of training.")

    static let command = Verb(
        "macro preset", "Set protein per pound and the share of fat for a kind of training.",
        example: "macro preset strength",
        explanation: """
            Strength: 1.3 g of protein per pound and 25 % fat. Loss: 1.1 g and 30 %. Endurance: 0.8 g
            and 25 %. Computed targets follow; `profile set --protein-per-lb --fat-share` says
            something else.
            """, run: run
    ) { name }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let preset = arguments[name]
        var profile = try home.replica.read { try $0.profile() }
        preset.apply(to: &profile)
        home.warn(try home.replica.write { try $0.save(profile) })
        let day = try home.day
        let found = try home.replica.read { try $0.targets(on: day) }
        let preferences = try home.preferences
        try home.show(
            GoalJSON.preset(
                preset,
                goal: GoalJSON.targets(
                    found.targets, of: found.plan, on: day, in: preferences))
        ) { home in
            let protein = NumberFormat.plain.text(preset.proteinMilligramsPerPound, scale: 3)
            let fat = NumberFormat.plain.text(preset.fatBasisPoints, scale: 2)
            home.say(
                "\(home.style.paint(preset.approach, .bold)): \(protein) g of protein per pound, "
                    + "\(fat) % of the energy from fat.")
            home.say(wrapped(preset.rationale, to: home.width))
            home.say(wrapped(preset.flexibilityNotes, to: home.width))
            switch found.plan?.mode {
            case .dynamic?, .adaptive?: try GoalShow.tell(found, on: day, &home)
            case nil where found.plan == nil:
                home.say("It is used by computed targets: macrolog goal set --mode dynamic")
            default:
                home.say(
                    "The goal on \(day) states its numbers and stays as it is; for computed "
                        + "ones: macrolog goal set --mode dynamic")
            }
        }
    }
}
