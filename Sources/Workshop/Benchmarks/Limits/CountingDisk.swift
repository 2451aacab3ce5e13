import CMacrologSQLite
import MacrologPlatform
import Synchronization
/// A SQLite file system that counts what reaches the disk and otherwise hands everything to the
/// usual one.
enum CountingDisk {
    /// The number of flushes, and of bytes written, since the start.
    struct Counts {
        var syncs = 0
        var bytes = 0

        static func - (left: Counts, right: Counts) -> Counts {
            Counts(syncs: left.syncs - right.syncs, bytes: left.bytes - right.bytes)
        }
    }

    static let name = "counting"
    private static let syncs = Atomic(0)
    private static let written = Atomic(0)

    static var counts: Counts {
        Counts(
            syncs: syncs.load(ordering: .relaxed), bytes: written.load(ordering: .relaxed))
    }

    /// Makes the file system known to SQLite under ``name``.
    static func register() {
        guard sqlite3_vfs_find(name) == nil, let usual = sqlite3_vfs_find(nil) else { return }
        let counting = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        counting.initialize(to: usual.pointee)
        counting.pointee.zName = UnsafePointer(strdup(name))
        usualBytes = (Int(usual.pointee.szOsFile) + 7) & ~7
        counting.pointee.szOsFile = Int32(usualBytes + MemoryLayout<Int>.size)
        counting.pointee.xOpen = { _, name, file, flags, outFlags in
            guard let usual = sqlite3_vfs_find(nil), let file else { return SQLITE_CANTOPEN }
            let code = usual.pointee.xOpen(usual, name, file, flags, outFlags)
            if code == SQLITE_OK { CountingDisk.count(file) }
            return code
        }
        sqlite3_vfs_register(counting, 0)
    }

    /// Puts our methods in place of the file's own. The files of one file system share their
    /// methods, so the table is copied for each and, for a few files in a benchmark, never freed.
    private static func count(_ file: UnsafeMutablePointer<sqlite3_file>) {
        guard let methods = file.pointee.pMethods else { return }
        place(in: file).pointee = methods
        let counting = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        counting.initialize(to: methods.pointee)
        counting.pointee.xSync = { file, flags in
            CountingDisk.syncs.add(1, ordering: .relaxed)
            return CountingDisk.usual(file).pointee.xSync(file, flags)
        }
        counting.pointee.xWrite = { file, bytes, count, offset in
            CountingDisk.written.add(Int(count), ordering: .relaxed)
            return CountingDisk.usual(file).pointee.xWrite(file, bytes, count, offset)
        }
        file.pointee.pMethods = UnsafePointer(counting)
    }

    /// How many bytes a file has in the usual file system.
    nonisolated(unsafe) private static var usualBytes = 0

    /// Where the file's own methods are kept: after what the usual file system keeps of it.
    private static func place(
        in file: UnsafeMutablePointer<sqlite3_file>
    ) -> UnsafeMutablePointer<UnsafePointer<sqlite3_io_methods>> {
        (UnsafeMutableRawPointer(file) + usualBytes)
            .assumingMemoryBound(to: UnsafePointer<sqlite3_io_methods>.self)
    }

    private static func usual(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> UnsafePointer<sqlite3_io_methods> {
        guard let file else { preconditionFailure("an open file") }
        return place(in: file).pointee
    }
}
