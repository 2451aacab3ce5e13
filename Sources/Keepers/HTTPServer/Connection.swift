/// The state machine of one connection: line, header, body, handler, response, and again.
import CMacrologMicroHTTPD
import MacrologHTTP
import MacrologPlatform
import Synchronization
import MacrologSystem

/// One open socket.
///
/// Unchecked: libmicrohttpd assigns a connection to one of its threads for life, and only that
/// thread accesses the plain variables. The exceptions are `response` and `chosen`: who answers or
/// chooses writes it before the exchange of `stage`, and the thread reads it after.
final class Connection: @unchecked Sendable {
    private enum Phase {
        case line, header, body, handling
        /// Where the body of this length goes is not known yet.
        case choosing(Int64)
        /// The body is already refused; this number of bytes is still read and discarded.
        case draining(Int64)
    }

    /// When the reaper shuts this socket down, in monotonic milliseconds.
    let deadline: Atomic<Int64>
    let descriptor: Int32
    /// The thread that reads the header of the current request; 0 if there is none.
    private let headerThread = Atomic<UInt>(0)
    /// When it was opened or last answered, in monotonic milliseconds.
    private let idleSince: Atomic<Int64>
    /// Whether it was opened while the server was stopping.
    private let isLate: Bool

    private let handle: OpaquePointer
    private let serverContext: ServerContext
    private let peer: String
    private var phase = Phase.line
    private var isUnderWay = false
    private var target = ""
    private var request = HTTPRequest(method: "", path: "")
    private var response: HTTPResponse?
    private var chosen: BodySink?
    private var writer: StreamWriter?
    private let stage = Atomic<UInt8>(Stage.handling)
    private let isAnswered = Atomic<Bool>(false)

    private enum Stage {
        static let handling: UInt8 = 0
        static let answered: UInt8 = 1
        static let suspended: UInt8 = 2
    }

    private init(_ handle: OpaquePointer, _ serverContext: ServerContext) {
        self.handle = handle
        self.serverContext = serverContext
        descriptor = cmhd_socket(handle)
        peer = cmhd_peer(handle).map { Listener.text(of: $0) } ?? ""
        let now = SystemClock.monotonicMilliseconds
        deadline = Atomic(now + serverContext.configuration.headerMilliseconds)
        idleSince = Atomic(now)
        isLate = serverContext.closing.load(ordering: .acquiring)
    }

    /// Stores the answer and resumes the connection if it is suspended. Only the first answer is
    /// sent.
    func answer(_ response: HTTPResponse) {
        guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else {
            response.stream?.end()
            return
        }
        self.response = response
        goOn()
    }

    /// Stores where the body goes, unless the server is stopping, and resumes the connection.
    private func choose(_ sink: BodySink?) {
        guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else {
            sink?.cancel()
            return
        }
        chosen = sink
        goOn()
    }

    private func goOn() {
        if stage.exchange(Stage.answered, ordering: .acquiringAndReleasing) == Stage.suspended {
            serverContext.waiting.remove(self)
            MHD_resume_connection(handle)
        }
    }
}

// MARK: - What other threads ask

extension Connection {
    /// Whether a client may be sending a request on this connection, or waiting for an answer.
    func isInUse(now: Int64, idleMilliseconds: Int64) -> Bool {
        if headerThread.load(ordering: .relaxed) != 0 { return true }
        if now - idleSince.load(ordering: .relaxed) < idleMilliseconds { return true }
        return hasUnread
    }

    private var hasUnread: Bool {
        var unread: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &unread) == 0 && unread > 0
    }

    /// Wakes the thread of a connection that has unread bytes, unless a request is being handled.
    ///
    /// libmicrohttpd 0.9.75 takes 128 events from epoll at a time. After exactly 128 it waits for another event before
    /// it looks at them, for as long as nothing happens on any connection of the thread. Linux reports bytes
    /// that wait once more when the number that makes a socket readable is set (`tcp_set_rcvlowat`).
    func wakeReader() {
        guard deadline.load(ordering: .relaxed) != .max, hasUnread else { return }
        var least: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVLOWAT, &least, socklen_t(MemoryLayout<Int32>.size))
    }
}

// MARK: - What libmicrohttpd calls

extension Connection {
    /// A socket was opened or is about to be closed.
    static let notify: MHD_NotifyConnectionCallback = { context, handle, slot, code in
        guard let context, let handle, let slot else { return }
        let serverContext = Unmanaged<ServerContext>.fromOpaque(context).takeUnretainedValue()
        if code == .CONNECTION_NOTIFY_STARTED {
            let connection = Connection(handle, serverContext)
            slot.pointee = Unmanaged.passRetained(connection).toOpaque()
            serverContext.reaper.add(connection)
        } else if let pointer = slot.pointee {
            let connection = Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue()
            serverContext.reaper.remove(connection)
            connection.finish()
            slot.pointee = nil
        }
    }

