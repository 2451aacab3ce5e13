import MacrologPlatform

/// What the system knows of a file beside its bytes.
public struct FileStatus: Hashable, Sendable {
    /// Its size.
    public let bytes: Int64
    /// Whether it is a file, rather than a folder, a link or a device.
    public let isRegular: Bool
    /// Whether it is a folder.
    package let isFolder: Bool
    /// Who may read, write and execute it: the lowest nine bits of its mode.
    public let permissions: UInt32
    /// The user who owns it.
    package let owner: UInt32
    /// The group that owns it.
    package let group: UInt32
    /// The number of its names.
    package let links: Int
    /// The inode number, unique on its device.
    package let inode: UInt64
    /// The disk, or part of one, that it is on.
    package let device: UInt64
    /// When it was last written, in nanoseconds since 1970 UTC.
    package let modified: Int64

    init(_ status: stat) {
        bytes = Int64(status.st_size)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        permissions = UInt32(status.st_mode & 0o777)
        owner = status.st_uid
        group = status.st_gid
        links = Int(status.st_nlink)
        inode = UInt64(status.st_ino)
        device = UInt64(truncatingIfNeeded: status.st_dev)
        let time = modificationTime(status)
        modified = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The status of a path; `nil` if there is nothing, or it may not be looked at.
    public init?(of path: String, followsLinks: Bool = true) {
        var status = stat()
        guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        self.init(status)
    }

    /// The status of a path, which is no link; `nil` if there is nothing.
    ///
    /// - Throws: If it may not be looked at, or the disk does not say.
    package static func ifThere(_ path: String) throws(SystemError) -> FileStatus? {
        var status = stat()
        guard lstat(path, &status) != 0 else { return FileStatus(status) }
        let error = SystemError.last
        guard error.isMissing || error.number == ENOTDIR else { throw error }
        return nil
    }

    /// Whether the file belongs to this process's user, and no other user may read or write it.
    package var isPrivate: Bool {
        isRegular && owner == geteuid() && permissions & 0o077 == 0
    }

    /// Whether it is a folder of this process's user, and no other user may use it.
    package var isPrivateFolder: Bool {
        isFolder && owner == geteuid() && permissions & 0o077 == 0
    }

    /// Whether the file is another user's.
    package var isAnothers: Bool { owner != geteuid() }
}
