import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `fast start`, `end`, `cancel`, `status`, `list`, `edit`, `delete`, `restore`, `history`: fasts.
enum FastVerbs {
    static let preset = Parameter.option(
        "preset", .fastPreset, "A length by its name; 16:8 is 16 hours of fasting.")
    static let target = Parameter.option("target", .duration, "The planned length: 16h.")
    static let time = Parameter.option("time", .moment, "When: 20:00.")
    static let id = Parameter.argument("fast", .id, "The fast, by the last digits of its id.")
    static let started = Parameter.option("start", .moment, "When it began: 2026-11-20T20:00.")
    static let ended = Parameter.option("end", .momentOrNone, "When it ended; n/a for not yet.")
    static let note = Parameter.option("note", .anyText, "A note; '' for none.")
    static let counts = Parameter.option(
        "counts", .choice([(word: "yes", value: true), ("no", false)]),
        "Whether it counts; a cancelled one does not.")

    static let start = Verb(
        "fast start", "Start a fast.", example: "fast start", "fast start --preset 16:8",
        "fast start --target 14h --date yesterday --time 20:00",
        explanation: """
            Only one fast can be in progress; end or cancel it before you start another. A fast that
            has not begun yet cannot be started.
            """,
        run: { arguments, home in
            let instant = try home.instant(arguments)
            if arguments.has(preset), arguments.has(target) {
                throw arguments.usageError(combining: "--target", "--preset")
            }
            var minutes = arguments[preset]?.minutes
            if let typed = try home.value(target, arguments) { minutes = typed }
            let name = arguments[preset]?.name
            let started = try home.replica.write {
                try $0.startFast(
                    at: instant, targetMinutes: minutes, preset: name)
            }
            home.warn(started.findings)
            try home.warnOfOverlap(started.fast)
            try home.tell("Started", started.fast)
        }
    ) {
        preset
        target
        time
    }

    static let end = Verb(
        "fast end", "End the fast in progress.", example: "fast end", "fast end --time 12:05",
        run: { arguments, home in
            let instant = try home.instant(arguments)
            let ended = try home.replica.write { try $0.endFast(at: instant) }
            home.warn(ended.findings)
            try home.tell("Ended", ended.fast)
            try home.warnOfOpenFast()
        }
    ) { time }

    static let cancel = Verb(
        "fast cancel", "Cancel the fast in progress; it does not count.",
        example: "fast cancel",
        run: { arguments, home in
            let now = try home.now
            try home.tell("Cancelled", try home.replica.write { try $0.cancelFast(at: now) })
            try home.warnOfOpenFast()
        })

    static let status = Verb(
        "fast status", "Show the fast in progress, and today's eating window.",
        example: "fast status", "fast status --at 21:00", run: tellStatus)

    private static func tellStatus(arguments: ParsedArguments, home: inout Home) throws {
        let now = try home.moment
        let day = try home.day
        let fasting = try home.replica.read { try $0.fasting() }
        let active = fasting.active(at: now)
        let window = try home.replica.read { try $0.eatingWindow(on: day) }
        let crossed = fasting.overlapping(at: now)
        let fast = try home.replica.read { diary in
            try active.flatMap { try diary.entity(Fast.self, $0.id) }
        }
        let short = try fast.map { try home.shortID(.fast, $0.id) }
        try home.show(
            BodyJSON.fasting(fast, window: window, overlapping: crossed.map(\.id), at: now)
        ) { home in
            if let active {
                home.say(
                    "Fasting since \(localTimeText(active.startedAt)): "
                        + "\(active.formatted(at: now))  \(short ?? "")")
                if let due = active.dueAt, active.hasReachedTarget(at: now) == false {
                    home.say("The target is reached at \(localTimeText(due)).")
                }
            } else if let last = fasting.shown(at: now).last(where: { $0.endedAt != nil }) {
                let end = last.endedAt ?? now
                home.say(
                    "No fast in progress. The last one \(end > now ? "ends" : "ended") at "
                        + "\(localTimeText(end)), after \(durationText(last.minutes(at: now))).")
            } else {
                home.say("No fast in progress. macrolog fast start --preset 16:8")
            }
            if let window {
                home.say(
                    "Eaten on \(day) from \(clock(window.lowerBound)) to "
                        + "\(clock(window.upperBound)): "
                        + durationText((window.upperBound - window.lowerBound) / 60_000))
            }
            if let active, crossed.contains(active) {
                home.say("It overlaps another fast: macrolog fast list")
            }
        }
    }

