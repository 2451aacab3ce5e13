/// Live answers: what a route shows, and again whenever it changes, as server-sent events (WHATWG HTML
/// §9.2). Changes that come faster than they are read become one.
import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologJSON
import Synchronization

final class LiveAnswer: Sendable {
    private struct State {
        /// The hash of what was sent last.
        var sent: [UInt8] = []
        /// What is to be sent; empty for nothing.
        var next: [UInt8] = []
        /// Whether a job waits that will offer a state.
        var isExpected = false
        var isBeatDue = false
        var isOver = false
        var wake: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The longest state that is sent, in bytes.
    private static let bytesMax = 262_144

    /// Whether a job must be added that offers a state: none waits.
    func expect() -> Bool {
        state.withLock { state in
            defer { state.isExpected = true }
            return !state.isExpected
        }
    }

    /// The job begins: what changes from now on needs another one.
    func begin() { state.withLock { $0.isExpected = false } }

    /// Sends a state, if it is another one than the last.
    func offer(_ json: JSON) throws(APIProblem) {
        let bytes = Array("event: day\ndata: \(json.compact)\n\n".utf8)
        guard bytes.count <= Self.bytesMax else { throw .longState }
        let hash = SHA256.hash(bytes)
        change { $0.next = hash == $0.sent ? [] : bytes }
    }

    /// Sends a comment, so that no proxy takes silence for an end.
    func beat() { change { $0.isBeatDue = true } }

    func end() { change { $0.isOver = true } }

    /// The body. `closed` is called when it has no reader any more.
    func body(closed: @escaping @Sendable () -> Void) -> BodyStream {
        BodyStream(
            begin: { wake in self.state.withLock { $0.wake = wake } }, next: { self.next() },
            end: closed)
    }

    private func next() -> [UInt8]? {
        state.withLock { state in
            if state.isOver { return nil }
            defer { (state.next, state.isBeatDue) = ([], false) }
            guard state.next.isEmpty else {
                state.sent = SHA256.hash(state.next)
                return state.next
            }
            return state.isBeatDue ? Array(":\n\n".utf8) : []
        }
    }

    private func change(_ body: (inout sending State) -> Void) {
        let wake = state.withLock { state in
            body(&state)
            return state.wake
        }
        wake?()
    }
}

/// All live answers.
final class LiveAnswers: Sendable {
    private struct Open {
        let account: Identifier
        let answer: LiveAnswer
        /// Whether the sender may still ask.
        let isAllowed: @Sendable () -> Bool
    }

    /// How many an account may have, and the server.
    static let perAccountMax = 20
    static let countMax = 1_000

    private let open = Mutex<[ObjectIdentifier: Open]>([:])

    func add(
        _ answer: LiveAnswer, of account: Identifier, isAllowed: @escaping @Sendable () -> Bool
    ) throws(APIProblem) {
        let isAdded = open.withLock { open in
            let own = open.values.count { $0.account == account }
            guard own < Self.perAccountMax, open.count < Self.countMax else { return false }
            open[ObjectIdentifier(answer)] = Open(
                account: account, answer: answer, isAllowed: isAllowed)
            return true
        }
        guard isAdded else { throw .busy }
    }

    func remove(_ answer: LiveAnswer) {
        open.withLock { $0[ObjectIdentifier(answer)] = nil }
    }

    /// Ends those whose sender may not ask any more.
    func endRevoked() {
        for entry in open.withLock({ Array($0.values) }) where !entry.isAllowed() {
            entry.answer.end()
        }
    }

    /// Sends a sign of life.
    func beat() { for entry in open.withLock({ Array($0.values) }) { entry.answer.beat() } }

    func endAll() { for entry in open.withLock({ Array($0.values) }) { entry.answer.end() } }
}

extension APIProblem {
    fileprivate static let longState = APIProblem(
        .tooLarge,
        "The day is too long to be sent again and again; ask for it without text/event-stream.")
}
