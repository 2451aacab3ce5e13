/// One connection's way through a request: line, header, body, handler, response, and again.
import CMacrologMicroHTTPD
import MacrologHTTP
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One open socket.
///
/// Unchecked: libmicrohttpd gives a connection to one of its threads for life, and only that
/// thread touches the plain variables; the exception is `response`, which the replier writes
/// before, and the thread reads after, the exchange of `stage`.
final class Connection: @unchecked Sendable {
    private enum Phase {
        case line, header, body, handling
        /// The body is refused already; so many bytes of it are still read and thrown away.
        case draining(Int64)
    }

    /// When the reaper shuts this socket down, in monotonic milliseconds.
    let deadline: Atomic<Int64>
    let descriptor: Int32
    /// The thread that reads the header of this connection's request; 0 while there is none.
    private let headerThread = Atomic<UInt>(0)
    /// When it was opened or last had an answer, in monotonic milliseconds.
    private let idleSince: Atomic<Int64>
    /// Whether it was opened while the server stops.
    private let isLate: Bool

    private let handle: OpaquePointer
    private let house: House
    private let peer: String
    private var phase = Phase.line
    private var isUnderWay = false
    private var target = ""
    private var request = HTTPRequest(method: "", path: "")
    private var response: HTTPResponse?
    private var writer: StreamWriter?
    private let stage = Atomic<UInt8>(Stage.handling)
    private let isAnswered = Atomic<Bool>(false)

    private enum Stage {
        static let handling: UInt8 = 0
        static let answered: UInt8 = 1
        static let suspended: UInt8 = 2
    }

    private init(_ handle: OpaquePointer, _ house: House) {
        self.handle = handle
        self.house = house
        descriptor = cmhd_socket(handle)
        peer = cmhd_peer(handle).map { Listener.text(of: $0) } ?? ""
        let now = monotonicMilliseconds()
        deadline = Atomic(now + house.configuration.headerMilliseconds)
        idleSince = Atomic(now)
        isLate = house.closing.load(ordering: .acquiring)
    }

    /// Stores the answer and, when the connection is suspended, resumes it. The first answer counts.
    func answer(_ response: HTTPResponse) {
        guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else {
            response.stream?.end()
            return
        }
        self.response = response
        if stage.exchange(Stage.answered, ordering: .acquiringAndReleasing) == Stage.suspended {
            house.waiting.remove(self)
            MHD_resume_connection(handle)
        }
    }
}

// MARK: - What other threads ask

extension Connection {
    /// Whether a client may just now be sending a request on it, or waiting for the answer to one.
    func isInUse(now: Int64, idleMilliseconds: Int64) -> Bool {
        if headerThread.load(ordering: .relaxed) != 0 { return true }
        if now - idleSince.load(ordering: .relaxed) < idleMilliseconds { return true }
        var unread: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &unread) == 0 && unread > 0
    }
}

// MARK: - What libmicrohttpd calls

