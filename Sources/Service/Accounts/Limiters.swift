/// One limiter for each kind of attempt.
struct Limiters: Sendable {
    let loginByEmail: RateLimiter
    let loginByNetwork: RateLimiter
    let registerByNetwork: RateLimiter
    let refreshBySession: RateLimiter
    let pushBySession: RateLimiter?
    let pullBySession: RateLimiter?
    let blobBySession: RateLimiter?

    init(_ rates: RateLimits) {
        loginByEmail = RateLimiter(rates.loginByEmail)
        loginByNetwork = RateLimiter(rates.loginByNetwork)
        registerByNetwork = RateLimiter(rates.registerByNetwork)
        refreshBySession = RateLimiter(rates.refreshBySession)
        pushBySession = rates.pushBySession.map { RateLimiter($0) }
        pullBySession = rates.pullBySession.map { RateLimiter($0) }
        blobBySession = rates.blobBySession.map { RateLimiter($0) }
    }
}
