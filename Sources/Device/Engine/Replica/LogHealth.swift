import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite

/// The state of the log, for troubleshooting.
public struct LogHealth: Hashable, Sendable {
    /// The number up to which this device holds the server's log; 0 for none.
    package let cursor: Int64
    /// The epoch of that log; 0 for none.
    public let epoch: UInt32
    /// The digest computed from the events.
    public let digest: [UInt8]
    /// The first number whose stored digest is not that of the events; `nil` for a sound log.
    public let firstUnsound: Int64?
    /// Milliseconds since the oldest unsealed event was recorded; `nil` where none is.
    public let oldestUnsealed: Int64?
    /// Whether all unsealed events are what was recorded.
    public let isQueueSound: Bool
    /// Whether the device rotates its ID at the next entry or sync.
    public let isRotating: Bool
    /// Whether the server has lost events that this device still has, and gives back at the next sync.
    public let givesBack: Bool
}

extension Replica {
    /// Reads the whole log, and computes its digest from what is stored.
    public func logHealth() throws -> LogHealth {
        let reading = clock.read()
        return try withStore { store in
            let log = store.log
            var digest = PrefixDigest.empty
            var firstUnsound: Int64?
            var next: Int64 = 1
            try log.scan(decodes: false, in: &store.db) { stored in
                guard let seal = stored.seal else { return }
                digest.add(hash: stored.hash, seal: seal)
                if firstUnsound == nil, seal.n != next || digest != stored.digest {
                    firstUnsound = next
                }
                next += 1
            }
            if firstUnsound == nil, next <= log.cursor { firstUnsound = next }
            let waiting = try log.verifyUnsealed(in: &store.db)
            let isQueueSound = !waiting.isInTheWay
            let oldest =
                isQueueSound
                ? try log.outgoing(eventsMax: 1, bytesMax: .max, now: reading, in: &store.db).first
                : nil
            return LogHealth(
                cursor: log.cursor, epoch: log.epoch, digest: digest.bytes,
                firstUnsound: firstUnsound,
                oldestUnsealed: oldest.map { max(0, $0.age.rawValue) }, isQueueSound: isQueueSound,
                isRotating: log.nextDevice != nil, givesBack: log.fork != nil || log.orphans > 0)
        }
    }
}
