/// What one account, session or network may take: the options, and the settings that they make.
import MacrologArgumentParsing
import MacrologCryptography
import MacrologService
import MacrologWire

enum Limits {
    private static let blobQuota = Parameter.option(
        "blob-quota", .integer("MIB", in: 1...1_048_576), otherwise: "2048",
        "The quota of photos per account, in MiB.")
    private static let eventQuota = Parameter.option(
        "event-quota", .integer("EVENTS", in: 1...1_000_000_000), otherwise: "1000000",
        "The quota of events per account.")
    private static let eventBytesQuota = Parameter.option(
        "event-bytes-quota", .integer("MIB", in: 1...1_048_576), otherwise: "512",
        "The quota of events per account, in MiB, decompressed.")
    private static let deviceQuota = Parameter.option(
        "device-quota", .integer("DEVICES", in: 10...100_000), otherwise: "2000",
        "The quota of devices whose events an account has, those included that are no longer in use, and each "
            + "copy that the web interface has made.")
    private static let sessionQuota = Parameter.option(
        "session-quota", .integer("COUNT", in: 1...1_000), otherwise: "50",
        "How many devices of an account may be logged in; the next one ends the session that was "
            + "not used for longest.")
    private static let registrations = Parameter.option(
        "registrations-per-hour", .integer("COUNT", in: 1...3_600_000), otherwise: "3",
        "How many accounts may be created from one network without an invitation.")
    private static let failures = Parameter.option(
        "failed-logins-per-hour", .integer("COUNT", in: 1...3_600_000), otherwise: "80",
        "How many failed logins one network may make; a quarter of them at once.")
    private static let logins = Parameter.option(
        "logins-per-hour", .integer("COUNT", in: 1...3_600_000), otherwise: "30",
        "How often an account may log in from one network that it is known from, and from all others."
    )
    private static let pushes = Parameter.option(
        "pushes-per-minute", .integer("COUNT", in: 1...60_000), otherwise: "60",
        "How often an account may send events; ten minutes' worth at once.")
    private static let pulls = Parameter.option(
        "pulls-per-minute", .integer("COUNT", in: 1...60_000), otherwise: "120",
        "How often a device may ask for events; ten minutes' worth at once.")
    private static let blobRequests = Parameter.option(
        "photos-per-minute", .integer("COUNT", in: 1...60_000), otherwise: "60",
        "How often a device may send or fetch a photo; ten minutes' worth at once.")

    private static let passwordMemory = Parameter.option(
        "password-memory", .integer("MIB", in: 12...1_024), otherwise: "64",
        "The memory that hashing a password takes, in MiB, and the time with it: about 80 ms at 64. A password that "
            + "was hashed at another cost is hashed again at its next login.")

    /// The options.
    static let all = quotas + rates + [passwordMemory.specification]

    /// Those that a running server takes over.
    static let quotas: [Specification] = [
        blobQuota, eventQuota, eventBytesQuota, deviceQuota, sessionQuota,
    ].map(\.specification)

    private static let rates: [Specification] = [
        registrations, failures, logins, pushes, pulls, blobRequests,
    ].map(\.specification)

    static func applyQuotas(_ arguments: ParsedArguments, to settings: inout ServerSettings) {
        settings.blobQuota = arguments[blobQuota] << 20
        settings.eventQuota = arguments[eventQuota]
        settings.eventBytesQuota = arguments[eventBytesQuota] << 20
        settings.deviceQuota = arguments[deviceQuota]
        settings.sessionsMax = Int(arguments[sessionQuota])
    }

    static func applyPasswordCost(_ arguments: ParsedArguments, to settings: inout ServerSettings) {
        settings.passwordCost = PasswordCost(memoryBytes: Int(arguments[passwordMemory]) << 20)
    }

    static func applyRates(_ arguments: ParsedArguments, to settings: inout ServerSettings) {
        settings.rates[.registerByNetwork] = .perHour(arguments[registrations])
        let failed = arguments[failures]
        settings.rates[.loginByNetwork] = Rate(
            burst: max(1, failed / 4), interval: Rate.perHour(failed).interval)
        settings.rates[.loginByAccount] = .perHour(arguments[logins])
        settings.rates[.pushByAccount] = .perMinute(arguments[pushes])
        settings.rates[.pullBySession] = .perMinute(arguments[pulls])
        settings.rates[.blobBySession] = .perMinute(arguments[blobRequests])
    }
}
