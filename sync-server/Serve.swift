/// How `serve` starts, reads its settings again, and stops.
import MacrologArgumentParsing
import MacrologGateway
import MacrologHTTP
import MacrologHTTPServer
import MacrologPasswords
import MacrologSQLite
import MacrologService
import MacrologSystem
import MacrologWire

extension Serve {
    @Sendable static func run(_ arguments: ParsedArguments, _: inout Void) throws(CommandError) {
        let mistakes = mistakes(in: arguments)
        if arguments[Settings.check] { return try Settings.report(arguments, more: mistakes) }
        if let mistake = mistakes.first { throw mistake }
        var configuration = try configuration(arguments)
        let log = LogLines(from: arguments[level], as: arguments[style])
        let asked = try GatewayOptions.settings(arguments, configuration, log)
        configuration.descriptorsReserved += asked?.descriptorsMax ?? 0
        ServerSignal.block()
        Running.ignoresClosedPipes()
        Connection.countNoMemory()
        let folder = try DataFolder.open(arguments[data])
        let lock = try folder.lockToServe()
        let secrets = try folder.secrets()
        do throws(LibraryError) { try Strength.prepare() } catch {
            throw CommandError(.unavailable, "sync-server: \(error)")
        }
        let keys = try AtRestKey.keys(arguments, for: folder)
        try folder.check(secrets)
        if let copy = try Upgrade.copyBefore(folder) {
            log.write(.info, "upgrading", [("copy", copy)])
        }
        let photos = try BlobOptions.storage(arguments) {
            log.write(.warning, "blobs.unavailable", [("detail", $0)])
        }
        try BlobOptions.check(photos, for: folder)
        let fatal: @Sendable (String) -> Void = {
            log.write(.error, "fatal", [("detail", $0)])
            Running.stop(ExitCode.ioErr.value)
        }
        let shared = try StoreOptions.open(
            arguments, folder, keys, secrets, blobs: photos, fatal: fatal,
            note: { log.write(.warning, "store.unavailable", [("detail", $0)]) },
            noteEnd: { log.write(.info, "store.available", [("store", $0)]) })
        let store: any ServerStore
        if let shared {
            store = shared
        } else {
            store = try folder.store(keys: keys, blobs: photos, fatal: fatal)
        }
        var settings = ServerSettings()
        apply(arguments, to: &settings)
        Limits.applyRates(arguments, to: &settings)
        Limits.applyPasswordCost(arguments, to: &settings)
        settings.registration =
            arguments[registration] ?? (arguments[listen].isLoopback ? .open : .invite)
        if arguments[noLimits] { settings.rates = .none }
        // The remaining connections are for pushes and pulls.
        settings.liveChannelsMax = Server.capacity(configuration) / 10 * 9
        let server = SyncServer(
            store: store, secrets: secrets, settings: settings,
            clock: { SystemClock.wallMilliseconds },
            note: { log.write($0) })
        // Deleted accounts are removed only from a folder in use.
        if asked == nil { Files.removeAll(folder.gateway) }
        let gateway: Gateway?
        do throws(CommandError) {
            gateway = try asked.map { settings throws(CommandError) in
                try GatewayOptions.gateway(
                    arguments, server, settings, in: folder, isEncrypted: !keys.isEmpty,
                    hasLimits: !arguments[noLimits], log)
            }
        } catch {
            server.close()
            throw error
        }
        let door = FrontDoor(server: server, gateway: gateway)
        let requests = Requests(log)
        let backups = arguments[BackupOptions.folder].map {
            Backups(
                BackupOptions.plan(arguments, folder: $0, keys: keys), of: folder,
                every: arguments[BackupOptions.interval], log)
        }
        let threads = shared == nil ? nil : RequestThreads()
        let (httpServer, inner): (Server, Server?)
        do throws(ServerError) {
            inner = try innerServer(
                arguments,
                Metrics(requests: requests, server: server, store: store, backups: backups))
            httpServer = try Server.start(
                configuration,
                sinks: { request, choose in
                    guard let threads else { return choose(door.sink(for: request)) }
                    let isTaken = threads.run { choose(door.sink(for: request)) }
                    if !isTaken { choose(FrontDoor.overloaded) }
                }
            ) { request, reply in
                guard let threads, !door.server.isQueued(request) else {
                    return requests.answer(request, door, reply)
                }
                let isTaken = threads.run { requests.answer(request, door, reply) }
                if !isTaken { requests.refuse(request, door, reply) }
            }
        } catch {
            gateway?.close()
            server.close()
            throw CommandError(.unavailable, "sync-server: \(error)")
        }
        // Without it the operator's commands say that the server must be stopped for them.
        var administrator: LocalAnswerer?
        do throws(SystemError) {
            administrator = try LocalAnswerer(at: folder.adminSocket) { server.administer($0) }
        } catch {
            log.write(
                .warning, "admin.unavailable",
                [("detail", "cannot listen on \(folder.adminSocket): \(error)")])
        }
        let scheme = configuration.tls == nil ? "http" : "https"
        Standard.output("listening on \(scheme)://\(arguments[listen].host):\(httpServer.port)\n")
        if let inner, let endpoint = arguments[metrics] {
            Standard.output("metrics on http://\(endpoint.host):\(inner.port)/metrics\n")
        }
        log.write(.info, "started", [("port", "\(httpServer.port)"), ("epoch", "\(store.epoch)")])
        if arguments[listen].isLoopback, arguments[proxies].isEmpty, !arguments[noLimits] {
            log.write(.info, "proxy.none", [("advice", proxyAdvice)])
        }
        if folder.isWritableByOthers {
            let advice = "Others may replace its files. Type: chmod go-w \(folder.path)"
            log.write(.warning, "data.writable", [("advice", advice)])
        }
        server.compareClock()
        let manager = ServiceManager()
        manager?.tell(.ready)
        var repeating = [Repeating(every: 60_000) { requests.logRefusals() }]
        if shared != nil { repeating.append(Repeating(every: 60_000) { server.compareClock() }) }
        if let manager, let interval = manager.watchdogMilliseconds {
            repeating.append(
                Repeating(every: max(1, interval / 3)) {
                    server.readiness { if !$0.isBroken { manager.tell(.alive) } }
                })
        }
        if let gateway {
            repeating.append(Repeating(every: 10_000) { gateway.tick() })
            repeating.append(Repeating(every: 2_000) { gateway.endRevoked() })
            repeating.append(Repeating(every: 1_000) { gateway.tickWebhooks() })
        }
        var copying: [Repeating] = []
        if let backups {
            let pause = max(1_000, min(30_000, backups.interval / 4))
            copying.append(Repeating(every: pause) { backups.makeIfDue() })
            repeating.append(Repeating(every: 1_000) { backups.keepLedger() })
        }
        let signal = untilStopped {
            manager?.tell(.reloading)
            reload(arguments, server, httpServer, log)
            manager?.tell(.ready)
        }
        manager?.tell(.stopping)
        log.write(.info, "stopping", [("signal", "\(signal)")])
        administrator?.close()
        requests.stop()
        server.endLive()
        gateway?.endLive()
        // A copy that began while requests end would not be complete when systemd loses its patience.
        for work in copying { work.end() }
        httpServer.stop(deadlineMilliseconds: stopMilliseconds)
        threads?.close()
        inner?.stop(deadlineMilliseconds: 0)
        // A copy in progress is completed.
        for work in repeating + copying { work.stop() }
        requests.logRefusals()
        gateway?.close()
        server.close()
        // Who copies the database of a stopped server by hand finds all of it in one file.
        if shared == nil { ServerFile.checkpoint(folder.database) }
        log.write(.info, "stopped")
        _ = consume lock
    }

