package import MacrologEvents
import MacrologLog
import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Maintenance of the file as a whole.
extension Replica {
    /// Counts of what is in the file.
    package struct Statistics: Sendable {
        /// This device.
        package let device: Identifier
        /// The devices whose events are held.
        package let devices: Int64
        /// All events.
        package let events: Int64
        /// Those of them whose payloads were dropped.
        package let compactedEvents: Int64
        /// Events of this device that the server has not admitted yet.
        package let unsealedEvents: Int64
        /// The number up to which this device holds the server's log; 0 for none.
        package let cursor: Int64
        /// The epoch of the server's log; 0 for none.
        package let epoch: UInt32
        /// Entities by kind, deleted ones included, by the bytes of their kinds.
        package let entities: [(kind: String, count: Int64)]
        /// Entities with a conflict.
        package let conflicts: Int64
        /// Fields that are stored and not used.
        package let quarantined: Int64
        /// The pages of the database file, in bytes.
        package let fileBytes: Int64
    }

    /// Counts what is in the file.
    package func statistics() throws -> Statistics {
        try withStore { store in
            let log = store.log
            func count(_ sql: StaticString, _ store: inout Store) throws -> Int64 {
                try store.db.first(sql) { $0.int(0) } ?? 0
            }
            return Statistics(
                device: log.device,
                devices: try count("SELECT count(DISTINCT id) FROM device", &store),
                events: try count("SELECT count(*) FROM event", &store),
                compactedEvents: try store.compactedCount(),
                unsealedEvents: log.unsealedCount, cursor: log.cursor, epoch: log.epoch,
                entities: try store.db.all(
                    "SELECT kind, count(*) FROM entity GROUP BY kind ORDER BY kind"
                ) { (kind: $0.text(0), count: $0.int(1)) },
                conflicts: Int64(Set(try Disagreement.all(in: &store).map(\.entity)).count),
                quarantined: try count("SELECT count(*) FROM quarantine", &store),
                fileBytes: try count("PRAGMA page_count", &store)
                    * (try count("PRAGMA page_size", &store)))
        }
    }

    /// The prefix of problems with derived data.
    package static let derivedPrefix = "what is derived"

    /// Everything that is wrong with the file: its structure, every stored event (each is read
    /// once), and derived data, which is compared with the result of folding again.
    ///
    /// - Parameter isQuick: Skips the comparison, which takes as long as folding everything.
    /// - Returns: One line for each problem; empty for a sound file.
    package func check(isQuick: Bool = false) throws -> [String] {
        let problems = try checkEvents()
        guard !isQuick, problems.isEmpty else { return problems }
        let wrong = try wrongTables()
        guard !wrong.isEmpty else { return problems }
        return [
            "\(Self.derivedPrefix) from the events is not what they give, in "
                + wrong.joined(separator: ", ")
        ]
    }

    private func wrongTables() throws -> [String] {
        do { return try withStore { try $0.wrongTables() } } catch let error as ReplicaError
            where error.reason == .readOnly
        {
            // Folding again writes: where the file is read-only, a copy is folded.
            let now = clock.read().wall
            var random = SystemRandomNumberGenerator()
            let name = Identifier.v7(milliseconds: now, random: &random)
            let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
            let copy = "\(folder)/macrolog-check-\(name).db"
            defer { for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) } }
            try withStore { try $0.db.backup(to: copy) }
            var store = try Store.open(try Connection.open(copy), newDevice: name)
            return try store.wrongTables()
        }
    }

    private func checkEvents() throws -> [String] {
        try withStore { store in
            var problems = try store.db.integrityCheck()
            if try !store.isLogSound() {
                problems.append("the log has damaged rows: macrolog sync fetches them again")
            }
            let waiting = try store.log.verifyUnsealed(in: &store.db)
            if waiting.isInTheWay {
                problems.append(
                    "events that wait are not what was recorded: macrolog sync sets them aside")
            }
            try store.db.forEach(
                """
                SELECT device.id, dot & 0xFFFFFFFFFF, body FROM event JOIN device ON key = dot >> 40
                WHERE NOT EXISTS (SELECT 1 FROM void WHERE void.dot = event.dot)
                """
            ) {
                row in
                let (device, seq) = (row.identifier(0), row.int(1))
                row.withBytes(2) { body in
                    do throws(CBORError) {
                        let event = try StoredEvent.decoded(body).header
                        if event.dot != Dot(device: device, seq: seq) {
                            problems.append("event \(device) \(seq) says that it is another one")
                        }
                    } catch {
                        problems.append("event \(device) \(seq) cannot be read: \(error)")
                    }
                }
            }
            return problems
        }
    }

    /// The digests by which two devices compare what they hold: of the log up to the cursor, and of
    /// what each day shows.
    package func digests() throws -> (
        cursor: Int64, log: [UInt8], days: [(day: Day, digest: [UInt8])]
    ) {
        try withStore { store in
            (store.log.cursor, store.log.digest.bytes, try store.dayDigests())
        }
    }

    /// Deletes everything that is derived from the events and folds it again.
    ///
    /// - Parameter progress: Called with how many events have been folded, of how many.
    /// - Returns: The hashes of derived data, before and after. They are equal unless the tables
    ///   were damaged or folded by an older version.
    package func rebuild(
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> (before: [UInt8], after: [UInt8]) {
        try withStore { store in
            let before = try store.stateHash()
            try store.rebuild(progress: progress)
            return (before, try store.stateHash())
        }
    }

    /// Fields that another device set beyond a hard bound: stored and synced, but not used.
    package func quarantine() throws -> [Quarantine] {
        try withStore { try $0.quarantine() }
    }
}
