/// A body that goes on until its source or its reader has enough, as closures: no socket, no
/// library, no buffer.
///
/// Whoever writes it to a socket asks for the next bytes only when all before them are written. So
/// a slow reader costs one piece, and what happens meanwhile can melt into the next one.
public struct BodyStream: Sendable {
    /// Called once, before anything is asked, with what to call when there may be something new.
    /// That may be called from any thread, at any time, however often.
    public let begin: @Sendable (_ wake: @escaping @Sendable () -> Void) -> Void
    /// The next bytes; empty when there is nothing new, `nil` when the body is complete. Must not
    /// wait.
    public let next: @Sendable () -> [UInt8]?
    /// Called once, when nothing will be asked any more.
    public let end: @Sendable () -> Void

    /// Collects the parts.
    public init(
        begin: @escaping @Sendable (_ wake: @escaping @Sendable () -> Void) -> Void,
        next: @escaping @Sendable () -> [UInt8]?, end: @escaping @Sendable () -> Void
    ) {
        self.begin = begin
        self.next = next
        self.end = end
    }
}
