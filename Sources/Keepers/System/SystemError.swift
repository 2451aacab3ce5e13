import MacrologPlatform

/// Why the operating system refused a call.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The value of `errno`.
    package let number: Int32
    /// Whether a flush failed: then it is unknown what is on the disk, and the next flush would
    /// report success without writing.
    package let isFlush: Bool

    /// The error with a number of `errno`.
    package init(number: Int32, isFlush: Bool = false) {
        self.number = number
        self.isFlush = isFlush
    }

    /// The error of this thread's last call.
    static var last: SystemError { SystemError(number: errno) }

    /// A file or folder that is not this process's alone.
    package static let notPermitted = SystemError(number: EPERM)

    /// There is no such file.
    package var isMissing: Bool { number == ENOENT }
    /// There is such a file already.
    package var isTaken: Bool { number == EEXIST }
    /// The disk, or the user's share of it, is full.
    package var isFull: Bool { number == ENOSPC || number == EDQUOT }
    /// This user may not do it.
    package var isForbidden: Bool { number == EACCES || number == EPERM }
    /// A name is longer than the system takes.
    package var isNameTooLong: Bool { number == ENAMETOOLONG }
    /// The disk has failed.
    package var isDiskFailure: Bool { number == EIO }
    /// The reader of a pipe has closed it.
    public var isClosedPipe: Bool { number == EPIPE }

    /// The system's words, such as `Permission denied`.
    public var description: String { String(cString: strerror(number)) }
}
