import MacrologEvents
import MacrologLog
import MacrologEngine
import MacrologTestSupport

/// A world of the protocol alone: the real rules of merging, sealing, digests, recovery and
/// exchanges, around logs in memory, a faulty network, and disks that are restored from backups.
/// One seed decides everything; thousands of such worlds run in a second.
///
/// ``run()`` lets people act while faults occur. Then the faults stop, and ``problems`` lists the
/// violations once everything is quiet; usually that happens twice in a world.
package final class ModelWorld {
    private enum Happening {
        case timer(at: Int64)
        case arrival(ModelRequest, exchange: Int, boot: UInt64, isHeard: Bool)
        case result(ModelAnswer?, exchange: Int, boot: UInt64)
        case hint
    }

    private struct Entry {
        let at: Int64
        let order: Int
        let device: Int
        let happening: Happening
    }

    /// What happened, line by line, if asked for.
    package private(set) var story: [String] = []
    /// Violations, as sentences; empty if there are none.
    package internal(set) var problems: [String] = []
    /// How often each thing happened.
    package internal(set) var figures = ModelFigures()

    let names = ModelNames()
    var server = ModelServer()
    var devices: [ModelDevice] = []
    /// Events that must be there in the end, once, and events that may be lost with a disk.
    var must: Set<UInt64> = []
    var lost: Set<UInt64> = []
    /// Device IDs that two files use without being able to know it.
    var shared: Set<Identifier> = []
    /// Events recorded under each device ID.
    private var recorded: [Dot: UInt64] = [:]
    var now: Int64 = 1_800_000_000_000
    var dice: Dice
    var faults = ModelFaults.none
    private let drawn: ModelFaults
    private let tells: Bool
    private let rest: Int64
    private let acts: Int
    private var queue: [Entry] = []
    private var order = 0
    var backups: [ModelServer] = []
    var epochs: UInt32 = 1
    var boots: UInt64 = 0
    private var facts: UInt64 = 0
    private var notation = Notation()

    /// A world whose devices are empty.
    ///
    /// - Parameter tells: Whether to keep a story, which takes time.
    package init(seed: UInt64, tells: Bool = false) {
        dice = Dice(seed: seed)
        self.tells = tells
        let count = dice.pick([2, 2, 3, 3, 4, 6]) ?? 2
        rest = dice.pick([20_000, 120_000, 3_600_000]) ?? 0
        acts = Int(dice.roll(10...40))
        drawn = ModelFaults.drawn(by: &dice)
        for _ in 0..<count { add(ModelLog(device: names.new(&dice).name)) }
    }

    func add(_ log: ModelLog) {
        boots += 1
        devices.append(
            ModelDevice(place: devices.count, log: log, rest: rest, boot: boots, now: now))
        feed(.start, to: devices.count - 1)
    }

    /// Runs it to its end.
    package func run() {
        let rounds = dice.roll(1...2)
        for _ in 0..<rounds {
            faults = drawn
            for _ in 0..<acts / Int(rounds) { act() }
            converge()
            tell(0) { "and everybody: all is quiet" }
            check()
        }
        figures.note(self)
    }

    private func act() {
        pass(dice.roll(0...90_000))
        let index = Int(dice.roll(0...Int64(devices.count - 1)))
        disturb(index)
        guard dice.percent(70) else { return }
        let device = devices[index]
        facts += 1
        let fact = facts
        let event = device.log.record(
            dice.contestedChanges(), fact: fact, wall: now + device.skew,
            monotonic: now - device.bootedAt, boot: device.boot, names)
        must.insert(fact)
        let other = recorded.updateValue(fact, forKey: event.event.dot)
        if other != nil, !shared.contains(event.event.dot.device) {
            problems.append("two events have the name of \(dot(event))")
        }
        figures.events += 1
        tell(index) { "records \(self.dot(event)), having seen \(self.clock(event))" }
        feed(.recorded, to: index)
    }

    /// The faults stop. Everything must be in sync within thirty seconds.
    private func converge() {
        faults = .none
        tell(0) { "and everybody: the faults stop" }
        hurry()
        for (index, device) in devices.enumerated() {
            (device.sends, device.hears) = (true, true)
            // Lost requests are known to be lost: the connection is reset.
            if let exchange = device.awaited {
                schedule(1, index, .result(nil, exchange: exchange, boot: device.boot))
            }
            feed(.hint, to: index)
        }
        pass(30_000)
    }

    /// Requests in flight arrive soon, in any order.
    private func hurry() {
        let waiting = queue
        queue.removeAll()
        for entry in waiting.reversed() {
            var delay = entry.at - now
            if case .arrival = entry.happening { delay = dice.roll(1...5_000) }
            schedule(delay, entry.device, entry.happening)
        }
    }

    // Time and the network.

    private func pass(_ milliseconds: Int64) {
        let end = now + milliseconds
        while let next = queue.last, next.at <= end {
            queue.removeLast()
            now = max(now, next.at)
            happen(next)
        }
        now = max(now, end)
    }

    private func happen(_ entry: Entry) {
        let (index, device) = (entry.device, devices[entry.device])
        switch entry.happening {
        case .timer(let at):
            guard device.timerAt == at else { return }
            device.timerAt = nil
            feed(.timer, to: index)
        case .hint: feed(.hint, to: index)
        case .arrival(let request, let exchange, let boot, let isHeard):
            let head = server.rows.count
            let answer = server.answer(request, now: now)
            if server.rows.count > head { hint() }
            guard isHeard, device.hears else { return }
            if dice.percent(faults.garbled) {
                strike(.garbled, index) { "will get a garbled answer" }
                return schedule(
                    dice.roll(5...400), index, .result(nil, exchange: exchange, boot: boot))
            }
            schedule(
                dice.roll(5...400), index, .result(answer, exchange: exchange, boot: boot))
        case .result(let answer, let exchange, let boot):
            // A stopped process gets no answers.
            guard boot == device.boot else { return }
            let before = (device.log.epoch, device.log.device, device.log.orphans.count)
            guard let event = device.receive(answer, exchange: exchange, names, &dice) else {
                return
            }
            if device.log.epoch != before.0, before.0 != 0 {
                strike(.recovered, index) { "has recovered up to \(device.log.cursor)" }
            }
            if device.log.orphans.count > before.2 {
                strike(.forked, index) { "holds \(device.log.orphans.count) orphans" }
            }
            if device.log.device != before.1, device.log.lastSeq > 0 {
                strike(.reissued, index) { "reissues \(device.log.lastSeq)" }
            }
            if device.foundNothing {
                // No disk is damaged here. Only a device that shares its ID with another file may
                // learn that the logs differ (`protocol.md` §6.3, step 7).
                device.foundNothing = false
                if shared.isEmpty { problems.append("d\(index) and the server hold one log") }
                strike(.nothingToRepair, index) { "finds nothing to repair" }
            }
            tell(index) { self.describe(event) }
            feed(event, to: index)
        }
    }

    /// All devices learn that the log has grown, also the one that pushed: its answer may be lost.
    private func hint() {
        for other in devices.indices where devices[other].hears {
            if dice.percent(faults.lostHint) {
                strike(.lostHint, other) { "hears nothing of it" }
            } else {
                schedule(dice.roll(5...400), other, .hint)
            }
            if dice.percent(faults.falseHint) {
                strike(.falseHint, other) { "hears of it twice" }
                schedule(dice.roll(5...60_000), other, .hint)
            }
        }
    }

    func feed(_ event: SyncMachine.Event, to index: Int) {
        let device = devices[index]
        for action in device.machine.handle(event, random: &dice) {
            switch action {
            case .arm(let milliseconds):
                device.timerAt = now + milliseconds
                schedule(milliseconds, index, .timer(at: now + milliseconds))
            case .disarm: device.timerAt = nil
            case .rotateDeviceID:
                device.log.leave(for: names.new(&dice).name, names)
                tell(index) { "rotates its ID" }
            case .exchange(let exchange, let eventsMax, let pushMax):
                send(
                    device.request(eventsMax: eventsMax, pushMax: pushMax, now: now), index,
                    exchange)
            case .recover(let exchange, let isFirst, let eventsMax):
                send(
                    device.recoverRequest(isFirst: isFirst, eventsMax: eventsMax), index, exchange)
            case .refresh: preconditionFailure("no session ends here")
            }
        }
        figures.visit(device.machine.state)
    }

    private func send(_ request: ModelRequest?, _ index: Int, _ exchange: Int) {
        let device = devices[index]
        device.awaited = exchange
        figures.exchanges += 1
        guard let request, device.sends || device.hears else {
            return schedule(1, index, .result(nil, exchange: exchange, boot: device.boot))
        }
        if !device.sends { return }
        if dice.percent(faults.lostRequest) {
            return strike(.lostRequest, index) { "loses a request" }
        }
        let isHeard = !dice.percent(faults.lostAnswer)
        if !isHeard { strike(.lostAnswer, index) { "will lose the answer" } }
        var delay = dice.roll(5...400)
        if dice.percent(faults.late) {
            delay = dice.roll(400...120_000)
            strike(.late, index) { "has a request that takes \(delay) ms" }
        }
        schedule(
            delay, index,
            .arrival(request, exchange: exchange, boot: device.boot, isHeard: isHeard))
        if dice.percent(faults.repeated) {
            strike(.repeated, index) { "has a request that arrives twice" }
            schedule(
                dice.roll(1...86_400_000), index,
                .arrival(
                    request, exchange: exchange, boot: device.boot, isHeard: dice.percent(50)))
        }
    }

    private func schedule(_ delay: Int64, _ device: Int, _ happening: Happening) {
        order += 1
        let entry = Entry(at: now + delay, order: order, device: device, happening: happening)
        // The next one is put last, so that removing it is cheap.
        var (low, high) = (0, queue.count)
        while low < high {
            let middle = (low + high) / 2
            if queue[middle].at > entry.at { low = middle + 1 } else { high = middle }
        }
        queue.insert(entry, at: low)
    }

    // The story.

    func strike(_ fault: ModelFault, _ index: Int, _ line: () -> String) {
        figures.strike(fault)
        tell(index, line)
    }

    private func tell(_ index: Int, _ line: () -> String) {
        guard tells else { return }
        let time = now - 1_800_000_000_000
        story.append("\(time / 1_000).\(time % 1_000) d\(index) \(line())")
    }

    private func describe(_ event: SyncMachine.Event) -> String {
        switch event {
        case .answered(_, let progress):
            "holds \(progress.cursor) of \(progress.head), \(progress.unsealed) unsealed"
        case .stepped: "compares logs"
        case .recovered: "has compared logs"
        case .failed(_, .retry): "hears nothing that helps"
        case .failed(_, let error): "is refused: \(error)"
        default: "\(event)"
        }
    }

    /// The vector clock of an author, in letters: `a3.b1`.
    private func clock(_ event: ModelEvent) -> String {
        let dots = event.clock.enumerated().compactMap { place, seq in
            names.name(at: place).map { Dot(device: $0, seq: seq) }
        }
        return notation.write(VectorClock(dots))
    }

    private func dot(_ event: ModelEvent) -> String {
        notation.write(event.event.dot)
    }
}
