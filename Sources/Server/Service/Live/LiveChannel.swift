/// What waits for a log to grow: a poll that is answered once, or a stream that goes on.
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import Synchronization

/// Constants of the live channels, promised by `protocol.md` §9.
enum LiveLimits {
    /// How long a poll may be held, in seconds.
    static let waitMax: Int64 = 55
    /// Polls and streams of one account.
    static let perAccountMax = 10
    /// How long a stream is silent at most, in milliseconds.
    static let heartbeat: Int64 = 15_000
    /// How long a stream may live, in milliseconds; then its reader comes back and proves again who
    /// he is.
    static let streamMax: Int64 = 3_600_000
}

/// One of them. Every call returns soon, and may come from any thread.
protocol LiveChannel: AnyObject, Sendable {
    var session: Session { get }
    /// The log has grown. True when that was the end of the channel.
    func tell(head: LogNumber) -> Bool
    /// Time has passed, in monotonic milliseconds. True when that was the end of the channel.
    func tick(now: Int64) -> Bool
    /// Ends the channel, for a reason that a poll is told.
    func end(_ reason: Problem)
}

/// `GET /v1/events`: a request that waits for its answer.
final class HeldPoll: LiveChannel {
    let session: Session
    private let after: LogNumber
    private let deadline: Int64
    private let reply: Mutex<Hub.Answer?>

    /// - Parameters:
    ///   - after: The `n` beyond which there is news.
    ///   - deadline: When to answer that there is none, in monotonic milliseconds.
    init(
        _ session: Session, after: LogNumber, deadline: Int64, _ reply: @escaping Hub.Answer
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

    /// The first answer counts.
    private func answer(_ response: HTTPResponse) {
        let reply = reply.withLock { $0.take() }
        reply?(response)
    }
}

/// `GET /v1/live`: server-sent events (WHATWG HTML §9.2) that tell the head whenever it is another
/// one. Heads that come faster than they are read melt into the last.
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

    /// A stream that begins by telling the head.
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

    /// The body. `closed` is called when nobody reads it any more.
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

    /// Changes the state, and wakes the writer when there is something to write.
    private func change(_ body: (inout sending State) -> Bool) {
        state.withLock { body(&$0) ? $0.wake : nil }?()
    }
}
