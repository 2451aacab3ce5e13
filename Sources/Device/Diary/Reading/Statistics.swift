public import MacrologEvents
import MacrologWire
import MacrologLog
public import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite

/// Counts of what is in the file.
public struct LogStatistics: Sendable {
    /// The ID under which this device records.
    public let device: Identifier
    /// The devices whose events are held, and this one.
    public let devices: Int64
    /// How many events are held, of every device: what a fork or a copied file left is none.
    public let events: Int64
    /// Those of them whose payloads were dropped.
    public let compactedEvents: Int64
    /// Events of this device that the server has not admitted yet.
    public let unsealedEvents: Int64
    /// The number up to which this device holds the server's log; 0 for none.
    public let cursor: Int64
    /// The epoch of the server's log; 0 for none.
    public let epoch: UInt32
    /// Entities by kind, deleted ones included, by the bytes of their kinds.
    public let entities: [(kind: String, count: Int64)]
    /// Entities with a conflict.
    public let conflicts: Int64
    /// Fields that are stored and not used.
    public let quarantined: Int64
    /// The pages of the database file, in bytes.
    public let fileBytes: Int64
}

extension Diary {
    /// Counts what is in the file.
    public func statistics() throws(DiaryError) -> LogStatistics {
        try withStore { store throws(LogError) in
            let log = store.log
            func count(_ sql: StaticString, _ store: inout Store) throws(LogError) -> Int64 {
                try store.db.first(sql) { $0.int(0) } ?? 0
            }
            return LogStatistics(
                device: log.device,
                devices: Int64(try log.devices(in: &store.db).count),
                events: try log.eventCount(in: &store.db),
                compactedEvents: try store.compactedCount(),
                unsealedEvents: log.unsealedCount, cursor: log.cursor, epoch: log.epoch,
                entities: try store.db.all(
                    "SELECT kind, count(*) FROM entity GROUP BY kind ORDER BY kind"
                ) { (kind: $0.text(0), count: $0.int(1)) },
                conflicts: Int64(Set(try Conflict.askable(in: &store).map { $0.entity }).count),
                quarantined: try count("SELECT count(*) FROM quarantine", &store),
                fileBytes: try count("PRAGMA page_count", &store)
                    * (try count("PRAGMA page_size", &store)))
        }
    }

    /// The digests by which two devices compare what they hold: of the log up to the cursor, and of
    /// what each day shows.
    public func digests() throws(DiaryError) -> (
        cursor: Int64, log: [UInt8], days: [(day: Day, digest: [UInt8])]
    ) {
        try withStore { store throws(LogError) in
            store.db.noteRead(of: "event")
            return (store.log.cursor, store.log.digest.bytes, try store.dayDigests())
        }
    }
}