    static let list = Verb(
        "fast list", "List fasts.", example: "fast list", "fast list --days 90",
        explanation: """
            A fast is listed on the day it began. Its length is the time that elapsed, so that a
            change of the clocks adds no hour. Fasts that overlap, because two devices started them
            before they synced, are both kept: delete or change the wrong one.
            """,
        run: { arguments, home in
            let now = try home.now
            let span = try home.day.lastDays(Int(arguments[EntryVerbs.days]))
            let dayStart = try home.preferences.dayStartMinutes ?? 0
            // A fast is stored on the day that clocks showed, which at night is the next one.
            let days = span.lowerBound...span.upperBound.advanced(by: 1)
            let near = try home.replica.read { try $0.entities(Fast.self, on: days) }
            let fasts = near.filter { span.contains(day(of: $0, dayStart)) }
            try home.show(.array(fasts.map { $0.json(at: now) })) { home in
                try tell(fasts, now, &home)
            }
        }
    ) { EntryVerbs.days }

    /// The person's day on which a fast began.
    private static func day(of fast: Fast, _ dayStart: Int64) -> Day {
        LocalDate(
            instant: fast.startedAt, zone: nil, offsetMinutes: fast.offsetMinutes ?? 0,
            dayStartMinutes: dayStart)?
            .day ?? fast.day
    }

    private static func tell(_ fasts: [Fast], _ now: Int64, _ home: inout Home) throws {
        guard !fasts.isEmpty else { return home.say("No fasts there.") }
        let fasting = Fasting(fasts)
        let crossed = fasting.overlapping(at: now)
        let ids = try home.replica.read { try $0.shortIDs(of: .fast, for: fasts.map(\.id)) }
        var table = Table(
            Table.Column("id"), Table.Column("start"), Table.Column("end"),
            Table.Column("length", .right), Table.Column("target", .right), Table.Column(""))
        for fast in fasts {
            let span = fasting.spans.first { $0.id == fast.id }
            var remarks: [String] = []
            if fast.isCancelled { remarks.append("cancelled") }
            if let span {
                if span.endedAt == nil { remarks.append(span.startedAt > now ? "planned" : "on") }
                if span.hasReachedTarget(at: now) == true { remarks.append("target reached") }
                if crossed.contains(span) { remarks.append("overlaps another fast") }
            }
            if let note = fast.note { remarks.append(note) }
            table.add(
                Table.Cell(ids[fast.id] ?? "", .dim), Table.Cell(localTimeText(fast.startedAt)),
                Table.Cell(fast.endedAt.map { localTimeText($0) } ?? "–"),
                Table.Cell(span.map { durationText($0.minutes(at: now)) } ?? "–"),
                Table.Cell(fast.targetMinutes.map { durationText($0) } ?? ""),
                Table.Cell(remarks.joined(separator: ", ")))
        }
        home.say(table.lines(style: home.style, width: home.terminalWidth))
    }

    static let edit = Verb(
        "fast edit", "Change a fast.", example: "fast edit fa57 --end 2026-11-21T12:05",
        "fast edit fa57 --target 18h", "fast edit fa57 --counts no",
        explanation: """
            A time without a day, as in --end 12:05, is the nearest to the time that it replaces;
            with --date it is on that day.
            """, run: change
    ) {
        id
        started
        ended
        target
        preset
        counts
        note
    }

    private static func change(arguments: ParsedArguments, home: inout Home) throws {
        let target = try home.find(Fast.self, arguments[id], id, arguments)
        let old = try home.replica.read { try $0.require(Fast.self, target) }
        var fast = old
        if let moment = arguments[started] {
            fast.startedAt = try home.instant(moment, started, replacing: fast.startedAt, arguments)
            fast.offsetMinutes = LocalZone.system.offsetMinutes(fast.startedAt)
        }
        if let moment = arguments[ended] {
            fast.endedAt = try moment.map {
                try home.instant($0, ended, replacing: fast.endedAt, arguments)
            }
        }
        if let preset = arguments[preset] {
            (fast.preset, fast.targetMinutes) = (preset.name, preset.minutes)
        }
        if let minutes = try home.value(Self.target, arguments) {
            fast.targetMinutes = minutes
            if !arguments.has(preset) { fast.preset = nil }
        }
        if let counts = arguments[counts] { fast.isCancelled = !counts }
        if let note = arguments[note] { fast.note = note.isEmpty ? nil : note }
        guard fast.isChanged(since: old) else { return home.sayUnchanged() }
        home.warn(try home.replica.write { try $0.save(fast) })
        try home.warnOfOverlap(fast)
        try home.tell("Changed", fast)
    }

    static let other = KindVerbs(of: Fast.self)

    /// An instant as local time.
    static func clock(_ instant: Int64) -> String {
        LocalDate(
            instant: instant, zone: nil, offsetMinutes: LocalZone.system.offsetMinutes(instant))?
            .clock ?? ""
    }
}

