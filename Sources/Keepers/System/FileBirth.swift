import MacrologPlatform

/// Identifies a file independently of its name: a copy, or a replacement under the same path,
/// differs.
package struct FileBirth: Hashable, Sendable {
    /// The path with every link and `..` resolved.
    package let path: String
    /// The inode number.
    package let inode: UInt64
    /// The creation time, in nanoseconds since 1970 UTC; 0 if unknown. Inode numbers are reused
    /// when a file is removed; creation times are not.
    package let birth: Int64

    /// Creates a value without a file, for simulations.
    package init(path: String, inode: UInt64, birth: Int64) {
        self.path = path
        self.inode = inode
        self.birth = birth
    }

    /// Reads the identity of a file, which must exist. The file is not opened: closing it would
    /// drop the locks that connections of this process hold on it.
    package init(of path: String) throws(SystemError) {
        guard let resolved = realpath(path, nil) else { throw .last }
        defer { free(resolved) }
        var status = stat()
        guard stat(resolved, &status) == 0 else { throw .last }
        self.path = String(cString: resolved)
        inode = UInt64(status.st_ino)
        birth = creationTime(of: resolved, status)
    }
}
