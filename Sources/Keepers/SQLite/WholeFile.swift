#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Replaces small files whole: whatever happens meanwhile, the old content or the new one is there,
/// and after success the new one, also when power fails.
package enum WholeFile {
    /// Writes a file for its owner only, under another name, flushes it, gives it its name, and
    /// flushes the folder.
    ///
    /// - Parameters:
    ///   - prepare: What else must be done to the open file; false where that failed.
    /// - Returns: Whether all of it was done; `errno` says why not.
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

    /// Removes a file, durably. One that is not there is removed.
    ///
    /// - Returns: Whether it is gone; `errno` says why not.
    package static func remove(_ path: String) -> Bool {
        guard unlink(path) != 0 else { return flushFolder(of: path) }
        return errno == ENOENT
    }

    /// Writes as often as it takes: a disk that is nearly full takes a part first, and then says why.
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

    /// Makes the names in a file's folder durable.
    private static func flushFolder(of path: String) -> Bool {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }
}
