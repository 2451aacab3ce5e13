import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `bodyfat log`, `list`, `edit`, `delete`, `restore`: shares of body fat, measured without a weight.
enum BodyFatVerbs {
    static let share = Parameter.argument("share", .percent, "Body fat in percent: 18.5%.")
    static let newShare = Parameter.option("share", .percent, "Body fat in percent.")
    static let newNote = Parameter.option("note", .anyText, "A note; '' for none.")
    static let time = Parameter.option("time", .moment, "When: 07:10.")
    static let note = Parameter.option("note", .text, "A note.")

    static let log = Verb(
        "bodyfat log", "Log body fat.", example: "bodyfat log 18.5%",
        "bodyfat log 18,5 --note calipers",
        explanation: """
            For a scale that shows both, type `weight log 80.2kg --fat 18.5`. The latest value of both
            counts: resting energy is then computed from lean mass.
            """,
        run: { arguments, home in
            var fat = BodyFat(
                id: try home.replica.newID(),
                on: try home.entryDate(time: arguments[time], Self.time),
                basisPoints: try home.value(share, arguments))
            fat.note = arguments[note]
            home.warn(try home.replica.write { try $0.add(fat) })
            try tell("Logged", fat, &home)
        }
    ) {
        share
        time
        note
    }

    static let edit = EntryVerbs.edit(
        of: BodyFat.self, example: "--share 18.1", [newShare.specification, newNote.specification],
        tell: { try tell("Changed", $0, &$1) }
    ) { fat, arguments, home in
        if let share = try home.known(newShare, arguments) { fat.basisPoints = share }
        if let note = arguments[newNote] { fat.note = note.isEmpty ? nil : note }
    }

    private static func tell(_ verb: String, _ fat: BodyFat, _ home: inout Home) throws {
        let weight = try home.read { try $0.body(on: fat.day).weightGrams }
        let shown = Shown(preferences: try home.preferences)
        let lean = weight.map { "lean mass \(shown.weight(fat.leanGrams(ofGrams: $0)))" }
        try home.tell(verb, fat, more: [lean].compactMap(\.self))
    }

    static let list = Verb(
        "bodyfat list", "List body fat, including that of weigh-ins.",
        example: "bodyfat list", "bodyfat list --days 365",
        run: { arguments, home in
            let span = try home.day.lastDays(Int(arguments[EntryVerbs.days]))
            let readings = try home.replica.read { try $0.entities(BodyFat.self, on: span) }
            let weighIns = try home.replica.read { try $0.weighIns(on: span) }
                .filter { $0.bodyFatBasisPoints != nil }
            try home.show(.array(readings.map(\.json) + weighIns.map(\.json))) { home in
                try tell(readings, weighIns, &home)
            }
        }
    ) { EntryVerbs.days }

    private static func tell(
        _ readings: [BodyFat], _ weighIns: [WeighIn], _ home: inout Home
    ) throws {
        let ids =
            try home.replica.read { try $0.shortIDs(of: .bodyFat, for: readings.map(\.id)) }
            .merging(home.replica.read { try $0.shortIDs(of: .weighIn, for: weighIns.map(\.id)) }) {
                $1
            }
        var rows = readings.map { ($0.id, $0.localDate, $0.basisPoints, $0.note ?? "") }
        rows += weighIns.map {
            ($0.id, $0.localDate, $0.bodyFatBasisPoints ?? 0, "with the weight")
        }
        guard !rows.isEmpty else { return home.say("No body fat in this period.") }
        rows.sort {
            let (one, other) = ($0.1, $1.1)
            guard one.day == other.day else { return one.day < other.day }
            return (one.occurredAt ?? .min) < (other.occurredAt ?? .min)
        }
        let shown = Shown(preferences: try home.preferences)
        var table = Table(
            Table.Column("id"), Table.Column("day"), Table.Column("time"),
            Table.Column("fat", .decimal), Table.Column("note"))
        for (id, date, share, note) in rows {
            table.add(
                Table.Cell(ids[id] ?? "", .dim), "\(date.day)", Table.Cell(date.clock, .dim),
                Table.Cell(shown.share(share)), Table.Cell(note))
        }
        home.say(table.lines(style: home.style, width: home.terminalWidth))
        home.sayChange(
            of: SampleSeries(rows.map { ($0.1.day, $0.2) }), from: rows[0].1.day,
            shown.share)
    }

    static let other = KindVerbs(of: BodyFat.self)
}

extension Home {
    /// The change of the measured values: `-1.5 % since 2026-10-01`.
    mutating func sayChange(
        of series: SampleSeries, from day: Day, _ text: (Int64) -> String
    ) {
        guard let change = series.change else { return }
        say("")
        say("\(change > 0 ? "+" : "")\(text(change)) since \(day)")
    }
}

extension BodyFat: TabledEntry {
    static var group: String { "bodyfat" }
    static var plural: String { "shares" }
    static var exampleID: String { "fa71" }
    static var columns: [Table.Column] {
        [Table.Column("fat", .decimal), Table.Column("note")]
    }

    func cells(_ shown: Shown) -> [Table.Cell] {
        [Table.Cell(shown.share(basisPoints)), Table.Cell(note ?? "")]
    }

    func formatted(_ shown: Shown) -> String { "\(shown.share(basisPoints)) fat" }
}