extension Connection {
    /// A socket was opened or will be closed.
    static let notify: MHD_NotifyConnectionCallback = { context, handle, slot, code in
        guard let context, let handle, let slot else { return }
        let house = Unmanaged<House>.fromOpaque(context).takeUnretainedValue()
        if code == .CONNECTION_NOTIFY_STARTED {
            let connection = Connection(handle, house)
            slot.pointee = Unmanaged.passRetained(connection).toOpaque()
            house.reaper.add(connection)
        } else if let pointer = slot.pointee {
            let connection = Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue()
            house.reaper.remove(connection)
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

    /// The header is complete, a part of the body is there, the body is complete, or the
    /// connection was resumed.
    static let access: MHD_AccessHandlerCallback = {
        _, handle, _, method, version, upload, uploadSize, slot in
        guard let handle, let method, let version, let uploadSize, let pointer = slot?.pointee
        else { return .NO }
        return Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
            .advance(method, version, upload, uploadSize)
    }

    /// libmicrohttpd has something to say, which it says to no one else. About a `Content-Length` that
    /// is none it does so just before it writes its own answer, with two heads and without our
    /// fields; ours comes first, and after it nothing can be written.
    static let log: MHD_LogCallback = { context, format, _ in
        guard let context, let format, strstr(format, "Content-Length") != nil else { return }
        Unmanaged<House>.fromOpaque(context).takeUnretainedValue().reaper.refuseBadLengths()
    }

    /// Answers a request of this thread whose header has a `Content-Length` that is none.
    func refuseBadLength() {
        guard headerThread.load(ordering: .relaxed) == currentThread(),
            let status = RequestCheck.badLengthStatus(handle)
        else { return }
        if house.configuration.tls == nil {
            let reason = status == 413 ? "the body is too long" : "bad Content-Length field"
            Refusal.write(status, reason, to: descriptor)
        }
        shutdown(descriptor, Int32(house.configuration.tls == nil ? SHUT_WR : SHUT_RDWR))
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
        headerThread.store(currentThread(), ordering: .relaxed)
        allow(house.configuration.headerMilliseconds)
    }

    private func finish() {
        if isUnderWay { house.requestsUnderWay.subtract(1, ordering: .releasing) }
        isUnderWay = false
        phase = .line
        headerThread.store(0, ordering: .relaxed)
        idleSince.store(monotonicMilliseconds(), ordering: .relaxed)
        // A body that was broken off.
        request.sink?.cancel()
        house.bodyBytesHeld.subtract(request.body.count, ordering: .relaxed)
        request = HTTPRequest(method: "", path: "")
        // An answer that came too late for its connection.
        if writer == nil { response?.stream?.end() }
        response = nil
        if let writer { house.waiting.remove(writer) }
        writer = nil
        allow(house.configuration.idleMilliseconds)
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
        case .handling:
            return queueStored()
        }
    }

    private func receiveHeader(
        _ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>
    ) -> MHD_Result {
        isUnderWay = true
        headerThread.store(0, ordering: .relaxed)
        house.requestsUnderWay.add(1, ordering: .relaxed)
        var check = RequestCheck(handle: self.handle, method, version, target: target)
        guard target.utf8.count <= house.configuration.targetBytesMax else {
            return refuse(414, "the target is longer than \(house.configuration.targetBytesMax) B")
        }
        switch check.run() {
        case .refused(let reason):
            return refuse(400, reason)
        case .unsized:
            return refuse(411, "a body needs a Content-Length; chunks are not read")
        case .accepted(let body):
            request = check.request
            request.peer = peer
            request.sink = house.sinks(request)
            // A response given now, before a body that is empty, would close the connection.
            phase = .body
            guard case .bytes(let count) = body else {
                allowTransfer(of: 0)
                return .YES
            }
            let limit = request.sink?.bytesMax ?? Int64(house.configuration.bodyBytesMax)
            guard count <= limit else { return refuseBody(of: count, limit) }
            if request.sink == nil { request.body.reserveCapacity(Int(count)) }
            allowTransfer(of: count)
            return .YES
        }
    }

    /// Refuses a body by its announced length. A client that reads no answer while it sends may send on
    /// for a while, so that it gets to read why.
    private func refuseBody(of count: Int64, _ limit: Int64) -> MHD_Result {
        guard house.configuration.tls == nil else {
            return refuse(413, "the body is longer than \(limit) B")
        }
        let drained = Int64(Configuration.drainedBytesMax)
        phase = .draining(drained)
        Refusal.write(413, "the body is longer than \(limit) B", to: descriptor)
        shutdown(descriptor, Int32(SHUT_WR))
        allowTransfer(of: min(count, drained))
        return .YES
    }

    /// A piece of the body; libmicrohttpd hands over no more of them than the header announced.
    private func receive(_ bytes: UnsafeRawBufferPointer) {
        if let sink = request.sink {
            sink.take(bytes)
        } else {
            request.body.append(contentsOf: bytes)
            house.bodyBytesHeld.add(bytes.count, ordering: .relaxed)
        }
    }

    private func handle(_ request: HTTPRequest) -> MHD_Result {
        house.bodyBytesHeld.subtract(request.body.count, ordering: .relaxed)
        self.request = HTTPRequest(method: "", path: "")
        phase = .handling
        deadline.store(.max, ordering: .relaxed)
        response = nil
        stage.store(Stage.handling, ordering: .relaxed)
        isAnswered.store(false, ordering: .releasing)
        if isLate {
            request.sink?.cancel()
            answer(.stopping)
        } else {
            house.handler(request, Reply(self))
        }
        if stage.load(ordering: .acquiring) == Stage.answered { return queueStored() }
        guard house.waiting.add(self) else {
            answer(.stopping)
            // Another thread may be between its claim and its answer.
            while stage.load(ordering: .acquiring) != Stage.answered { sched_yield() }
            return queueStored()
        }
        MHD_suspend_connection(self.handle)
        let (suspended, _) = stage.compareExchange(
            expected: Stage.handling, desired: Stage.suspended, ordering: .acquiringAndReleasing)
        if !suspended {
            house.waiting.remove(self)
            MHD_resume_connection(self.handle)
        }
        return .YES
    }

    private func queueStored() -> MHD_Result {
        guard let response else { return .NO }
        return queue(response)
    }

    private func refuse(_ status: Int, _ reason: String) -> MHD_Result {
        phase = .handling
        return queue(Refusal.response(status, reason))
    }

    private func queue(_ response: HTTPResponse) -> MHD_Result {
        allowTransfer(of: response.file?.count ?? Int64(response.body.count))
        if let stream = response.stream {
            let writer = StreamWriter(stream, on: self, handle)
            self.writer = writer
            house.waiting.add(writer)
            writer.begin()
        }
        return Answer.queue(
            response, writer, on: handle, isSecure: house.configuration.tls != nil,
            closes: house.closing.load(ordering: .relaxed))
    }

    /// Takes the deadline away from a stream whose every byte is written.
    func waitForNews() { deadline.store(.max, ordering: .relaxed) }

    private func allow(_ milliseconds: Int64) {
        deadline.store(monotonicMilliseconds() + milliseconds, ordering: .relaxed)
    }

    /// Sets the deadline of something that is written or read, by its size.
    func allowTransfer(of bytes: Int64) {
        let configuration = house.configuration
        allow(
            configuration.bodyMilliseconds
                + bytes / 65_536 * configuration.millisecondsPer64KiB)
    }
}

private func currentThread() -> UInt {
    #if canImport(Glibc)
        pthread_self()
    #else
        UInt(bitPattern: pthread_self())
    #endif
}
