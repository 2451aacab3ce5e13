import MacrologEngine
import MacrologTestSupport
import Testing

/// Goal: whatever a server answers, its device neither stops asking nor asks in a tight loop.
/// Method: the machine alone, told what happened; its actions are all there is to see.
@Suite struct MachineTests {
    /// A machine whose first exchange is in flight.
    private struct Started {
        var machine = SyncMachine(eventsMax: 500, restMilliseconds: 30_000)
        var dice = Dice(seed: 1)
        var exchange = 0
        /// Whether an exchange began with the last event, and what the timer was set to.
        var asks = false
        var timer: Int64?
        var eventsMax = 0

        init() { tell(.start) }

        mutating func tell(_ event: SyncMachine.Event) {
            (asks, timer) = (false, nil)
            for action in machine.handle(event, random: &dice) {
                switch action {
                case .exchange(let number, let count, _):
                    (exchange, asks, eventsMax) = (number, true, count)
                case .refresh(let number), .recover(let number, _, _): exchange = number
                case .arm(let milliseconds): timer = milliseconds
                default: break
                }
            }
        }

        mutating func answer(_ unsealed: Int64, _ cursor: Int64, _ head: Int64) {
            tell(
                .answered(
                    exchange: exchange, .init(unsealed: unsealed, cursor: cursor, head: head)))
        }
    }

    @Test(
        arguments: [
            (.zero, 1_000), (.seconds(-5), 1_000), (.milliseconds(999), 1_000),
            (.milliseconds(1_500), 1_000), (.seconds(60), 60_000),
            (.seconds(Int64.max), 31_536_000_000),
        ] as [(Duration, Int64)])
    func `syncing rests for a second at least, and no interval ends the process`(
        interval: Duration, milliseconds: Int64
    ) {
        #expect(interval.restMilliseconds == milliseconds)
    }

    @Test func `while pages move the next one is asked for at once, and then there is rest`() {
        var started = Started()
        #expect(started.asks)
        started.answer(0, 500, 1_200)
        #expect(started.asks)
        started.answer(0, 1_000, 1_200)
        #expect(started.asks)
        started.answer(0, 1_200, 1_200)
        #expect(!started.asks && started.timer == 30_000)
        #expect(started.machine.state == .resting)
    }

    @Test func `a server that answers and never moves is asked ever more seldom`() {
        var started = Started()
        started.answer(1, 5, 9)
        #expect(started.asks)
        var waited: Int64 = 0
        for _ in 0..<50 {
            started.answer(1, 5, 9)
            #expect(!started.asks && started.machine.state == .waiting)
            waited += started.timer ?? 0
            started.tell(.timer)
            #expect(started.asks)
        }
        // Fifty waits in a row within a second would be a loop.
        #expect(waited > 1_000)
    }

    @Test(arguments: [
        SyncMachine.ErrorClass.retry(after: 0), .retry(after: 60_000), .tooLarge, .deviceIDTaken,
        .differs, .unauthorized,
    ])
    func `after any error that may pass a timer is set, however often it comes`(
        error: SyncMachine.ErrorClass
    ) {
        var started = Started()
        for _ in 0..<20 {
            started.tell(.failed(exchange: started.exchange, error))
            if started.machine.state == .stopped(.loggedOut) { break }
            #expect(started.timer != nil)
            if case .retry(let after) = error { #expect(started.timer ?? 0 >= after) }
            if started.machine.state == .waiting { started.tell(.timer) }
            #expect(started.timer != nil)
        }
    }

    @Test func `an error never makes the next attempt come at once twice in a row`() {
        for error in [
            SyncMachine.ErrorClass.retry(after: 0), .tooLarge, .deviceIDTaken, .differs,
        ] {
            var started = Started()
            var atOnce = 0
            for _ in 0..<10 where started.machine.state != .waiting {
                started.tell(.failed(exchange: started.exchange, error))
                if started.machine.state != .waiting { atOnce += 1 }
            }
            #expect(started.machine.state == .waiting && atOnce <= 1, "\(error)")
        }
    }

    @Test func `pages are halved down to one event and grow again with success`() {
        var started = Started()
        var sizes: [Int] = []
        for _ in 0..<12 {
            started.tell(.failed(exchange: started.exchange, .tooLarge))
            started.tell(.timer)
            sizes.append(started.eventsMax)
        }
        #expect(sizes == [250, 125, 62, 31, 15, 7, 3, 1, 1, 1, 1, 1])
        for cursor in 1...12 as ClosedRange<Int64> { started.answer(0, cursor, 100) }
        #expect(started.eventsMax == 500)
    }

    @Test func `an answer of an exchange that is not awaited any more changes nothing`() {
        var started = Started()
        let old = started.exchange
        started.tell(.failed(exchange: old, .retry(after: 0)))
        started.tell(.timer)
        let state = started.machine.state
        started.tell(.answered(exchange: old, .init(unsealed: 0, cursor: 1, head: 1)))
        #expect(started.machine.state == state && !started.asks && started.timer == nil)
        started.tell(.failed(exchange: old, .fatal(.upgradeNeeded)))
        #expect(started.machine.state == state)
    }
}
