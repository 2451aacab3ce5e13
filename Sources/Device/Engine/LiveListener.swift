package import MacrologHTTP
import MacrologJSON

/// How a device hears of news at once: by asking, and being made to wait (`protocol.md` §6.8). A
/// pure decision: outcome in, next step out. What it says is a hint: the sync that follows finds
/// out, and syncing goes on without it when it fails, lies, or is never there.
package struct LiveListener: Sendable {
    /// How a poll ended.
    package enum Outcome: Sendable {
        /// The hub's log goes that far.
        case news(head: Int64)
        /// No news for so many milliseconds.
        case quiet(milliseconds: Int64)
        /// There was no answer, or one that is none.
        case failed(SyncError)
    }

    /// What to do next.
    package enum Step: Hashable, Sendable {
        /// Ask for news behind this number.
        case poll(after: Int64)
        /// Wait for so many milliseconds, then ask again.
        case pause(milliseconds: Int64)
    }

    /// Seconds that a poll asks to be held.
    package static let waitSeconds: Int64 = 55
    /// Milliseconds without an answer after which a poll is given up.
    package static let watchdogMilliseconds: Int64 = 60_000
    /// Milliseconds until a server that has no live channel is asked again.
    static let absentMilliseconds: Int64 = 3_600_000

    private var failures = 0
    /// How far the hub's log went when last heard of: what is known is no news again.
    private var heard: Int64 = 0

    package init() {}

    /// The first step, and the one after each pause.
    package func begin(cursor: Int64) -> Step { .poll(after: max(cursor, heard)) }

    /// Takes in how a poll ended, and says what to do, and how far the hub's log is said to go when
    /// that is worth a sync.
    package mutating func handle(
        _ outcome: Outcome, cursor: Int64, random: inout some RandomNumberGenerator
    ) -> (hint: Int64?, next: Step) {
        switch outcome {
        case .news(let head) where head > max(cursor, heard):
            (failures, heard) = (0, head)
            return (head, begin(cursor: cursor))
        case .news(let head) where head > heard:
            // News when asked for, and known since by another way.
            (failures, heard) = (0, head)
            return (nil, begin(cursor: cursor))
        case .quiet(let milliseconds) where milliseconds >= Self.waitSeconds * 1_000 / 2:
            failures = 0
            return (nil, begin(cursor: cursor))
        case .news, .quiet:
            // An answer that nobody asked for must not be asked for in a tight loop.
            return (nil, pause(atLeast: 0, random: &random))
        case .failed(let error):
            heard = 0
            switch error.reason {
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

    /// What an answer means that came after so many milliseconds.
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
        case .success(let response): return .failed(SyncExchange.refusal(response))
        }
    }
}
