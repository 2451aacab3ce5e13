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
    /// How long after a look at a log its growth leads to another, in milliseconds.
    package var growthPause: Int64 = 30_000

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
        /// When growth may lead to the next look at a log, and one that failed is tried again, in milliseconds
        /// since 1970 UTC.
        var (growthPaused, paused): ([Identifier: Int64], [Identifier: Int64]) = ([:], [:])
        /// What is being sent, by account.
        var sending: [Identifier: HTTPTransport] = [:]
        /// Until when nothing is sent for accounts, because an outcome could not be stored, or another process sends.
        var held: [Identifier: Int64] = [:]
        /// Whether any account has had an address since the start: without one there is nothing to look for.
        var hasAny = false
        var isClosed = false
    }

    let settings: WebhookSettings
    private let server: SyncServer
    private let lanes = Lanes(threads: 4, jobsMax: 1_024, perAccountMax: 64)
    private let state = Mutex(State())

    init(_ settings: WebhookSettings, _ server: SyncServer) throws {
        self.settings = settings
        self.server = server
        let hasAny = try server.mayHaveWebhooks()
        state.withLock { $0.hasAny = hasAny }
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
        state.withLock { state in
            state.watches[caller.account] = end
            state.hasAny = true
        }
    }

    /// Has no more to hear of an account.
    func unwatch(_ account: Identifier) {
        state.withLock { $0.watches.removeValue(forKey: account) }?()
    }

    /// Whose logs are to be looked at now; each of them until ``looked(at:)``. Looks share the lanes of requests,
    /// so there are few at once.
    func beginLooks() throws -> [Caller] {
        guard state.withLock({ $0.hasAny }) else { return [] }
        let now = server.now
        let others = state.withLock { state in
            state.paused = state.paused.filter { now < $0.value }
            state.growthPaused = state.growthPaused.filter { now < $0.value }
            return state.looking.union(state.paused.keys)
        }
        let due = try server.webhookLooks(by: now, besides: others)
        return state.withLock { state in
            guard !state.isClosed else { return [] }
            let grown = state.grown.values.filter {
                !others.contains($0.account) && state.growthPaused[$0.account] == nil
            }
            var begun: [Caller] = []
            for caller in due + grown where state.looking.count < Self.looksMax {
                guard state.looking.insert(caller.account).inserted else { continue }
                state.grown[caller.account] = nil
                begun.append(caller)
            }
            return begun
        }
    }

    /// How long messages of an account are left to another process, in milliseconds.
    private static let othersPause: Int64 = 5_000
    /// How many logs are looked at once.
    private static let looksMax = 2

    /// - Parameter failed: Whether it has to be looked at again, in a minute.
    func looked(at caller: Caller, failed: Bool = false) {
        let now = server.now
        state.withLock { state in
            state.looking.remove(caller.account)
            state.growthPaused[caller.account] = now + settings.growthPause
            guard failed else { return }
            state.grown[caller.account] = caller
            state.paused[caller.account] = now + 60_000
        }
    }

    // MARK: Sending

    /// Begins to send what is due, the first message of each account. To be called by one thread.
    func deliver() throws {
        guard state.withLock({ $0.hasAny }) else { return }
        let now = server.now
        // The lock is not held while messages are read: those who hear that logs have grown wait for it. What
        // is read of other accounts stays true, since only this begins to send.
        let others = state.withLock { state in
            state.held = state.held.filter { now < $0.value }
            return Set(state.sending.keys).union(state.held.keys)
        }
        for message in try server.dueMessages(by: now, besides: others) {
            let transport = HTTPTransport(onlyPublic: !settings.reachesPrivate)
            state.withLock { state in
                guard !state.isClosed else { return }
                state.sending[message.account] = transport
                let isTaken = lanes.put(message.account) { self.send(message, transport) }
                if !isTaken { state.sending[message.account] = nil }
            }
        }
    }

    private func send(_ message: DueMessage, _ transport: HTTPTransport) {
        defer { state.withLock { $0.sending[message.account] = nil } }
        guard isSo(try server.maySend(message)) else {
            state.withLock { $0.held[message.account] = server.now + Self.othersPause }
            return
        }
        // Its address, or its account, may have gone while it waited, or another process has sent it.
        guard isSo(try server.isDue(message, by: server.now)) else { return }
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
        if attempt.failure != nil, !isGone, message.content != nil,
            message.attempts < settings.pauses.count
        {
            let pause = settings.pauses[Int(message.attempts)]
            // What failed together is not tried again together.
            retry = attempt.at + pause + pause * Int64(message.id.bytes[15] & 15) / 100
        }
        let delivery = WebhookDelivery(attempt, retry: retry, isGone: isGone)
        if case .failure(let problem) = awaited({ server.note(delivery, of: message, then: $0) }) {
            server.noteFailure(problem)
            // On a full disk the receiver would have the same message every second.
            state.withLock { $0.held[message.account] = attempt.at + 60_000 }
        }
    }

    /// What the server says; `false` if it failed.
    private func isSo(_ ask: @autoclosure () throws(MacrologService.Problem) -> Bool) -> Bool {
        do throws(MacrologService.Problem) { return try ask() } catch {
            server.noteFailure(error)
            return false
        }
    }

    private func status(
        of message: DueMessage, _ transport: HTTPTransport
    ) throws(TransportError) -> Int {
        guard let (address, secret, body) = message.content else {
            throw TransportError(code: .unreachable(detail: Self.unreadable), operation: "POST")
        }
        let target: WebhookTarget
        do throws(APIProblem) {
            target = try WebhookTarget(address, reachesPrivate: settings.reachesPrivate)
        } catch {
            throw TransportError(code: .unreachable(detail: error.title), operation: "POST")
        }
        let fields = WebhookSignature.fields(
            of: message.id, body, at: server.now, secret)
        let request = HTTPRequest(
            method: "POST", path: target.path, query: target.query,
            fields: [HTTPField("content-type", "application/json")] + fields, body: body)
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

    private static let unreadable = "what is stored of it cannot be decrypted: add it again"

    /// In words for the owner, who is not told what is in the operator's network.
    private static func failure(_ error: TransportError) -> String {
        switch error.code {
        case .unreachable(let detail):
            // One sentence for both: whether a name exists in that network is not told either.
            detail == unreadable
                ? detail : "it cannot be reached, or not at an address of the public Internet"
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
        do {
            // The account may have ended, and must not have a replica made again.
            guard try server.webhookLook(of: caller) != nil else {
                webhooks.unwatch(caller.account)
                return webhooks.looked(at: caller)
            }
            webhooks.watch(caller)
            try inLane(of: caller, for: nil, { _ in webhooks.looked(at: caller, failed: true) }) {
                [server] person in
                if let last = try server.webhookLook(of: caller) {
                    let now = server.now
                    let (found, look) = try person.read {
                        try WebhookKnowledge.look($0, after: last, now: now)
                    }
                    let notices = found.suffix(Int(WebhookLimits.waitingMax))
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
            _ = response(for: error)
            webhooks.looked(at: caller, failed: true)
        }
    }
}
