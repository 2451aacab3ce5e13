/// The options of the gateway, and the gateway that they make.
import MacrologAnalysis
import MacrologArgumentParsing
import MacrologGateway
import MacrologHTTP
import MacrologHTTPServer
import MacrologCryptography
import MacrologService
import MacrologSystem

enum GatewayOptions {
    static let none = Parameter.flag(
        "no-gateway", "Leave out the web interface: only devices of Macrolog are served.")
    static let folder = Parameter.option(
        "gateway-folder", .directory,
        "Where the web interface keeps its copies of logs, which can be deleted at any time. Otherwise "
            + "the folder gateway of --data, or memory with encryption at rest.")
    static let replicas = Parameter.option(
        "gateway-replicas", .integer("COUNT", in: 1...10_000), otherwise: "256",
        "How many accounts the web interface has open at once.")
    static let requests = Parameter.option(
        "requests-per-hour", .integer("COUNT", in: 1...1_000_000_000), otherwise: "100",
        "How many requests an account may send to the web interface.")
    static let origins = Parameter.options(
        "cors-origin", .text("ORIGIN"),
        "Let pages of this origin use the web interface, such as https://app.example.org.")

    static let reveals = Parameter.flag(
        "reveal-registration",
        "Tell who registers over the web interface with an address that has an account. Otherwise the "
            + "login after it is refused.")

    static let version = Parameter.option(
        "minimum-client", .text("VERSION"),
        "Refuse apps that say in X-Client-Version that they are older, such as 2.10.0.")
    static let analysis = Parameter.option(
        "analysis", .file,
        "Analyse photos of meals with the provider of models in this file: lines such as interface = "
            + "gemini, model = NAME, key-file = FILE.")
    static let analysesPerDay = Parameter.option(
        "analyses-per-day", .integer("COUNT", in: 1...1_000_000), otherwise: "50",
        "How many analyses an account may have in a day.")
    static let anonymousAnalysis = Parameter.flag(
        "anonymous-analysis",
        "Analyse photos of people without an account, too; all of them share one account's analyses."
    )

    static let webhooks = Parameter.option(
        "webhooks", .choice(Webhooks.allCases.map { ($0.rawValue, $0) }), otherwise: "public",
        "Where people may have reminders and milestones sent: public, over https into the public Internet; "
            + "any, also into your own network, and over http; off, nowhere.")
    static let webhooksPerAccount = Parameter.option(
        "webhooks-per-account", .integer("COUNT", in: 1...1_000), otherwise: "10",
        "How many addresses an account may have messages sent to.")

    /// Where messages may be sent.
    enum Webhooks: String, CaseIterable, Sendable {
        case `public`, any, off
    }

    static let all: [Specification] = [
        webhooks.specification, webhooksPerAccount.specification,
        analysis.specification, analysesPerDay.specification, anonymousAnalysis.specification,
        none.specification, folder.specification, replicas.specification,
        requests.specification, origins.specification, reveals.specification,
        version.specification,
    ]

    private static func minimum(
        _ arguments: ParsedArguments
    ) throws(CommandError) -> ClientVersion? {
        guard let text = arguments[version] else { return nil }
        guard let version = ClientVersion(text) else {
            throw CommandError(
                .usage, "sync-server: --minimum-client must be a version such as 2.10.0.")
        }
        return version
    }

    /// The settings that the options ask for, with half of the free descriptors at most; `nil` for no
    /// gateway.
    static func settings(
        _ arguments: ParsedArguments, _ configuration: Configuration, _ log: LogLines
    ) throws(CommandError) -> GatewaySettings? {
        guard !arguments[none] else { return nil }
        var settings = GatewaySettings()
        settings.replicasMax = Int(arguments[replicas])
        var wanted = configuration
        wanted.descriptorsReserved += settings.descriptorsMax
        _ = Server.freeDescriptors(wanted)
        settings.fit(descriptors: Server.freeDescriptors(configuration) / 2)
        if settings.replicasMax < Int(arguments[replicas]) {
            log.write(
                .warning, "descriptors.few",
                [("replicas", "\(settings.replicasMax)"), ("advice", "raise ulimit -n")])
        }
        return settings
    }

