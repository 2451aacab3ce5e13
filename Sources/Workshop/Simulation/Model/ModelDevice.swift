import MacrologEvents
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
    var recovery = RecoveryPlan()
    var told: RecoverRequest?
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
        (timerAt, awaited, told) = (nil, nil, nil)
        (admitted, recovery) = (0, RecoveryPlan())
        (self.boot, bootedAt) = (boot, now)
    }

    func request(eventsMax: Int, pushMax: Int, now: Int64) -> ModelRequest {
        told = nil
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

    /// The next step of a recovery; `nil` when it cannot be determined.
    func recoverRequest(isFirst: Bool, eventsMax: Int) -> ModelRequest? {
        if isFirst { recovery = RecoveryPlan() }
        guard let (message, rows) = log.recoverRequest(recovery, eventsMax: eventsMax) else {
            return nil
        }
        told = message
        return .recover(message, rows: rows)
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
        switch (answer, told) {
        case (nil, _), (.page, _?), (.recovered, nil): throw ModelError(.retry(after: 0))
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
        case (.recovered(let answer), let told?):
            guard recovery.learn(answer, to: told) else { throw ModelError(.retry(after: 0)) }
            switch recovery.step(cursor: next.cursor) {
            case .compare, .give: return .recovered(exchange: exchange, isLast: false)
            case .done, .fork:
                next.finish(recovery, as: names.new(&dice).name)
                return .recovered(exchange: exchange, isLast: true)
            }
        }
    }
}
