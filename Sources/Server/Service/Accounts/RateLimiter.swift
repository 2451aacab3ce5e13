/// Rate limiting: a token bucket for each key, refilled over time, of this process or of all that serve the same
/// database.
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

/// Buckets that several processes charge.
package protocol SharedBuckets: Sendable {
    /// Takes a token, or gives the milliseconds until there is one.
    func charge(_ bucket: [UInt8], _ rate: Rate, now: Int64) throws(StoreError) -> Int64?
    /// Returns a token.
    func refund(_ bucket: [UInt8], _ rate: Rate)
}

/// Buckets of one kind. Full ones are removed.
final class RateLimiter: Sendable {
    /// Maximum number of keys in memory; above it, full buckets are removed, and if that is not
    /// enough, new keys are refused.
    static let keysMax = 100_000
    /// Maximum number of keys of one site, an IPv6 /48. Its further networks share one bucket, so that
    /// who has 65,536 of them does not fill the memory for others.
    static let keysPerSiteMax = 1_024

    private struct Bucket {
        var tokens: Int64
        /// When the tokens were counted, in milliseconds since 1970 UTC.
        var counted: Int64
        var site: [UInt8]?
    }

    private let rate: Rate
    private struct Table {
        var buckets: [[UInt8]: Bucket] = [:]
        /// How many buckets each site has.
        var sites: [[UInt8]: Int] = [:]
        /// When full buckets were last removed, in milliseconds since 1970 UTC.
        var cleared: Int64 = 0
    }

    private let table = Mutex(Table())
    /// Where all processes charge, and the bucket of a key there.
    private let shared: (buckets: any SharedBuckets, name: @Sendable ([UInt8]) -> [UInt8])?

    init(
        _ rate: Rate,
        shared: (buckets: any SharedBuckets, name: @Sendable ([UInt8]) -> [UInt8])? = nil
    ) {
        self.rate = rate
        self.shared = shared
    }

    /// Throws unless there is a token, with the time until there is one; takes none.
    func check(_ key: [UInt8], now: Int64) throws(Problem) {
        let wait: Int64? = table.withLock { table in
            guard let bucket = table.buckets[key].map({ filled($0, now: now) }) else { return nil }
            return bucket.tokens < 1 ? bucket.counted + rate.interval - now : nil
        }
        if let wait { throw .tooMany(retryAfterSeconds: max(1, (wait + 999) / 1_000)) }
    }

    /// Takes a token, or throws with the time until there is one.
    ///
    /// - Parameter site: The site of the network in the key, if it is one of many.
    /// - Returns: The key of the bucket, for ``refund(_:)``.
    @discardableResult
    func charge(
        _ key: [UInt8], site: [UInt8]? = nil, now: Int64
    ) throws(Problem) -> [UInt8] {
        var (charged, wait): ([UInt8], Int64?) = table.withLock { table in
            let siteKeys = site.flatMap { table.sites[$0] } ?? 0
            let isFull = siteKeys >= Self.keysPerSiteMax || table.buckets.count >= Self.keysMax
            if isFull { removeFull(from: &table, now: now) }
            let key = self.key(key, site, in: table)
            guard table.buckets[key] != nil || table.buckets.count < Self.keysMax else {
                return (key, rate.interval)
            }
            var bucket = filled(
                table.buckets[key] ?? Bucket(tokens: rate.burst, counted: now, site: site), now: now
            )
            if bucket.tokens < 1 { return (key, bucket.counted + rate.interval - now) }
            bucket.tokens -= 1
            if table.buckets.updateValue(bucket, forKey: key) == nil, let site {
                table.sites[site, default: 0] += 1
            }
            return (key, nil)
        }
        if let wait { throw .tooMany(retryAfterSeconds: max(1, (wait + 999) / 1_000)) }
        guard let shared else { return charged }
        do throws(StoreError) {
            wait = try shared.buckets.charge(shared.name(charged), rate, now: now)
        } catch {
            refundHere(charged)
            throw error.problem
        }
        guard let wait else { return charged }
        refundHere(charged)
        throw .tooMany(retryAfterSeconds: max(1, (wait + 999) / 1_000))
    }

    /// Returns a token to its bucket, and removes a bucket that is full.
    func refund(_ key: [UInt8]) {
        refundHere(key)
        if let shared { shared.buckets.refund(shared.name(key), rate) }
    }

    private func refundHere(_ key: [UInt8]) {
        table.withLock { table in
            guard var bucket = table.buckets[key] else { return }
            bucket.tokens = min(rate.burst, bucket.tokens + 1)
            guard bucket.tokens == rate.burst else {
                table.buckets[key] = bucket
                return
            }
            table.buckets[key] = nil
            if let site = bucket.site { table.sites[site, default: 1] -= 1 }
        }
    }

