package import MacrologEvents
import MacrologLog
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite

/// The state of the log, for troubleshooting.
package struct LogHealth: Hashable, Sendable {
    /// The number up to which this device holds the server's log; 0 for none.
    package let cursor: Int64
    /// The epoch of that log; 0 for none.
    package let epoch: UInt32
    /// The digest computed from the events.
    package let digest: PrefixDigest
    /// The first number whose stored digest is not that of the events; `nil` for a sound log.
    package let firstUnsound: Int64?
    /// Milliseconds since the oldest unsealed event was recorded; `nil` where none is.
    package let oldestUnsealed: Int64?
    /// Whether all unsealed events are what was recorded.
    package let isQueueSound: Bool
    /// Whether the device rotates its ID at the next entry or sync.
    package let isLeaving: Bool
    /// Whether the server's log has forked, and lost events wait to be reissued.
    package let isForked: Bool
    /// How many events of other devices wait to be reissued.
    package let orphans: Int64
}

extension Replica {
    /// Reads the whole log, and computes its digest from what is stored.
    package func logHealth() throws -> LogHealth {
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
                cursor: log.cursor, epoch: log.epoch, digest: digest, firstUnsound: firstUnsound,
                oldestUnsealed: oldest.map { max(0, $0.age.rawValue) }, isQueueSound: isQueueSound,
                isLeaving: log.nextDevice != nil, isForked: log.fork != nil,
                orphans: log.orphans)
        }
    }

    /// The names of the schema's migrations that have been applied.
    package func migrations() throws -> [String] {
        try withStore { store in
            try store.db.all("SELECT name FROM migration ORDER BY ordinal") { $0.text(0) }
        }
    }
}
