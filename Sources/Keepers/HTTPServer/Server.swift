/// The HTTP server: libmicrohttpd with a thread pool, our checks before a request, and our reaper.
///
/// It knows requests and responses, not their meaning. `RequestCheck` refuses what libmicrohttpd
/// 0.9.75 accepts against RFC 9112; `Reaper` closes connections on which libmicrohttpd would wait
/// for ever.
import CMacrologMicroHTTPD
package import MacrologHTTP
import MacrologPlatform
import Synchronization
import MacrologSystem

/// A listening server.
package final class Server: Sendable {
    /// Answers one request, by `Reply.send` before it returns (fast) or later from any thread. Runs
    /// on a thread that serves many connections, and must not block.
    package typealias Handler = @Sendable (HTTPRequest, Reply) -> Void

    /// Chooses where a long body is received piece by piece: calls `choose` once, before it returns or
    /// later from any thread, with `nil` for a body kept in memory. Called when the header is complete and
    /// the body still empty. The handler finds the sink in the request, and calls its `finish`. Must
    /// not block either.
    package typealias Sinks =
        @Sendable (
            HTTPRequest, _ choose: @escaping @Sendable (BodySink?) -> Void
        ) -> Void

    /// The port it listens on.
    package let port: UInt16

    private let serverContext: ServerContext
    private let listener: Listener
    // The daemon is created once, used from any thread as libmicrohttpd allows, and stopped once
    // under `stopped`.
    private nonisolated(unsafe) let daemon: OpaquePointer
    private let stopped = Mutex(false)

    /// Listens and answers until ``stop(deadlineMilliseconds:)``.
    package static func start(
        _ configuration: Configuration, sinks: @escaping Sinks = { $1(nil) },
        handler: @escaping Handler
    ) throws(ServerError) -> Server {
        let listener = try Listener.open(address: configuration.address, port: configuration.port)
        guard capacity(configuration) >= threads(configuration) else {
            close(listener.descriptor)
            throw ServerError(
                operation: "start the HTTP server",
                detail: "this process may hold too few files open; raise the limit (ulimit -n)")
        }
        let serverContext = ServerContext(configuration, sinks, handler)
        do throws(ServerError) {
            if let tls = configuration.tls { try serverContext.identity.set(tls) }
        } catch {
            close(listener.descriptor)
            throw error
        }
        guard let daemon = startDaemon(listener.descriptor, serverContext) else {
            close(listener.descriptor)
            throw ServerError(
                operation: "start the HTTP server",
                detail: "libmicrohttpd refused its settings")
        }
        serverContext.reaper.start()
        return Server(listener, serverContext, daemon)
    }

    /// Shows another certificate to the connections that begin from now on. The server must have
    /// begun with one.
    ///
    /// - Throws: ``ServerError`` if the two are not valid; then nothing has changed.
    package func replaceCertificate(_ tls: Configuration.TLS) throws(ServerError) {
        try serverContext.identity.set(tls)
    }

    /// Checks that a certificate and a key are valid and belong together.
    package static func check(_ tls: Configuration.TLS) throws(ServerError) {
        try Identity().set(tls)
    }

    /// Bytes of incomplete request bodies held in memory.
    package var bodyBytesHeld: Int { serverContext.bodyBytesHeld.load(ordering: .relaxed) }

    /// The effective maximum number of connections: as configured, or as limited by the system's
    /// descriptors, since each connection may have a file open too. Further clients wait in the
    /// system's queue instead of being accepted in vain.
    package static func capacity(_ configuration: Configuration) -> Int {
        min(configuration.connectionsMax, freeDescriptors(configuration) / 2)
    }

    /// The descriptors that the system gives beyond the reserved ones. The system is asked for as many as
    /// all connections need.
    package static func freeDescriptors(_ configuration: Configuration) -> Int {
        let reserve = configuration.descriptorsReserved + 4 * threads(configuration)
        let limit = Listener.raiseDescriptorLimit(to: 2 * configuration.connectionsMax + reserve)
        return max(0, limit - reserve)
    }

    fileprivate static func threads(_ configuration: Configuration) -> Int {
        max(configuration.threads, 2)
    }

    private init(_ listener: Listener, _ serverContext: ServerContext, _ daemon: OpaquePointer) {
        self.port = listener.port
        self.listener = listener
        self.serverContext = serverContext
        self.daemon = daemon
    }

    /// Stops the server. Ends all streams, and lets exchanges in progress finish within the
    /// deadline; each answer then closes its connection. Requests on new connections, and requests
    /// not answered by the deadline, are answered with 503. Returns when every thread has ended.
    /// Calling it again has no effect.
    ///
    /// A connection counts as in progress until it has been idle for a moment: a client that sends
    /// requests one after the other may have just sent the next, which would be lost. For the same
    /// time after the call, connections that the system has just established are looked for.
    package func stop(deadlineMilliseconds: Int64 = 10_000) {
        stopped.withLock { stopped in
            guard !stopped else { return }
            stopped = true
            serverContext.closing.store(true, ordering: .releasing)
            cmhd_drop_incoming(listener.descriptor)
            serverContext.waiting.endStreams()
            let called = SystemClock.monotonicMilliseconds
            wait(deadlineMilliseconds) {
                !isInUse && SystemClock.monotonicMilliseconds - called >= Self.idleMilliseconds
            }
            // From now on the system refuses new connections, before anything is sent.
            shutdown(listener.descriptor, Int32(SHUT_RDWR))
            // A suspended connection must be resumed before the daemon may stop.
            serverContext.waiting.close()
            wait(500) { serverContext.requestsUnderWay.load(ordering: .acquiring) == 0 }
            // Stopping libmicrohttpd 0.9.75 while it refuses a malformed request crashes it.
            wait(2_000) { serverContext.reaper.shutdownAll() == 0 }
            MHD_stop_daemon(daemon)
            serverContext.reaper.stop()
        }
    }

    /// How long a connection is silent before nothing more is expected on it.
    private static let idleMilliseconds: Int64 = 250

    private var isInUse: Bool {
        serverContext.requestsUnderWay.load(ordering: .acquiring) != 0
            || serverContext.reaper.isInUse(idleMilliseconds: Self.idleMilliseconds)
    }

    deinit { stop(deadlineMilliseconds: 0) }
}

