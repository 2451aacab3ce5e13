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
    /// Effectively no limit.
    package static let free = Rate(burst: .max / 2, interval: 1)

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
        self.shared = rate == .free ? nil : shared
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

/// The name of a rate, as in ``RateLimits``.
package enum RateLimit: String, CaseIterable, Sendable {
    case loginByEmailAndNetwork, loginByEmail, loginByAccount, loginByNetwork, codeByAccount
    case registerByNetwork, refreshBySession, pushByAccount, pullBySession, blobBySession
    case shareByAccount, openByNetwork
}

/// All rates of the service.
package struct RateLimits: Sendable {
    /// Failed logins per address and network: five in fifteen minutes.
    package var loginByEmailAndNetwork = Rate(burst: 5, interval: 180_000)
    /// Failed logins per address from all networks that the account has not logged in from lately:
    /// fifty an hour.
    package var loginByEmail = Rate(burst: 50, interval: 72_000)
    /// Right logins of an account: thirty an hour from each network that it is known from, and thirty
    /// from all others.
    package var loginByAccount = Rate(burst: 30, interval: 120_000)
    /// Failed logins per network: twenty in fifteen minutes.
    package var loginByNetwork = Rate(burst: 20, interval: 45_000)
    /// Wrong codes of an account's second factor: ten, and one more each hour, from each network that it
    /// is known from, and from all others.
    package var codeByAccount = Rate(burst: 10, interval: 3_600_000)
    /// Registrations per network: three an hour.
    package var registerByNetwork = Rate(burst: 3, interval: 1_200_000)
    /// Refreshes per session: thirty an hour.
    package var refreshBySession = Rate(burst: 30, interval: 120_000)
    /// Pushes and recovery steps per account: sixty a minute, with a burst of ten minutes' worth.
    package var pushByAccount: Rate? = Rate(burst: 600, interval: 1_000)
    /// Pulls, questions for digests, polls, streams, lists of shares, audit trails and exports per
    /// session: a hundred and twenty a minute, with a burst of ten minutes' worth.
    package var pullBySession: Rate? = Rate(burst: 1_200, interval: 500)

    /// Requests for blobs per session: sixty a minute, with a burst of ten minutes' worth.
    package var blobBySession: Rate? = Rate(burst: 600, interval: 1_000)

    /// New shares and new tokens per account: one a minute, with a burst of sixty.
    package var shareByAccount = Rate(burst: 60, interval: 60_000)
    /// Pages and cards of shares, and photos at signed addresses, per network: two a second, with a
    /// burst of five minutes' worth.
    package var openByNetwork = Rate(burst: 600, interval: 500)

    /// The rates above.
    package init() {}

    /// Effectively no limit.
    package static var none: RateLimits {
        var limits = RateLimits()
        let free = Rate.free
        limits.loginByEmailAndNetwork = free
        limits.loginByEmail = free
        limits.loginByAccount = free
        limits.loginByNetwork = free
        limits.codeByAccount = free
        limits.registerByNetwork = free
        limits.refreshBySession = free
        limits.pushByAccount = nil
        limits.pullBySession = nil
        limits.blobBySession = nil
        limits.shareByAccount = free
        limits.openByNetwork = free
        return limits
    }
}
