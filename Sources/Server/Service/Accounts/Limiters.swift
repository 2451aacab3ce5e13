/// One limiter for each limit that has a rate.
struct Limiters: Sendable {
    private let limiters: [RateLimit: RateLimiter]

    /// - Parameter buckets: Where attempts to register or to prove who one is are charged for all processes.
    init(_ rates: RateLimits, _ buckets: (any SharedBuckets)?, _ secrets: Secrets) {
        var limiters: [RateLimit: RateLimiter] = [:]
        for limit in RateLimit.allCases {
            guard let rate = rates[limit] else { continue }
            guard let buckets, limit.isShared else {
                limiters[limit] = RateLimiter(rate)
                continue
            }
            limiters[limit] = RateLimiter(
                rate, shared: (buckets: buckets, name: { secrets.digest(ofBucket: $0, limit) }))
        }
        self.limiters = limiters
    }

    /// The limiter of a limit; `nil` where nothing is limited.
    subscript(limit: RateLimit) -> RateLimiter? { limiters[limit] }
}

/// The charges of one attempt, so that they can be refunded.
struct Charges: Sendable {
    private var taken: [(limiter: RateLimiter, key: [UInt8])] = []

    /// Charges one more limiter; `nil` for no limit. If it refuses, refunds all charges and throws.
    mutating func take(
        _ limiter: RateLimiter?, _ key: [UInt8], site: [UInt8]? = nil, now: Int64
    ) throws(Problem) {
        do throws(Problem) { try add(limiter, key, site: site, now: now) } catch {
            refund()
            throw error
        }
    }

    /// Charges one more limiter; `nil` for no limit. If it refuses, the other charges stay.
    mutating func add(
        _ limiter: RateLimiter?, _ key: [UInt8], site: [UInt8]? = nil, now: Int64
    ) throws(Problem) {
        guard let limiter else { return }
        taken.append((limiter, try limiter.charge(key, site: site, now: now)))
    }

    /// Refunds all charges, except those of one limiter.
    func refund(except kept: RateLimiter? = nil) {
        for (limiter, key) in taken where limiter !== kept { limiter.refund(key) }
    }
}
