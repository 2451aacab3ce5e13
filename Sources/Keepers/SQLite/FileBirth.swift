import CMacrologSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Which file it is that has a name: a copy, and a file put in the place of another, differ.
package struct FileBirth: Hashable, Sendable {
    /// The path with every link and `..` resolved.
    package let path: String
    /// The file's number in its file system.
    package let inode: UInt64
    /// When the file was made, in nanoseconds since 1970 UTC; 0 where nobody knows. Numbers are
    /// given anew when a file is removed; moments are not.
    package let birth: Int64

    /// A file that is only imagined.
    package init(path: String, inode: UInt64, birth: Int64) {
        self.path = path
        self.inode = inode
        self.birth = birth
    }

    /// Looks at a file, which must exist. It is not opened: closing it again would drop the locks
    /// that connections of this process hold on it.
    package init(of path: String) throws(SQLiteError) {
        guard let resolved = realpath(path, nil) else {
            throw systemError("look at \(path)")
        }
        defer { free(resolved) }
        var status = stat()
        guard stat(resolved, &status) == 0 else { throw systemError("look at \(path)") }
        self.path = String(cString: resolved)
        inode = UInt64(status.st_ino)
        #if canImport(Darwin)
            birth =
                Int64(status.st_birthtimespec.tv_sec) * 1_000_000_000
                + Int64(status.st_birthtimespec.tv_nsec)
        #else
            birth = macrolog_birth(resolved)
        #endif
    }
}
