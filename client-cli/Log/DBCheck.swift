import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `db check`: verifies the whole file and reports problems.
enum DBCheck {
    static let days = Parameter.flag(
        "by-day", "Print a digest of the log and of what each day shows, to compare two devices.")

    static let quick = Parameter.flag(
        "quick", "Do not fold the events again to compare, which takes as long as `db rebuild`.")

    static let command = Verb(
        "db check", "Check the whole file for damage.", example: "db check",
        "db check --by-day", "db check --quick",
        explanation: """
            Checks the structure of the file, every event and the photos on this device, and folds the
            events again to compare the read models. Nothing is changed, except that the file of a
            damaged photo gets another name. Fields that another device set beyond their bounds are
            listed: they are kept and synced, but not used. With --by-day, compare two devices:
            if their digests of the log differ, one log is damaged, and sync repairs it; if only the
            digests of a day differ, this program has an error.
            """, run: run
    ) {
        days
        quick
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        try home.requireLog()
        if arguments[days] { return try compare(&home) }
        let problems = try home.replica.check(isQuick: arguments[quick])
        let quarantine = try home.replica.read { try $0.quarantine() }
        let missing = try home.replica.photoStatus().missing
        try home.show(LogJSON.problems(problems, unused: quarantine)) { home in
            if problems.isEmpty { home.say("No problems found.") }
            if missing > 0 {
                home.say(
                    "\(counted(missing, "photo")) \(missing == 1 ? "is" : "are") not on this device: "
                        + "macrolog sync --photos fetches what the server has")
            }
            for problem in problems { home.say(printable(problem)) }
            for held in quarantine {
                home.say(
                    "not used: \(printable(held.finding)) "
                        + "(\(printable(held.entity.kind.string)) \(held.entity.id.lastDigits(4)))")
            }
        }
        guard problems.isEmpty else {
            // A damaged event or seal can be fetched from the server again.
            let isLogOnly = problems.allSatisfy {
                $0.hasPrefix("event ") || $0.hasPrefix("the log")
            }
            if problems.allSatisfy({ $0.hasPrefix("the read models") }) {
                throw CommandError(.dataErr, "\(arguments.command): macrolog db rebuild repairs it")
            }
            if problems.allSatisfy({ $0.hasPrefix("photo ") }) {
                throw CommandError(
                    .dataErr,
                    "\(arguments.command): macrolog sync --photos fetches the server's copies; "
                        + "what is left of them is kept")
            }
            throw CommandError(
                .dataErr,
                isLogOnly
                    ? "\(arguments.command): macrolog sync fetches the server's copies"
                    : "\(arguments.command): keep a copy of the file and its -wal file, "
                        + "then restore a backup"
            )
        }
    }

    private static func compare(_ home: inout Home) throws {
        let found = try home.replica.read { try $0.digests() }
        let json = LogJSON.digests(of: found.log, to: found.cursor, days: found.days)
        try home.show(json) { home in
            home.say("log of \(counted(found.cursor, "event")): \(hexadecimal(found.log))")
            for (day, digest) in found.days { home.say("\(day) \(hexadecimal(digest))") }
        }
    }
}
