/// One limiter for each kind of attempt.
struct Limiters: Sendable {
    let loginByEmailAndNetwork: RateLimiter
    let loginByEmail: RateLimiter
    let loginByAccount: RateLimiter
    let loginByNetwork: RateLimiter
    let registerByNetwork: RateLimiter
    let refreshBySession: RateLimiter
    let pushByAccount: RateLimiter?
    let pullBySession: RateLimiter?
    let blobBySession: RateLimiter?

    init(_ rates: RateLimits) {
        loginByEmailAndNetwork = RateLimiter(rates.loginByEmailAndNetwork)
        loginByEmail = RateLimiter(rates.loginByEmail)
        loginByAccount = RateLimiter(rates.loginByAccount)
        loginByNetwork = RateLimiter(rates.loginByNetwork)
        registerByNetwork = RateLimiter(rates.registerByNetwork)
        refreshBySession = RateLimiter(rates.refreshBySession)
        pushByAccount = rates.pushByAccount.map { RateLimiter($0) }
        pullBySession = rates.pullBySession.map { RateLimiter($0) }
        blobBySession = rates.blobBySession.map { RateLimiter($0) }
    }
}

/// What one attempt has been charged, to be given back where it did no harm.
struct Charges: Sendable {
    private var taken: [(limiter: RateLimiter, key: [UInt8])] = []

    /// Charges one limiter more. Where that refuses, gives everything back and throws.
    mutating func take(
        _ limiter: RateLimiter, _ key: [UInt8], now: Int64
    ) throws(Problem) {
        do throws(Problem) {
            try limiter.charge(key, now: now)
        } catch {
            refund()
            throw error
        }
        taken.append((limiter, key))
    }

    /// Gives everything back.
    func refund() {
        for (limiter, key) in taken { limiter.refund(key) }
    }
}
