import MacrologEvents
import MacrologLog
import MacrologReadModels
import MacrologSQLite
import MacrologSystem

/// A replica's open file, or nothing while it is released.
struct OpenFile: ~Copyable {
    var lock: LockFile?
    var store: Store?
    /// How far the log went when the store was last lent. Another process may have added to it
    /// while the file was released.
    var known: (seq: Int64, cursor: Int64)?
    #if DEBUG
        /// How often the store was lent.
        var lent = 0
    #endif
}

extension Replica {
    /// Opens the file.
    ///
    /// - Throws: ``ReplicaError``, which says which process holds the file, or what is wrong with it.
    func reopen(_ openFile: inout OpenFile, waitingSeconds seconds: Int = 5) throws {
        try ReplicaError.passingOn { try reopenFile(&openFile, waitingSeconds: seconds) }
    }

    /// An observer waits without keeping a thread and those that use the replica waiting.
    ///
    /// - Throws: ``FileIsHeld`` while another process has the file.
    func reopenIfFree(_ openFile: inout OpenFile) throws {
        try ReplicaError.passingOn {
            do { try reopenFile(&openFile, waitingSeconds: 0) } catch let error as LockError
                where error.isRetryable
            {
                throw FileIsHeld()
            }
        }
    }

    private func reopenFile(_ openFile: inout OpenFile, waitingSeconds seconds: Int) throws {
        let lock = try LockFile.take(for: path, waitingSeconds: seconds, orToRead: true)
        // Recording creates and removes other files of its folder, so a writable log is not enough.
        let isWritable = Files.isWritable(path) && Files.isWritable(Files.folder(of: path))
        if lock.isForReading || Files.exists(path) && !isWritable {
            openFile.store = try storeForReading()
            openFile.lock = consume lock
            return
        }
        var random = SystemRandomNumberGenerator()
        let now = clock.read().wall
        var store = try Store.open(
            try LogConnection.open(path, pages: .small, isAlone: true), folding: models,
            newDevice: Identifier.v7(milliseconds: now, random: &random))
        try CloneDetector.detect(
            &store, at: path, place: try CloneDetector.Place.of(path), random: &random, now: now)
        openFile.store = consume store
        openFile.lock = consume lock
    }

    /// The store of a read-only file: it can be read, and records nothing.
    private func storeForReading() throws(LogError) -> Store {
        var store = try Store.open(
            try LogConnection.open(path, mode: .unwritable), folding: models,
            newDevice: Identifier(high: 0, low: 0))
        store.reserve = { _, _, _ throws(LogError) in throw LogError(.readOnly) }
        return store
    }
}
