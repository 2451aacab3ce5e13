/// Writes a streamed body to its socket: asks for bytes when the socket has accepted all earlier
/// ones, and is suspended while there are none, so that it occupies no thread.
///
/// If a reader accepts nothing, a piece stays unwritten; its deadline passes and the reaper closes
/// the connection. A stream that waits for new bytes has no deadline.
import CMacrologMicroHTTPD
import MacrologHTTP
import MacrologPlatform
import Synchronization

/// One stream on one connection.
///
/// Only the thread that exchanges `stage` from `suspended` to another value resumes the connection,
/// which cannot end before.
final class StreamWriter: Sendable {
    /// Bytes that the socket's send buffer may hold.
    private static let socketBytesMax: Int32 = 16_384

    private enum Stage {
        static let asking: UInt8 = 0
        static let woken: UInt8 = 1
        static let suspended: UInt8 = 2
    }

    private let stream: BodyStream
    private let connection: Connection
    private nonisolated(unsafe) let handle: OpaquePointer
    /// Used by the connection's thread alone.
    private let piece = Mutex<ArraySlice<UInt8>>([])
    private let stage = Atomic<UInt8>(Stage.asking)
    private let isOver = Atomic<Bool>(false)

    init(_ stream: BodyStream, on connection: Connection, _ handle: OpaquePointer) {
        self.stream = stream
        self.connection = connection
        self.handle = handle
        var bytes = Self.socketBytesMax
        setsockopt(
            connection.descriptor, SOL_SOCKET, SO_SNDBUF, &bytes,
            socklen_t(MemoryLayout<Int32>.size))
    }

    /// Lets the source wake this writer. To be called once, before libmicrohttpd reads.
    func begin() { stream.begin { [weak self] in self?.wake() } }

    /// Ends the body after the current piece. May be called from any thread.
    func stop() {
        isOver.store(true, ordering: .releasing)
        wake()
    }

    /// The body for libmicrohttpd, which releases its reference when it has finished.
    func response() -> OpaquePointer? {
        MHD_create_response_from_callback(
            .max, 4_096,
            { context, _, buffer, room in
                guard let context, let buffer else { return -1 }
                return Unmanaged<StreamWriter>.fromOpaque(context).takeUnretainedValue()
                    .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: room))
            },
            Unmanaged.passRetained(self).toOpaque(),
            { context in
                guard let context else { return }
                Unmanaged<StreamWriter>.fromOpaque(context).release()
            })
    }

    private func wake() {
        if stage.exchange(Stage.woken, ordering: .acquiringAndReleasing) == Stage.suspended {
            MHD_resume_connection(handle)
        }
    }

    /// Bytes copied; 0 when suspended, −1 at the end (`MHD_CONTENT_READER_END_OF_STREAM`).
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        piece.withLock { piece in
            if piece.isEmpty {
                stage.store(Stage.asking, ordering: .releasing)
                guard !isOver.load(ordering: .acquiring), let next = stream.next() else {
                    return -1
                }
                guard !next.isEmpty else {
                    suspend()
                    return 0
                }
                piece = next[...]
                connection.allowTransfer(of: Int64(next.count))
            }
            let part = piece.prefix(buffer.count)
            buffer.copyBytes(from: part)
            piece = piece.dropFirst(part.count)
            return part.count
        }
    }

    /// Suspends the connection until the source has bytes, which it may have by now.
    private func suspend() {
        connection.waitForNews()
        MHD_suspend_connection(handle)
        let (suspended, _) = stage.compareExchange(
            expected: Stage.asking, desired: Stage.suspended, ordering: .acquiringAndReleasing)
        if !suspended { MHD_resume_connection(handle) }
    }

    deinit { stream.end() }
}
