/// Where the bytes of blobs are stored: a folder for each space, a file for each blob, and
/// unfinished uploads in a separate folder. The server chooses all names: numbers of spaces and
/// hexadecimal digits.
import MacrologEvents
import MacrologSeal

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The folder of a server's blobs, next to its database.
package struct BlobFiles: Sendable {
    package let folder: String
    /// Called when a flush has failed, because the next flush would not report it; ends the
    /// process.
    private let fatal: (@Sendable (String) -> Void)?

    /// The blobs of the database at a path.
    ///
    /// - Parameter fatal: Called when a flush has failed; should end the process. Without it, or if
    ///   it returns, the error is thrown.
    package init(of database: String, fatal: (@Sendable (String) -> Void)? = nil) {
        folder = "\(database).blobs"
        self.fatal = fatal
    }

    /// The path of a complete blob.
    package func path(_ key: BlobKey) -> String { "\(folder)/\(key.space)/\(key.digits)" }

    func unfinishedPath(_ key: BlobKey) -> String {
        "\(folder)/unfinished/\(key.space)/\(key.digits)"
    }

    /// The length of a complete blob; `nil` if it does not exist.
    package func bytes(_ key: BlobKey) -> Int64? { Self.size(path(key)) }

    /// The size of an unfinished upload, in bytes.
    func unfinishedBytes(_ key: BlobKey) -> Int64 { Self.size(unfinishedPath(key)) ?? 0 }

    /// Opens an unfinished upload, truncates it to `count` bytes, and positions it for appending.
    func open(_ key: BlobKey, keeping count: Int64) throws(StoreError) -> Int32 {
        for part in [folder, "\(folder)/unfinished", "\(folder)/unfinished/\(key.space)"] {
            try Self.make(part)
        }
        let file = openFile(
            unfinishedPath(key), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.error("open an upload") }
        guard ftruncate(file, off_t(count)) == 0, lseek(file, 0, SEEK_END) == off_t(count) else {
            close(file)
            throw Self.error("go on with an upload")
        }
        return file
    }

    /// The SHA-256 of an unfinished upload.
    func hashUnfinished(_ key: BlobKey) throws(StoreError) -> [UInt8] {
        try Self.hash(unfinishedPath(key))
    }

    /// The SHA-256 of a complete blob as stored.
    package func hash(_ key: BlobKey) throws(StoreError) -> [UInt8] { try Self.hash(path(key)) }

    /// Turns a complete upload into a blob, durably: flushes its bytes, then its name, and the
    /// names of the folders that contain it.
    func complete(_ key: BlobKey) throws(StoreError) {
        let space = "\(folder)/\(key.space)"
        try Self.make(space)
        try sync(unfinishedPath(key))
        guard rename(unfinishedPath(key), path(key)) == 0 else { throw Self.error("name a blob") }
        for folder in [space, folder, parent] { try sync(folder) }
    }

    /// The folder of the database.
    private var parent: String {
        let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/"))
        return slash.map { $0 == folder.startIndex ? "/" : String(folder[..<$0]) } ?? "."
    }

    func remove(_ key: BlobKey) { unlink(path(key)) }

    func removeUnfinished(_ key: BlobKey) { unlink(unfinishedPath(key)) }

    /// The complete blobs of all spaces.
    package func all() -> [BlobKey] { keys(in: folder) }

    /// The unfinished uploads of one space or of all, and when each was last written, in
    /// milliseconds since 1970 UTC.
    func unfinished(of space: Space? = nil) -> [(key: BlobKey, written: Int64)] {
        keys(in: "\(folder)/unfinished", of: space).map { key in
            var status = stat()
            guard stat(unfinishedPath(key), &status) == 0 else { return (key, 0) }
            #if canImport(Darwin)
                let time = status.st_mtimespec
            #else
                let time = status.st_mtim
            #endif
            return (key, Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
        }
    }

    private func keys(in folder: String, of only: Space? = nil) -> [BlobKey] {
        var keys: [BlobKey] = []
        for name in Self.names(in: folder) {
            guard let space = Space(name), only == nil || only == space else { continue }
            for digits in Self.names(in: "\(folder)/\(name)") {
                guard let bytes = BlobKey.name(digits: Array(digits.utf8)) else { continue }
                keys.append(BlobKey(space: space, name: bytes))
            }
        }
        return keys
    }

    /// Copies a blob into another folder, durably except for the folder's own entry.
    func copy(_ key: BlobKey, to other: BlobFiles) throws(StoreError) {
        try Self.make(other.folder)
        try Self.make("\(other.folder)/\(key.space)")
        let target = openFile(
            other.path(key), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw Self.error("copy a blob") }
        defer { close(target) }
        try Self.read(path(key)) { piece throws(StoreError) in
            guard writeAll(target, piece) else { throw Self.error("copy a blob") }
        }
        guard fsync(target) == 0 else { throw Self.error("copy a blob") }
    }

    /// Makes the entries of all folders durable, and the entries of the folders themselves.
    func settle() throws(StoreError) {
        for folder in [parent, folder] + Self.names(in: folder).map({ "\(folder)/\($0)" })
        where access(folder, F_OK) == 0 {
            try sync(folder)
        }
    }

    /// Removes the folder and all files in it that the server created.
    package func removeAll() {
        for key in all() { remove(key) }
        for (key, _) in unfinished() { removeUnfinished(key) }
        for inner in ["\(folder)/unfinished", folder] {
            for name in Self.names(in: inner) { rmdir("\(inner)/\(name)") }
            rmdir(inner)
        }
    }

    private static func names(in folder: String) -> [String] {
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private static func size(_ path: String) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    private static func make(_ folder: String) throws(StoreError) {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw error("make a folder") }
    }

    private func sync(_ path: String) throws(StoreError) {
        let file = openFile(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Self.error("open a file") }
        defer { close(file) }
        guard fsync(file) == 0 else {
            let error = Self.error("make a file durable")
            if let fatal { fatal("cannot tell what is on the disk: \(error)") }
            throw error
        }
    }

    private static func hash(_ path: String) throws(StoreError) -> [UInt8] {
        var hash = SHA256Stream()
        try read(path) { hash.add($0) }
        return hash.finish()
    }

    private static func read(
        _ path: String, _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        let file = openFile(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw error("open a file") }
        defer { close(file) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = readFile(file, buffer)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw error("read a file") }
            guard count > 0 else { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private static func error(_ operation: String) -> StoreError {
        let number = errno
        if number == ENOSPC || number == EDQUOT { return .full }
        return .failed("cannot \(operation): \(String(cString: strerror(number)))")
    }
}

/// Writes all bytes; returns false if the system refuses them.
func writeAll(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
        let count = write(file, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return true
}

// The C functions, where a method has the same name.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    open(path, flags, mode)
}

private func readFile(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(file, buffer.baseAddress, buffer.count)
}
