/// Bodies that are never held in memory as a whole: sent from a file, or received piece by piece.

/// A part of a file. The file must not change until the part has been sent.
public struct FilePart: Hashable, Sendable {
    /// The file.
    public let path: String
    /// The first byte.
    public let offset: Int64
    /// How many bytes.
    public let count: Int64

    /// Memberwise initializer.
    public init(path: String, offset: Int64 = 0, count: Int64) {
        self.path = path
        self.offset = offset
        self.count = count
    }
}

/// Receives the body of a request on the server, as closures. They are called one after the other:
/// ``take`` for each piece, and then one of the other two, once.
public struct BodySink: Sendable {
    /// The maximum length of the body, in bytes. A longer one is answered with 413.
    public let bytesMax: Int64
    /// Receives the next piece, valid only during the call. Must not block.
    public let take: @Sendable (UnsafeRawBufferPointer) -> Void
    /// The body is complete: answers, immediately or later, on this thread or another.
    public let finish: @Sendable (_ reply: @escaping @Sendable (HTTPResponse) -> Void) -> Void
    /// The body was cut off: no answer is expected.
    public let cancel: @Sendable () -> Void
    /// Whether it refuses the request whatever the body is. A client that waits for leave to send one (`Expect:
    /// 100-continue`) gets the answer instead; of any other the body is taken first, since most read no answer
    /// while they send.
    package var isRefusal = false

    /// Memberwise initializer.
    public init(
        bytesMax: Int64, take: @escaping @Sendable (UnsafeRawBufferPointer) -> Void,
        finish: @escaping @Sendable (_ reply: @escaping @Sendable (HTTPResponse) -> Void) -> Void,
        cancel: @escaping @Sendable () -> Void
    ) {
        self.bytesMax = bytesMax
        self.take = take
        self.finish = finish
        self.cancel = cancel
    }

    /// Discards a body that comes, and refuses the request.
    package static func refusing(_ answer: HTTPResponse, bytesMax: Int) -> BodySink {
        var sink = BodySink(
            bytesMax: Int64(bytesMax), take: { _ in }, finish: { $0(answer) }, cancel: {})
        sink.isRefusal = true
        return sink
    }
}

/// Receives the body of an answer on the client.
public struct BodyReceiver: Sendable {
    /// Whether this answer, whose `body` is still empty, is the expected one. The body of any other
    /// answer is kept in memory as usual: it may be a problem document.
    public let accepts: @Sendable (HTTPResponse) -> Bool
    /// Receives the next piece, valid only during the call; false cancels the exchange.
    public let take: @Sendable (UnsafeRawBufferPointer) -> Bool

    /// Memberwise initializer.
    public init(
        accepts: @escaping @Sendable (HTTPResponse) -> Bool,
        take: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
    ) {
        self.accepts = accepts
        self.take = take
    }
}
