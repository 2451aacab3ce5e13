import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `activity log`, `list`, `edit`, `delete`, `restore`, and `steps`: activities.
enum ActivityVerbs {
    static let name = Parameter.argument("name", .text, "The activity: Running.")
    static let newName = Parameter.option("name", .text, "The activity.")
    static let energy = Parameter.option(
        "kcal", .energy, "The energy used; n/a for unknown.")
    static let counts = Parameter.option(
        "counts", .word(EnergyKind.self),
        "Whether that energy is only what the activity added to rest (active, the default), or all the "
            + "body used meanwhile (gross).")
    static let minutes = Parameter.option(
        "minutes", .decimal("MINUTES", places: 1, in: 1...28_800), "How long it took.")
    static let steps = Parameter.option(
        "steps", .integer("STEPS", in: 0...300_000), "The steps of the activity.")
    static let met = Parameter.option(
        "met", .decimal("MET", places: 3, in: 0...30_000),
        "The intensity as a multiple of rest (MET): walking 3.5, running 8.3.")
    static let time = Parameter.option("time", .moment, "When it began: 18:00.")
    static let count = Parameter.optionalArgument(
        "steps", .integer("STEPS", in: 0...300_000), "The steps of the whole day.")
    static let activeEnergy = Parameter.option(
        "active-kcal", .energy,
        "The active energy of the whole day, as a tracker counted it, workouts included; n/a for unknown."
    )

    private static let facts: [Specification] = [
        energy.specification, counts.specification, minutes.specification, steps.specification,
        met.specification,
    ]

    static let log = Verb(
        "activity log", "Log an activity.", example: "activity log Running --minutes 30 --kcal 290",
        "activity log Walking --minutes 45 --met 3.5 --time 18:00",
        "activity log Cycling --minutes 60 --kcal 520 --counts gross",
        explanation: """
            Without --kcal, energy is computed from --met, --minutes and your last weight. Active
            energy is part of a dynamic goal and counts once: the greater of a tracker's day and the
            workouts in it, and one of two records of the same time by different sources, such as you
            and a watch. Two that you log yourself both count.
            """,
        run: { arguments, home in
            let date = try home.entryDate(time: arguments[time], time)
            var activity = ActivityEntry(
                id: try home.replica.newID(), on: date, name: arguments[name])
            activity.source = "manual"
            try apply(to: &activity, arguments, &home)
            home.warn(try home.replica.write { try $0.add(activity) })
            try tell("Logged", activity, &home)
        }
    ) {
        name
        facts
        time
    }

    static let edit = EntryVerbs.edit(
        of: ActivityEntry.self, example: "--minutes 35",
        [newName.specification] + facts, tell: { try tell("Changed", $0, &$1) }
    ) { activity, arguments, home in
        if let name = arguments[newName] { activity.name = name }
        try apply(to: &activity, arguments, &home)
    }

    private static func apply(
        to activity: inout ActivityEntry, _ arguments: ParsedArguments, _ home: inout Home
    ) throws {
        if let value = try home.value(energy, arguments) {
            activity.energyMillikilocalories = value
        }
        if let kind = arguments[counts] { activity.energyKind = kind }
        if let minutes = arguments[minutes] { activity.durationSeconds = minutes * 6 }
        if let count = arguments[steps] { activity.steps = count }
        if let met = arguments[met] { activity.metThousandths = met }
    }

    private static func tell(
        _ verb: String, _ activity: ActivityEntry, _ home: inout Home
    ) throws {
        let day = activity.day
        let active = try activeEnergy(of: activity, &home)
        var more: [String] = []
        let shown = Shown(preferences: try home.preferences)
        if activity.durationSeconds ?? 0 > 86_400 { home.warn("it lasts longer than a day") }
        // A value shown exactly as it was typed is not repeated.
        if let active, active != activity.energyMillikilocalories {
            more.append("\(shown.energyWithUnit(active)) active")
        }
        try home.tell(verb, activity, more: more)
        if active == nil {
            let isWeightMissing =
                activity.metThousandths != nil && activity.durationSeconds != nil
            home.warn(
                isWeightMissing
                    ? "its energy is unknown without a weight: macrolog weight log \(shown.typedWeight)"
                    : "its energy is unknown: type --kcal, or --minutes and --met")
        }
        let movement = try home.read { try $0.movement(on: day) }
        if movement.duplicates.contains(activity.id) {
            home.warn("another record of that time has more energy, so that one counts")
        }
        let targets = try home.read { try $0.targets(on: day) }.targets
        if let computed = targets?.computed {
            home.say("Target of \(day): \(shown.explanation(of: computed))")
        }
    }

