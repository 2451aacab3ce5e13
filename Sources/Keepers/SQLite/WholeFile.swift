#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Replaces small files atomically: after a failure the file has either the old or the new content,
/// and after success the new one, even after a power failure.
package enum WholeFile {
    /// Writes a temporary file for its owner only, flushes it, renames it to its final name, and
    /// flushes the folder.
    ///
    /// - Parameters:
    ///   - prepare: Additional work on the open file; returns false on failure.
    /// - Returns: Whether everything succeeded; otherwise `errno` has the reason.
    package static func replace(
        _ path: String, with bytes: [UInt8], prepare: (CInt) -> Bool = { _ in true }
    ) -> Bool {
        let partial = "\(path).partial"
        unlink(partial)
        let file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return false }
        let isWritten = writeAll(bytes, to: file) && prepare(file) && fsync(file) == 0
        let failure = errno
        close(file)
        guard isWritten else {
            unlink(partial)
            errno = failure
            return false
        }
        guard rename(partial, path) == 0 else {
            let failure = errno
            unlink(partial)
            errno = failure
            return false
        }
        return flushFolder(of: path)
    }

    /// Removes a file, durably. A missing file counts as removed.
    ///
    /// - Returns: Whether the file is gone; otherwise `errno` has the reason.
    package static func remove(_ path: String) -> Bool {
        guard unlink(path) != 0 else { return flushFolder(of: path) }
        return errno == ENOENT
    }

    /// Repeats short writes: a nearly full disk accepts a part first, and then reports the error.
    private static func writeAll(_ bytes: [UInt8], to file: CInt) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Flushes the folder of a file, which makes the names in it durable.
    private static func flushFolder(of path: String) -> Bool {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }
}
