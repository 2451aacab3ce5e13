import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `checkin log`, `show`, `list`, `delete`, `restore`, `history`: how a person slept and feels, once a day.
enum CheckInVerbs {
    static let sleep = Parameter.option(
        "sleep", .duration, "How long you slept: 7h30 or 450min; n/a for unknown.")
    static let variability = Parameter.option(
        "hrv", .orNone(.decimal("MS", places: 1, in: 10...4_000)),
        "The variability of your heart rate, in milliseconds from 1 to 400.")
    static let restingBeats = Parameter.option(
        "resting", .orNone(.integer("BPM", in: 20...250)),
        "Your heart rate at rest, in beats a minute.")
    static let soreness = Parameter.option(
        "soreness", .orNone(.integer("LEVEL", in: 1...5)),
        "How sore you are, from 1 for not at all to 5.")
    static let energy = Parameter.option(
        "energy", .orNone(.integer("LEVEL", in: 1...5)),
        "How energetic you are, from 1 for exhausted to 5.")
    static let stress = Parameter.option(
        "stress", .orNone(.integer("LEVEL", in: 1...5)),
        "How stressed you are, from 1 for not at all to 5.")
    static let note = Parameter.option("note", .anyText, "A note; '' for none.")

    static let log = Verb(
        "checkin log", "Log how you slept and feel.",
        example: "checkin log --sleep 7h30 --hrv 62 --soreness 2 --energy 4 --stress 2",
        "checkin log --resting 54 --date yesterday",
        explanation: "A day has one check-in: only what you type changes, and n/a clears it.",
        run: { arguments, home in
            guard isAnythingTyped(arguments) else {
                throw arguments.usageError(
                    of: sleep, "is missing", instead: "what to log, such as --sleep 7h30")
            }
            let day = try home.day
            let old = try home.replica.read { try $0.checkIn(on: day) } ?? CheckIn(on: day)
            var checkIn = old
            try apply(to: &checkIn, arguments, &home)
            guard checkIn.isChanged(since: old) else { return home.sayUnchanged() }
            let changed = checkIn
            home.warn(try home.replica.write { try $0.put(changed) })
            try show(changed, &home)
        }
    ) {
        sleep
        variability
        restingBeats
        soreness
        energy
        stress
        note
    }

    private static func isAnythingTyped(_ arguments: ParsedArguments) -> Bool {
        arguments.has(sleep) || arguments.has(variability) || arguments.has(restingBeats)
            || arguments.has(soreness) || arguments.has(energy) || arguments.has(stress)
            || arguments.has(note)
    }

    /// Applies everything that was typed.
    private static func apply(
        to checkIn: inout CheckIn, _ arguments: ParsedArguments, _ home: inout Home
    ) throws {
        if let minutes = try home.value(sleep, arguments) { checkIn.sleepMinutes = minutes }
        if let tenths = arguments[variability] {
            checkIn.variabilityMicroseconds = tenths.map { $0 * 100 }
        }
        if let beats = arguments[restingBeats] { checkIn.restingBeats = beats }
        if let level = arguments[soreness] { checkIn.soreness = level }
        if let level = arguments[energy] { checkIn.energyLevel = level }
        if let level = arguments[stress] { checkIn.stress = level }
        if let note = arguments[note] { checkIn.note = note.isEmpty ? nil : note }
    }

    static let show = Verb(
        "checkin show", "Show how you slept and feel.", example: "checkin show",
        "checkin show --date yesterday",
        run: { arguments, home in
            let day = try home.day
            guard let checkIn = try home.replica.read({ try $0.checkIn(on: day) }) else {
                let date = try home.dateOption(day)
                return try home.show(.null) { home in
                    home.say("No check-in on \(day). macrolog checkin log --sleep 7h30\(date)")
                }
            }
            try show(checkIn, &home)
        })

    private static func show(_ checkIn: CheckIn, _ home: inout Home) throws {
        try home.show(checkIn.json) { home in
            let shown = Shown(preferences: try home.preferences)
            let short = try home.shortID(CheckIn.kind, checkIn.id)
            home.say(
                home.style.paint("Check-in\(checkIn.formattedDay)", .bold) + "  "
                    + home.style.paint(short, .dim))
            home.say(
                wrapped(printable(checkIn.formatted(shown)), to: home.width - 2).map { "  \($0)" })
        }
    }

    static let list = Verb(
        "checkin list", "List check-ins.", example: "checkin list", "checkin list --days 90",
        run: { arguments, home in
            let span = try home.day.lastDays(Int(arguments[EntryVerbs.days]))
            let checkIns = try home.replica.read { try $0.entities(CheckIn.self, on: span) }
            try home.show(.array(checkIns.map(\.json))) { home in try tell(checkIns, &home) }
        }
    ) { EntryVerbs.days }

    private static func tell(_ checkIns: [CheckIn], _ home: inout Home) throws {
        guard !checkIns.isEmpty else { return home.say("No check-ins in this period.") }
        let ids = try home.replica.read {
            try $0.shortIDs(of: CheckIn.kind, for: checkIns.map(\.id))
        }
        var table = Table(
            Table.Column("id"), Table.Column("day"), Table.Column("sleep", .right),
            Table.Column("HRV", .right), Table.Column("resting", .right),
            Table.Column("soreness", .right), Table.Column("energy", .right),
            Table.Column("stress", .right), Table.Column("note"))
        func cell(_ number: Int64?) -> Table.Cell { Table.Cell(number.map { "\($0)" } ?? "–") }
        for checkIn in checkIns {
            table.add(
                Table.Cell(ids[checkIn.id] ?? "", .dim), "\(checkIn.day)",
                Table.Cell(checkIn.sleepMinutes.map { durationText($0) } ?? "–"),
                Table.Cell(checkIn.variability ?? "–"), cell(checkIn.restingBeats),
                cell(checkIn.soreness), cell(checkIn.energyLevel), cell(checkIn.stress),
                Table.Cell(checkIn.note ?? ""))
        }
        home.say(table.lines(style: home.style, width: home.terminalWidth))
    }

    static let other = KindVerbs(of: CheckIn.self)
}

extension Diary {
    /// The check-in of a day; `nil` when there is none.
    func checkIn(on day: Day) throws(DiaryError) -> CheckIn? {
        try entities(CheckIn.self, on: day...day).first
    }
}

extension CheckIn: FormattedEntry {
    static var group: String { "checkin" }
    static var plural: String { "check-ins" }
    static var exampleID: String { "c4e1" }

    /// `62.5 ms`
    fileprivate var variability: String? {
        variabilityMicroseconds.map { NumberFormat.grouped.text($0, scale: 3) + " ms" }
    }

    /// `slept 7 h 30 min, HRV 62 ms, soreness 2 of 5`
    func formatted(_ shown: Shown) -> String {
        var parts: [String] = []
        if let minutes = sleepMinutes { parts.append("slept \(durationText(minutes))") }
        if let variability { parts.append("HRV \(variability)") }
        if let beats = restingBeats { parts.append("\(beats) bpm at rest") }
        if let soreness { parts.append("soreness \(soreness)") }
        if let energyLevel { parts.append("energy \(energyLevel)") }
        if let stress { parts.append("stress \(stress)") }
        if let note { parts.append(note) }
        return parts.isEmpty ? "an empty check-in" : parts.joined(separator: ", ")
    }
}
