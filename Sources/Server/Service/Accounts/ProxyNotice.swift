/// Warns the operator of an undeclared proxy: behind a proxy that is not declared, all clients have
/// one address and share its rate limits.
import MacrologHTTP
import Synchronization

final class ProxyNotice: Sendable {
    /// The minimum interval between two warnings, in milliseconds.
    static let interval: Int64 = 3_600_000

    private let next = Atomic<Int64>(.min)

    /// Whether there has been one.
    var hasSeenOne: Bool { next.load(ordering: .relaxed) != .min }

    /// Whether a request makes a warning due; if so, the next one is due after the interval.
    func isDue(_ request: HTTPRequest, proxies: [String], now: Int64) -> Bool {
        let due = next.load(ordering: .relaxed)
        // If the clock was set back far, warns once more.
        guard now >= due || due - now > Self.interval,
            Network.isForwardedByStranger(request, proxies: proxies)
        else { return false }
        return next.compareExchange(
            expected: due, desired: now + Self.interval, ordering: .relaxed
        ).exchanged
    }
}

extension SyncServer {
    /// Checks whether an undeclared proxy forwards requests to the server.
    func noteProxy(_ request: HTTPRequest) {
        let proxies = settings.proxies
        guard proxyNotice.isDue(request, proxies: proxies, now: monotonic()) else { return }
        let isLoopback = request.peer == "127.0.0.1" || request.peer == "::1"
        note(
            ServerNote(
                level: .warning, event: "proxy.undeclared",
                facts: [
                    ("peer", isLoopback ? request.peer : Network.shortened(request.peer)),
                    ("advice", Self.proxyAdvice),
                ]))
    }

    private static let proxyAdvice: String =
        "Requests come through a proxy, so all people share one address and its attempts to log "
        + "in. If the proxy is yours, declare its address as a trusted proxy."
}
