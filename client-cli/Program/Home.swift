public import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
public import Macrolog
import MacrologSystem

/// The context of every command: the log, the given moment and day, and the output.
public struct Home: Sendable {
    /// The common options.
    let arguments: ParsedArguments
    let style: Style
    /// The columns of the terminal; `nil` when output is not a terminal.
    let terminalWidth: Int?
    /// Standard output.
    var output = Output()
    private var opened: Replica?
    /// Whether the preferences of the open log were read, and its zone is this process's.
    private var isAdopted = false
    private(set) var known: Preferences?
    /// Those that say what day it is: as they are in the log, or are about to be.
    private var recorded: Preferences?

    /// The context of one command.
    public init(_ arguments: ParsedArguments) {
        self.arguments = arguments
        style = Terminal.style(refused: arguments[Everywhere.noColor])
        terminalWidth = Terminal.width
    }

    var isJSON: Bool { arguments[Everywhere.json] }
    var isQuiet: Bool { arguments[Everywhere.quiet] }

    /// The number of columns to draw in.
    var width: Int { min(terminalWidth ?? 80, 100) }
}

// MARK: The log

extension Home {
    /// The path of the database: `--db`, `$MACROLOG_DB`, or a file in the folder for data.
    var path: String {
        get throws {
            if let path = arguments[Everywhere.db] { return path }
            if let path = Environment["MACROLOG_DB"], !path.isEmpty { return path }
            return try dataFolder() + "/macrolog.db"
        }
    }

    /// `$XDG_DATA_HOME/macrolog`, else `~/.local/share/macrolog`; created with access for its owner
    /// only.
    private func dataFolder() throws -> String {
        var data = Environment["XDG_DATA_HOME"] ?? ""
        if data.isEmpty || !data.hasPrefix("/") {
            guard let home = Environment["HOME"], !home.isEmpty else {
                throw CommandError(
                    .config, "HOME is not set, so there is no folder for the log: type --db FILE")
            }
            data = home + "/.local/share"
        }
        let folder = data + "/macrolog"
        var made = ""
        for part in folder.split(separator: "/") {
            made += "/\(part)"
            do throws(SystemError) { try Files.makeFolder(made) } catch {
                // A folder that exists may be in one that refuses new folders.
                guard !Files.exists(made) else { continue }
                throw CommandError(.cantCreate, "the folder \(made) cannot be created: \(error)")
            }
        }
        return folder
    }

    /// Refuses a path at which there is no log, for a command that should not create one.
    func requireLog() throws {
        let path = try path
        let bytes = FileStatus(of: path)?.bytes
        guard bytes == nil || bytes == 0 else { return }
        throw CommandError(
            .noInput,
            "\(arguments.command): there is no log at \(printable(path))"
                + (bytes == 0 ? ": the file is empty" : "")
                + "; type its path with --db, or set MACROLOG_DB")
    }

    /// The log, opened when it is first needed.
    public var replica: Replica {
        mutating get throws {
            let replica = try file
            // A damaged file can still be opened, so that it can be inspected.
            if !isAdopted { adopt(try? replica.read { try $0.preferences() }) }
            return replica
        }
    }

    /// The open log, of which nothing need have been read.
    private var file: Replica {
        mutating get throws {
            if let opened { return opened }
            let replica = try Replica.open(at: try path)
            opened = replica
            return replica
        }
    }

    private mutating func adopt(_ preferences: Preferences?) {
        recorded = preferences
        if known == nil { known = preferences }
        isAdopted = true
        Zone.adopt(preferences, arguments)
    }

    /// Reads the preferences where they are not known, so that nothing inside of a block borrows again.
    private mutating func learn(from diary: borrowing Diary) throws {
        if !isAdopted { return adopt(try diary.preferences()) }
        guard known == nil else { return }
        recorded = try diary.preferences()
        known = recorded
    }

    /// Reads one state of the log, with `--at` as now. The log is borrowed once: inside the block its
    /// preferences are known, and only the diary may be used.
    mutating func read<T: Sendable>(
        _ body: (borrowing Diary, inout Home) throws -> T
    ) throws -> T {
        // What `--at` means depends on the preferences.
        let instant = arguments.has(Everywhere.at) ? try typedInstant : nil
        return try file.read(at: instant) { diary in
            try learn(from: diary)
            return try body(diary, &self)
        }
    }