    /// The gateway that the options ask for.
    static func gateway(
        _ arguments: ParsedArguments, _ server: SyncServer, _ given: GatewaySettings,
        in data: DataFolder, isEncrypted: Bool, hasLimits: Bool, _ log: LogLines
    ) throws(CommandError) -> Gateway {
        var settings = given
        settings.requestsPerHour = hasLimits ? arguments[requests] : nil
        settings.origins = arguments[origins]
        settings.revealsRegistration = arguments[reveals]
        settings.clientVersionMin = try minimum(arguments)
        settings.analysis = try provider(arguments)
        settings.webhooks =
            arguments[webhooks] == .off
            ? nil
            : WebhookSettings(
                reachesPrivate: arguments[webhooks] == .any,
                countMax: arguments[webhooksPerAccount])
        let named = arguments[folder]
        // What is removed at the start and at the end is a folder of its own.
        let path =
            named.map { "\($0)/macrolog-gateway" } ?? (isEncrypted ? memory(data) : data.gateway)
        // What an earlier server left in memory was encrypted nowhere, and what it left in the folder of the data is
        // in plain text; deleted accounts are removed only from the folder in use.
        if isEncrypted { Files.removeAll(path) }
        if path != data.gateway { Files.removeAll(data.gateway) }
        settings.keepsFiles = !isEncrypted
        do {
            if let named { try Files.makeFolder(named) }
            return try Gateway(
                server, folder: path, settings: settings,
                note: { log.write(.error, "gateway.failed", [("detail", $0)]) })
        } catch {
            guard error is SystemError else {
                throw CommandError(
                    .tempFail,
                    """
                    sync-server: the web interface cannot read the database now; the log says why. If PostgreSQL has no \
                    connection left, raise max_connections: a server takes up to 22 of each --store. Then start again.
                    """)
            }
            throw CommandError(
                .cantCreate,
                """
                sync-server: cannot use the folder \(path): \(error). It must belong to the server's user \
                alone: remove it, or name another with --gateway-folder.
                """)
        }
    }

    /// The operator's provider of models; `nil` for none.
    static func provider(_ arguments: ParsedArguments) throws(CommandError) -> AnalysisSettings? {
        guard let file = arguments[analysis] else { return nil }
        do {
            let bytes = try File.open(file, followsLinks: true).read(atMost: 65_536)
            let settings = try ProviderSettings(lines: String(decoding: bytes, as: UTF8.self))
            return AnalysisSettings(
                provider: Provider(settings), perDay: arguments[analysesPerDay],
                takesStrangers: arguments[anonymousAnalysis])
        } catch {
            throw CommandError(.config, "sync-server: --analysis \(file): \(error)")
        }
    }

    // MARK: What is checked before anything is made

    static let checkVersion: @Sendable (ParsedArguments) throws(CommandError) -> Void = {
        arguments throws(CommandError) in
        guard !arguments[none] else { return }
        _ = try minimum(arguments)
    }

    static let checkProvider: @Sendable (ParsedArguments) throws(CommandError) -> Void = {
        arguments throws(CommandError) in
        guard !arguments[none] else { return }
        _ = try provider(arguments)
    }

    static let checkOrigins: @Sendable (ParsedArguments) throws(CommandError) -> Void = {
        arguments throws(CommandError) in
        guard !arguments[none] else { return }
        for text in arguments[origins] where !isOrigin(text) {
            throw CommandError(
                .usage,
                """
                sync-server: --cors-origin \(text): no browser sends that. Write an origin such as \
                https://app.example.org, in small letters, without a path and a port that is the usual one.
                """)
        }
    }

    /// Whether a browser may name it as the origin of a page. Pages of apps have schemes of their own.
    private static func isOrigin(_ text: String) -> Bool {
        guard text.hasPrefix("http") else {
            return text == "null" || text.contains("://") && !text.hasSuffix("/")
        }
        guard let origin = try? Origin(text, allowingInsecure: true) else { return false }
        return origin.prefix.isEmpty && "\(origin)" == text
    }

    /// A folder in memory for the server of a data folder.
    private static func memory(_ data: DataFolder) -> String {
        let name = Files.wholePath(data.path).utf8.map { byte -> UInt8 in
            byte == UInt8(ascii: "/") ? UInt8(ascii: "-") : byte
        }
        return "/dev/shm/sync-server" + String(decoding: name, as: UTF8.self)
    }
}