    /// Waits for a signal to stop, and returns its name.
    private static func untilStopped(_ reload: () -> Void) -> String {
        while true {
            switch ServerSignal.wait() {
            case .reload: reload()
            case .stop(let name): return name
            }
        }
    }

    /// How long requests in progress may take once the server stops, in milliseconds: some seconds less than
    /// `TimeoutStopSec` of the unit. A photo, 10 MiB at most, arrives in that at 2 Mbit/s.
    private static let stopMilliseconds: Int64 = 45_000

    /// What an operator must know before clients connect through a proxy.
    private static let proxyAdvice: String =
        "Behind a proxy, start with --trusted-proxy and its address, such as 127.0.0.1: otherwise "
        + "all people share one address and its attempts to log in."

    private static func innerServer(
        _ arguments: ParsedArguments, _ metrics: Metrics
    ) throws(ServerError) -> Server? {
        guard let endpoint = arguments[Serve.metrics] else { return nil }
        var configuration = Configuration()
        configuration.address = endpoint.address
        configuration.port = endpoint.port
        configuration.connectionsMax = 32
        return try Server.start(configuration) { metrics.answer($0, $1) }
    }
}

// MARK: - The settings

extension Serve {
    /// Everything that the settings together, or the files that they name, do not allow.
    private static func mistakes(in arguments: ParsedArguments) -> [CommandError] {
        let checks: [Check] = [
            exposure, limits, publicAddress, metricsAddress, certificateFiles, keyFile, bucket,
            database, GatewayOptions.checkVersion, GatewayOptions.checkProvider,
            GatewayOptions.checkOrigins,
        ]
        return checks.compactMap { check in
            do throws(CommandError) {
                try check(arguments)
                return nil
            } catch {
                return error
            }
        }
    }

    private typealias Check = @Sendable (ParsedArguments) throws(CommandError) -> Void

