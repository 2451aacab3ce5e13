/// How many requests an account may still make in its current hour.
import MacrologEvents
import MacrologHTTP
import MacrologService
import MacrologSystem
import Synchronization

final class Allowance: Sendable {
    private struct Hour {
        /// When it began, in milliseconds of a monotonic clock.
        var began: Int64
        var count: Int64 = 0
    }

    /// What is left of an hour.
    struct Left: Sendable {
        let countMax, rest, seconds: Int64

        /// The header fields that tell of it.
        var fields: [HTTPField] {
            [
                HTTPField("ratelimit-limit", "\(countMax)"),
                HTTPField("ratelimit-remaining", "\(rest)"),
                HTTPField("ratelimit-reset", "\(seconds)"),
            ]
        }
    }

    /// Accounts kept in memory; above it, hours that are over are removed.
    private static let accountsMax = 100_000

    private let countMax: Int64
    /// How long an hour is: a day for what costs more.
    private let milliseconds: Int64
    private let hours = Mutex<[Identifier: Hour]>([:])

    /// - Parameter milliseconds: The length of the time that ``countMax`` is for.
    init(countMax: Int64, milliseconds: Int64 = 3_600_000) {
        self.countMax = countMax
        self.milliseconds = milliseconds
    }

    /// Counts one request; refuses it with the time to wait when the hour has none left.
    func charge(_ account: Identifier) throws(APIProblem) -> Left {
        let now = SystemClock.monotonicMilliseconds
        let hour = hours.withLock { hours in
            if hours.count > Self.accountsMax {
                hours = hours.filter { now - $0.value.began < milliseconds }
            }
            var hour = hours[account] ?? Hour(began: now)
            if now - hour.began >= milliseconds { hour = Hour(began: now) }
            hour.count += 1
            hours[account] = hour
            return hour
        }
        let seconds = max(1, (hour.began + milliseconds - now + 999) / 1_000)
        let left = Left(
            countMax: countMax, rest: max(0, countMax - hour.count), seconds: seconds)
        guard hour.count <= countMax else {
            throw APIProblem(
                .tooManyRequests,
                "\(countMax) such requests in \(milliseconds / 3_600_000) h are allowed; try again in \(seconds) s.",
                fields: [HTTPField("retry-after", "\(seconds)")] + left.fields)
        }
        return left
    }
}

extension Gateway {
    /// Counts a request of the caller's hour, and gives a reply that tells what is left of it.
    func charged(_ caller: Caller, _ reply: @escaping Reply) throws(APIProblem) -> Reply {
        guard let left = try charge(caller) else { return reply }
        return { reply($0.adding(left.fields)) }
    }

    /// Counts a request of the caller's hour; `nil` if there is no limit.
    func charge(_ caller: Caller) throws(APIProblem) -> Allowance.Left? {
        try allowance?.charge(caller.right == nil ? caller.account : caller.session)
    }
}
