import Commands
import JSON
import Macrolog

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// `doctor`: looks at everything that could be wrong, and says what to do about it.
enum Doctor {
    /// One thing looked at.
    struct Check {
        let name: String
        let isGood: Bool
        let told: String
    }

    static let command = Verb(
        "doctor", "Look for anything that could be wrong.", example: "doctor",
        explanation: "Ends with 65 when something is.", run: run)

    static func run(words: Words, home: inout Home) throws {
        let checks =
            try file(&home) + surroundings(&home) + account(&home) + log(&home)
        try home.show(
            .array(
                checks.map {
                    .object([
                        JSON.Member("check", .string($0.name)),
                        JSON.Member("good", .bool($0.isGood)),
                        JSON.Member("told", .string($0.told)),
                    ])
                })
        ) { home in
            for check in checks {
                let mark =
                    check.isGood
                    ? home.style.paint(home.style.blocks ? "✓" : "ok", .green)
                    : home.style.paint(home.style.blocks ? "✗" : "!!", .red)
                home.say("\(mark) \(padded(check.name, to: 12))\(printable(check.told))")
            }
        }
        if checks.contains(where: { !$0.isGood }) {
            throw Refusal(.dataErr, "\(words.command): something needs your attention")
        }
    }

    private static func file(_ home: inout Home) throws -> [Check] {
        let replica = try home.replica
        var checks: [Check] = []
        let problems = try replica.check()
        checks.append(
            Check(
                name: "file", isGood: problems.isEmpty,
                told: problems.first ?? "\(replica.path) is sound"))
        var status = stat()
        if stat(replica.path, &status) == 0 {
            let isPrivate = status.st_mode & 0o077 == 0
            checks.append(
                Check(
                    name: "permissions", isGood: isPrivate,
                    told: isPrivate
                        ? "only you can read it" : "others can read it: chmod 600 \(replica.path)"))
        }
        return checks
    }

    private static func surroundings(_ home: inout Home) throws -> [Check] {
        let replica = try home.replica
        let day = try replica.today()
        let isPlausible = day.year >= 2_025 && day.year < 2_100
        let zone = LocalTime.zoneName?.string
        let isKnown = zone.map { Zone.exists($0) } ?? false
        return [
            Check(
                name: "clock", isGood: isPlausible,
                told: isPlausible
                    ? "today is \(day)" : "today is said to be \(day): set the device's clock"),
            Check(
                name: "time zone", isGood: zone == nil || isKnown,
                told: zone.map { isKnown ? $0 : "\($0) is not known to this system: set TZ" }
                    ?? "the system does not name one; entries keep the offset from UTC"),
        ]
    }

    private static func account(_ home: inout Home) throws -> [Check] {
        let status = try home.replica.syncStatus()
        do {
            let session = try home.account.session
            let told = session.map { "signed in at \($0.server) as \($0.email)" }
            let failure = status.lastFailure.map { "; the last sync failed: \($0)" } ?? ""
            return [
                Check(
                    // Being offline is ordinary, not broken.
                    name: "account", isGood: true,
                    told: (told ?? "nobody is signed in, which only syncing needs")
                        + (session == nil ? "" : failure))
            ]
        } catch let error as SessionFile.Failure {
            return [Check(name: "account", isGood: false, told: "\(error)")]
        }
    }

    private static func log(_ home: inout Home) throws -> [Check] {
        let found = try home.replica.statistics()
        let unsent = found.unsealedEvents
        return [
            Check(
                name: "log", isGood: true,
                told: "\(found.events) events of \(found.devices) "
                    + "\(found.devices == 1 ? "device" : "devices"), \(unsent) not sent yet"),
            Check(
                name: "conflicts", isGood: true,
                told: found.conflicts == 0
                    ? "none" : "\(found.conflicts): macrolog conflicts list"),
            Check(
                name: "unused", isGood: found.quarantined == 0,
                told: found.quarantined == 0
                    ? "no field is out of bounds"
                    : "\(found.quarantined) fields of other devices are out of bounds: "
                        + "macrolog db check"),
        ]
    }
}
