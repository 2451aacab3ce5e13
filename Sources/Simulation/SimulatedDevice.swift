import Events
import HTTP
import Log
import Macrolog
import Projections
import SQLite
import Sync

/// A device of the simulated world: the real store and the real state machine on clocks, a disk and
/// a network of the world's own.
final class SimulatedDevice {
    let name: String
    let path: String
    var store: Store
    var machine: SyncMachine
    private let restMilliseconds: Int64
    var accessToken: String
    /// When its timer runs out, in the world's milliseconds.
    var timerAt: Int64?
    var isOnline = true
    /// What its wall clock is ahead of the world's, in milliseconds.
    var skew: Int64 = 0
    var boot: Identifier
    /// When it booted, in the world's milliseconds.
    var bootedAt: Int64
    var admitted: Int64 = 0
    /// The exchange that is awaited; answers to others come too late.
    var awaited: Int?
    /// Its live channel: what it decides, the poll that it waits for, the one after which it
    /// pauses, and when the last one began.
    var live = LiveListener()
    var awaitedPoll: Int?
    var pausedPoll: Int?
    var pollBegan: Int64 = 0
    /// Everything it ever recorded: what must never be lost.
    var recorded: [Dot: [UInt8]] = [:]

    init(
        name: String, path: String, id: Identifier, accessToken: String, restMilliseconds: Int64,
        now: Int64
    ) throws {
        self.name = name
        self.path = path
        self.accessToken = accessToken
        store = try Store.open(try Connection.open(path), newDevice: id)
        boot = Identifier(high: id.low, low: 0)
        bootedAt = now
        self.restMilliseconds = restMilliseconds
        machine = SyncMachine(eventsMax: 20, restMilliseconds: restMilliseconds)
    }

    private func newMachine() -> SyncMachine {
        SyncMachine(eventsMax: 20, restMilliseconds: restMilliseconds)
    }

    func reading(now: Int64) -> ClockReading {
        ClockReading(wall: now + skew, monotonic: now - bootedAt, boot: boot)
    }

    func record(_ actions: [Action], group: Identifier?, now: Int64) throws {
        let drafts = actions.map { Draft($0.type, $0.changes, group: group) }
        for event in try store.record(drafts, at: reading(now: now)) {
            recorded[event.dot] = event.encoded()
        }
    }

    /// Stops and starts again: only what is on the disk survives.
    func restart(now: Int64) throws {
        boot = Identifier(high: boot.high, low: boot.low + 1)
        bootedAt = now
        admitted = 0
        awaited = nil
        timerAt = nil
        machine = newMachine()
        live = LiveListener()
        (awaitedPoll, pausedPoll) = (nil, nil)
        let device = store.log.device
        store = try Store.open(try Connection.open(":memory:", mode: .memory), newDevice: device)
        store = try Store.open(try Connection.open(path), newDevice: device)
    }

    func request(eventsMax: Int, now: Int64) throws -> HTTPRequest {
        let message = try store.syncRequest(
            eventsMax: eventsMax, admitted: admitted, now: reading(now: now))
        return SyncExchange.request(message, accessToken: accessToken)
    }

    /// Takes in the answer to an exchange; `nil` when it comes too late.
    func receive(
        _ result: Result<HTTPResponse, TransportError>, exchange: Int
    ) -> SyncMachine.Event? {
        guard awaited == exchange else { return nil }
        awaited = nil
        do {
            let answer = try SyncExchange.answer(result)
            do { try store.apply(answer) } catch let error as LogError {
                throw SyncError(error)
            }
            admitted = answer.admitted
            return .answered(
                exchange: exchange,
                SyncMachine.Progress(
                    unsealed: store.log.unsealedCount, cursor: store.log.cursor,
                    head: max(answer.head, store.log.cursor)))
        } catch let error as SyncError {
            admitted = 0
            lastError = error
            return .failed(exchange: exchange, error.failure)
        } catch {
            lastError = SyncError(.storage(detail: "\(error)"))
            return .failed(exchange: exchange, .retry(after: 0))
        }
    }

    var lastError: SyncError?
}
