/// A body that is produced until its source or its reader ends it, as closures: no socket, no
/// library, no buffer.
///
/// The writer asks for the next bytes only after all earlier ones are written. So a slow reader
/// costs one piece of memory, and the source can merge what happens meanwhile into the next piece.
public struct BodyStream: Sendable {
    /// Called once, before the first ``next``, with a closure to call when there may be new bytes.
    /// That closure may be called from any thread, at any time, any number of times.
    public let begin: @Sendable (_ wake: @escaping @Sendable () -> Void) -> Void
    /// The next bytes; empty if there are none yet, `nil` if the body is complete. Must not block.
    public let next: @Sendable () -> [UInt8]?
    /// Called once, after the last call of ``next``.
    public let end: @Sendable () -> Void

    /// Memberwise initializer.
    public init(
        begin: @escaping @Sendable (_ wake: @escaping @Sendable () -> Void) -> Void,
        next: @escaping @Sendable () -> [UInt8]?, end: @escaping @Sendable () -> Void
    ) {
        self.begin = begin
        self.next = next
        self.end = end
    }
}