    /// What an activity added to rest, by the body of its day; `nil` for unknown.
    private static func activeEnergy(
        of activity: ActivityEntry, _ home: inout Home
    ) throws -> Int64? {
        let day = activity.day
        let (body, formula) = try home.read { diary in
            (try diary.body(on: day), try diary.profile().restingFormula)
        }
        let resting = try? RestingEnergy.estimate(for: body, formula: formula ?? .auto)
        return activity.activeEnergy(
            weightGrams: body.weightGrams, resting: resting?.millikilocalories)
    }

    static let list = Verb(
        "activity list", "List activities.", example: "activity list", "activity list --days 90",
        run: { arguments, home in
            let span = try home.day.lastDays(Int(arguments[EntryVerbs.days]))
            let rows = try home.replica.read { try $0.entities(ActivityEntry.self, on: span) }
                .map { (activity: $0, active: try activeEnergy(of: $0, &home)) }
            try home.show(
                .array(
                    rows.map { $0.activity.json.adding(ActivityEntry.computed(active: $0.active)) })
            ) { home in
                let completed = rows.map { row in
                    var activity = row.activity
                    if activity.energyMillikilocalories == nil {
                        (activity.energyMillikilocalories, activity.energyKind) = (
                            row.active, .active
                        )
                    }
                    return activity
                }
                try EntryVerbs.tell(completed, &home)
            }
        }
    ) { EntryVerbs.days }
    static let other = KindVerbs(of: ActivityEntry.self)

    static let ofDay = Verb(
        "steps", "Record the steps of a day and its active energy, or show them.",
        example: "steps 8200", "steps", "steps 10400 --date yesterday",
        "steps 10400 --active-kcal 520",
        explanation: """
            A new number replaces the old one. If several sources counted a day, the greatest counts;
            they are not added. Active energy counts where it is more than that of the day's workouts.
            """,
        run: { arguments, home in
            let day = try home.day
            let energy = try home.value(activeEnergy, arguments)
            if arguments[count] != nil || energy != nil {
                let id = Identities.energyDay(on: day, source: "manual")
                var counted =
                    try home.read {
                        try $0.entity(EnergyDay.self, id, includingDeleted: true)
                    } ?? EnergyDay(on: day, source: "manual")
                if let steps = arguments[count] { counted.steps = steps }
                if let energy { counted.activeMillikilocalories = energy }
                home.warn(try home.replica.write { try $0.put(counted) })
            }
            let movement = try home.replica.read { try $0.movement(on: day) }
            try home.show(
                BodyJSON.movement(movement, on: day)
            ) { home in
                let shown = Shown(preferences: try home.preferences)
                if let steps = movement.steps {
                    let source = movement.stepsSource.map { $0 == "manual" ? "" : " (\($0))" }
                    home.say("\(counted(steps, "step")) on \(day)\(source ?? " (workouts)")")
                }
                if let source = movement.source {
                    let active = shown.energyWithUnit(movement.activeMillikilocalories)
                    home.say(
                        "\(active) active on \(day)\(source == "manual" ? "" : " (\(source))")")
                } else if let typed = energy, typed != nil {
                    let active = shown.energyWithUnit(movement.activeMillikilocalories)
                    home.say("The day's workouts have more, \(active), and count.")
                } else if movement.steps == nil {
                    let date = try home.dateOption(day)
                    home.say("No steps on \(day). macrolog steps 8200\(date)")
                }
            }
        }
    ) {
        count
        activeEnergy
    }
}

extension ActivityEntry: TabledEntry {
    static var group: String { "activity" }
    static var plural: String { "activities" }
    static var exampleID: String { "ac71" }
    static var columns: [Table.Column] {
        [
            Table.Column("name"), Table.Column("length", .right), Table.Column("energy", .right),
            Table.Column("counts"), Table.Column("steps", .right), Table.Column("met", .decimal),
        ]
    }

    /// The name, else the kind, else a general word.
    var title: String { name ?? type?.string ?? "Activity" }

    func cells(_ shown: Shown) -> [Table.Cell] {
        [
            Table.Cell(title),
            Table.Cell(durationSeconds.map { durationText($0 / 60) } ?? ""),
            Table.Cell(energyMillikilocalories.map { shown.energyWithUnit($0) } ?? ""),
            Table.Cell(
                energyMillikilocalories == nil ? "" : (energyKind ?? .active).name.string),
            Table.Cell(steps.map { NumberFormat.grouped.text($0) } ?? ""),
            Table.Cell(metThousandths.map { NumberFormat.grouped.text($0, scale: 3) } ?? ""),
        ]
    }

    func formatted(_ shown: Shown) -> String {
        var parts = [title]
        if let durationSeconds { parts.append(durationText(durationSeconds / 60)) }
        if let energyMillikilocalories {
            let kind = energyKind == .gross ? " in all" : ""
            parts.append(shown.energyWithUnit(energyMillikilocalories) + kind)
        }
        if let steps { parts.append(counted(steps, "step")) }
        return parts.joined(separator: ", ")
    }
}
