/// Tells the operator of a proxy that was not declared: behind one, all people have one address, and
/// share its attempts.
import MacrologHTTP
import Synchronization

final class ProxyNotice: Sendable {
    /// Milliseconds between two notes, at least.
    static let interval: Int64 = 3_600_000

    private let next = Atomic<Int64>(.min)

    /// Whether a note is due because of a request; then it is not again for a while.
    func isDue(_ request: HTTPRequest, proxies: [String], now: Int64) -> Bool {
        let due = next.load(ordering: .relaxed)
        // A clock that was set back far tells once more.
        guard now >= due || due - now > Self.interval,
            Network.isForwardedByStranger(request, proxies: proxies)
        else { return false }
        return next.compareExchange(
            expected: due, desired: now + Self.interval, ordering: .relaxed
        ).exchanged
    }
}

extension Hub {
    /// Looks whether a proxy stands before the hub that nobody told it of.
    func noteProxy(_ request: HTTPRequest) {
        let proxies = settings.proxies
        guard proxyNotice.isDue(request, proxies: proxies, now: monotonic()) else { return }
        let isLoopback = request.peer == "127.0.0.1" || request.peer == "::1"
        note(
            HubNote(
                level: .warning, event: "proxy.undeclared",
                facts: [
                    ("peer", isLoopback ? request.peer : Network.shortened(request.peer)),
                    ("advice", Self.proxyAdvice),
                ]))
    }

    private static let proxyAdvice: String =
        "Requests come through a proxy, so all people share one address and its attempts to log "
        + "in. If the proxy is yours, start with --trusted-proxy and its address."
}
