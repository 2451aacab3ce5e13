import MacrologPlatform

/// Names of files and folders.
public enum Files {
    /// Whether there is a file or folder.
    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether this process may write a file.
    package static func isWritable(_ path: String) -> Bool { access(path, W_OK) == 0 }

    /// The path of the folder that holds a file.
    public static func folder(of path: String) -> String {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// The path from the root, without links; the path itself if there is no such file.
    public static func wholePath(_ path: String) -> String {
        guard let whole = realpath(path, nil) else { return path }
        defer { free(whole) }
        return String(cString: whole)
    }

    /// Creates a folder for its owner only.
    ///
    /// - Parameter isNew: Whether a path that exists, also as a link, is refused.
    public static func makeFolder(_ path: String, isNew: Bool = false) throws(SystemError) {
        guard mkdir(path, 0o700) == 0 || (errno == EEXIST && !isNew) else { throw .last }
    }

    /// The names in a folder in order, without those that begin with a dot; empty if it cannot be
    /// read.
    package static func names(in folder: String) -> [String] {
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        return names(listing)
    }

    private static func names(_ listing: OpaquePointer) -> [String] {
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Renames a file. Durable once its folder is flushed.
    package static func move(_ path: String, to new: String) throws(SystemError) {
        guard rename(path, new) == 0 else { throw .last }
    }

    /// Removes a file.
    ///
    /// - Returns: Whether there was one, and it is gone.
    @discardableResult
    package static func remove(_ path: String) -> Bool { unlink(path) == 0 }

    /// Gives a file one more name on the same disk.
    package static func link(_ path: String, to new: String) throws(SystemError) {
        guard systemLink(path, new) == 0 else { throw .last }
    }

    /// Removes a file or a link, or a folder and everything in it but what begins with a dot. What a
    /// link leads to stays.
    package static func removeAll(_ path: String) { removeAll(path, in: AT_FDCWD) }

    private static func removeAll(_ name: String, in parent: CInt) {
        guard unlinkat(parent, name, 0) != 0 else { return }
        // By descriptors, so that no one can put a link in the place of a folder meanwhile.
        let folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return }
        guard let listing = fdopendir(folder) else {
            close(folder)
            return
        }
        defer { closedir(listing) }
        for inner in names(listing) { removeAll(inner, in: folder) }
        unlinkat(parent, name, AT_REMOVEDIR)
    }

    /// Removes a folder if it is empty.
    package static func removeFolder(_ path: String) { rmdir(path) }

    /// Makes the bytes of a file, or the names in a folder, durable.
    package static func flush(_ path: String) throws(SystemError) {
        try File.open(path, followsLinks: true).flush()
    }

    /// Makes a file's name durable.
    package static func flushFolder(of path: String) throws(SystemError) {
        try flush(folder(of: path))
    }

    /// The number of bytes that this process may still write in a folder's file system.
    public static func freeBytes(in folder: String) throws(SystemError) -> UInt64 {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { throw .last }
        let (free, overflowed) = UInt64(status.f_bavail)
            .multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflowed ? .max : free
    }

    /// Whether a file is on a disk of this machine, where its users share memory.
    package static func isLocal(_ path: String) throws(SystemError) -> Bool {
        try isOnLocalDisk(path)
    }

    /// Where a symbolic link leads; `nil` if the path is none.
    static func target(of link: String) -> String? {
        var target = [UInt8](repeating: 0, count: 1_024)
        let count = target.withUnsafeMutableBytes { buffer in
            buffer.bindMemory(to: CChar.self).baseAddress.map {
                readlink(link, $0, buffer.count)
            } ?? 0
        }
        return count > 0 ? String(decoding: target.prefix(count), as: UTF8.self) : nil
    }
}

private func systemLink(_ path: String, _ new: String) -> CInt { link(path, new) }
