import CMacrologFaultDisk

/// What a power failure leaves of unflushed writes.
package enum Damage: Int32, CaseIterable, Sendable {
    /// Everything: only the process was killed.
    case kept
    /// Nothing.
    case lost
    /// A prefix, cut between two sectors of 512 bytes.
    case torn
    /// Any of the sectors.
    case reordered
    /// Any of the sectors; some of the new sectors contain other bytes.
    case garbage

    /// Whether the outcome is random, so that the same crash may leave something else.
    var isChance: Bool { self != .kept && self != .lost }
}

/// How an operation of a disk fails.
package enum DiskError: Int32, CaseIterable, Sendable {
    /// EIO at a write; nothing is written.
    case write = 1
    /// ENOSPC; nothing is written.
    case full
    /// Half of it is written, then ENOSPC.
    case shortWrite
    /// EIO at a flush; the next flush succeeds without reporting it.
    case sync
    /// EIO at a read.
    case read
}

/// An operation on a file of a disk.
package enum DiskOperation: Int32, CaseIterable, Sendable {
    /// Bytes were written.
    case write
    /// The file was cut.
    case truncate
    /// The file was flushed.
    case sync
    /// The file was made.
    case create
    /// The file was removed.
    case delete
    /// A flush failed.
    case lostSync
    /// A file beside the database was replaced whole.
    case replace
    /// A file was renamed.
    case rename
    /// A folder was made.
    case folder
    /// A folder was flushed: its names are durable.
    case syncFolder
}

/// A disk for some databases that fails on command, and tracks which writes were flushed. See
/// `fault_disk.h`.
///
/// The C functions take one lock, except for whether the power is off, which is atomic.
package final class FaultDisk: Sendable {
    fileprivate nonisolated(unsafe) let disk: OpaquePointer

    /// Whether files beside databases are on the disk too.
    static let holdsTrees = fault_disk_holds_trees()

    /// Puts a database on a fault disk, with its current files. Affects every connection opened
    /// from then on.
    ///
    /// - Parameters:
    ///   - trees: Path prefixes of other files that are used with them, and of folders with all
    ///     their contents. On Linux only; elsewhere these files are on a disk that never fails.
    ///   - beside: Files that are replaced whole while the database is used, on a disk that never
    ///     fails.
    package init(_ databases: [String], trees: [String] = [], beside: [String] = []) {
        precondition(fault_disk_install() == 0, "SQLite takes a file system")
        disk = fault_disk_new()
        for path in databases { fault_disk_hold(disk, path) }
        for path in beside { fault_disk_watch(disk, path) }
        for start in trees { fault_disk_hold_tree(disk, start) }
    }

    deinit { fault_disk_free(disk) }

    /// The number of operations so far.
    package var count: UInt64 { fault_disk_count(disk) }

    /// What an operation was.
    package func operation(_ index: UInt64) -> DiskOperation? {
        DiskOperation(rawValue: fault_disk_operation(disk, index))
    }

    /// Makes operations of a kind fail, after the first `after` ones.
    package func fail(_ error: DiskError, after: UInt64, times: UInt64) {
        fault_disk_fail(disk, error.rawValue, after, times)
    }

    /// Ends all failures.
    package func repair() { fault_disk_fail(disk, 0, 0, 0) }

    /// How many operations have failed since failures were requested.
    package var failures: UInt64 { fault_disk_failures(disk) }

    /// Simulates a power failure in the middle of an operation, after `after` others.
    package func cut(after: UInt64) { fault_disk_cut(disk, after) }

    /// Whether the power has failed.
    package var isOff: Bool { fault_disk_is_off(disk) != 0 }

    /// Makes every call fail from now on, as at the end of a process.
    package func stop() { fault_disk_stop(disk) }

    /// Closes files left open by a process whose threads have ended, so that the next one may
    /// begin.
    package func kill() { fault_disk_kill(disk) }

    /// Makes the power fail, if it has not yet, and come back.
    package func restore(_ damage: Damage, seed: UInt64) {
        fault_disk_restore(disk, damage.rawValue, seed)
    }

    /// Treats the current contents of the files as flushed, after they were placed there directly.
    package func adoptContents() { fault_disk_adopt_contents(disk) }
}

/// All possible crashes of a disk, which must not be used meanwhile.
package final class CrashReplay {
    private let disk: FaultDisk
    private let replay: OpaquePointer

    package init(_ disk: FaultDisk) {
        self.disk = disk
        replay = fault_replay_new(disk.disk)
    }

    deinit { fault_replay_free(replay) }

    /// Prepares the state after a power failure in the middle of an operation. Operations must be
    /// given in ascending order.
    ///
    /// - Returns: A hash of all files; an equal hash means an equal state.
    package func crash(at operation: UInt64, _ damage: Damage, seed: UInt64) -> UInt64 {
        fault_replay_crash(replay, operation, damage.rawValue, seed)
    }

    /// A hash of the part that is ever read.
    package var seen: UInt64 { fault_replay_seen(replay) }

    /// Writes that into the files, none of which may be open.
    package func write() { fault_replay_write(replay) }
}
