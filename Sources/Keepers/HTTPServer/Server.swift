/// The server is libmicrohttpd with a pool of threads, our checks before a request, and our reaper.
///
/// It knows requests and responses, and nothing of what they mean. What libmicrohttpd 0.9.75 lets
/// through and RFC 9112 does not is refused in `RequestCheck`; what it waits for without end is
/// closed by `Reaper`.
import CMacrologMicroHTTPD
package import MacrologHTTP
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
    private let listener: Listener
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
        guard capacity(configuration) >= threads(configuration) else {
            close(listener.descriptor)
            throw ServerError(
                operation: "start the HTTP server",
                detail: "this process may hold too few files open; raise the limit (ulimit -n)")
        }
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

    /// How many bytes of bodies lie in memory because their requests are not complete.
    package var bodyBytesHeld: Int { house.bodyBytesHeld.load(ordering: .relaxed) }

    /// How many connections a server can really have: as many as it is told, or as the descriptors
    /// of the system suffice for, where each connection may read or write a file besides. Beyond
    /// that, a client waits in the system's queue instead of being accepted in vain.
    package static func capacity(_ configuration: Configuration) -> Int {
        let reserve = descriptorsReserved + 4 * threads(configuration)
        let limit = Listener.raiseDescriptorLimit(to: 2 * configuration.connectionsMax + reserve)
        return max(0, min(configuration.connectionsMax, (limit - reserve) / 2))
    }

    /// For the database, what reads it, and the program's own files.
    private static let descriptorsReserved = 64

    fileprivate static func threads(_ configuration: Configuration) -> Int {
        max(configuration.threads, 2)
    }

    private init(_ listener: Listener, _ house: House, _ daemon: OpaquePointer) {
        self.port = listener.port
        self.listener = listener
        self.house = house
        self.daemon = daemon
    }

    /// Ends all streams, lets what is under way finish for at most so many milliseconds, where each
    /// answer closes its connection, answers 503 to requests on new connections, and to those whose
    /// handler has still not replied, and returns when every thread has ended. Calling it again does
    /// nothing.
    ///
    /// A connection counts as under way until it has been idle for a moment: a client that sends one
    /// request after the other has just sent the next, and would see it lost.
    package func stop(deadlineMilliseconds: Int64 = 10_000) {
        stopped.withLock { stopped in
            guard !stopped else { return }
            stopped = true
            house.closing.store(true, ordering: .releasing)
            cmhd_drop_incoming(listener.descriptor)
            house.waiting.endStreams()
            wait(deadlineMilliseconds) { !isInUse }
            // Whoever comes from now on is refused by the system, before anything is sent.
            shutdown(listener.descriptor, Int32(SHUT_RDWR))
            // A suspended connection must be resumed before the daemon may stop.
            house.waiting.close()
            wait(500) { house.requestsUnderWay.load(ordering: .acquiring) == 0 }
            // Stopping libmicrohttpd 0.9.75 while it refuses a malformed request crashes it.
            wait(2_000) { house.reaper.shutdownAll() == 0 }
            MHD_stop_daemon(daemon)
            house.reaper.stop()
        }
    }

    private var isInUse: Bool {
        house.requestsUnderWay.load(ordering: .acquiring) != 0
            || house.reaper.isInUse(idleMilliseconds: 250)
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
    let bodyBytesHeld = Atomic<Int>(0)
    /// Whether every response closes its connection, and requests on new ones are not handled.
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
    settings.threads = UInt32(Server.threads(configuration))
    settings.listen_socket = descriptor
    settings.connection_memory = configuration.connectionMemoryBytes
    settings.connections = UInt32(Server.capacity(configuration))
    settings.connections_per_address = UInt32(configuration.connectionsPerAddressMax)
    settings.log = Connection.log
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
