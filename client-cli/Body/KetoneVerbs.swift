import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `ketone log`, `list`, `edit`, `delete`, `restore`: levels of ketones.
enum KetoneVerbs {
    /// The unit in which a level was typed.
    enum Unit: Sendable {
        case millimoles, milligrams
    }

    /// Thousandths of a level that can be typed; the entry has bounds of its own, which say their unit.
    private static let levels: ClosedRange<Int64> = 0...1_000_000_000
    static let level = Parameter.argument(
        "level", .decimal("LEVEL", places: 3, in: levels), "The level: 1.2.")
    static let method = Parameter.option(
        "method", .word(KetoneMethod.self), "The method; otherwise blood.")
    static let unit = Parameter.option(
        "unit", .choice([(word: "mmol/l", value: Unit.millimoles), ("mg/dl", .milligrams)]),
        otherwise: "mmol/l", "The unit of LEVEL. 1 mmol/l of ketones in blood is 10.41 mg/dl.")
    static let newLevel = Parameter.option(
        "level", .decimal("LEVEL", places: 3, in: levels), "The level.")
    static let newMethod = Parameter.option(
        "method", .word(KetoneMethod.self), "The method.")
    static let newNote = Parameter.option("note", .anyText, "A note; '' for none.")
    static let time = Parameter.option("time", .moment, "When: 07:40.")
    static let note = Parameter.option("note", .text, "A note.")

    static let log = Verb(
        "ketone log", "Log ketones.", example: "ketone log 1.2",
        "ketone log 12.5 --unit mg/dl", "ketone log 4 --method urine --time 07:40",
        explanation: """
            Above 0.5 mmol/l in blood is called ketosis: light to 1.5, optimal to 3. Urine strips and
            breath meters measure other substances, so nothing is concluded from them and mg/dl is
            not converted.
            """,
        run: { arguments, home in
            let method = arguments[method] ?? .blood
            var ketone = Ketone(
                id: try home.replica.newID(),
                on: try home.entryDate(time: arguments[time], Self.time),
                micromoles: try micromoles(arguments[level], of: method, arguments), method: method)
            ketone.note = arguments[note]
            let findings = try home.replica.write { try $0.add(ketone) }
            warn(of: ketone, findings, home)
            try home.tell("Logged", ketone)
        }
    ) {
        level
        method
        unit
        time
        note
    }

    static let edit = EntryVerbs.edit(
        of: Ketone.self, example: "--level 1.4",
        [
            newLevel.specification, newMethod.specification, unit.specification,
            newNote.specification,
        ], warn: warn
    ) { ketone, arguments, _ in
        if let method = arguments[newMethod] { ketone.method = method }
        if let level = arguments[newLevel] {
            ketone.micromoles = try micromoles(level, of: ketone.method ?? .blood, arguments)
        }
        if let note = arguments[newNote] { ketone.note = note.isEmpty ? nil : note }
    }

    private static func micromoles(
        _ level: Int64, of method: KetoneMethod, _ arguments: ParsedArguments
    ) throws -> Int64 {
        guard arguments[unit] == .milligrams else { return level }
        guard method == .blood else {
            throw arguments.usageError(
                of: unit, "of \(method.name) cannot be converted", instead: "the level in mmol/l")
        }
        return Ketone.micromoles(milligramsPerDeciliterMilli: level)
    }

    /// A blood value gets a more specific warning than that the number is unusual.
    private static func warn(of ketone: Ketone, _ findings: [Finding], _ home: Home) {
        if let warning = ketone.zone?.warning {
            home.warn(warning)
        } else {
            home.warn(findings)
        }
    }

    static let list = Verb(
        "ketone list", "List ketones.", example: "ketone list",
        "ketone list --days 90",
        run: { arguments, home in
            let span = try home.day.lastDays(Int(arguments[EntryVerbs.days]))
            let levels = try home.replica.read { try $0.entities(Ketone.self, on: span) }
            try home.show(.array(levels.map(\.json))) { home in
                try EntryVerbs.tell(levels, &home)
                let blood = levels.filter { $0.method ?? .blood == .blood }
                let series = SampleSeries(blood.map { ($0.day, $0.micromoles) })
                guard blood.count > 1, let mean = series.mean, let bounds = series.bounds else {
                    return
                }
                let shown = Shown(preferences: try home.preferences)
                home.say("")
                home.say(
                    "In blood: mean \(shown.ketones(mean)), from "
                        + "\(shown.ketones(bounds.lowerBound)) to "
                        + shown.ketones(bounds.upperBound))
            }
        }
    ) { EntryVerbs.days }

    static let other = KindVerbs(of: Ketone.self)
}

extension Ketone: TabledEntry {
    static var group: String { "ketone" }
    static var plural: String { "levels" }
    static var exampleID: String { "4e70" }
    static var columns: [Table.Column] {
        [
            Table.Column("level", .decimal), Table.Column("of"), Table.Column("ketosis"),
            Table.Column("note"),
        ]
    }

    func cells(_ shown: Shown) -> [Table.Cell] {
        [
            Table.Cell(shown.ketones(micromoles)), Table.Cell((method ?? .blood).name.string),
            Table.Cell(ketosis ?? "–"), Table.Cell(note ?? ""),
        ]
    }

    /// `light`, `no`; `nil` for urine and breath.
    private var ketosis: String? {
        guard let isInKetosis, let zone else { return nil }
        return isInKetosis ? zone.name : "no"
    }

    func formatted(_ shown: Shown) -> String {
        let level = "\(shown.ketones(micromoles)) in \((method ?? .blood).name)"
        guard let isInKetosis, let zone else { return level }
        return level + (isInKetosis ? ", in ketosis (\(zone.name))" : ", not in ketosis")
    }
}
