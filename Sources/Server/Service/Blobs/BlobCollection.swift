/// Garbage collection of what is no longer used: blobs without an event, abandoned uploads, files
/// without a row.
import MacrologSystem
import MacrologWire
import Synchronization

extension SyncServer {
    /// What a collection has deleted.
    package struct Collected: Hashable, Sendable {
        package var unreferenced = 0
        package var unfinished = 0
        /// Objects of a shared storage that no row names.
        package var unclaimed = 0
    }

    /// Deletes unreferenced blobs and abandoned uploads, and returns when they are gone. Needed only if the
    /// clock was injected.
    @discardableResult
    package func collectBlobs() -> Collected {
        let now = clock()
        var collected = Collected()
        // What would be forgotten here would stay in the folder that is not mounted.
        guard uploads.files.local.isMounted else { return collected }
        for (key, written) in uploads.files.unfinished()
        where now - written >= BlobLimits.unfinished && !uploads.isRunning(key) {
            dropUpload(key)
            collected.unfinished += 1
        }
        collected.unfinished += uploads.files.removeUnfinishedOfOthers(
            before: now - BlobLimits.unfinished)
        let before = now - BlobLimits.grace
        guard let unreferenced = try? store.unreferenced(before: before) else { return collected }
        for key in unreferenced where forget(key, before: before) { collected.unreferenced += 1 }
        guard uploads.files.isShared else { return collected }
        do throws(StoreError) {
            guard try store.lease(.collection, milliseconds: Self.collectionLease) else {
                return collected
            }
            let began = try historyBegan(now)
            collected.unclaimed = try uploads.files.removeUnclaimed(
                written: began..<max(began, now - BlobLimits.grace)
            ) { !hasNoRow($0) }
        } catch {
            noteFailure(error.problem)
        }
        return collected
    }

    /// For how long one node collects, in milliseconds.
    private static let collectionLease: Int64 = 600_000

    /// Since when this history of the service writes to a shared storage, in milliseconds since 1970 UTC. What is
    /// older may belong to another history, such as the one that a restored database has lost.
    private func historyBegan(_ now: Int64) throws(StoreError) -> Int64 {
        var history = try store.history() ?? History(began: now)
        var isOurs = false
        for mark in history.marks where try uploads.files.has(mark) {
            history.marks = [mark]
            isOurs = true
            break
        }
        if !isOurs {
            if !history.marks.isEmpty {
                note(ServerNote(level: .warning, event: "blobs.other_history", facts: []))
            }
            history = History(began: now)
        }
        // The database knows a mark before the storage has it.
        let mark = HistoryMark(name: random(BlobMention.nameBytes))
        history.marks.append(mark)
        let outcome = Monitor<Result<Void, StoreError>?>(nil)
        store.set(history) { result in
            outcome.withLock { $0 = result }
            outcome.wakeAll()
        }
        if case .failure(let error) = outcome.wait(until: { $0 }) { throw error }
        try uploads.files.store(mark)
        return history.began
    }

    /// Deletes sessions and refresh tokens that ended long ago, networks without a recent login, and
    /// shares that have expired: at the start, and several times a day.
    package func forgetEnded() {
        let now = clock()
        store.forgetEnded(
            before: now - SessionLimits.kept, networksBefore: now - NetworkLimits.known,
            sharesBy: now
        ) { [weak self] result in
            if case .success(true) = result { self?.forgetEnded() }
        }
    }

    /// Deletes files that no row names, left by a crash between the two writes. To be called before
    /// the first request is served. Where other processes store blobs, a file may have no row yet, and is
    /// left to ``collectBlobs()``.
    func sweepBlobFiles() {
        guard !uploads.files.isShared, !store.isShared else { return }
        for key in uploads.files.all() where hasNoRow(key) { uploads.files.remove(key) }
    }

    /// If the row cannot be read, the answer is unknown, so the file is kept.
    private func hasNoRow(_ key: BlobKey) -> Bool {
        do throws(StoreError) { return try store.blob(key) == nil } catch { return false }
    }

    private func forget(_ key: BlobKey, before: Int64) -> Bool {
        // A concurrent upload of the same blob waits; otherwise its file would be the one that is
        // deleted.
        guard uploads.hold(key) else { return false }
        defer { uploads.release(key) }
        let outcome = Monitor<Bool?>(nil)
        store.forget(key, before: before) { result in
            outcome.withLock { $0 = (try? result.get()) ?? false }
            outcome.wakeAll()
        }
        guard outcome.wait(until: { $0 }) else { return false }
        if !store.isShared { uploads.files.remove(key) }
        return true
    }
}

/// When a server that uses the system's clock collects unreferenced blobs: soon after it started, and several
/// times a day.
final class CollectionTimes: Sendable {
    private let due = Atomic<Int64>(0)
    private let body = Mutex<(@Sendable () -> Void)?>(nil)

    func begin(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }

    /// Whether a collection is due; if so, the next one is due after the interval.
    func isDue(_ now: Int64) -> Bool {
        let at = due.load(ordering: .relaxed)
        guard now >= at else { return false }
        due.store(
            now + (at == 0 ? 60_000 : BlobLimits.collectionInterval), ordering: .relaxed)
        return at != 0
    }

    func run() { body.withLock { $0 }?() }
}