    /// The request line is complete.
    static let line:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
            UnsafeMutableRawPointer? = { _, uri, handle in
                guard let uri, let pointer = cmhd_socket_context(handle) else { return nil }
                Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
                    .begin(String(cString: uri))
                return pointer
            }

    /// The header is complete, a part of the body has arrived, the body is complete, or the
    /// connection was resumed.
    static let access: MHD_AccessHandlerCallback = {
        _, handle, _, method, version, upload, uploadSize, slot in
        guard let handle, let method, let version, let uploadSize, let pointer = slot?.pointee
        else { return .NO }
        return Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
            .advance(method, version, upload, uploadSize)
    }

    /// libmicrohttpd's log callback, the only report of some errors. For an invalid
    /// `Content-Length` it is called just before libmicrohttpd writes its own answer, with two
    /// heads and without our fields; our answer is written first, and nothing can be written after
    /// it.
    static let log: MHD_LogCallback = { context, format, _ in
        guard let context, let format, strstr(format, "Content-Length") != nil else { return }
        Unmanaged<ServerContext>.fromOpaque(context).takeUnretainedValue().reaper.refuseBadLengths()
    }

    /// Answers a request of this thread whose header has an invalid `Content-Length`.
    func refuseBadLength() {
        guard headerThread.load(ordering: .relaxed) == Worker.current,
            let status = RequestCheck.badLengthStatus(handle)
        else { return }
        if serverContext.configuration.tls == nil {
            let reason = status == 413 ? "the body is too long" : "bad Content-Length field"
            ProblemResponse.write(status, reason, to: descriptor)
        }
        shutdown(descriptor, Int32(serverContext.configuration.tls == nil ? SHUT_WR : SHUT_RDWR))
    }

    /// A handshake needs the server's certificate.
    static let identity: cmhd_choice = { handle in
        guard let handle, let pointer = cmhd_socket_context(handle) else { return nil }
        return Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
            .serverContext.identity.current
    }

    /// The response is written, or never will be.
    static let completed: MHD_RequestCompletedCallback = { _, _, slot, _ in
        guard let pointer = slot?.pointee else { return }
        Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue().finish()
    }
}

// MARK: - The phases

extension Connection {
    private func begin(_ target: String) {
        self.target = target
        phase = .header
        headerThread.store(Worker.current, ordering: .relaxed)
        allow(serverContext.configuration.headerMilliseconds)
    }

    private func finish() {
        if isUnderWay { serverContext.requestsUnderWay.subtract(1, ordering: .releasing) }
        isUnderWay = false
        phase = .line
        headerThread.store(0, ordering: .relaxed)
        idleSince.store(SystemClock.monotonicMilliseconds, ordering: .relaxed)
        // The body was cut off.
        (request.sink ?? chosen)?.cancel()
        chosen = nil
        serverContext.bodyBytesHeld.subtract(request.body.count, ordering: .relaxed)
        request = HTTPRequest(method: "", path: "")
        // The answer came too late for its connection.
        if writer == nil { response?.stream?.end() }
        response = nil
        if let writer { serverContext.waiting.remove(writer) }
        writer = nil
        allow(serverContext.configuration.idleMilliseconds)
    }

