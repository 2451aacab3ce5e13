/// Sends what waits to the addresses of accounts: one message of an address at a time, and again with growing
/// pauses until it is taken or given up.
import MacrologEvents
import MacrologHTTP
import MacrologHTTPClient
import MacrologService
import Synchronization

/// What the operator allows of webhooks.
package struct WebhookSettings: Sendable {
    /// Whether they may reach private networks and this computer, and use http.
    package var reachesPrivate: Bool
    /// How many an account may have.
    package var countMax: Int64
    /// The pause before each further attempt, in milliseconds; after the last one a message is given up.
    package var pauses: [Int64] = [
        5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000,
    ]
    /// How long an attempt may take, in milliseconds.
    package var attemptMilliseconds = 10_000

    /// Memberwise initializer.
    package init(reachesPrivate: Bool = false, countMax: Int64 = 10) {
        self.reachesPrivate = reachesPrivate
        self.countMax = countMax
    }
}

final class Webhooks: Sendable {
    private struct State {
        /// Ends the watch of each account with an address.
        var watches: [Identifier: @Sendable () -> Void] = [:]
        /// Accounts whose logs have grown.
        var grown: [Identifier: Caller] = [:]
        /// Accounts whose logs are being looked at.
        var looking: Set<Identifier> = []
        /// When accounts whose logs could not be looked at are tried again, in milliseconds since 1970 UTC.
        var paused: [Identifier: Int64] = [:]
        /// What is being sent, by address.
        var sending: [Identifier: HTTPTransport] = [:]
        var isClosed = false
    }

    let settings: WebhookSettings
    private let server: SyncServer
    private let lanes = Lanes(threads: 4, jobsMax: 1_024, perAccountMax: 64)
    private let state = Mutex(State())

    init(_ settings: WebhookSettings, _ server: SyncServer) throws {
        self.settings = settings
        self.server = server
        for caller in try server.webhookAccounts() { watch(caller) }
    }

    /// Ends what is being sent, without an outcome: it is sent after the next start.
    func close() {
        let (transports, watches) = state.withLock { state in
            state.isClosed = true
            return (Array(state.sending.values), Array(state.watches.values))
        }
        for end in watches { end() }
        for transport in transports { transport.cancel() }
        lanes.close()
    }

    // MARK: Looking

    /// Hears from now on when the log of an account has grown.
    func watch(_ caller: Caller) {
        guard state.withLock({ $0.watches[caller.account] == nil }) else { return }
        let end = server.watch(caller) { [weak self] in
            self?.state.withLock { $0.grown[caller.account] = caller }
        }
        state.withLock { $0.watches[caller.account] = end }
    }

    /// Has no more to hear of an account.
    func unwatch(_ account: Identifier) {
        state.withLock { $0.watches.removeValue(forKey: account) }?()
    }

    /// Whose logs are to be looked at now; each of them until ``looked(at:)``.
    func beginLooks() throws -> [Caller] {
        let now = server.now
        let due = try server.webhookLooks(by: now)
        return state.withLock { state in
            guard !state.isClosed else { return [] }
            for caller in due { state.grown[caller.account] = caller }
            state.paused = state.paused.filter { now < $0.value }
            let begun = state.grown.filter {
                !state.looking.contains($0.key) && state.paused[$0.key] == nil
            }
            for account in begun.keys {
                state.grown[account] = nil
                state.looking.insert(account)
            }
            return Array(begun.values)
        }
    }

    /// - Parameter failed: Whether it has to be looked at again, in a minute.
    func looked(at caller: Caller, failed: Bool = false) {
        let now = server.now
        state.withLock { state in
            state.looking.remove(caller.account)
            guard failed else { return }
            state.grown[caller.account] = caller
            state.paused[caller.account] = now + 60_000
        }
    }

    // MARK: Sending

    /// Begins to send what is due, the first message of each address.
    func deliver() throws {
        // An address is free again only after the outcome is stored, so that what is read here is true.
        try state.withLock { state in
            guard !state.isClosed else { return }
            for message in try server.dueMessages(by: server.now)
            where state.sending[message.webhook] == nil {
                let transport = HTTPTransport(onlyPublic: !settings.reachesPrivate)
                state.sending[message.webhook] = transport
                let isTaken = lanes.put(message.account) { self.send(message, transport) }
                if !isTaken { state.sending[message.webhook] = nil }
            }
        }
    }