    /// Records in one transaction, as ``read(_:)`` reads. What the block returns is printed after it,
    /// when it is durable.
    mutating func write<T: Sendable>(_ body: (inout Diary, inout Home) throws -> T) throws -> T {
        try file.write { diary in
            try learn(from: diary)
            return try body(&diary, &self)
        }
    }

    /// Closes the log so that other commands can use it, until this one needs it again.
    func replicaMayBeUsed() { opened?.releaseFile() }

    /// From now on, reads the log as of an earlier point.
    mutating func lookBack(to asOf: AsOf) throws {
        opened = try replica.snapshot(asOf: asOf)
        (known, recorded) = (nil, nil)
    }

    /// The person's display preferences.
    var preferences: Preferences {
        mutating get throws {
            if let known { return known }
            let preferences = try replica.read { try $0.preferences() }
            known = preferences
            return preferences
        }
    }

    /// How numbers are shown, including the nutrients that the person defined.
    var shown: Shown {
        mutating get throws {
            Shown(
                preferences: try preferences,
                customNutrients: try replica.read { try $0.entities(CustomNutrient.self) })
        }
    }

    /// Reads and shows numbers, and says what day it is, by preferences that are about to be
    /// recorded.
    mutating func assume(_ preferences: Preferences) {
        let zone = recorded?.zone
        (known, recorded) = (preferences, preferences)
        // One after 08:00 is refused where it is recorded.
        if let start = preferences.dayStartMinutes, !(0...480).contains(start) {
            recorded?.dayStartMinutes = nil
        }
        if preferences.zone != zone { Zone.adopt(preferences, arguments) }
    }
}

// MARK: Time

extension Home {
    /// Today, or the day of `--at`.
    var today: Day {
        mutating get throws { try localDate(at: try typedInstant).day }
    }

    /// The day, instant and zone of an entry made at a moment; now, when not given. It follows from the
    /// preferences that were read when the log was opened.
    mutating func localDate(at instant: Int64? = nil) throws -> LocalDate {
        let log = try replica
        let instant = instant ?? log.now
        let preferences = try recorded ?? log.read { try $0.preferences() }
        let date = LocalDate(
            instant: instant, zone: LocalZone.system.name,
            offsetMinutes: LocalZone.system.offsetMinutes(instant),
            dayStartMinutes: preferences.dayStartMinutes ?? 0)
        guard let date else { throw EntryError(.noSuchTime) }
        return date
    }

    /// The moment of `--at`, or now, in milliseconds since 1970 UTC.
    var now: Int64 {
        mutating get throws { try typedInstant ?? replica.now }
    }

    /// Reads one state of the log, with `--at` as now.
    mutating func read<T: Sendable>(_ body: (borrowing Diary) throws -> T) throws -> T {
        try replica.read(at: try typedInstant, body)
    }

    /// The moment of `--at`; `nil` when it was not typed.
    var typedInstant: Int64? {
        mutating get throws {
            try arguments[Everywhere.at].map { try instant($0, Everywhere.at) }
        }
    }

    /// The moment from which a day is viewed: that of `--at`, else now; for a past day its end, for
    /// a future day its beginning.
    var moment: Int64 {
        mutating get throws {
            if let typedInstant = try typedInstant { return typedInstant }
            let day = try day
            return try replica.read { try $0.moment(of: day) }
        }
    }

    /// Today, to print `today` instead of its date; `nil` if `--at` names another date.
    var formattedToday: Day? {
        mutating get throws {
            arguments[Everywhere.at]?.day == nil ? try localDate().day : nil
        }
    }

    /// The given day: `--date`, or today.
    var day: Day {
        mutating get throws {
            guard let word = arguments[Everywhere.date] else { return try today }
            return try typedDay(word, Everywhere.date, arguments)
        }
    }

    /// What a command for a day has in addition, as in `macrolog steps 8200 --date 2026-11-01`; empty for today.
    mutating func dateOption(_ day: Day) throws -> String {
        day == (try today) ? "" : " --date \(day)"
    }