    private func advance(
        _ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>,
        _ upload: UnsafePointer<CChar>?, _ uploadSize: UnsafeMutablePointer<Int>
    ) -> MHD_Result {
        switch phase {
        case .line:
            return .NO
        case .header:
            return receiveHeader(method, version)
        case .body:
            if uploadSize.pointee == 0 { return handle(request) }
            receive(UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee))
            uploadSize.pointee = 0
            return .YES
        case .draining(let left):
            let size = Int64(uploadSize.pointee)
            guard size > 0, size <= left else { return .NO }
            phase = .draining(left - size)
            uploadSize.pointee = 0
            return .YES
        case .choosing(let count):
            return beginBody(of: count)
        case .handling:
            return queueStored()
        }
    }

    private func receiveHeader(
        _ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>
    ) -> MHD_Result {
        isUnderWay = true
        headerThread.store(0, ordering: .relaxed)
        serverContext.requestsUnderWay.add(1, ordering: .relaxed)
        var check = RequestCheck(handle: self.handle, method, version, target: target)
        guard target.utf8.count <= serverContext.configuration.targetBytesMax else {
            return refuse(
                414, "the target is longer than \(serverContext.configuration.targetBytesMax) B")
        }
        switch check.run() {
        case .refused(let reason):
            return refuse(400, reason)
        case .unsized:
            return refuse(411, "a body needs a Content-Length; chunks are not read")
        case .accepted(let body):
            request = check.request
            request.peer = peer
            let count: Int64 = if case .bytes(let count) = body { count } else { 0 }
            guard count > serverContext.configuration.shortBodyBytesMax else {
                return beginBody(of: count)
            }
            phase = .choosing(count)
            expectAnswer()
            serverContext.sinks(request) { self.choose($0) }
            return awaitAnswer() ? beginBody(of: count) : .YES
        }
    }

    private func beginBody(of count: Int64) -> MHD_Result {
        // The server is stopping.
        if let response {
            phase = .handling
            return queue(response)
        }
        (request.sink, chosen) = (chosen, nil)
        // A response queued now, before the empty body is read, closes the connection.
        let asksFirst = request.field("expect").map { asciiLowercased($0) } == "100-continue"
        if asksFirst, request.sink?.isRefusal == true { return handle(request) }
        phase = .body
        let limit = request.sink?.bytesMax ?? Int64(serverContext.configuration.bodyBytesMax)
        guard count <= limit else { return refuseBody(of: count, limit) }
        if request.sink == nil { request.body.reserveCapacity(Int(count)) }
        allowTransfer(of: count)
        return .YES
    }

    /// Refuses a body by its announced length. A client that reads no answer while it sends may
    /// continue for a while, so that it can read the refusal afterwards.
    private func refuseBody(of count: Int64, _ limit: Int64) -> MHD_Result {
        guard serverContext.configuration.tls == nil else {
            return refuse(413, "the body is longer than \(limit) B")
        }
        let drained = Int64(Configuration.drainedBytesMax)
        phase = .draining(drained)
        ProblemResponse.write(413, "the body is longer than \(limit) B", to: descriptor)
        shutdown(descriptor, Int32(SHUT_WR))
        allowTransfer(of: min(count, drained))
        return .YES
    }

    /// Receives a piece of the body; libmicrohttpd passes no more bytes than the header announced.
    private func receive(_ bytes: UnsafeRawBufferPointer) {
        if let sink = request.sink {
            sink.take(bytes)
        } else {
            request.body.append(contentsOf: bytes)
            serverContext.bodyBytesHeld.add(bytes.count, ordering: .relaxed)
        }
    }

    private func handle(_ request: HTTPRequest) -> MHD_Result {
        serverContext.bodyBytesHeld.subtract(request.body.count, ordering: .relaxed)
        self.request = HTTPRequest(method: "", path: "")
        phase = .handling
        expectAnswer()
        if isLate {
            request.sink?.cancel()
            answer(.stopping)
        } else {
            serverContext.handler(request, Reply(self))
        }
        return awaitAnswer() ? queueStored() : .YES
    }

    private func expectAnswer() {
        deadline.store(.max, ordering: .relaxed)
        response = nil
        stage.store(Stage.handling, ordering: .relaxed)
        isAnswered.store(false, ordering: .releasing)
    }

    /// Suspends the connection unless the answer or the choice is there; whether it is.
    private func awaitAnswer() -> Bool {
        if stage.load(ordering: .acquiring) == Stage.answered { return true }
        guard serverContext.waiting.add(self) else {
            answer(.stopping)
            // Another thread may have claimed the answer but not stored it yet.
            while stage.load(ordering: .acquiring) != Stage.answered { sched_yield() }
            return true
        }
        MHD_suspend_connection(handle)
        let (suspended, _) = stage.compareExchange(
            expected: Stage.handling, desired: Stage.suspended, ordering: .acquiringAndReleasing)
        if !suspended {
            serverContext.waiting.remove(self)
            MHD_resume_connection(handle)
        }
        return false
    }

    private func queueStored() -> MHD_Result {
        guard let response else { return .NO }
        return queue(response)
    }

    private func refuse(_ status: Int, _ reason: String) -> MHD_Result {
        phase = .handling
        return queue(ProblemResponse.response(status, reason))
    }

    private func queue(_ response: HTTPResponse) -> MHD_Result {
        allowTransfer(of: response.file?.count ?? Int64(response.body.count))
        if let stream = response.stream {
            let writer = StreamWriter(stream, on: self, handle)
            self.writer = writer
            serverContext.waiting.add(writer)
            writer.begin()
        }
        return Answer.queue(
            response, writer, on: handle, isSecure: serverContext.configuration.tls != nil,
            closes: serverContext.closing.load(ordering: .relaxed))
    }

    /// Removes the deadline of a stream whose bytes are all written.
    func waitForNews() { deadline.store(.max, ordering: .relaxed) }

    private func allow(_ milliseconds: Int64) {
        deadline.store(SystemClock.monotonicMilliseconds + milliseconds, ordering: .relaxed)
    }

    /// Sets the deadline of a transfer by its size.
    func allowTransfer(of bytes: Int64) {
        let configuration = serverContext.configuration
        allow(
            configuration.bodyMilliseconds
                + bytes / 65_536 * configuration.millisecondsPer64KiB)
    }
}
