import MacrologPlatform
import Synchronization

/// The exclusive right of a process to use a database, held as long as the value exists.
///
/// It is an advisory lock (`flock`) on the file `<database>.lock`, in which the holder writes its
/// process ID and its program. The system releases the lock whenever and however the process ends.
/// The file remains; an unlocked file means nothing.
package struct LockFile: ~Copyable, Sendable {
    private let descriptor: CInt
    /// The folder of the database, which is locked too; −1 without.
    private let folder: CInt
    private let name: Name
    /// Whether the lock file could only be read, or not be created: then the database may only be
    /// read.
    package let isForReading: Bool

    /// What names a lock file, whatever its path.
    private struct Name: Hashable, Sendable {
        var disk: UInt64 = 0
        var inode: UInt64 = 0
    }

    /// The lock files that this process holds. A process ID does not tell, because processes of two containers may
    /// have the same.
    private static let own = Mutex<Set<Name>>([])

    private init(
        descriptor: CInt, folder: CInt = -1, name: Name = Name(), isForReading: Bool = false
    ) {
        self.descriptor = descriptor
        self.folder = folder
        self.name = name
        self.isForReading = isForReading
    }

    deinit {
        let name = name
        Self.own.withLock { _ = $0.remove(name) }
        // Emptied first, so that the name of a process that released the lock is never read.
        if !isForReading { ftruncate(descriptor, 0) }
        if descriptor >= 0 { close(descriptor) }
        if folder >= 0 { close(folder) }
    }

    /// Acquires the lock of a database file, waiting while another process holds it.
    ///
    /// - Parameters:
    ///   - database: The path of the database; the lock file is next to it.
    ///   - seconds: How long to wait; 0 tries once.
    ///   - orToRead: Whether to accept a lock for reading only, if nothing can be written there.
    ///   - withFolder: Whether to lock the folder as well, of which the database must be the only
    ///     one. Then the lock is held even if someone removes the file.
    /// - Throws: ``LockError``, which names the holder.
    package static func take(
        for database: String, waitingSeconds seconds: Int = 5, orToRead: Bool = false,
        withFolder: Bool = false
    ) throws(LockError) -> LockFile {
        let path = "\(database).lock"
        let flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        var descriptor = open(path, O_RDWR | O_CREAT | flags, 0o600)
        let isForReading =
            descriptor < 0 && orToRead && [EROFS, EACCES, EPERM].contains(errno)
            && access(database, R_OK) == 0
        if isForReading {
            descriptor = open(path, O_RDONLY | flags)
            // Without a lock file there is no holder.
            if descriptor < 0, errno == ENOENT {
                return LockFile(descriptor: -1, isForReading: true)
            }
        }
        guard descriptor >= 0 else { throw LockError.system(path) }
        let folderPath = Files.folder(of: database)
        let folder = withFolder ? open(folderPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        let name = Name(
            disk: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
        let lock = LockFile(
            descriptor: descriptor, folder: folder, name: name, isForReading: isForReading)
        // A file with a second hard link may belong to another program: its contents stay
        // unchanged.
        guard isKnown, status.st_mode & S_IFMT == S_IFREG, status.st_nlink <= 1 else {
            lock.forget()
            throw LockError(
                path: path, code: .system("it is a link or no file; a lock is a file of its own"))
        }

        let end = ContinuousClock.now + .seconds(seconds)
        switch acquire(descriptor, until: end) {
        case .acquired: break
        case .held:
            let error = LockError(path: path, code: .held(by: lock.holder()))
            lock.forget()
            throw error
        case .failed:
            let error = LockError.system(path)
            lock.forget()
            throw error
        }
        // A file system that locks no folders has only the file's lock.
        if folder >= 0, acquire(folder, until: end) == .held {
            lock.forget()
            throw LockError(path: folderPath, code: .held(by: "another process"))
        }
        if !isForReading { lock.sign() }
        own.withLock { _ = $0.insert(name) }
        return lock
    }

    private enum Attempt { case acquired, held, failed }

    /// Waits for the lock of an open file or folder.
    private static func acquire(_ descriptor: CInt, until end: ContinuousClock.Instant) -> Attempt {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { return .failed }
            guard ContinuousClock.now < end else { return .held }
            usleep(10_000)
        }
        return .acquired
    }

    /// Closes the file and keeps the holder's text.
    private consuming func forget() {
        close(descriptor)
        if folder >= 0 { close(folder) }
        discard self
    }

    private func sign() {
        let path = CommandLine.arguments.first ?? ""
        let program = path.split(separator: "/").last ?? "a program"
        let text = "\(getpid()) \(program)\n"
        ftruncate(descriptor, 0)
        // Only information for waiting processes; the lock is valid without it.
        _ = text.utf8.withContiguousStorageIfAvailable {
            pwrite(descriptor, $0.baseAddress, $0.count, 0)
        }
    }

    /// What the holder wrote, such as `4711 macrolog`, and whether it is this process.
    private func holder() -> String {
        let bytes = [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        let line = String(decoding: bytes.prefix { $0 >= UInt8(ascii: " ") }, as: UTF8.self)
        let name = name
        guard Self.own.withLock({ $0.contains(name) }) else {
            return line.isEmpty ? "another process" : "process \(line)"
        }
        return (line.isEmpty ? "a process" : "process \(line)") + LockError.ownEnding
    }
}

/// Why a ``LockFile`` could not be acquired.
package struct LockError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong.
    package enum Code: Equatable, Sendable {
        /// A process, such as `process 4711 macrolog`, held the lock during the whole wait.
        case held(by: String)
        /// The lock file could not be opened or locked; the system's message.
        case system(String)
    }

    /// The lock file.
    package let path: String
    /// What went wrong.
    package let code: Code

    /// Memberwise initializer.
    package init(path: String, code: Code) {
        self.path = path
        self.code = code
    }

    /// What follows the name of a holder that is this process.
    fileprivate static let ownEnding = ", which is this one"

    /// Whether the same call may succeed later without intervention.
    package var isRetryable: Bool {
        switch code {
        case .held: true
        case .system: false
        }
    }

    /// What a person can do about it.
    package var hint: String? {
        switch code {
        case .held(let holder) where holder.hasSuffix(Self.ownEnding):
            "use what is open already, or let it go first"
        case .held: "wait until it is done, or stop it"
        case .system:
            "check that the folder exists, that you may write to it, and that no link lies there"
        }
    }

    /// What happened.
    package var explanation: String {
        switch code {
        case .held(let holder): "\(path) is held by \(holder)"
        case .system(let words): "\(path): \(words)"
        }
    }

    /// One line: what happened, and what to do.
    package var description: String { hint.map { "\(explanation); \($0)" } ?? explanation }

    fileprivate static func system(_ path: String) -> LockError {
        LockError(path: path, code: .system(String(cString: strerror(errno))))
    }
}
