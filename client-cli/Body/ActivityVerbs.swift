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
        "minutes", .decimal("MINUTES", places: 1, in: 0...28_800), "How long it took.")
    static let steps = Parameter.option(
        "steps", .integer("STEPS", in: 0...300_000), "The steps of the activity.")
    static let met = Parameter.option(
        "met", .decimal("MET", places: 3, in: 0...30_000),
        "The intensity as a multiple of rest (MET): walking 3.5, running 8.3.")
    static let time = Parameter.option("time", .moment, "When it began: 18:00.")
    static let count = Parameter.optionalArgument(
        "steps", .integer("STEPS", in: 0...300_000), "The steps of the whole day.")

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
            workouts in it, and one of two records of the same workout.
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
        let (body, formula) = try home.read { diary in
            (try diary.body(on: day), try diary.profile().restingFormula)
        }
        let resting = try? RestingEnergy.estimate(for: body, formula: formula ?? .auto)
        let active = activity.activeEnergy(
            weightGrams: body.weightGrams, resting: resting?.millikilocalories)
        var more: [String] = []
        let shown = Shown(preferences: try home.preferences)
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

    static let list = EntryVerbs.list(of: ActivityEntry.self)
    static let delete = EntryVerbs.delete(of: ActivityEntry.self)
    static let restore = EntryVerbs.restore(of: ActivityEntry.self)
    static let history = EntryVerbs.history(of: ActivityEntry.self)

    static let ofDay = Verb(
        "steps", "Record the steps of a day, or show them.", example: "steps 8200", "steps",
        "steps 10400 --date yesterday",
        explanation: """
            A new number replaces the old one. If several sources counted a day, the greatest counts;
            they are not added.
            """,
        run: { arguments, home in
            let day = try home.day
            if let count = arguments[count] {
                let id = Identities.energyDay(on: day, source: "manual")
                var counted =
                    try home.read {
                        try $0.entity(EnergyDay.self, id, includingDeleted: true)
                    } ?? EnergyDay(on: day, source: "manual")
                counted.steps = count
                home.warn(try home.replica.write { try $0.put(counted) })
            }
            let movement = try home.replica.read { try $0.movement(on: day) }
            try home.show(
                BodyJSON.movement(movement, on: day)
            ) { home in
                guard let steps = movement.steps else {
                    let date = try home.dateOption(day)
                    return home.say("No steps on \(day). macrolog steps 8200\(date)")
                }
                let source = movement.stepsSource.map { $0 == "manual" ? "" : " (\($0))" }
                home.say("\(counted(steps, "step")) on \(day)\(source ?? " (workouts)")")
            }
        }
    ) { count }
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