    /// When a new entry happened: at `time`, at `--at`, on `--date`, or now.
    ///
    /// - Parameter time: The time argument of the verb itself.
    mutating func entryDate(time: Moment? = nil, _ parameter: Parameter<Moment?>? = nil) throws
        -> LocalDate
    {
        let typedDay = arguments.has(Everywhere.date) ? try day : nil
        let moment = time ?? arguments[Everywhere.at]
        if time != nil, arguments.has(Everywhere.at) {
            throw arguments.usageError(combining: "--at", "--time")
        }
        if let moment {
            if let named = time?.day, let typedDay, named != typedDay {
                throw arguments.usageError(
                    of: parameter ?? Everywhere.at, "is on another day than --date",
                    instead: "a time alone, such as 07:40")
            }
            let instant = try instant(
                moment, time == nil ? Everywhere.at : parameter ?? Everywhere.at)
            var date = try localDate(at: instant)
            if let typedDay { date.day = typedDay }
            return date
        }
        let now = try localDate()
        guard let typedDay, typedDay != now.day else { return now }
        return LocalDate(day: typedDay)
    }

    /// The new time of an existing entry, from `--date`, `--at` or the verb's own time: a day alone
    /// keeps the local time, a time alone keeps the day.
    mutating func movedDate(
        _ old: LocalDate, _ time: Parameter<Moment?>
    ) throws -> LocalDate {
        if arguments.has(time), arguments.has(Everywhere.at) {
            throw arguments.usageError(combining: "--at", "--time")
        }
        return try movedDate(
            old, to: arguments.has(Everywhere.date) ? try day : nil,
            at: arguments[time] ?? arguments[Everywhere.at],
            arguments.has(time) ? time : Everywhere.at)
    }

    /// The date with its day and time replaced.
    mutating func movedDate(
        _ old: LocalDate, to day: Day?, at moment: Moment?, _ parameter: Parameter<Moment?>
    ) throws -> LocalDate {
        guard day != nil || moment != nil else { return old }
        let target = day ?? old.day
        let dayStart = try preferences.dayStartMinutes ?? 0
        guard let moment else {
            guard let minute = old.minuteOfDay else {
                return LocalDate(day: target, zone: old.zone, offsetMinutes: old.offsetMinutes)
            }
            let civil = minute < dayStart ? target.advanced(by: 1) : target
            guard let instant = firstInstant(of: civil, from: minute) else {
                return LocalDate(day: target)
            }
            var date = try localDate(at: instant)
            date.day = target
            return date
        }
        guard let instant = moment.instant(on: target, dayStart: dayStart) else {
            throw arguments.usageError(
                of: parameter, "does not exist: the clocks go forward then",
                instead: "a time before or after that hour")
        }
        var date = try localDate(at: instant)
        if moment.day == nil { date.day = target }
        return date
    }

    /// When clocks show a time of a day; for a time that a change of the clocks skips, the first after it. `nil`
    /// where the rest of the day is skipped.
    private func firstInstant(of day: Day, from minute: Int64) -> Int64? {
        for later in minute..<1_440 {
            if let instant = LocalZone.system.instant(of: day, minuteOfDay: later) {
                return instant
            }
        }
        return nil
    }

    /// The instant of a typed moment, on the given day if it has no date.
    mutating func instant<Value>(
        _ moment: Moment, _ parameter: Parameter<Value>
    ) throws -> Int64 {
        var meant = try localDate().day
        if moment.day == nil, let word = arguments[Everywhere.date],
            let day = named(word, today: meant)
        {
            meant = day
        }
        let dayStart = try preferences.dayStartMinutes ?? 0
        let instant =
            arguments.has(Everywhere.date)
            ? moment.instant(on: meant, dayStart: dayStart)
            : moment.instant(on: meant, dayStart: dayStart, now: try replica.now)
        guard let instant else {
            throw arguments.usageError(
                of: parameter, "does not exist: the clocks go forward then",
                instead: "a time before or after that hour")
        }
        return instant
    }
}

// MARK: Output
