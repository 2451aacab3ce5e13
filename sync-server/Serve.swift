/// The `serve` command: its options, and the order of start and stop.
import MacrologArgumentParsing
import MacrologHTTP
import MacrologHTTPServer
import MacrologPasswords
import MacrologSQLite
import MacrologService
import MacrologSystem

enum Serve {
    static let listen = Parameter.option(
        "listen", .endpoint, otherwise: "127.0.0.1:8080",
        "The numeric address and port to listen on; port 0 chooses a free one.")
    static let data = Parameter.option(
        "data", .directory, otherwise: "sync-data",
        "The folder of the database; created if missing.")
    static let certificate = Parameter.option(
        "tls-cert", .file, "The certificate chain, as PEM. Goes with --tls-key.")
    static let key = Parameter.option(
        "tls-key", .file, "The private key, as PEM. Goes with --tls-cert.")
    static let insecure = Parameter.flag(
        "insecure-http", "Listen without TLS on an address that others can reach.")
    static let proxies = Parameter.options(
        "trusted-proxy", .numericAddress,
        "Trust the X-Forwarded-For header of this address; needed behind a proxy.")
    static let level = Parameter.option(
        "log-level",
        .choice([
            ("debug", ServerNote.Level.debug), ("info", .info), ("warning", .warning),
            ("error", .error),
        ]), otherwise: "info", "The lowest level that is written to standard error.")
    static let quota = Parameter.option(
        "blob-quota", .integer("MIB", in: 1...1_048_576), otherwise: "2048",
        "The quota of photos per account, in MiB.")
    static let eventQuota = Parameter.option(
        "event-quota", .integer("EVENTS", in: 1...1_000_000_000), otherwise: "1000000",
        "The quota of events per account.")
    static let eventBytesQuota = Parameter.option(
        "event-bytes-quota", .integer("MIB", in: 1...1_048_576), otherwise: "512",
        "The quota of events per account, in MiB, decompressed.")
    static let registrations = Parameter.option(
        "registrations-per-hour", .integer("COUNT", in: 1...3_600_000), otherwise: "3",
        "How many accounts may be created from one network.")
    static let noLimits = Parameter.flag(
        "no-rate-limits",
        "Disable rate limits: for benchmarks, on loopback only.")

    static let command = Command<Void, CommandError>(
        "", "Listen and serve until SIGTERM or SIGINT.",
        example: "--data /var/lib/macrolog --listen 127.0.0.1:8080", run: run
    ) {
        listen
        data
        certificate
        key
        insecure
        proxies
        level
        quota
        eventQuota
        eventBytesQuota
        registrations
        noLimits
    }

    static let explanation = """
        The first line on standard output is the address, such as \
        "listening on http://127.0.0.1:8080". Standard error gets one JSON object per line, without \
        addresses of people, tokens or events.

        Keep a copy of the file secrets.key apart from the backups of server.db: without it no address \
        finds its account, and with it a stolen backup is worth more.
        """

    @Sendable static func run(_ arguments: ParsedArguments, _: inout Void) throws(CommandError) {
        let configuration = try configuration(arguments)
        let isLoopback = arguments[listen].isLoopback
        if arguments[noLimits], !isLoopback {
            throw CommandError(.usage, "--no-rate-limits is for loopback addresses only.")
        }
        let log = LogLines(from: arguments[level])
        StopSignals.block()
        Running.ignoresClosedPipes()
        Connection.countNoMemory()
        let folder = try DataFolder.open(arguments[data])
        let lock: LockFile
        do throws(LockError) {
            lock = try LockFile.take(for: folder.database)
        } catch {
            throw CommandError(.tempFail, "sync-server: \(error)")
        }
        let secrets = try folder.secrets()
        do throws(LibraryError) { try Strength.prepare() } catch {
            throw CommandError(.unavailable, "sync-server: \(error)")
        }
        let store: SQLiteServerStore
        do throws(SQLiteError) {
            store = try SQLiteServerStore.open(folder.database, newEpoch: folder.newEpoch()) {
                log.write(.error, "fatal", [("detail", $0)])
                Running.stop(ExitCode.ioErr.value)
            }
        } catch {
            throw CommandError(.cantCreate, folder.database, error)
        }
        var settings = ServerSettings()
        settings.proxies = arguments[proxies]
        settings.blobQuota = arguments[quota] << 20
        settings.eventQuota = arguments[eventQuota]
        settings.eventBytesQuota = arguments[eventBytesQuota] << 20
        settings.rates.registerByNetwork = .perHour(arguments[registrations])
        if arguments[noLimits] { settings.rates = .none }
        // The remaining connections are for pushes and pulls.
        settings.liveChannelsMax = Server.capacity(configuration) / 10 * 9
        let server = SyncServer(
            store: store, secrets: secrets, settings: settings,
            clock: { SystemClock.wallMilliseconds },
            note: { log.write($0) })
        let httpServer: Server
        do throws(ServerError) {
            httpServer = try Server.start(configuration, sinks: { server.sink(for: $0) }) {
                log.answer($0, server, $1)
            }
        } catch {
            server.close()
            throw CommandError(.unavailable, "sync-server: \(error)")
        }
        let scheme = configuration.tls == nil ? "http" : "https"
        Standard.output("listening on \(scheme)://\(arguments[listen].host):\(httpServer.port)\n")
        log.write(.info, "started", [("port", "\(httpServer.port)"), ("epoch", "\(store.epoch)")])
        if isLoopback, arguments[proxies].isEmpty, !arguments[noLimits] {
            log.write(.info, "proxy.none", [("advice", proxyAdvice)])
        }
        let signal = StopSignals.wait()
        log.write(.info, "stopping", [("signal", "\(signal)")])
        server.endLive()
        httpServer.stop()
        server.close()
        log.write(.info, "stopped", [])
        _ = consume lock
    }

    /// What an operator must know before clients connect through a proxy.
    private static let proxyAdvice: String =
        "Behind a proxy, start with --trusted-proxy and its address, such as 127.0.0.1: otherwise "
        + "all people share one address and its attempts to log in."

    private static func configuration(_ arguments: ParsedArguments) throws(CommandError)
        -> Configuration
    {
        let endpoint = arguments[listen]
        var configuration = Configuration()
        configuration.address = endpoint.address
        configuration.port = endpoint.port
        configuration.threads = max(2, Machine.processors)
        // Behind a proxy on this machine all clients have one address.
        if endpoint.isLoopback {
            configuration.connectionsPerAddressMax = configuration.connectionsMax
        }
        switch (arguments[certificate], arguments[key]) {
        case (let certificate?, let key?):
            configuration.tls = Configuration.TLS(
                certificate: try DataFolder.read(certificate), key: try DataFolder.readKey(key))
        case (nil, nil):
            guard endpoint.isLoopback || arguments[insecure] else {
                throw CommandError(
                    .usage,
                    """
                    sync-server: others can reach \(endpoint.host), and nothing would be encrypted.
                    Give --tls-cert and --tls-key, listen on 127.0.0.1 behind a proxy, or insist with \
                    --insecure-http.
                    """)
            }
        default:
            throw CommandError(.usage, "sync-server: --tls-cert and --tls-key go together.")
        }
        return configuration
    }
}
