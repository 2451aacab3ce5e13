import CMacrologSystem
import MacrologPlatform

// What Apple's systems and Linux call by different names, and nothing else.

/// A C constant that is a number on this system.
package func number(_ constant: CInt) -> CInt { constant }

/// A C constant that is an enumeration on this system.
package func number(_ constant: some RawRepresentable<UInt32>) -> CInt {
    CInt(bitPattern: constant.rawValue)
}

#if canImport(Darwin)
    /// Apple's threads share their heap.
    func useOneHeap() {}

    func modificationTime(_ status: stat) -> timespec { status.st_mtimespec }

    /// When a file was created, in nanoseconds since 1970 UTC.
    func creationTime(of path: UnsafePointer<CChar>, _ status: stat) -> Int64 {
        Int64(status.st_birthtimespec.tv_sec) * 1_000_000_000
            + Int64(status.st_birthtimespec.tv_nsec)
    }

    func isOnLocalDisk(_ path: String) throws(SystemError) -> Bool {
        var system = statfs()
        guard statfs(path, &system) == 0 else { throw .last }
        return system.f_flags & UInt32(MNT_LOCAL) != 0
    }

    /// A file that a backup restores would not distinguish one phone from another.
    func excludeFromBackups(_ descriptor: CInt) throws(SystemError) {
        var yes: UInt8 = 1
        guard fsetxattr(descriptor, "com.apple.MobileBackup", &yes, 1, 0, 0) == 0 else {
            throw .last
        }
    }

    /// A monotonic clock that keeps running while the machine sleeps.
    let clockWithSleep = CLOCK_MONOTONIC

    /// Prepares a condition for ``waitOnce(_:_:milliseconds:)``.
    func initializeMonotonic(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
        pthread_cond_init(condition, nil)
    }

    /// Waits for one wake-up, or until some milliseconds of a monotonic clock have passed.
    func waitOnce(
        _ condition: UnsafeMutablePointer<pthread_cond_t>,
        _ mutex: UnsafeMutablePointer<pthread_mutex_t>, milliseconds: Int64
    ) {
        var time = timespec(
            tv_sec: Int(milliseconds / 1_000), tv_nsec: Int(milliseconds % 1_000) * 1_000_000)
        pthread_cond_timedwait_relative_np(condition, mutex, &time)
    }

    /// Names the current boot; `nil` if the system does not tell.
    func bootText() -> String? {
        var text = [UInt8](repeating: 0, count: 64)
        var size = text.count
        guard sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Where `pthread_create` writes.
    var noThread: pthread_t? { nil }

    /// Added to the type of a socket that other programs do not inherit; here a later call says so.
    package let socketCloseOnExec: CInt = 0

    /// How many bytes 1 of `ru_maxrss` is.
    package let residentSetUnit = 1

    /// Names the calling thread.
    func threadName() -> UInt { UInt(bitPattern: pthread_self()) }

    #if os(macOS)
        /// The hardware's UUID.
        func machineIdentity() -> [UInt8] {
            var uuid = [UInt8](repeating: 0, count: 16)
            var wait = timespec(tv_sec: 0, tv_nsec: 0)
            return gethostuuid(&uuid, &wait) == 0 ? uuid : []
        }

        let keepsPaths = true
    #else
        /// iOS has no identifier of the machine for apps. There, files of
        /// ``WholeFile/replace(_:with:staysOnThisDevice:)`` are excluded from every backup instead,
        /// so that a restored or a new phone has none (Apple, Technical Q&A QA1719).
        func machineIdentity() -> [UInt8] { [] }

        /// An update of an app moves its folder.
        let keepsPaths = false
    #endif
#else
    /// Only GNU's library has a heap for each thread.
    func useOneHeap() {
        #if canImport(Glibc)
            mallopt(M_ARENA_MAX, 1)
        #endif
    }

    func modificationTime(_ status: stat) -> timespec { status.st_mtim }

    /// When a file was created, in nanoseconds since 1970 UTC; 0 if unknown.
    func creationTime(of path: UnsafePointer<CChar>, _ status: stat) -> Int64 {
        macrolog_birth(path)
    }

    func isOnLocalDisk(_ path: String) throws(SystemError) -> Bool {
        var system = statfs()
        guard statfs(path, &system) == 0 else { throw .last }
        // The magic numbers of NFS, SMB, CIFS, SMB2, AFS, Ceph and 9P, from statfs(2).
        let network: [UInt32] = [
            0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x5346_414F, 0x00C3_6400, 0x0102_1997,
        ]
        return !network.contains(UInt32(truncatingIfNeeded: system.f_type))
    }

    /// Nothing needs to be done: on another machine the path or its identity differs.
    func excludeFromBackups(_ descriptor: CInt) throws(SystemError) {}

    /// A monotonic clock that keeps running while the machine sleeps.
    let clockWithSleep = CLOCK_BOOTTIME

    /// Prepares a condition for ``waitOnce(_:_:milliseconds:)``.
    func initializeMonotonic(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    /// Waits for one wake-up, or until some milliseconds of a monotonic clock have passed.
    func waitOnce(
        _ condition: UnsafeMutablePointer<pthread_cond_t>,
        _ mutex: UnsafeMutablePointer<pthread_mutex_t>, milliseconds: Int64
    ) {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = time.tv_nsec + Int(milliseconds % 1_000) * 1_000_000
        time.tv_sec += Int(milliseconds / 1_000) + nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        pthread_cond_timedwait(condition, mutex, &time)
    }

    /// Where `pthread_create` writes.
    var noThread: pthread_t { pthread_t() }

    /// Added to the type of a socket that other programs do not inherit.
    package let socketCloseOnExec = number(SOCK_CLOEXEC)

    /// How many bytes 1 of `ru_maxrss` is.
    package let residentSetUnit = 1_024

    /// Names the calling thread.
    func threadName() -> UInt { pthread_self() }

    /// Names the current boot; `nil` if the system does not tell.
    func bootText() -> String? {
        guard let file = try? File.open("/proc/sys/kernel/random/boot_id"),
            let bytes = try? file.read(atMost: 36), bytes.count == 36
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The contents of `/etc/machine-id` (machine-id(5): it must not be shown as it is).
    func machineIdentity() -> [UInt8] {
        guard let file = try? File.open("/etc/machine-id", followsLinks: true) else { return [] }
        return (try? file.read(atMost: 64)) ?? []
    }

    let keepsPaths = true
#endif