    private func send(_ message: DueMessage, _ transport: HTTPTransport) {
        defer { state.withLock { $0.sending[message.webhook] = nil } }
        let attempt: Webhook.Attempt
        do throws(TransportError) {
            let status = try status(of: message, transport)
            let isTaken = (200..<300).contains(status)
            attempt = Webhook.Attempt(
                at: server.now, status: Int64(status),
                failure: isTaken ? nil : Self.failure(status))
        } catch {
            // The server stops.
            if case .cancelled = error.code { return }
            attempt = Webhook.Attempt(at: server.now, status: nil, failure: Self.failure(error))
        }
        let isGone = attempt.status == 410
        var retry: Int64?
        if attempt.failure != nil, !isGone, message.attempts < settings.pauses.count {
            let pause = settings.pauses[Int(message.attempts)]
            // What failed together is not tried again together.
            retry = attempt.at + pause + pause * Int64(message.id.bytes[15] & 15) / 100
        }
        let delivery = WebhookDelivery(attempt, retry: retry, isGone: isGone)
        _ = awaited { server.note(delivery, of: message, then: $0) }
    }

    private func status(
        of message: DueMessage, _ transport: HTTPTransport
    ) throws(TransportError) -> Int {
        let target: WebhookTarget
        do throws(APIProblem) {
            target = try WebhookTarget(message.target, reachesPrivate: settings.reachesPrivate)
        } catch {
            throw TransportError(code: .unreachable(detail: error.title), operation: "POST")
        }
        let fields = WebhookSignature.fields(
            of: message.id, message.body, at: server.now, message.secret)
        let request = HTTPRequest(
            method: "POST", path: target.path, query: target.query,
            fields: [HTTPField("content-type", "application/json")] + fields, body: message.body)
        let limits = ExchangeLimits(
            connectMilliseconds: settings.attemptMilliseconds,
            exchangeMilliseconds: settings.attemptMilliseconds,
            stallSeconds: max(1, settings.attemptMilliseconds / 1_000), bodyBytesMax: 65_536)
        return try transport.send(request, to: target.origin, limits: limits).status
    }

    private static func failure(_ status: Int) -> String {
        switch status {
        case 300..<400:
            "it answered \(status); redirects are not followed, so name the final address"
        case 410: "it answered 410: nothing more is sent to it"
        default: "it answered \(status)"
        }
    }

    /// In words for the owner, who is not told what is in the operator's network.
    private static func failure(_ error: TransportError) -> String {
        switch error.code {
        case .unreachable(let detail):
            detail.hasPrefix("its address") ? detail : "it cannot be reached"
        case .timedOut: "it did not answer in time"
        case .tls: "its certificate is not trusted, or it has no secure version of TLS"
        case .tooLarge: "its answer is too long"
        case .malformed: "its answer is not HTTP"
        case .cancelled, .noLibrary: "the server cannot send now"
        }
    }
}

// MARK: In the gateway

extension Gateway {
    /// Looks for what there is to tell, and sends what is due. To be called every second or so.
    package func tickWebhooks() {
        guard let webhooks else { return }
        do {
            for caller in try webhooks.beginLooks() { look(caller, webhooks) }
            try webhooks.deliver()
        } catch {
            _ = response(for: error)
        }
    }

    private func look(_ caller: Caller, _ webhooks: Webhooks) {
        do throws(APIProblem) {
            try inLane(of: caller, { _ in webhooks.looked(at: caller, failed: true) }) {
                [server] person in
                if let last = try server.webhookLook(of: caller) {
                    let now = server.now
                    let (notices, look) = try person.read {
                        try WebhookKnowledge.look($0, after: last, now: now)
                    }
                    let addresses = try server.webhooks(of: caller).filter { $0.stopped == nil }
                    let messages = addresses.flatMap { address in
                        notices.filter { address.events.contains($0.event.rawValue) }.map {
                            $0.message(to: address.id, now: now)
                        }
                    }
                    try awaited {
                        server.keep(messages, of: caller, look: look, then: $0)
                    }.get()
                }
                webhooks.looked(at: caller)
            }
        } catch {
            webhooks.looked(at: caller, failed: true)
        }
    }
}
