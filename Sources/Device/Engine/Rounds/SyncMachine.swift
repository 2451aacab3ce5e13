package import MacrologRecovery

/// Decides when to talk to the server: state × event → state × actions, and nothing else. It holds
/// no socket, clock or file; its driver performs the actions.
///
/// Its invariant, checked after every transition, is that it cannot get stuck: while syncing is
/// allowed, the timer is armed. A timer that has run out is not armed any more.
package struct SyncMachine: Sendable {
    /// What the machine is doing.
    package enum State: Hashable, Sendable {
        /// Nothing is known to be missing anywhere. The timer starts the next exchange.
        case resting
        /// The last attempt failed. The timer starts the next one.
        case waiting
        /// The server refuses what this device pushes, and nothing remains to be pulled. The timer
        /// or news starts an exchange without a push, and after a while one with it.
        case holding
        /// An exchange is in flight.
        case exchanging
        /// The access token is being renewed.
        case refreshing
        /// The server's log and this one differ, and a step of recovery is in flight.
        case recovering(Recovering.Phase)
        /// Syncing is not allowed.
        case stopped(Stop)
    }

    /// Why syncing is not allowed.
    package enum Stop: Hashable, Sendable {
        /// Syncing was never switched on, or was switched off.
        case off
        /// No session, or the session has ended. Recording continues to work.
        case loggedOut
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
        /// Another device has synced: the server's log may have grown.
        case hint
        /// The timer has run out.
        case timer
        /// The exchange of this number brought a page, and it has been folded.
        case answered(exchange: Int, Progress)
        /// The exchange or renewal of this number failed.
        case failed(exchange: Int, ErrorClass)
        /// The renewal of this number brought a new token.
        case refreshed(exchange: Int)
        /// The step of recovery of this number is done, and another one follows.
        case stepped(exchange: Int, next: Recovering.Phase)
        /// The last step of recovery, of this number, is done; `hasRepaired` if damage in this log
        /// was repaired.
        case recovered(exchange: Int, hasRepaired: Bool)
    }

    /// The counts after a page has been folded.
    package struct Progress: Hashable, Sendable {
        /// Events of this device that the server has not sealed.
        package var unsealed: Int64
        /// The number up to which this device holds the server's log.
        package var cursor: Int64
        /// The last number of the server's log.
        package var head: Int64

        /// Collects the counts.
        package init(unsealed: Int64, cursor: Int64, head: Int64) {
            self.unsealed = unsealed
            self.cursor = cursor
            self.head = head
        }
    }

    /// The class of an error: what it means for the next step.
    package enum ErrorClass: Hashable, Sendable {
        /// Try again, after at least this many milliseconds.
        case retry(after: Int64)
        /// The page was too large, or too slow for this network: try again with half as many
        /// events.
        case tooLarge
        /// The access token is not valid any more.
        case unauthorized
        /// Another device uses this device ID: this file was copied or restored.
        case deviceIDTaken
        /// The server's log and this one differ: it is another one, has lost its end, or a row of
        /// one of them is damaged.
        case differs
        /// The server refuses what was pushed; an exchange without a push may succeed. The push may
        /// be tried again after at least this many milliseconds.
        case pushRefused(after: Int64)
        /// Trying again would not help.
        case fatal(Stop)
    }

    /// What the driver has to do.
    package enum Action: Hashable, Sendable {
        /// Exchange with the server, with a page of at most `eventsMax` events and a push of at
        /// most `pushMax`, and report back under this number. The result of an older exchange no
        /// longer matters.
        case exchange(Int, eventsMax: Int, pushMax: Int)
        /// Renew the access token and report back under this number.
        case refresh(Int)
        /// Do a step of recovery, giving back at most `eventsMax` events, and report back under
        /// this number. The first step starts from the beginning.
        case recover(Int, isFirst: Bool, eventsMax: Int)
        /// Rotate the device ID. Comes before the exchange that needs the new one.
        case rotateDeviceID
        /// Set the only timer, in milliseconds from now, replacing any earlier one.
        case arm(Int64)
        /// Clear the timer.
        case disarm
    }

    /// What the machine is doing.
    package private(set) var state: State = .stopped(.off)
    /// The maximum number of events in a page; halved when pages fail for their size.
    package private(set) var eventsMax: Int
    /// The maximum number of events in a push; halved when a push is refused.
    package private(set) var pushMax: Int
    /// Failures since the last success.
    package private(set) var failures = 0
    /// The counts after the last exchange; `nil` before the first.
    package private(set) var progress: Progress?
    private let fullPage: Int
    private let restMilliseconds: Int64
    private var exchange = 0
    private var isArmed = false
    private var isStale = false
    private var hasRefreshed = false
    private var hasRotatedDeviceID = false
    private var hasRecovered = false
    /// Milliseconds until something is pushed again; `nil` while pushing is allowed.
    private var heldFor: Int64?
    private var armedFor: Int64 = 0

    /// The timer of a request in flight, in milliseconds. A driver that waits for the request handles
    /// no timer meanwhile; there the transport's own limit of the same length ends the request.
    package static let exchangeMilliseconds: Int64 = 60_000

    /// A machine that is off.
    ///
    /// - Parameters:
    ///   - eventsMax: Events in a full page, 1 or more.
    ///   - restMilliseconds: The pause before the next exchange, when nothing is known to be
    ///     missing.
    package init(eventsMax: Int, restMilliseconds: Int64) {
        precondition(eventsMax >= 1 && restMilliseconds >= 1)
        self.eventsMax = eventsMax
        pushMax = eventsMax
        self.fullPage = eventsMax
        self.restMilliseconds = restMilliseconds
    }

    /// Processes an event and returns the actions.
    package mutating func handle(
        _ event: Event, random: inout some RandomNumberGenerator
    ) -> [Action] {
        if event == .timer { isArmed = false }
        let actions = transition(event, random: &random)
        for action in actions {
            switch action {
            case .arm(let milliseconds): (isArmed, armedFor) = (true, milliseconds)
            case .disarm: isArmed = false
            case .exchange, .refresh, .recover, .rotateDeviceID: break
            }
        }
        precondition(isLive, "syncing is allowed, but nothing would ever wake it")
        return actions
    }

    /// The invariant: every state but ``State/stopped(_:)`` has the timer armed.
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
        case (.recorded, .exchanging), (.hint, .exchanging), (.recorded, .recovering),
            (.hint, .recovering):
            isStale = true
            return []
        case (.hint, .holding): return pull()
        case (.recorded, _), (.hint, _): return []

        case (.timer, .resting), (.timer, .waiting), (.timer, .holding): return wake()
        case (.timer, .exchanging), (.timer, .recovering):
            return fail(.tooLarge, random: &random)
        case (.timer, .refreshing): return fail(.retry(after: 0), random: &random)

        case (.answered(let number, let progress), .exchanging) where number == exchange:
            return succeed(progress, random: &random)
        case (.failed(let number, let error), .exchanging) where number == exchange,
            (.failed(let number, let error), .recovering) where number == exchange,
            (.failed(let number, let error), .refreshing) where number == exchange:
            return fail(error, random: &random)
        case (.refreshed(let number), .refreshing) where number == exchange: return begin()
        case (.stepped(let number, let next), .recovering) where number == exchange:
            // Only what is given back or written is progress.
            if next == .apply { failures = 0 }
            return recover(next, isFirst: false)
        case (.recovered(let number, let hasRepaired), .recovering) where number == exchange:
            // What was repaired stays repaired, so this ends.
            if hasRepaired { hasRecovered = false }
            return begin()
        case (.answered, _), (.failed, _), (.refreshed, _), (.stepped, _), (.recovered, _):
            return []
        }
    }

    private mutating func wake() -> [Action] {
        hasRefreshed = false
        hasRotatedDeviceID = false
        hasRecovered = false
        bringNearer(armedFor)
        return begin()
    }

    /// Pulls what is new while pushing is held. A constant stream of news must not postpone a push
    /// for ever.
    private mutating func pull() -> [Action] {
        bringNearer(Backoff.base)
        return begin()
    }

    private mutating func bringNearer(_ milliseconds: Int64) {
        if let left = heldFor { heldFor = left > milliseconds ? left - milliseconds : nil }
    }

    /// Pushes nothing for a while, and continues with everything else at once.
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

    private mutating func recover(_ phase: Recovering.Phase, isFirst: Bool) -> [Action] {
        state = .recovering(phase)
        exchange += 1
        return [
            .recover(exchange, isFirst: isFirst, eventsMax: eventsMax),
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
        hasRotatedDeviceID = false
        hasRecovered = false
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
        // A server that keeps answering without moving must not be asked in a tight loop.
        return moved ? begin() : wait(atLeast: 0, random: &random)
    }

    private mutating func fail(
        _ error: ErrorClass, random: inout some RandomNumberGenerator
    ) -> [Action] {
        switch error {
        case .retry(let after): return wait(atLeast: after, random: &random)
        case .tooLarge:
            eventsMax = max(1, eventsMax / 2)
            return wait(atLeast: 0, random: &random)
        case .unauthorized:
            guard state != .refreshing, !hasRefreshed else { return stop(.loggedOut) }
            hasRefreshed = true
            state = .refreshing
            exchange += 1
            return [.refresh(exchange), .arm(Self.exchangeMilliseconds)]
        case .deviceIDTaken:
            // If the new device ID is taken at once too, something else is wrong: no tight loop.
            guard !hasRotatedDeviceID else {
                return [.rotateDeviceID] + wait(atLeast: 0, random: &random)
            }
            hasRotatedDeviceID = true
            return [.rotateDeviceID] + begin()
        case .differs:
            // If the logs differ again at once, only what is pushed may be the cause.
            guard !hasRecovered else { return hold(atLeast: 0, random: &random) }
            hasRecovered = true
            return recover(.detect, isFirst: true)
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
