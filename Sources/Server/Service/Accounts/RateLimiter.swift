/// Rate limiting: a token bucket for each key, refilled over time.
import Synchronization

/// The parameters of a kind of bucket.
package struct Rate: Hashable, Sendable {
    /// Tokens of a full bucket.
    package let burst: Int64
    /// Milliseconds in which one token is added.
    package let interval: Int64

    /// Memberwise initializer.
    package init(burst: Int64, interval: Int64) {
        self.burst = burst
        self.interval = interval
    }
}

extension Rate {
    /// A burst of `count`, refilled at `count` an hour.
    package static func perHour(_ count: Int64) -> Rate {
        Rate(burst: count, interval: max(1, 3_600_000 / count))
    }

    /// `count` a minute, with a burst of ten minutes' worth.
    package static func perMinute(_ count: Int64) -> Rate {
        Rate(burst: 10 * count, interval: max(1, 60_000 / count))
    }
}

/// Buckets of one kind. Full ones are removed.
final class RateLimiter: Sendable {
    /// Maximum number of keys in memory; above it, full buckets are removed, and if that is not
    /// enough, new keys are refused.
    static let keysMax = 100_000

    private struct Bucket {
        var tokens: Int64
        /// When the tokens were counted, in milliseconds since 1970 UTC.
        var counted: Int64
    }

    private let rate: Rate
    private let buckets = Mutex<[[UInt8]: Bucket]>([:])

    init(_ rate: Rate) {
        self.rate = rate
    }

    /// Takes a token, or throws with the time until there is one.
    func charge(_ key: [UInt8], now: Int64) throws(Problem) {
        let wait: Int64? = buckets.withLock { buckets in
            if buckets.count >= Self.keysMax {
                buckets = buckets.filter { filled($0.value, now: now).tokens < rate.burst }
            }
            guard buckets[key] != nil || buckets.count < Self.keysMax else { return rate.interval }
            var bucket = filled(
                buckets[key] ?? Bucket(tokens: rate.burst, counted: now), now: now)
            if bucket.tokens < 1 { return bucket.counted + rate.interval - now }
            bucket.tokens -= 1
            buckets[key] = bucket
            return nil
        }
        if let wait { throw .tooMany(retryAfterSeconds: max(1, (wait + 999) / 1_000)) }
    }

    /// Returns a token to its bucket.
    func refund(_ key: [UInt8]) {
        buckets.withLock { buckets in
            guard let bucket = buckets[key] else { return }
            buckets[key]?.tokens = min(rate.burst, bucket.tokens + 1)
        }
    }

    private func filled(_ bucket: Bucket, now: Int64) -> Bucket {
        // If the clock went back, no tokens are added or removed.
        let elapsed = max(0, now - bucket.counted)
        let more = elapsed / rate.interval
        guard more > 0 else {
            return Bucket(tokens: bucket.tokens, counted: min(bucket.counted, now))
        }
        let tokens = min(rate.burst, bucket.tokens + more)
        return Bucket(
            tokens: tokens,
            counted: tokens == rate.burst ? now : bucket.counted + more * rate.interval)
    }
}

/// The name of a rate, as in ``RateLimits``.
package enum RateLimit: String, CaseIterable, Sendable {
    case loginByEmailAndNetwork, loginByEmail, loginByAccount, loginByNetwork
    case registerByNetwork, refreshBySession, pushByAccount, pullBySession, blobBySession
}

/// All rates of the service.
package struct RateLimits: Sendable {
    /// Failed logins per address and network: five in fifteen minutes.
    package var loginByEmailAndNetwork = Rate(burst: 5, interval: 180_000)
    /// Failed logins per address from all networks that the account has not logged in from lately:
    /// fifty an hour.
    package var loginByEmail = Rate(burst: 50, interval: 72_000)
    /// Logins of an account, right ones too: thirty an hour.
    package var loginByAccount = Rate(burst: 30, interval: 120_000)
    /// Failed logins per network: twenty in fifteen minutes.
    package var loginByNetwork = Rate(burst: 20, interval: 45_000)
    /// Registrations per network: three an hour.
    package var registerByNetwork = Rate(burst: 3, interval: 1_200_000)
    /// Refreshes per session: thirty an hour.
    package var refreshBySession = Rate(burst: 30, interval: 120_000)
    /// Pushes and recovery steps per account: sixty a minute, with a burst of ten minutes' worth.
    package var pushByAccount: Rate? = Rate(burst: 600, interval: 1_000)
    /// Pulls per session: a hundred and twenty a minute, with a burst of ten minutes' worth.
    package var pullBySession: Rate? = Rate(burst: 1_200, interval: 500)

    /// Requests for blobs per session: sixty a minute, with a burst of ten minutes' worth.
    package var blobBySession: Rate? = Rate(burst: 600, interval: 1_000)

    /// The rates above.
    package init() {}

    /// Effectively no limit.
    package static var none: RateLimits {
        var limits = RateLimits()
        let free = Rate(burst: .max / 2, interval: 1)
        limits.loginByEmailAndNetwork = free
        limits.loginByEmail = free
        limits.loginByAccount = free
        limits.loginByNetwork = free
        limits.registerByNetwork = free
        limits.refreshBySession = free
        limits.pushByAccount = nil
        limits.pullBySession = nil
        limits.blobBySession = nil
        return limits
    }
}
