public import MacrologEvents
package import MacrologLog
package import MacrologReadModels
import MacrologSQLite
import MacrologSystem
import Synchronization

/// One device's copy of a person's log: records what happens, with or without a network, and reads
/// it back.
///
/// Everything recorded is durable when the call returns. A replica may be shared by any number of
/// tasks and threads; its calls take turns and are short. There is no global state: open as many as
/// there are people.
public final class Replica: Sendable {
    /// The database file.
    public let path: String
    package let clock: DeviceClock
    let models: ReadModels
    let changes = Broadcast()
    private let openFile: Mutex<OpenFile>
    /// The number of the thread that has the open file; 0 for none.
    private let borrower = Atomic<UInt>(0)
    /// Whether this is a copy in memory of an earlier state, which no file could restore.
    let isSnapshot: Bool

    /// What changed while the store was lent.
    private enum Change {
        case none
        /// These tables were written.
        case tables([String])
        /// Another process wrote, or what is derived was corrected.
        case anything
    }

    #if DEBUG
        /// How often the store was lent, for tests that count.
        package var timesLent: Int { openFile.withLock { $0.lent } }
    #endif

    private init(path: String, clock: DeviceClock, models: ReadModels) {
        self.path = path
        self.clock = clock
        self.models = models
        isSnapshot = false
        openFile = Mutex(OpenFile(lock: nil, store: nil))
    }

    /// A replica as of an earlier time, in memory.
    package init(copy store: consuming sending Store, of present: Replica) {
        path = present.path
        clock = present.clock
        models = present.models
        isSnapshot = true
        openFile = Mutex(OpenFile(lock: nil, store: store))
    }

    /// Opens the replica in a file. A file that does not exist is created for a new device.
    ///
    /// One process at a time holds a replica; another waits up to five seconds. A file that cannot
    /// be written, as on a read-only disk, can still be read; every write throws ``ReplicaError``
    /// with code `readOnly`.
    ///
    /// - Parameter models: What is folded from the log.
    /// - Throws: ``ReplicaError``, which says which process holds the file, or what is wrong with it.
    package static func open(
        at path: String, clock: DeviceClock = .system, folding models: ReadModels
    ) throws -> Replica {
        guard !path.isEmpty, path != ":memory:" else {
            throw ReplicaError(
                .cannotOpen, "\"\(path)\" is no name of a file, and a log is kept in a file",
                hint: "give the path of a file, or of one in a temporary folder")
        }
        let replica = Replica(path: path, clock: clock, models: models)
        try replica.openFile.withLock { try replica.reopen(&$0) }
        return replica
    }

    /// Lends the store, and notifies observers when something was recorded, received or corrected
    /// meanwhile, or by another process since the last time.
    ///
    /// - Parameter observer: Who reads, and is notified when what it read was written.
    package func withStore<T: Sendable>(
        for observer: Observer? = nil, _ body: (inout Store) throws -> T
    ) throws -> T {
        let thread = CallingThread.name
        guard borrower.load(ordering: .relaxed) != thread else { throw ReplicaError.nested }
        let isObserved = changes.isObserved
        let (result, change) = try openFile.withLock { openFile in
            borrower.store(thread, ordering: .relaxed)
            #if DEBUG
                openFile.lent += 1
            #endif
            defer { borrower.store(0, ordering: .relaxed) }
            let wasOpen = openFile.store != nil
            if !wasOpen {
                if observer == nil { try reopen(&openFile) } else { try reopenIfFree(&openFile) }
            }
            guard var store = openFile.store.take() else { preconditionFailure("just opened") }
            let before = (seq: store.log.lastSeq, cursor: store.log.cursor)
            let isForeign = openFile.known.map { $0 != before } ?? false
            let generation = store.generation
            if isObserved {
                store.db.noteTouchedTables()
                store.db.forgetTouchedTables()
            }
            let result = Result { try ReplicaError.passingOn { try body(&store) } }
            let after = (seq: store.log.lastSeq, cursor: store.log.cursor)
            var change = Change.none
            if isForeign || generation != store.generation {
                change = .anything
            } else if before != after {
                change = isObserved ? .tables(store.db.writtenTables) : .anything
            }
            if let observer { changes.note(observer, hasRead: store.db.readTables) }
            openFile.known = after
            if wasOpen || observer == nil {
                openFile.store = consume store
            } else {
                // An observer that is late does not take back what was released for other processes.
                _ = consume store
                openFile.lock = nil
            }
            return (result, change)
        }
        switch change {
        case .none: break
        case .tables(let written): changes.send(written)
        case .anything: changes.send(nil)
        }
        return try result.get()
    }

    /// What was recorded last, by any process. It waits for no other process, only for threads of this
    /// one that use the replica, and does not keep the file from other processes.
    func recorded() throws -> Recorded {
        try openFile.withLock { openFile in
            let wasOpen = openFile.store != nil
            if !wasOpen { try reopen(&openFile, waitingSeconds: 0) }
            guard let store = openFile.store.take() else { preconditionFailure("just opened") }
            let recorded = Recorded(device: store.log.device, seq: store.log.lastSeq)
            if wasOpen {
                openFile.store = consume store
            } else {
                // The file is closed before another process may have it.
                _ = consume store
                openFile.lock = nil
            }
            return recorded
        }
    }

    /// Lets other processes use the file until this replica is used again. Observers that read
    /// meanwhile release it again by themselves. Within `read` and `write` it does nothing.
    public func releaseFile() {
        guard !isSnapshot, borrower.load(ordering: .relaxed) != CallingThread.name else { return }
        openFile.withLock { openFile in
            openFile.store = nil
            openFile.lock = nil
        }
    }

    /// The ID under which this device records; it changes when the file was copied or restored.
    public var device: Identifier {
        get throws { try withStore { $0.log.device } }
    }

    /// A new time-ordered id for an entity.
    public func newID() -> Identifier {
        var random = SystemRandomNumberGenerator()
        return Identifier.v7(milliseconds: now, random: &random)
    }

    /// Milliseconds since 1970 UTC, by this device's clock.
    public var now: Int64 { clock.read().wall }
}
