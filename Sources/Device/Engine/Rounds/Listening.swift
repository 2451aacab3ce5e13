import Synchronization

/// Polls for news in parallel to syncing, over a connection of its own. Syncing does not depend on
/// it: news only makes the next exchange come sooner.
///
/// The library polls, on every platform; the stream of `GET /v1/live` is for browsers and for
/// programs that watch many spaces.
struct Listening {
    private var listener = LiveListener()
    private var random = SystemRandomNumberGenerator()
    private let account: Account
    private let server: String
    private let transport: any Transport

    init(_ account: Account) throws {
        guard let session = try account.session else { throw AccountError.loggedOut }
        self.account = account
        server = session.server
        transport = account.connect(try account.origin(session.server))
    }

    /// Listens until the task is cancelled.
    ///
    /// - Parameters:
    ///   - cursor: How far this device holds the server's log.
    ///   - heard: Called with the head of the server's log, when that is news.
    mutating func run(cursor: KnownCursor, heard: (Int64) -> Void) async {
        var step = listener.begin(cursor: cursor.value)
        while !Task.isCancelled {
            switch step {
            case .pause(let milliseconds):
                try? await Task.sleep(for: .milliseconds(milliseconds))
                step = listener.begin(cursor: cursor.value)
            case .poll(let after):
                let outcome = await poll(after: after)
                if Task.isCancelled { return }
                let (hint, next) = listener.handle(outcome, cursor: cursor.value, random: &random)
                if let hint { heard(hint) }
                step = next
            }
        }
    }

    private func poll(after: Int64) async -> LiveListener.Outcome {
        let (account, server, transport) = (account, server, transport)
        let start = ContinuousClock.now
        let outcome = try? await account.offload(cancelling: transport, on: account.liveQueue) {
            let token = try account.session(at: server).accessToken
            let result = Account.send(
                LiveListener.request(after: after, accessToken: token), transport,
                heldSeconds: LiveListener.waitSeconds)
            let elapsed = (ContinuousClock.now - start).components
            return LiveListener.outcome(
                result,
                after: elapsed.seconds * 1_000 + elapsed.attoseconds / 1_000_000_000_000_000)
        }
        // Without a session there is no token for a request; syncing reports that.
        return outcome ?? .failed(SyncError(.storage(detail: "the session cannot be read")))
    }
}

/// How far this device holds the server's log, shared with the listener.
final class KnownCursor: Sendable {
    private let cursor: Atomic<Int64>

    init(_ cursor: Int64) {
        self.cursor = Atomic(cursor)
    }

    var value: Int64 { cursor.load(ordering: .relaxed) }
    func set(_ value: Int64) { cursor.store(value, ordering: .relaxed) }
}