    /// The key of the bucket to charge: that of the site for a new network of one that has many.
    private func key(_ key: [UInt8], _ site: [UInt8]?, in table: Table) -> [UInt8] {
        guard let site, table.buckets[key] == nil,
            table.sites[site, default: 0] >= Self.keysPerSiteMax
        else { return key }
        return site
    }

    /// Looks at all buckets, at most once while one token is added.
    private func removeFull(from table: inout Table, now: Int64) {
        guard now - table.cleared >= rate.interval || now < table.cleared else { return }
        table.cleared = now
        table.buckets = table.buckets.filter { filled($0.value, now: now).tokens < rate.burst }
        table.sites = table.buckets.values.reduce(into: [:]) { sites, bucket in
            if let site = bucket.site { sites[site, default: 0] += 1 }
        }
    }

    private func filled(_ bucket: Bucket, now: Int64) -> Bucket {
        // If the clock went back, no tokens are added or removed.
        let elapsed = max(0, now - bucket.counted)
        let more = elapsed / rate.interval
        guard more > 0 else {
            return Bucket(
                tokens: bucket.tokens, counted: min(bucket.counted, now), site: bucket.site)
        }
        let tokens = min(rate.burst, bucket.tokens + more)
        return Bucket(
            tokens: tokens,
            counted: tokens == rate.burst ? now : bucket.counted + more * rate.interval,
            site: bucket.site)
    }
}

/// What is limited, by its name in the protocol. ``RateLimits`` has the rates: a new one is a case here and one there.
package enum RateLimit: String, CaseIterable, Sendable {
    /// Failed logins per address and network.
    case loginByEmailAndNetwork
    /// Failed logins per address from all networks that the account has not logged in from lately.
    case loginByEmail
    /// Right logins of an account, from each network that it is known from, and from all others.
    case loginByAccount
    /// Failed logins per network, and passwords that are refused.
    case loginByNetwork
    /// Wrong codes of an account's second factor, from each network that it is known from, and from all others.
    case codeByAccount
    /// Registrations per network.
    case registerByNetwork
    /// Refreshes per session.
    case refreshBySession
    /// Pushes and recovery steps per account.
    case pushByAccount
    /// Pulls, questions for digests, polls, streams, lists of shares, audit trails and exports per session.
    case pullBySession
    /// Requests for blobs per session.
    case blobBySession
    /// New shares and new tokens per account.
    case shareByAccount
    /// Pages and cards of shares, and photos at signed addresses, per network.
    case openByNetwork

    /// Whether all processes that serve one database charge the same buckets: for attempts to register or to prove
    /// who one is.
    var isShared: Bool {
        switch self {
        case .loginByEmailAndNetwork, .loginByEmail, .loginByAccount, .loginByNetwork,
            .codeByAccount, .registerByNetwork:
            true
        default: false
        }
    }
}

/// The rates of a service; what has none is not limited.
package struct RateLimits: Sendable {
    private var rates: [RateLimit: Rate] = [:]

    /// The rates of the protocol.
    package init() {
        for limit in RateLimit.allCases { rates[limit] = Self.standard(limit) }
    }

    /// No limits.
    package static var none: RateLimits {
        var limits = RateLimits()
        limits.rates = [:]
        return limits
    }

    /// A rate; `nil` for no limit.
    package subscript(limit: RateLimit) -> Rate? {
        get { rates[limit] }
        set { rates[limit] = newValue }
    }

    private static func standard(_ limit: RateLimit) -> Rate {
        switch limit {
        // Five in fifteen minutes.
        case .loginByEmailAndNetwork: Rate(burst: 5, interval: 180_000)
        // Fifty an hour.
        case .loginByEmail: Rate(burst: 50, interval: 72_000)
        // Thirty an hour.
        case .loginByAccount: Rate(burst: 30, interval: 120_000)
        // Twenty in fifteen minutes.
        case .loginByNetwork: Rate(burst: 20, interval: 45_000)
        // Ten, and one more each hour.
        case .codeByAccount: Rate(burst: 10, interval: 3_600_000)
        // Three an hour.
        case .registerByNetwork: Rate(burst: 3, interval: 1_200_000)
        // Thirty an hour.
        case .refreshBySession: Rate(burst: 30, interval: 120_000)
        // Sixty a minute, with a burst of ten minutes' worth.
        case .pushByAccount: Rate(burst: 600, interval: 1_000)
        // A hundred and twenty a minute, with a burst of ten minutes' worth.
        case .pullBySession: Rate(burst: 1_200, interval: 500)
        // Sixty a minute, with a burst of ten minutes' worth.
        case .blobBySession: Rate(burst: 600, interval: 1_000)
        // One a minute, with a burst of sixty.
        case .shareByAccount: Rate(burst: 60, interval: 60_000)
        // Two a second, with a burst of five minutes' worth.
        case .openByNetwork: Rate(burst: 600, interval: 500)
        }
    }
}