    private static let exposure: Check = { arguments throws(CommandError) in
        let hasBoth = arguments.has(certificate) && arguments.has(key)
        guard hasBoth || arguments.has(certificate) == arguments.has(key) else {
            throw CommandError(.usage, "sync-server: --tls-cert and --tls-key go together.")
        }
        let endpoint = arguments[listen]
        guard hasBoth || endpoint.isLoopback || arguments[insecure] else {
            throw CommandError(
                .usage,
                """
                sync-server: others can reach \(endpoint.host), and nothing would be encrypted.
                Give --tls-cert and --tls-key, listen on 127.0.0.1 behind a proxy, or insist with \
                --insecure-http.
                """)
        }
    }

    private static let limits: Check = { arguments throws(CommandError) in
        guard arguments[listen].isLoopback || !arguments[noLimits] else {
            throw CommandError(.usage, "--no-rate-limits is for loopback addresses only.")
        }
    }

    private static let publicAddress: Check = { arguments throws(CommandError) in
        guard let text = arguments[address] else { return }
        do throws(OriginError) { _ = try Origin(text, allowingInsecure: true) } catch {
            throw CommandError(.usage, "sync-server: --public-url \(text): \(error)")
        }
    }

    private static let metricsAddress: Check = { arguments throws(CommandError) in
        guard arguments[metrics]?.isLoopback ?? true else {
            throw CommandError(
                .usage,
                """
                sync-server: others can reach the address of --metrics, which asks for no password.
                Take one of this machine, such as 127.0.0.1:9090.
                """)
        }
    }

    private static let certificateFiles: Check = { arguments throws(CommandError) in
        guard let tls = try tls(arguments) else { return }
        do throws(ServerError) { try Server.check(tls) } catch {
            throw CommandError(.unavailable, "sync-server: \(error)")
        }
    }

    private static let keyFile: Check = { arguments throws(CommandError) in
        _ = try AtRestKey.keys(arguments)
    }

    private static let bucket: Check = { arguments throws(CommandError) in
        let storage = try BlobOptions.storage(arguments)
        guard arguments[Settings.check] else { return }
        try BlobOptions.check(storage, for: DataFolder(path: arguments[data]), notes: false)
    }

    private static let database: Check = { arguments throws(CommandError) in
        try StoreOptions.check(arguments)
    }

    private static func tls(
        _ arguments: ParsedArguments
    ) throws(CommandError) -> Configuration.TLS? {
        guard let certificate = arguments[certificate], let key = arguments[key] else { return nil }
        return Configuration.TLS(
            certificate: try DataFolder.read(certificate), key: try DataFolder.readKey(key))
    }

    private static func configuration(
        _ arguments: ParsedArguments
    ) throws(CommandError) -> Configuration {
        let endpoint = arguments[listen]
        var configuration = Configuration()
        configuration.address = endpoint.address
        configuration.port = endpoint.port
        configuration.threads = max(2, Machine.processors)
        // Behind a proxy on this machine all clients have one address.
        if endpoint.isLoopback {
            configuration.connectionsPerAddressMax = configuration.connectionsMax
        }
        configuration.tls = try tls(arguments)
        return configuration
    }

    /// The settings of the service that may change while it runs.
    private static func apply(_ arguments: ParsedArguments, to settings: inout ServerSettings) {
        settings.proxies = arguments[proxies]
        settings.isSecure = arguments.has(certificate)
        settings.publicAddress = arguments[address].flatMap {
            try? Origin($0, allowingInsecure: true)
        }
        Limits.applyQuotas(arguments, to: &settings)
    }

    /// Reads the settings again. With any mistake in them everything stays as it is.
    ///
    /// - Parameter started: What the server was started with.
    private static func reload(
        _ started: ParsedArguments, _ server: SyncServer, _ httpServer: Server, _ log: LogLines
    ) {
        do throws(CommandError) {
            let new = try Settings.filled(started)
            if let mistake = mistakes(in: new).first { throw mistake }
            let certificates = [certificate, key].map { $0.specification.name }
            let hasTLS = started.has(certificate)
            if hasTLS, let tls = try tls(new) {
                do throws(ServerError) { try httpServer.replaceCertificate(tls) } catch {
                    throw CommandError(.unavailable, "sync-server: \(error)")
                }
            }
            log.change(from: new[level], as: new[style])
            server.change { apply(new, to: &$0) }
            var changeable =
                ([
                    level.specification, style.specification, proxies.specification,
                    address.specification,
                ]
                + Limits.quotas).map { $0.name }
            if hasTLS == new.has(certificate) { changeable += certificates }
            let waiting = Settings.all.map { $0.name }.filter {
                !changeable.contains($0) && started.given($0) != new.given($0)
            }
            let names = waiting.isEmpty ? "none" : waiting.joined(separator: " ")
            log.write(.info, "reloaded", [("restart_needed_for", names)])
        } catch {
            log.write(.error, "reload.refused", [("detail", error.message)])
        }
    }
}
