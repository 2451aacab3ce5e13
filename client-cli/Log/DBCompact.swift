import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `db compact`: deletes old superseded payloads and keeps the current state.
enum DBCompact {
    static let age = Parameter.option(
        "older-than", .age, "How long all history is kept: 2y, 18m, 90d; at least 30d.")
    static let always = Parameter.flag(
        "always", "Compact automatically from now on, on every device, once a day after syncing.")
    static let never = Parameter.flag("never", "Stop compacting automatically.")
    static let dryRun = Parameter.flag("dry-run", "Only show how much it would free.")
    static let yes = Parameter.flag("yes", "Do not ask.")

    static let command = Verb(
        "db compact", "Compact old history; the data stays the same.",
        example: "db compact --older-than=2y --dry-run", "db compact --older-than=2y",
        "db compact --older-than=5y --always",
        explanation: """
            A log only grows. Compaction drops the values of events older than the given age where
            later events have replaced all of them. Days, totals, conflicts, and what an old device
            may still send stay exactly the same. Only history is lost: `meal history` and `log` show
            "compacted" there, and `undo` and `--as-of` cannot go back that far. The files of photos that
            only the dropped history named go, too. It cannot be undone. Other devices keep what they have.
            """, run: run
    ) {
        age
        always
        never
        dryRun
        yes
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        try home.requireLog()
        let replica = try home.replica
        if arguments[never] {
            guard !arguments.has(age), !arguments[always] else {
                throw arguments.usageError(
                    combining: "--never", arguments.has(age) ? "--older-than" : "--always")
            }
            try remember(nil, &home)
            return try home.show(LogJSON.neverCompacted) {
                $0.say("History is no longer compacted automatically.")
            }
        }
        guard let days = try arguments[age] ?? replica.read({ try $0.preferences() }).historyDays
        else {
            throw arguments.usageError(
                of: age, "is missing, and no age is set to compact automatically",
                instead: "--older-than=2y")
        }
        let trial = try replica.compact(olderThanDays: days, isTrial: true)
        if arguments[dryRun] { return try tell(trial, days, freed: nil, &home) }
        guard try trial.events == 0 || arguments[yes] || agrees(to: trial, days, arguments, &home)
        else {
            return home.say("Nothing was changed.")
        }
        let before = try replica.read { try $0.statistics() }.fileBytes
        var line = ProgressLine("Compacting", home)
        let done = try replica.compact(olderThanDays: days) { line.show($0, $1) }
        line.end()
        if done.events > 0 { try replica.shrink() }
        if arguments[always] { try remember(days, &home) }
        let freed = before - (try replica.read { try $0.statistics() }.fileBytes)
        try tell(done, days, freed: freed, &home)
    }

    private static func remember(_ days: Int64?, _ home: inout Home) throws {
        try home.replica.write { diary in
            let old = try diary.preferences()
            var preferences = old
            preferences.historyDays = days
            if preferences != old { try diary.save(preferences) }
        }
    }

    private static func agrees(
        to report: CompactionReport, _ days: Int64, _ arguments: ParsedArguments, _ home: inout Home
    ) throws -> Bool {
        guard Terminal.canAsk, !home.isJSON, !home.isQuiet else {
            throw arguments.usageError(
                of: yes, "is missing: this cannot be undone, and there is no terminal to ask in",
                instead: "--dry-run first, then --yes")
        }
        try tell(report, days, freed: nil, &home)
        home.output.write("This cannot be undone. Continue? (yes, no) ")
        try home.output.flush()
        return readLine().map { ["y", "yes"].contains($0.lowercased()) } ?? false
    }

    /// - Parameter freed: By how many bytes the file is smaller; `nil` where nothing was done.
    private static func tell(
        _ report: CompactionReport, _ days: Int64, freed: Int64?, _ home: inout Home
    ) throws {
        let json = LogJSON.compacted(
            olderThanDays: days, examined: report.through, events: report.events,
            bytes: report.bytes, freed: freed)
        try home.show(json) { home in
            let events = counted(report.events, "event")
            guard report.events > 0 else {
                return home.say("Nothing older than \(counted(days, "day")) can be compacted.")
            }
            let size = kibibytes(report.bytes)
            if let freed {
                home.say(
                    "Compacted \(events), \(size); "
                        + "the file is \(kibibytes(max(0, freed))) smaller.")
            } else {
                home.say(
                    "\(events) older than \(counted(days, "day")) can be compacted, because later "
                        + "events replaced their values: \(size).")
                home.say("Their history is lost; all current data is kept.")
            }
        }
    }

    private static func kibibytes(_ bytes: Int64) -> String {
        "\(NumberFormat.grouped.text((bytes + 1_023) / 1_024)) KiB"
    }
}

extension Form where Value == Int64 {
    /// An age in days: `90d`, `18m` of 30 days each, `2y` of 365.
    static var age: Form {
        Form("AGE") { word throws(BadValue) in
            let unit: Int64? =
                switch word.utf8.last {
                case UInt8(ascii: "d")?: 1
                case UInt8(ascii: "m")?: 30
                case UInt8(ascii: "y")?: 365
                default: nil
                }
            guard let unit, let number = Int64(word.dropLast()), number > 0, number <= 36_500,
                (30...36_500).contains(number * unit)
            else {
                throw BadValue("is not an age from 30 days to 100 years", instead: "2y, 18m or 90d")
            }
            return number * unit
        }
    }
}
