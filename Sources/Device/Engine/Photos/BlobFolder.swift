import MacrologEvents
import MacrologHTTP
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The photos on this device, beside the replica: one file for each, named by the SHA-256 of its
/// bytes, and the partial downloads of others.
///
/// A file gets its name only when all of it is on the disk, and what is read is checked: a damaged
/// file no longer counts as a photo, and is downloaded again.
package struct BlobFolder: Sendable {
    package let path: String

    /// The photos of the replica in a file.
    package init(of replica: String) { path = "\(replica).blobs" }

    /// The path of a photo, whether or not it exists.
    package func path(of name: [UInt8]) -> String { "\(path)/\(BlobExchange.digits(name))" }

    private func partialPath(of name: [UInt8]) -> String { path(of: name) + ".partial" }

    /// How long a photo is; `nil` where it is not here.
    package func bytes(of name: [UInt8]) -> Int64? { Self.size(path(of: name)) }

    /// How many bytes of an unfinished download have arrived.
    package func partialBytes(of name: [UInt8]) -> Int64 { Self.size(partialPath(of: name)) ?? 0 }

    /// Stores bytes durably.
    ///
    /// - Returns: Their name.
    package func keep(_ bytes: [UInt8]) throws -> [UInt8] {
        let name = SHA256.hash(bytes)
        guard self.bytes(of: name) != Int64(bytes.count) || (try? read(name)) == nil else {
            // Its bytes are on the disk, but its name is not if the process that created it was
            // interrupted.
            try flushNames()
            return name
        }
        let partial = try Partial(of: name, keeping: 0, in: self)
        guard bytes.withUnsafeBytes({ partial.append($0) }) else { throw Self.error(path) }
        try partial.close()
        try complete(name)
        return name
    }

    /// A photo's bytes; `nil` if it is not here, or is damaged: then it is deleted.
    package func read(_ name: [UInt8]) throws -> [UInt8]? {
        guard let bytes = try Self.contents(path(of: name)) else { return nil }
        guard SHA256.hash(bytes) == name else {
            unlink(path(of: name))
            return nil
        }
        return bytes
    }

    /// Names a finished download, if its bytes match the name; otherwise deletes it.
    ///
    /// - Returns: Whether they match.
    package func finish(_ name: [UInt8]) throws -> Bool {
        guard let bytes = try Self.contents(partialPath(of: name)), SHA256.hash(bytes) == name
        else {
            unlink(partialPath(of: name))
            return false
        }
        try complete(name)
        return true
    }

    private func complete(_ name: [UInt8]) throws {
        guard rename(partialPath(of: name), path(of: name)) == 0 else { throw Self.error(path) }
        try flushNames()
    }

    /// Flushes the names of the photos, and that of the folder, which may be new.
    private func flushNames() throws {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        for path in [path, parent] {
            let folder = open(path, O_RDONLY | O_CLOEXEC)
            guard folder >= 0 else { throw Self.error(path) }
            defer { Self.close(folder) }
            guard fsync(folder) == 0 else { throw Self.error(path) }
        }
    }

    /// An open file for the download of a photo.
    package final class Partial: Sendable {
        private let file: Mutex<CInt>
        private let path: String

        /// Opens the file to append after its first `count` bytes.
        package init(of name: [UInt8], keeping count: Int64, in folder: BlobFolder) throws {
            path = folder.partialPath(of: name)
            guard mkdir(folder.path, 0o700) == 0 || errno == EEXIST else {
                throw BlobFolder.error(folder.path)
            }
            let file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            self.file = Mutex(file)
            guard file >= 0, ftruncate(file, off_t(count)) == 0,
                lseek(file, 0, SEEK_END) == off_t(count)
            else { throw BlobFolder.error(path) }
        }

        /// Truncates the file to its first bytes.
        package func cut(to count: Int64) -> Bool {
            file.withLock {
                ftruncate($0, off_t(count)) == 0 && lseek($0, 0, SEEK_END) == off_t(count)
            }
        }

        /// Appends a piece; false if it cannot be written, or if the photo would exceed the
        /// greatest size.
        package func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
            file.withLock { file in
                guard lseek(file, 0, SEEK_CUR) + off_t(bytes.count) <= off_t(Limits.blobBytesMax)
                else { return false }
                var rest = bytes
                while !rest.isEmpty {
                    let count = write(file, rest.baseAddress, rest.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { return false }
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                }
                return true
            }
        }

        /// Flushes the file, and closes it.
        package func close() throws {
            try file.withLock { file in
                defer {
                    BlobFolder.close(file)
                    file = -1
                }
                guard fsync(file) == 0 else { throw BlobFolder.error(path) }
            }
        }

        deinit { file.withLock { if $0 >= 0 { BlobFolder.close($0) } } }
    }

    private static func size(_ path: String) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// The whole file, which is never longer than a blob may be; `nil` where there is none.
    private static func contents(_ path: String) throws -> [UInt8]? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw error(path)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, Int64(status.st_size) <= Int64(Limits.blobBytesMax) else {
            return []
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                pread(file, $0.baseAddress?.advanced(by: filled), $0.count - filled, off_t(filled))
            }
            guard count > 0 else { throw error(path) }
            filled += count
        }
        return bytes
    }

    private static func error(_ path: String) -> PhotoError {
        .storage("\(path) cannot be used: \(String(cString: strerror(errno)))")
    }

    // The name of the C function, where a method has the same.
    private static func close(_ file: CInt) { closeFile(file) }
}

private func closeFile(_ file: CInt) { close(file) }
