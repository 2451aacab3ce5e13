/// When to talk to the hub: state × event → state × actions, and nothing else. It holds no socket,
/// clock or file; whoever drives it performs the actions.
///
/// Its invariant, checked after every transition, is that it can't get stuck: while syncing is
/// allowed, a request is in flight or a timer is armed.
package struct SyncMachine: Sendable {
    /// What it is doing.
    package enum State: Hashable, Sendable {
        /// Nothing is known to be missing anywhere. The timer will ask again.
        case resting
        /// The last attempt failed. The timer will try again.
        case waiting
        /// The hub refuses what this device pushes, and has told all that is new. The timer, or news,
        /// will ask again without pushing, and after a while with it.
        case holding
        /// An exchange is in flight; the timer guards it.
        case exchanging
        /// The access token is being renewed; the timer guards it.
        case refreshing
        /// The hub's log is another one, and a step of healing is in flight; the timer guards it.
        case healing
        /// The hub's log and this one differ, and a step of repair is in flight; the timer guards it.
        case repairing
        /// Syncing is not allowed.
        case stopped(Stop)
    }

    /// Why syncing is not allowed.
    package enum Stop: Hashable, Sendable {
        /// Nobody has asked for it yet, or it was switched off.
        case off
        /// Nobody is signed in, or the session has ended. Recording goes on.
        case signedOut
        /// The server speaks another version of the protocol.
        case upgradeNeeded
    }

    /// What happened.
    package enum Event: Hashable, Sendable {
        /// Syncing is allowed from now on.
        case start
        /// Syncing is not allowed any more.
        case stop(Stop)
        /// Something was recorded on this device.
        case recorded
        /// Another device was heard of: the hub's log may have grown.
        case hint
        /// The timer has run out.
        case timer
        /// The exchange of this number brought a page, and it has been folded.
        case answered(exchange: Int, Progress)
        /// The exchange or renewal of this number failed.
        case failed(exchange: Int, Failure)
        /// The renewal of this number brought a new token.
        case refreshed(exchange: Int)
        /// The step of healing of this number has been done, and was the last one or not.
        case healed(exchange: Int, isLast: Bool)
        /// The step of repair of this number has been done, and was the last one or not; and whether
        /// this log is another one than before.
        case repaired(exchange: Int, isLast: Bool, hasChanged: Bool)
    }

    /// How things stand after a page has been folded.
    package struct Progress: Hashable, Sendable {
        /// Events of this device that the hub has not sealed.
        package var unsealed: Int64
        /// How far this device holds the hub's log.
        package var cursor: Int64
        /// How far the hub's log goes.
        package var head: Int64

        /// Collects the counts.
        package init(unsealed: Int64, cursor: Int64, head: Int64) {
            self.unsealed = unsealed
            self.cursor = cursor
            self.head = head
        }
    }

    /// How an exchange failed, as far as it decides what to do next.
    package enum Failure: Hashable, Sendable {
        /// Try again, after at least so many milliseconds.
        case retry(after: Int64)
        /// The page was too large, or too slow for this network: try again with half of it.
        case tooLarge
        /// The access token is not valid any more.
        case unauthorized
        /// Another device uses this one's name: this file was copied or restored.
        case identityTaken
        /// The hub's log is another one than it was, or has lost its end.
        case logChanged
        /// The hub's log and this one differ somewhere.
        case divergent
        /// The hub does not take what was pushed; what pushes nothing may succeed. What was pushed may
        /// be tried again after at least so many milliseconds.
        case pushRefused(after: Int64)
        /// Trying again would not help.
        case fatal(Stop)
    }

    /// What to do.
    package enum Action: Hashable, Sendable {
        /// Exchange with the hub, with a page of at most so many events, pushing at most so many,
        /// and report back under this number. An exchange of an older number is not awaited any more.
        case exchange(Int, eventsMax: Int, pushMax: Int)
        /// Renew the access token and report back under this number.
        case refresh(Int)
        /// Do a step of healing, giving back at most so many events, and report back under this
        /// number. The first one begins anew.
        case heal(Int, isFirst: Bool, eventsMax: Int)
        /// Do a step of repair and report back under this number. The first one begins anew.
        case repair(Int, isFirst: Bool)
        /// Give up this device's name for a new one. Comes before the exchange that needs it.
        case takeNewDevice
        /// Set the one timer, in milliseconds from now, in place of any before.
        case arm(Int64)
        /// Clear the timer.
        case disarm
    }

    /// What it is doing.
    package private(set) var state: State = .stopped(.off)
    /// Events in a page, at most; halved when pages fail for their size.
    package private(set) var eventsMax: Int
    /// Events in a push, at most; halved when a push is refused.
    package private(set) var pushMax: Int
    /// Failures since the last success.
    package private(set) var failures = 0
    /// How things stood after the last exchange; `nil` before the first.
    package private(set) var progress: Progress?
    private let fullPage: Int
    private let restMilliseconds: Int64
    private var exchange = 0
    private var isArmed = false
    private var isStale = false
    private var hasRefreshed = false
    private var hasNewDevice = false
    private var hasHealed = false
    private var hasRepaired = false
    /// Milliseconds until something is pushed again; `nil` while nothing is in the way of that.
    private var heldFor: Int64?
    private var armedFor: Int64 = 0

    /// Milliseconds after which an exchange that has not come back is given up.
    package static let exchangeMilliseconds: Int64 = 60_000

    /// A machine that is off.
    ///
    /// - Parameters:
    ///   - eventsMax: Events in a full page, 1 or more.
    ///   - restMilliseconds: How long to rest before asking again, when nothing is known to be missing.
    package init(eventsMax: Int, restMilliseconds: Int64) {
        precondition(eventsMax >= 1 && restMilliseconds >= 1)
        self.eventsMax = eventsMax
        pushMax = eventsMax
        self.fullPage = eventsMax
        self.restMilliseconds = restMilliseconds
    }

    /// Takes in what happened and says what to do.
    package mutating func handle(
        _ event: Event, random: inout some RandomNumberGenerator
    ) -> [Action] {
        let actions = transition(event, random: &random)
        for action in actions {
            switch action {
            case .arm(let milliseconds): (isArmed, armedFor) = (true, milliseconds)
            case .disarm: isArmed = false
            case .exchange, .refresh, .heal, .repair, .takeNewDevice: break
            }
        }
        precondition(isLive, "syncing is allowed, but nothing would ever wake it")
        return actions
    }

    /// The invariant. Every state but ``State/stopped(_:)`` has the timer armed.
    private var isLive: Bool {
        if case .stopped = state { true } else { isArmed }
    }

    private mutating func transition(
        _ event: Event, random: inout some RandomNumberGenerator
    ) -> [Action] {
        switch (event, state) {
        case (.stop(let reason), _): return stop(reason)
        case (.start, .stopped): return begin()
        case (_, .stopped), (.start, _): return []

        case (.recorded, .resting), (.hint, .resting): return begin()
        case (.recorded, .exchanging), (.hint, .exchanging), (.recorded, .healing),
            (.hint, .healing), (.recorded, .repairing), (.hint, .repairing):
            isStale = true
            return []
        case (.hint, .holding): return pull()
        case (.recorded, _), (.hint, _): return []

        case (.timer, .resting), (.timer, .waiting), (.timer, .holding): return wake()
        case (.timer, .exchanging), (.timer, .healing), (.timer, .repairing):
            return fail(.tooLarge, random: &random)
        case (.timer, .refreshing): return fail(.retry(after: 0), random: &random)

        case (.answered(let number, let progress), .exchanging) where number == exchange:
            return succeed(progress, random: &random)
        case (.failed(let number, let failure), .exchanging) where number == exchange,
            (.failed(let number, let failure), .healing) where number == exchange,
            (.failed(let number, let failure), .repairing) where number == exchange,
            (.failed(let number, let failure), .refreshing) where number == exchange:
            return fail(failure, random: &random)
        case (.refreshed(let number), .refreshing) where number == exchange: return begin()
        case (.healed(let number, let isLast), .healing) where number == exchange:
            failures = 0
            return isLast ? begin() : heal(isFirst: false)
        case (.repaired(let number, let isLast, let hasChanged), .repairing)
        where number == exchange:
            // What was put right stays right, so that ends.
            if hasChanged { hasRepaired = false }
            return isLast ? begin() : repair(isFirst: false)
        case (.answered, _), (.failed, _), (.refreshed, _), (.healed, _), (.repaired, _):
            return []
        }
    }

    private mutating func wake() -> [Action] {
        hasRefreshed = false
        hasNewDevice = false
        hasHealed = false
        hasRepaired = false
        bringNearer(armedFor)
        return begin()
    }

    /// Asks for what is new while pushing is held. News that come all the time do not keep anything
    /// from being pushed for ever.
    private mutating func pull() -> [Action] {
        bringNearer(Backoff.base)
        return begin()
    }

    private mutating func bringNearer(_ milliseconds: Int64) {
        if let left = heldFor { heldFor = left > milliseconds ? left - milliseconds : nil }
    }

    /// Pushes nothing for a while, and goes on with everything else at once.
    private mutating func hold(
        atLeast minimum: Int64, random: inout some RandomNumberGenerator
    ) -> [Action] {
        guard state == .exchanging, heldFor == nil else {
            return wait(atLeast: minimum, random: &random)
        }
        failures += 1
        pushMax = max(1, pushMax / 2)
        heldFor = max(1, Backoff.delay(failures: failures, atLeast: minimum, random: &random))
        return begin()
    }

    private mutating func repair(isFirst: Bool) -> [Action] {
        state = .repairing
        exchange += 1
        return [.repair(exchange, isFirst: isFirst), .arm(Self.exchangeMilliseconds)]
    }

    private mutating func heal(isFirst: Bool) -> [Action] {
        state = .healing
        exchange += 1
        return [
            .heal(exchange, isFirst: isFirst, eventsMax: eventsMax),
            .arm(Self.exchangeMilliseconds),
        ]
    }

    private mutating func begin() -> [Action] {
        state = .exchanging
        isStale = false
        exchange += 1
        return [
            .exchange(exchange, eventsMax: eventsMax, pushMax: heldFor == nil ? pushMax : 0),
            .arm(Self.exchangeMilliseconds),
        ]
    }

    private mutating func succeed(
        _ next: Progress, random: inout some RandomNumberGenerator
    ) -> [Action] {
        let moved =
            progress.map { $0.cursor != next.cursor || $0.unsealed != next.unsealed } ?? true
        progress = next
        hasRefreshed = false
        hasNewDevice = false
        hasHealed = false
        hasRepaired = false
        if eventsMax < fullPage { eventsMax = min(fullPage, eventsMax * 2) }
        if let left = heldFor {
            if isStale { return pull() }
            guard next.cursor < next.head else {
                state = .holding
                return [.arm(min(left, restMilliseconds))]
            }
            return moved ? begin() : wait(atLeast: 0, random: &random)
        }
        failures = 0
        if pushMax < fullPage { pushMax = min(fullPage, pushMax * 2) }
        if isStale { return begin() }
        guard next.unsealed > 0 || next.cursor < next.head else {
            state = .resting
            return [.arm(restMilliseconds)]
        }
        // A hub that keeps answering without moving must not be asked in a tight loop.
        return moved ? begin() : wait(atLeast: 0, random: &random)
    }

    private mutating func fail(
        _ failure: Failure, random: inout some RandomNumberGenerator
    ) -> [Action] {
        switch failure {
        case .retry(let after): return wait(atLeast: after, random: &random)
        case .tooLarge:
            eventsMax = max(1, eventsMax / 2)
            return wait(atLeast: 0, random: &random)
        case .unauthorized:
            guard state != .refreshing, !hasRefreshed else { return stop(.signedOut) }
            hasRefreshed = true
            state = .refreshing
            exchange += 1
            return [.refresh(exchange), .arm(Self.exchangeMilliseconds)]
        case .identityTaken:
            // A name that is taken at once again is a fault of somebody's: no tight loop.
            guard !hasNewDevice else {
                return [.takeNewDevice] + wait(atLeast: 0, random: &random)
            }
            hasNewDevice = true
            return [.takeNewDevice] + begin()
        case .logChanged:
            // A log that is another one again at once is a fault of somebody's: no tight loop.
            guard !hasHealed else { return wait(atLeast: 0, random: &random) }
            hasHealed = true
            return heal(isFirst: true)
        case .divergent:
            // What is found to differ again, and can't be repaired, may be only what is pushed.
            guard !hasRepaired else { return hold(atLeast: 0, random: &random) }
            hasRepaired = true
            return repair(isFirst: true)
        case .pushRefused(let after): return hold(atLeast: after, random: &random)
        case .fatal(let reason): return stop(reason)
        }
    }

    private mutating func wait(
        atLeast minimum: Int64, random: inout some RandomNumberGenerator
    ) -> [Action] {
        failures += 1
        state = .waiting
        return [.arm(Backoff.delay(failures: failures, atLeast: minimum, random: &random))]
    }

    private mutating func stop(_ reason: Stop) -> [Action] {
        state = .stopped(reason)
        progress = nil
        heldFor = nil
        exchange += 1
        return [.disarm]
    }
}
