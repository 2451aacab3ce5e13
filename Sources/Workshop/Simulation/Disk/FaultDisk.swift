import CMacrologFaultDisk

/// What a power failure leaves of that which was not flushed.
package enum Damage: Int32, CaseIterable, Sendable {
    /// Everything: only the process was killed.
    case kept
    /// Nothing.
    case lost
    /// A beginning, cut between two sectors of 512 bytes.
    case torn
    /// Any of the sectors.
    case reordered
    /// Any of the sectors, some with other bytes where new ones belong.
    case garbage

    /// Whether chance decides what is left, so that the same crash may leave something else.
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
    /// EIO at a flush, of which the next flush knows nothing any more.
    case sync
    /// EIO at a read.
    case read
}

/// What was done to a file of a disk.
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
    /// A file got another name.
    case rename
    /// A folder was made.
    case folder
    /// A folder was flushed: the names in it last.
    case syncFolder
}

/// A disk for some databases that fails on order, and remembers what was flushed and what was not.
/// See `fault_disk.h`.
///
/// Unchecked: the functions beneath take one lock, but for whether the power is off, which is atomic.
package final class FaultDisk: @unchecked Sendable {
    fileprivate let disk: OpaquePointer

    /// Puts a database on a disk, as its files are now. Whoever opens it from then on is concerned.
    ///
    /// - Parameters:
    ///   - trees: How the paths of other files begin that are used with them, and of folders with all
    ///     that is in them. On Linux only; elsewhere these files are on a disk that never fails.
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

    /// How many operations there have been.
    package var count: UInt64 { fault_disk_count(disk) }

    /// What an operation was.
    package func operation(_ index: UInt64) -> DiskOperation? {
        DiskOperation(rawValue: fault_disk_operation(disk, index))
    }

    /// Lets the operations of a kind fail, after so many that are spared.
    package func fail(_ error: DiskError, after: UInt64, times: UInt64) {
        fault_disk_fail(disk, error.rawValue, after, times)
    }

    /// Lets nothing fail any more.
    package func mend() { fault_disk_fail(disk, 0, 0, 0) }

    /// How many operations have failed since they were told to.
    package var failures: UInt64 { fault_disk_failures(disk) }

    /// Lets the power fail in the middle of an operation, after so many others.
    package func cut(after: UInt64) { fault_disk_cut(disk, after) }

    /// Whether the power has failed.
    package var isOff: Bool { fault_disk_is_off(disk) != 0 }

    /// Lets every call fail from now on, as the end of a process does.
    package func stop() { fault_disk_stop(disk) }

    /// Closes what a process has left open whose threads have ended; the next one may begin.
    package func kill() { fault_disk_kill(disk) }

    /// Lets the power fail, if it has not yet, and come back.
    package func restore(_ damage: Damage, seed: UInt64) {
        fault_disk_restore(disk, damage.rawValue, seed)
    }

    /// Takes what the files hold now for flushed, after somebody has put them there.
    package func settle() { fault_disk_settle(disk) }

    /// Lets flushes wait while a body runs.
    package func holdingSyncs<T>(_ body: () throws -> T) rethrows -> T {
        fault_disk_hold_syncs(disk, 1)
        defer { fault_disk_hold_syncs(disk, 0) }
        return try body()
    }
}

/// Every crash that could have happened to a disk, which rests meanwhile.
package final class CrashReplay {
    private let disk: FaultDisk
    private let replay: OpaquePointer

    package init(_ disk: FaultDisk) {
        self.disk = disk
        replay = fault_replay_new(disk.disk)
    }

    deinit { fault_replay_free(replay) }

    /// Prepares what is left when the power fails in the middle of an operation, not before that of
    /// the last call.
    ///
    /// - Returns: A hash of all files: what is equal was left before.
    package func crash(at operation: UInt64, _ damage: Damage, seed: UInt64) -> UInt64 {
        fault_replay_crash(replay, operation, damage.rawValue, seed)
    }

    /// A hash of as much of it as is ever read.
    package var seen: UInt64 { fault_replay_seen(replay) }

    /// Puts that into the files, which nobody may have open.
    package func write() { fault_replay_write(replay) }
}
