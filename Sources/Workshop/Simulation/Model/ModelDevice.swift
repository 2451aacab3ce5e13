import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologRecovery
import MacrologEngine
import MacrologTestSupport

/// A device of a model world: the real state machine around a ``ModelLog``.
final class ModelDevice {
    /// Its name in a story.
    let place: Int
    var log: ModelLog
    var machine: SyncMachine
    var timerAt: Int64?
    /// The exchange that is awaited; answers to others are ignored.
    var awaited: Int?
    var admitted: Int64 = 0
    /// How far a recovery has come; `nil` while none is running.
    var recovering: Recovering?
    /// Whether its last recovery found no other log of the server.
    var foundNothing = false
    private var given: HealRequest?
    var asker: Identifier
    /// Whether its requests are sent, and whether answers arrive.
    var sends = true
    var hears = true
    /// How far its wall clock is ahead of the world's.
    var skew: Int64 = 0
    var boot: UInt64
    var bootedAt: Int64
    var backup: ModelLog?
    private let rest: Int64

    init(place: Int, log: ModelLog, rest: Int64, boot: UInt64, now: Int64) {
        self.place = place
        self.log = log
        self.rest = rest
        self.boot = boot
        bootedAt = now
        asker = log.device
        machine = SyncMachine(eventsMax: 8, restMilliseconds: rest)
    }

    /// Only the state on the disk survives.
    func reboot(boot: UInt64, now: Int64) {
        machine = SyncMachine(eventsMax: 8, restMilliseconds: rest)
        (timerAt, awaited, recovering) = (nil, nil, nil)
        admitted = 0
        (self.boot, bootedAt) = (boot, now)
    }

    func request(eventsMax: Int, pushMax: Int, now: Int64) -> ModelRequest {
        recovering = nil
        asker = log.asker
        let confirmed = max(admitted, log.sealedSeq)
        let pushed =
            log.next == nil ? log.own.dropFirst(Int(confirmed)).prefix(pushMax) : []
        return .sync(
            device: log.asker, epoch: log.epoch, cursor: log.cursor, digest: log.digest,
            pushed: pushed.map { event in
                (
                    event.age(
                        wall: now + skew, monotonic: now - bootedAt, boot: boot, serverNow: now),
                    event
                )
            }, eventsMax: eventsMax)
    }

    /// The next step of a recovery.
    func recoverRequest(isFirst: Bool, eventsMax: Int) -> ModelRequest? {
        let known = isFirst ? log.recovering() : recovering ?? log.recovering()
        recovering = known
        switch known.action {
        case .ask(let message): return .digests(message)
        case .give(let after):
            let (message, rows) = log.healRequest(after: after, eventsMax: eventsMax)
            given = message
            return .heal(message, rows: rows)
        case .fetch, .finish: return nil
        }
    }

    /// Applies an answer; `nil` when it comes too late.
    func receive(
        _ answer: ModelAnswer?, exchange: Int, _ names: ModelNames, _ dice: inout Dice
    ) -> SyncMachine.Event? {
        guard awaited == exchange else { return nil }
        awaited = nil
        var next = log
        do throws(ModelError) {
            let event = try take(answer, exchange: exchange, &next, names, &dice)
            log = next
            return event
        } catch {
            admitted = 0
            return .failed(exchange: exchange, error.errorClass)
        }
    }

    private func take(
        _ answer: ModelAnswer?, exchange: Int, _ next: inout ModelLog, _ names: ModelNames,
        _ dice: inout Dice
    ) throws(ModelError) -> SyncMachine.Event {
        switch (answer, recovering) {
        case (nil, _), (.page, _?), (.digests, nil), (.healed, nil):
            throw ModelError(.retry(after: 0))
        case (.refused(let error), _): throw ModelError(error)
        case (.page(let epoch, let head, let admitted, let rows, let digest), nil):
            guard asker == log.asker else { throw ModelError(.retry(after: 0)) }
            try next.apply(
                epoch: epoch, head: head, admitted: admitted, rows, digest, names)
            self.admitted = admitted
            if next.owesOrphans { next.leave(for: names.new(&dice).name, names) }
            return .answered(
                exchange: exchange,
                SyncMachine.Progress(
                    unsealed: Int64(next.unsealed.count), cursor: next.cursor,
                    head: max(head, next.cursor)))
        case (.digests(let answer), let known?):
            return try learn(.digests(answer), known, exchange: exchange, &next, names, &dice)
        case (.healed(let answer), let known?):
            guard let given else { throw ModelError(.retry(after: 0)) }
            return try learn(
                .given(given, answer), known, exchange: exchange, &next, names, &dice)
        }
    }

    private func learn(
        _ event: Recovering.Event, _ known: Recovering, exchange: Int, _ next: inout ModelLog,
        _ names: ModelNames, _ dice: inout Dice
    ) throws(ModelError) -> SyncMachine.Event {
        var known = known
        do throws(LogError) { try known.handle(event) } catch {
            throw ModelError(.retry(after: 0))
        }
        recovering = known
        switch known.action {
        case .ask, .give: return .stepped(exchange: exchange, next: known.phase)
        // Nothing is damaged here: the first row that differs is a fork.
        case .fetch(let request):
            foundNothing = known.epoch == next.epoch
            next.fork(
                after: request.cursor.rawValue, epoch: known.epoch, as: names.new(&dice).name)
        case .finish:
            foundNothing = known.epoch == next.epoch && known.given == 0
            next.adopt(known.epoch)
        }
        return .recovered(exchange: exchange, hasRepaired: false)
    }
}
