/// Live channels wait for a log to grow: a poll, answered once, or a stream that stays open.
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import Synchronization

/// Constants of the live channels, promised by `protocol.md` §9.
enum LiveLimits {
    /// The maximum duration of a poll, in seconds.
    static let waitMax: Int64 = 55
    /// Maximum number of polls and streams of one account.
    static let perAccountMax = 10
    /// The heartbeat interval of a stream, in milliseconds.
    static let heartbeat: Int64 = 15_000
    /// The maximum lifetime of a stream, in milliseconds; then its reader reconnects and
    /// authenticates again.
    static let streamMax: Int64 = 3_600_000
}

/// A live channel. Every call returns quickly, and may come from any thread.
protocol LiveChannel: AnyObject, Sendable {
    var session: Session { get }
    /// Reports that the log has grown. Returns true if that ends the channel.
    func tell(head: LogNumber) -> Bool
    /// Reports the time, in monotonic milliseconds. Returns true if that ends the channel.
    func tick(now: Int64) -> Bool
    /// Ends the channel; a poll is answered with the reason.
    func end(_ reason: Problem)
}

/// `GET /v1/events`: a request whose answer is held back.
final class HeldPoll: LiveChannel {
    let session: Session
    private let after: LogNumber
    private let deadline: Int64
    private let reply: Mutex<SyncServer.Answer?>

    /// - Parameters:
    ///   - after: The `n` after which there is news.
    ///   - deadline: When to answer that there is no news, in monotonic milliseconds.
    init(
        _ session: Session, after: LogNumber, deadline: Int64, _ reply: @escaping SyncServer.Answer
    ) {
        self.session = session
        self.after = after
        self.deadline = deadline
        self.reply = Mutex(reply)
    }

    func tell(head: LogNumber) -> Bool {
        guard head > after else { return false }
        answer(.json(200, ["head": .integer(head.rawValue)]))
        return true
    }

    func tick(now: Int64) -> Bool {
        guard now >= deadline else { return false }
        answer(HTTPResponse(status: 204))
        return true
    }

    func end(_ reason: Problem) { answer(reason.response) }

    /// Only the first answer is sent.
    private func answer(_ response: HTTPResponse) {
        let reply = reply.withLock { $0.take() }
        reply?(response)
    }
}

/// `GET /v1/live`: server-sent events (WHATWG HTML §9.2) that report the head whenever it changes.
/// Heads that change faster than they are read are merged into the latest.
final class LiveStream: LiveChannel {
    private struct State {
        var head: LogNumber
        var told = LogNumber(-1)
        var isBeatDue = false
        var nextBeat: Int64
        var isOver = false
        var wake: (@Sendable () -> Void)?
    }

    let session: Session
    private let deadline: Int64
    private let state: Mutex<State>

    /// A stream whose first event is the current head.
    init(_ session: Session, head: LogNumber, now: Int64) {
        self.session = session
        deadline = now + LiveLimits.streamMax
        state = Mutex(State(head: head, nextBeat: now + LiveLimits.heartbeat))
    }

    func tell(head: LogNumber) -> Bool {
        change { state in
            guard head > state.head else { return false }
            state.head = head
            return true
        }
        return false
    }

    func tick(now: Int64) -> Bool {
        change { state in
            state.isOver = state.isOver || now >= deadline
            guard now >= state.nextBeat else { return state.isOver }
            state.isBeatDue = true
            state.nextBeat = now + LiveLimits.heartbeat
            return true
        }
        return now >= deadline
    }

    func end(_: Problem) {
        change { state in
            state.isOver = true
            return true
        }
    }

    /// The body. `closed` is called when it has no reader any more.
    func body(closed: @escaping @Sendable () -> Void) -> BodyStream {
        BodyStream(
            begin: { wake in self.state.withLock { $0.wake = wake } },
            next: { self.next() }, end: closed)
    }

    private func next() -> [UInt8]? {
        state.withLock { state in
            if state.isOver { return nil }
            if state.head != state.told {
                state.told = state.head
                state.isBeatDue = false
                return Array("event: head\ndata: {\"head\":\(state.head)}\n\n".utf8)
            }
            guard state.isBeatDue else { return [] }
            state.isBeatDue = false
            return Array(":\n\n".utf8)
        }
    }

    /// Changes the state, and wakes the writer if there is something to write.
    private func change(_ body: (inout sending State) -> Bool) {
        state.withLock { body(&$0) ? $0.wake : nil }?()
    }
}
