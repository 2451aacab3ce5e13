/// One limiter for each kind of attempt.
struct Limiters: Sendable {
    let loginByEmailAndNetwork: RateLimiter
    let loginByEmail: RateLimiter
    let loginByAccount: RateLimiter
    let loginByNetwork: RateLimiter
    let codeByAccount: RateLimiter
    let registerByNetwork: RateLimiter
    let refreshBySession: RateLimiter
    let pushByAccount: RateLimiter?
    let pullBySession: RateLimiter?
    let blobBySession: RateLimiter?
    let shareByAccount: RateLimiter
    let openByNetwork: RateLimiter

    /// - Parameter buckets: Where attempts to register or to prove who one is are charged for all processes.
    init(_ rates: RateLimits, _ buckets: (any SharedBuckets)?, _ secrets: Secrets) {
        func shared(_ rate: Rate, _ limit: RateLimit) -> RateLimiter {
            RateLimiter(rate, shared: buckets.map { ($0, { secrets.digest(ofBucket: $0, limit) }) })
        }
        loginByEmailAndNetwork = shared(rates.loginByEmailAndNetwork, .loginByEmailAndNetwork)
        loginByEmail = shared(rates.loginByEmail, .loginByEmail)
        loginByAccount = shared(rates.loginByAccount, .loginByAccount)
        loginByNetwork = shared(rates.loginByNetwork, .loginByNetwork)
        codeByAccount = shared(rates.codeByAccount, .codeByAccount)
        registerByNetwork = shared(rates.registerByNetwork, .registerByNetwork)
        refreshBySession = RateLimiter(rates.refreshBySession)
        pushByAccount = rates.pushByAccount.map { RateLimiter($0) }
        pullBySession = rates.pullBySession.map { RateLimiter($0) }
        blobBySession = rates.blobBySession.map { RateLimiter($0) }
        shareByAccount = RateLimiter(rates.shareByAccount)
        openByNetwork = RateLimiter(rates.openByNetwork)
    }
}

/// The charges of one attempt, so that they can be refunded.
struct Charges: Sendable {
    private var taken: [(limiter: RateLimiter, key: [UInt8])] = []

    /// Charges one more limiter. If it refuses, refunds all charges and throws.
    mutating func take(
        _ limiter: RateLimiter, _ key: [UInt8], site: [UInt8]? = nil, now: Int64
    ) throws(Problem) {
        do throws(Problem) { try add(limiter, key, site: site, now: now) } catch {
            refund()
            throw error
        }
    }

    /// Charges one more limiter. If it refuses, the other charges stay.
    mutating func add(
        _ limiter: RateLimiter, _ key: [UInt8], site: [UInt8]? = nil, now: Int64
    ) throws(Problem) {
        taken.append((limiter, try limiter.charge(key, site: site, now: now)))
    }

    /// Refunds all charges, except those of one limiter.
    func refund(except kept: RateLimiter? = nil) {
        for (limiter, key) in taken where limiter !== kept { limiter.refund(key) }
    }
}