extension Home {
    /// The moment that a fast's verb applies to: `--time`, `--at`, or now.
    fileprivate mutating func instant(_ arguments: ParsedArguments) throws -> Int64 {
        let date = try entryDate(time: arguments[FastVerbs.time], FastVerbs.time)
        guard let instant = date.occurredAt else {
            throw arguments.usageError(
                of: Everywhere.date, "needs a time as well", instead: "--time 20:00")
        }
        return instant
    }

    /// The instant of a typed moment; for a time without a day the nearest to the one it replaces.
    fileprivate mutating func instant<Value>(
        _ moment: Moment, _ parameter: Parameter<Value>, replacing old: Int64?,
        _ arguments: ParsedArguments
    ) throws -> Int64 {
        guard let old, moment.day == nil, !arguments.has(Everywhere.date),
            let day = LocalDate(
                instant: old, zone: nil, offsetMinutes: LocalZone.system.offsetMinutes(old))?.day
        else { return try instant(moment, parameter) }
        let near = (-1...1).compactMap { moment.instant(on: day.advanced(by: $0), dayStart: 0) }
        // 13 hours are half of the longest day.
        guard let nearest = near.min(by: { ($0 - old).magnitude < ($1 - old).magnitude }),
            (nearest - old).magnitude <= 13 * 3_600_000
        else {
            throw arguments.usageError(
                of: parameter, "does not exist: the clocks go forward then",
                instead: "a time before or after that hour")
        }
        return nearest
    }

    /// Two devices may have started a fast each before they synced: after one has ended, the other is still in progress.
    fileprivate mutating func warnOfOpenFast() throws {
        let now = try now
        guard let open = try replica.read({ try $0.fasting() }).active(at: now) else { return }
        let short = try shortID(.fast, open.id)
        warn(
            "another fast is still in progress, since \(localTimeText(open.startedAt)); end it too: "
                + "macrolog fast end; or delete it: macrolog fast delete \(short)")
    }

    /// Two fasts at the same time are both kept: which one is right is for the person to say.
    mutating func warnOfOverlap(_ fast: Fast) throws {
        let now = try now
        let crossed = try replica.read { try $0.fasting() }.overlapping(at: now)
        guard crossed.contains(where: { $0.id == fast.id }) else { return }
        warn("it overlaps another fast; delete or change the wrong one: macrolog fast list")
    }

    fileprivate mutating func tell(_ verb: String, _ fast: Fast) throws {
        let now = try now
        let shown = Shown(preferences: try preferences)
        let short = try shortID(.fast, fast.id)
        try show(fast.json(at: now)) { home in
            home.say("\(verb) \(fast.formatted(shown))  \(short)")
        }
    }
}

extension Fasting.Span {
    /// The elapsed and the remaining time: `14 h 02 min of 16 h, 1 h 58 min left`.
    func formatted(at now: Int64) -> String {
        let length = durationText(minutes(at: now))
        guard let target = targetMinutes, let left = remainingMinutes(at: now) else {
            return length
        }
        let whole = "\(length) of \(durationText(target))"
        if left == 0 { return whole + ", target reached" }
        return endedAt == nil ? whole + ", \(durationText(left)) left" : whole
    }
}

extension Fast: FormattedEntry {
    static var group: String { "fast" }
    static var plural: String { "fasts" }
    static var exampleID: String { "fa57" }

    func formatted(_ shown: Shown) -> String {
        var text = "the fast from \(localTimeText(startedAt))"
        if let endedAt {
            let span = Fasting.Span(of: self)
            text += " to \(localTimeText(endedAt)), \(span.formatted(at: endedAt))"
        } else if let target = targetMinutes {
            text += ", planned for \(durationText(target))"
        }
        return text
    }

    /// Empty, because ``formatted(_:)`` says when the fast was.
    var formattedDay: String { "" }
}

extension Form where Value == Fasting.Preset {
    /// The name of a length, or its hours.
    static var fastPreset: Form {
        let names = Fasting.presets.map(\.name)
        return Form(names.joined(separator: "|"), completion: .words(names)) {
            word throws(BadValue) in
            guard let preset = Fasting.preset(word) else {
                throw BadValue(
                    "is not one of the lengths", instead: names.formattedList + ", or --target 14h")
            }
            return preset
        }
    }
}

extension Form where Value == Moment? {
    /// A moment, or `n/a` for none.
    static var momentOrNone: Form {
        Form("TIME") { word throws(BadValue) in
            word == "n/a" || word == "-" ? nil : try Form<Moment>.moment.read(word)
        }
    }
}
