/// The server is libmicrohttpd with a pool of threads, our checks before a request, and our reaper.
///
/// It knows requests and responses, and nothing of what they mean. What libmicrohttpd 0.9.75 lets
/// through and RFC 9112 does not is refused in `RequestCheck`; what it waits for without end is
/// closed by `Reaper`.
import CMicroHTTPD
package import HTTP
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A listening server.
package final class Server: Sendable {
    /// Answers one request, by `Reply.send` before it returns (fast) or later from any thread.
    /// Runs on a thread that serves many connections, and must not wait.
    package typealias Handler = @Sendable (HTTPRequest, Reply) -> Void

    /// Where the body of a request goes piece by piece, decided when its header is complete and its
    /// body still empty; `nil` for a body that lies in memory. The handler finds the sink in the
    /// request, and calls its `finish`. Must not wait either.
    package typealias Sinks = @Sendable (HTTPRequest) -> BodySink?

    /// The port it listens on.
    package let port: UInt16

    private let house: House
    // The daemon is created once, used from any thread as libmicrohttpd allows, and stopped once
    // under `stopped`.
    private nonisolated(unsafe) let daemon: OpaquePointer
    private let stopped = Mutex(false)

    /// Listens and answers until ``stop(deadlineMilliseconds:)``.
    package static func start(
        _ configuration: Configuration, sinks: @escaping Sinks = { _ in nil },
        handler: @escaping Handler
    ) throws(ServerError) -> Server {
        let listener = try Listener.open(address: configuration.address, port: configuration.port)
        _ = capacity(configuration)
        let house = House(configuration, sinks, handler)
        guard let daemon = startDaemon(listener.descriptor, house) else {
            close(listener.descriptor)
            throw ServerError(
                operation: "start the HTTP server",
                detail: configuration.tls == nil
                    ? "libmicrohttpd refused its settings"
                    : "libmicrohttpd refused its settings; check certificate and key (PEM)")
        }
        house.reaper.start()
        return Server(listener, house, daemon)
    }

    /// How many connections a server can really have: as many as it is told, or as many descriptors
    /// as the system gives, less some for files.
    package static func capacity(_ configuration: Configuration) -> Int {
        let limit = Listener.raiseDescriptorLimit(to: configuration.connectionsMax + 64)
        return max(0, min(configuration.connectionsMax, limit - 64))
    }

    private init(_ listener: Listener, _ house: House, _ daemon: OpaquePointer) {
        self.port = listener.port
        self.house = house
        self.daemon = daemon
    }

    /// Stops accepting, ends all streams, lets what is under way finish for at most so many
    /// milliseconds, answers 503 to requests whose handler has still not replied, and returns when
    /// every thread has ended. Calling it again does nothing.
    package func stop(deadlineMilliseconds: Int64 = 10_000) {
        stopped.withLock { stopped in
            guard !stopped else { return }
            stopped = true
            house.closing.store(true, ordering: .releasing)
            house.waiting.endStreams()
            wait(deadlineMilliseconds) { house.requestsUnderWay.load(ordering: .acquiring) == 0 }
            // A suspended connection must be resumed before the daemon may stop.
            house.waiting.close()
            wait(500) { house.requestsUnderWay.load(ordering: .acquiring) == 0 }
            // Stopping libmicrohttpd 0.9.75 while it refuses a malformed request crashes it.
            wait(2_000) { house.reaper.shutdownAll() == 0 }
            MHD_stop_daemon(daemon)
            house.reaper.stop()
        }
    }

    deinit { stop(deadlineMilliseconds: 0) }
}

/// What every connection of one server shares.
final class House: Sendable {
    let configuration: Configuration
    let sinks: Server.Sinks
    let handler: Server.Handler
    let reaper: Reaper
    let waiting = Waiting()
    /// Requests between the end of their header and the end of their response.
    let requestsUnderWay = Atomic<Int>(0)
    /// Whether every response asks the client to close.
    let closing = Atomic<Bool>(false)

    init(
        _ configuration: Configuration, _ sinks: @escaping Server.Sinks,
        _ handler: @escaping Server.Handler
    ) {
        self.configuration = configuration
        self.sinks = sinks
        self.handler = handler
        self.reaper = Reaper(configuration)
    }
}

/// GnuTLS priorities: TLS 1.2 and 1.3 with authenticated ciphers and forward secrecy only.
private let tlsPriorities =
    "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM"
    + ":+CHACHA20-POLY1305:-MAC-ALL:+AEAD:%SERVER_PRECEDENCE"

private func startDaemon(_ descriptor: Int32, _ house: House) -> OpaquePointer? {
    let configuration = house.configuration
    var settings = cmhd_settings()
    settings.flags =
        MHD_USE_AUTO_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
        | (configuration.tls == nil ? 0 : MHD_USE_TLS.rawValue)
    settings.threads = UInt32(max(configuration.threads, 2))
    settings.listen_socket = descriptor
    settings.connection_memory = configuration.connectionMemoryBytes
    settings.connections = UInt32(configuration.connectionsMax)
    settings.connections_per_address = UInt32(configuration.connectionsPerAddressMax)
    // While the server closes, a new connection is closed before a byte of it is read. (Not by
    // MHD_quiesce_daemon: in 0.9.75 it races with its own threads and aborts the process.)
    settings.accept = { context, _, _ in
        guard let context else { return .NO }
        let house = Unmanaged<House>.fromOpaque(context).takeUnretainedValue()
        return house.closing.load(ordering: .acquiring) ? .NO : .YES
    }
    settings.access = Connection.access
    settings.line = Connection.line
    settings.completed = Connection.completed
    settings.connection = Connection.notify
    settings.unescape = { _, _, text in text.map { strlen($0) } ?? 0 }
    // The house lives as long as the server, which stops the daemon before it lets go.
    settings.context = Unmanaged.passUnretained(house).toOpaque()
    guard let tls = configuration.tls else { return cmhd_start(&settings) }
    // GnuTLS copies all three while it starts.
    return (tls.certificate + [0]).withUnsafeBytes { certificate in
        (tls.key + [0]).withUnsafeBytes { key in
            tlsPriorities.withCString { priorities in
                settings.certificate = certificate.baseAddress?.assumingMemoryBound(to: CChar.self)
                settings.key = key.baseAddress?.assumingMemoryBound(to: CChar.self)
                settings.priorities = priorities
                return cmhd_start(&settings)
            }
        }
    }
}

/// Waits until something holds, or so many milliseconds.
private func wait(_ milliseconds: Int64, until isDone: () -> Bool) {
    let deadline = monotonicMilliseconds() + milliseconds
    while !isDone(), monotonicMilliseconds() < deadline { usleep(2_000) }
}

/// Milliseconds of a clock that nobody sets.
func monotonicMilliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}
