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
        let counting = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 2)
        counting.initialize(repeating: methods.pointee, count: 2)
        counting[0].xSync = { file, flags in
            CountingDisk.syncs.add(1, ordering: .relaxed)
            return CountingDisk.usual(file).xSync(file, flags)
        }
        counting[0].xWrite = { file, bytes, count, offset in
            CountingDisk.written.add(Int(count), ordering: .relaxed)
            return CountingDisk.usual(file).xWrite(file, bytes, count, offset)
        }
        file.pointee.pMethods = UnsafePointer(counting)
    }

    /// SQLite's own methods of the file are stored after ours.
    private static func usual(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> sqlite3_io_methods {
        guard let methods = file?.pointee.pMethods else { preconditionFailure("an open file") }
        return methods[1]
    }
}