/// The state shared by all connections of one server.
final class ServerContext: Sendable {
    let configuration: Configuration
    let sinks: Server.Sinks
    let handler: Server.Handler
    let reaper: Reaper
    let waiting = Waiting()
    /// What the server shows to prove who it is.
    let identity = Identity()
    /// Requests between the end of their header and the end of their response.
    let requestsUnderWay = Atomic<Int>(0)
    let bodyBytesHeld = Atomic<Int>(0)
    /// Whether every response closes its connection, and requests on new connections are refused.
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

private func startDaemon(_ descriptor: Int32, _ serverContext: ServerContext) -> OpaquePointer? {
    let configuration = serverContext.configuration
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
    // The context lives as long as the server, which stops the daemon before releasing it.
    settings.context = Unmanaged.passUnretained(serverContext).toOpaque()
    guard configuration.tls != nil else { return cmhd_start(&settings) }
    cmhd_choice_slot().pointee = Connection.identity
    // GnuTLS copies them during the start.
    return tlsPriorities.withCString { priorities in
        settings.priorities = priorities
        return cmhd_start(&settings)
    }
}

/// Waits until a condition holds, at most the given number of milliseconds.
private func wait(_ milliseconds: Int64, until isDone: () -> Bool) {
    let deadline = SystemClock.monotonicMilliseconds + milliseconds
    while !isDone(), SystemClock.monotonicMilliseconds < deadline { usleep(2_000) }
}
