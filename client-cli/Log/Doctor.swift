import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologSystem
import MacrologFaces

/// `doctor`: checks everything that could be wrong, and says what to do about it.
enum Doctor {
    static let command = Verb(
        "doctor", "Diagnose problems.", example: "doctor",
        "doctor --bundle bundle.json",
        explanation: """
            Checks the file, the clock, the account and the log, and says what to do. Exits with 65
            when there is a problem.

            With --bundle it writes a redacted copy of the log for a bug report: which device recorded
            what kind of change when, and what it had seen. Names, texts, numbers, ids and addresses
            are left out; of a value there is its type, its length, and whether the field had it
            before. The format is that of `export json`. `make replay BUNDLE=bundle.json`, in the
            sources, replays it.
            """, run: run
    ) {
        bundle
        force
    }

    static let bundle = Parameter.option(
        "bundle", .file, "Write a redacted log to a new file.")
    static let force = Parameter.flag("force", "Replace a file of that name.")

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        if let path = arguments[bundle] {
            return try DoctorBundle.write(to: path, arguments: arguments, home: &home)
        }
        let checks = try examine(&home)
        try home.show(LogJSON.checks(checks)) { home in
            for check in checks {
                let mark =
                    check.isGood
                    ? home.style.paint(home.style.blocks ? "✓" : "ok", .green)
                    : home.style.paint(home.style.blocks ? "✗" : "!!", .red)
                home.say("\(mark) \(padded(check.name, to: 12))\(printable(check.message))")
            }
        }
        if checks.contains(where: { !$0.isGood }) {
            throw CommandError(.dataErr, "\(arguments.command): there are problems")
        }
    }

    /// All checks. None is possible while another process holds the log.
    private static func examine(_ home: inout Home) throws -> [DoctorCheck] {
        do {
            _ = try home.replica
        } catch let error as ReplicaError where error.code == .busy {
            return [
                DoctorCheck(name: "lock", isGood: false, message: "\(error)"),
                try disk(try home.path),
            ]
        }
        let lock = DoctorCheck(
            name: "lock", isGood: true,
            message: "no other process uses the log")
        return try file(&home) + [lock, try disk(try home.path)] + surroundings(&home)
            + account(&home) + DoctorSync.checks(&home) + log(&home)
    }

    /// Free space in the log's file system.
    private static func disk(_ path: String) throws -> DoctorCheck {
        let folder = Files.folder(of: path)
        let megabytes: Int64
        do throws(SystemError) {
            megabytes = Int64(clamping: try Files.freeBytes(in: folder) / 1_000_000)
        } catch {
            return DoctorCheck(
                name: "disk", isGood: false, message: "\(folder) cannot be read: \(error)")
        }
        let text =
            megabytes < 10_000
            ? "\(NumberFormat.grouped.text(megabytes)) MB"
            : "\(NumberFormat.grouped.text(megabytes / 1_000)) GB"
        let isEnough = megabytes >= freeMegabytesMin
        return DoctorCheck(
            name: "disk", isGood: isEnough,
            message: isEnough
                ? "\(text) free"
                : "only \(text) free in \(folder): free some space, or nothing more can be recorded"
        )
    }

    /// With less than this a sync may run out of space.
    private static let freeMegabytesMin: Int64 = 50

    private static func file(_ home: inout Home) throws -> [DoctorCheck] {
        let replica = try home.replica
        var checks: [DoctorCheck] = []
        let problems = try replica.check()
        checks.append(
            DoctorCheck(
                name: "file", isGood: problems.isEmpty,
                message: problems.first ?? "\(replica.path) is undamaged"))
        if let status = FileStatus(of: replica.path) {
            let isPrivate = status.permissions & 0o077 == 0
            checks.append(
                DoctorCheck(
                    name: "permissions", isGood: isPrivate,
                    message: isPrivate
                        ? "only you can read it" : "others can read it: chmod 600 \(replica.path)"))
        }
        return checks
    }

    private static func surroundings(_ home: inout Home) throws -> [DoctorCheck] {
        let replica = try home.replica
        let day = try replica.read { try $0.today() }
        let isPlausible = day.year >= 2_025 && day.year < 2_100
        let zone = LocalZone.system.name?.string
        let isKnown = zone.map { Zone.exists($0) } ?? false
        var clock = DoctorCheck(
            name: "clock", isGood: isPlausible,
            message: isPlausible
                ? "today is \(day)" : "the date is \(day): set the device's clock")
        if let compared = try replica.syncStatus().clock {
            // Syncing does not depend on a correct clock, but the days of new entries do.
            let isNear = compared.lead.magnitude < 3_600_000
            clock = DoctorCheck(
                name: "clock", isGood: isPlausible && isNear,
                message: compared.isNotable
                    ? compared.formatted
                    : clock.message
                        + ", within \(span(milliseconds: max(1_000, Int64(compared.lead.magnitude)))) of "
                        + "the server's clock")
        }
        return [
            clock,
            DoctorCheck(
                name: "time zone", isGood: zone == nil || isKnown,
                message: zone.map { isKnown ? $0 : "\($0) is unknown to this system: set TZ" }
                    ?? "the system names none; entries keep the offset from UTC"),
        ]
    }

    private static func account(_ home: inout Home) throws -> [DoctorCheck] {
        let status = try home.replica.syncStatus()
        do {
            let session = try home.account.session
            guard let session else {
                return [
                    DoctorCheck(
                        name: "account", isGood: true,
                        message: "not logged in; only syncing needs an account: "
                            + "macrolog auth login EMAIL")
                ]
            }
            let error =
                status.formattedError(session).map { "; the last sync failed: \($0)" } ?? ""
            return [
                DoctorCheck(
                    // Being offline is normal, not an error.
                    name: "account", isGood: !status.hasEndedSession,
                    message: "logged in at \(session.server) as \(session.email)\(error)")
            ]
        } catch let error as SessionError {
            return [DoctorCheck(name: "account", isGood: false, message: "\(error)")]
        }
    }

    private static func log(_ home: inout Home) throws -> [DoctorCheck] {
        let found = try home.replica.read { try $0.statistics() }
        let unsent = found.unsealedEvents
        return [
            DoctorCheck(
                name: "log", isGood: true,
                message: "\(found.events) events of \(found.devices) "
                    + "\(found.devices == 1 ? "device" : "devices"), \(unsent) not sent yet"),
            DoctorCheck(
                name: "conflicts", isGood: true,
                message: found.conflicts == 0
                    ? "none" : "\(found.conflicts): macrolog conflicts list"),
            DoctorCheck(
                name: "unused", isGood: found.quarantined == 0,
                message: found.quarantined == 0
                    ? "no field is out of bounds"
                    : "\(counted(found.quarantined, "field")) that this version cannot use: "
                        + "macrolog db check"),
        ]
    }
}
