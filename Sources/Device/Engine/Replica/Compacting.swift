import MacrologLog
import MacrologRecovery
public import MacrologReadModels
import MacrologSQLite

/// Dropping the details of old history, and keeping its result (`protocol.md` §7.8).
extension Replica {
    /// The minimum number of days of history to keep.
    package static let historyDaysMin: Int64 = 30

    /// Drops the payloads of events recorded at least `days` days ago, if other events had
    /// overwritten all of their writes by then. Days, totals, conflicts and whatever an old device
    /// may still send are not affected; the history before that day is no longer complete, and
    /// cannot be read as of a time in it. Then removes the photos from this device that only that history named.
    ///
    /// Handles a few hundred events at a time, each time durably. After an interruption it starts
    /// again.
    ///
    /// - Parameters:
    ///   - days: 30 or more; less is taken as 30. Counted back from the newest event that the server has
    ///     admitted: a clock that runs ahead cannot make it drop more.
    ///   - isTrial: Only counts.
    ///   - progress: Called with how many events have been examined, of how many.
    @discardableResult
    public func compact(
        olderThanDays days: Int64, isTrial: Bool = false,
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> CompactionReport {
        // Its photos are those of the present log.
        guard !isSnapshot else { throw ReplicaError(LogError(.readOnlySnapshot)) }
        let now = now
        return try withStore { store in
            let age = max(days, Self.historyDaysMin).multipliedReportingOverflow(by: 86_400_000)
            guard !age.overflow else { return try store.compact(before: 0) }
            let cutoff = try min(now, store.newestSeal())
                .subtractingReportingOverflow(age.partialValue)
            guard !cutoff.overflow else { return try store.compact(before: 0) }
            let report = try store.compact(
                before: cutoff.partialValue, isTrial: isTrial, progress: progress)
            if !isTrial, report.events > 0 { try Self.removeUnnamedPhotos(in: blobs, &store) }
            return report
        }
    }

    /// Removes the files of photos that no event names whose payload is held: no undo, and no look at an earlier
    /// time, can bring them back. Other devices, and the server, decide about theirs.
    package static func removeUnnamedPhotos(in folder: BlobFolder, _ store: inout Store) throws {
        let unnamed = folder.names.subtracting(try store.blobNames())
        // A damaged row, which a repair brings back, may be the one that names a photo.
        guard !unnamed.isEmpty, try store.isLogSound(),
            try !store.log.verifyUnsealed(in: &store.db).isInTheWay
        else { return }
        for name in unnamed where try !store.isBlobNamed(name) { folder.remove(name) }
    }

    /// The moment before which the log is no longer complete, in milliseconds since 1970 UTC; `nil`
    /// if it was never compacted.
    public func compactedBefore() throws -> Int64? {
        try withStore { store in
            let moment = try store.compactedBefore()
            return moment == 0 ? nil : moment
        }
    }

    /// Returns unused space of the file to the system.
    public func shrink() throws {
        try withStore { try $0.shrink() }
    }

    /// Compacts once a day, if the person has set a number of days to keep.
    func compactIfDue() throws {
        guard let days = try withStore({ try $0.models.historyDays(&$0.db) }) else { return }
        let now = now
        let last = try withStore {
            try $0.db.first("SELECT compacted_at FROM maintenance") { $0.intOrNull(0) } ?? nil
        }
        if let last, (0..<86_400_000).contains(now - last) { return }
        try compact(olderThanDays: days)
        try withStore { try $0.db.run("UPDATE maintenance SET compacted_at = ?", now) }
    }
}
