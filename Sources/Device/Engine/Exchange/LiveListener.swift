package import MacrologHTTP
import MacrologJSON

/// How a device learns of news at once: by a request that the server holds open (`protocol.md`
/// §6.8). A pure decision: outcome in, next step out. News is only a hint: the sync that follows
/// finds out, and syncing works without it when it fails, lies, or is not available.
package struct LiveListener: Sendable {
    /// How a poll ended.
    package enum Outcome: Sendable {
        /// The server's log goes up to `head`.
        case news(head: Int64)
        /// No news for this many milliseconds.
        case quiet(milliseconds: Int64)
        /// There was no answer, or an invalid one.
        case failed(SyncError)
    }

    /// What to do next.
    package enum Step: Hashable, Sendable {
        /// Ask for news after this number.
        case poll(after: Int64)
        /// Wait for this many milliseconds, then ask again.
        case pause(milliseconds: Int64)
    }

    /// How many seconds a poll asks the server to hold it.
    package static let waitSeconds: Int64 = 55
    /// Milliseconds without an answer after which a poll is abandoned.
    package static let watchdogMilliseconds: Int64 = 60_000
    /// Milliseconds before a server without a live channel is asked again.
    static let absentMilliseconds: Int64 = 3_600_000

    private var failures = 0
    /// The last known head of the server's log: what is known is not news.
    private var heard: Int64 = 0

    package init() {}

    /// The first step, and the one after each pause.
    package func begin(cursor: Int64) -> Step { .poll(after: max(cursor, heard)) }

    /// Processes the outcome of a poll, and returns the next step, and the head of the server's log
    /// when a sync is worthwhile.
    package mutating func handle(
        _ outcome: Outcome, cursor: Int64, random: inout some RandomNumberGenerator
    ) -> (hint: Int64?, next: Step) {
        switch outcome {
        case .news(let head) where head > max(cursor, heard):
            (failures, heard) = (0, head)
            return (head, begin(cursor: cursor))
        case .news(let head) where head > heard:
            // It was news when the poll was sent, and has become known in another way since.
            (failures, heard) = (0, head)
            return (nil, begin(cursor: cursor))
        case .quiet(let milliseconds) where milliseconds >= Self.waitSeconds * 1_000 / 2:
            failures = 0
            return (nil, begin(cursor: cursor))
        case .news, .quiet:
            // An early answer, or one without a new head, must not lead to a tight loop.
            return (nil, pause(atLeast: 0, random: &random))
        case .failed(let error):
            heard = 0
            switch error.code {
            case .refused(status: 404, _, _), .refused(status: 405, _, _):
                return (nil, .pause(milliseconds: Self.absentMilliseconds))
            // The sync renews the token.
            case .refused(status: 401, _, _):
                return (.max, pause(atLeast: error.retryAfter, random: &random))
            default:
                return (nil, pause(atLeast: error.retryAfter, random: &random))
            }
        }
    }

    private mutating func pause(
        atLeast minimum: Int64, random: inout some RandomNumberGenerator
    ) -> Step {
        failures += 1
        return .pause(
            milliseconds: max(
                1, Backoff.delay(failures: failures, atLeast: minimum, random: &random)))
    }
}

extension LiveListener {
    /// The request of a poll.
    package static func request(after: Int64, accessToken: String) -> HTTPRequest {
        HTTPRequest(
            method: "GET", path: "/v1/events", query: "after=\(after)&wait=\(waitSeconds)",
            fields: [
                HTTPField("accept", "application/json"),
                HTTPField("authorization", "Bearer \(accessToken)"),
            ])
    }

    /// The outcome of a poll that was answered after this many milliseconds.
    package static func outcome(
        _ result: Result<HTTPResponse, TransportError>, after milliseconds: Int64
    ) -> Outcome {
        switch result {
        case .failure(let error): return .failed(SyncError(.transport(error)))
        case .success(let response) where response.status == 204:
            return .quiet(milliseconds: milliseconds)
        case .success(let response) where response.status == 200:
            guard let head = (try? JSON.parse(response.body))?["head"]?.integer, head > 0 else {
                return .failed(SyncError(.notTheServer(status: 200)))
            }
            return .news(head: head)
        case .success(let response): return .failed(SyncExchange.syncError(response))
        }
    }
}
