package import MacrologEvents
import MacrologLog
import MacrologReadModels
import MacrologSQLite

/// What a person who looks for trouble wants to know of the log.
package struct LogHealth: Hashable, Sendable {
    /// The number up to which the hub's log is held; 0 for none.
    package let cursor: Int64
    /// The epoch of that log; 0 for none.
    package let epoch: UInt32
    /// The digest that the events make.
    package let digest: PrefixDigest
    /// The first number whose digest is not that of the events; `nil` for a sound log.
    package let firstUnsound: Int64?
    /// Milliseconds since the oldest unsealed event was recorded; `nil` where none is.
    package let oldestUnsealed: Int64?
    /// Whether all events that wait are what was recorded.
    package let isQueueSound: Bool
    /// Whether the device takes a new name at the next entry or sync.
    package let isLeaving: Bool
    /// Whether the hub's log has gone on otherwise, and what it lost waits to be recorded anew.
    package let isForked: Bool
    /// How many events of others wait for that.
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
            try log.walk(decodes: false, in: &store.db) { stored in
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
                isLeaving: log.nextDevice != nil, isForked: log.forkedAt != nil,
                orphans: log.orphans)
        }
    }

    /// The names of the schema's steps that have been taken.
    package func migrations() throws -> [String] {
        try withStore { store in
            try store.db.all("SELECT name FROM migration ORDER BY ordinal") { $0.text(0) }
        }
    }

    /// The names of what this replica remembers; nothing of what it is.
    package func memoNames() throws -> [String] {
        try withStore { store in
            try store.db.all("SELECT name FROM memo WHERE value IS NOT NULL ORDER BY name") {
                $0.text(0)
            }
        }
    }
}
