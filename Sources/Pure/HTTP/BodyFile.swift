/// Bodies that never lie in memory as a whole: sent from a file, or taken piece by piece.

/// A part of a file. The file must stay as it is until the part has been sent.
public struct FilePart: Hashable, Sendable {
    /// The file.
    public let path: String
    /// The first byte.
    public let offset: Int64
    /// How many bytes.
    public let count: Int64

    /// Collects the parts.
    public init(path: String, offset: Int64 = 0, count: Int64) {
        self.path = path
        self.offset = offset
        self.count = count
    }
}

/// Where the body of a request that a server reads goes, as closures. They are called one after the
/// other: ``take`` for each piece, and then one of the other two, once.
public struct BodySink: Sendable {
    /// The longest body, in bytes. A longer one is answered with 413.
    public let bytesMax: Int64
    /// Takes the next piece, which is lent. Must not wait.
    public let take: @Sendable (UnsafeRawBufferPointer) -> Void
    /// The body is complete: answers, now or later, on this thread or another.
    public let finish: @Sendable (_ reply: @escaping @Sendable (HTTPResponse) -> Void) -> Void
    /// The body has been broken off: nobody waits for an answer.
    public let cancel: @Sendable () -> Void

    /// Collects the parts.
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
}

/// Where the body of an answer that a client reads goes.
public struct BodyReceiver: Sendable {
    /// Whether this answer, of which `body` is still empty, is the one that is waited for. The body
    /// of any other comes as ever: it may be a refusal in words.
    public let accepts: @Sendable (HTTPResponse) -> Bool
    /// Takes the next piece, which is lent; false gives up the exchange.
    public let take: @Sendable (UnsafeRawBufferPointer) -> Bool

    /// Collects the parts.
    public init(
        accepts: @escaping @Sendable (HTTPResponse) -> Bool,
        take: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
    ) {
        self.accepts = accepts
        self.take = take
    }
}
