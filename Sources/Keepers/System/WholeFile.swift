import MacrologPlatform

/// Writes a file whole: after a failure its name has the old content or none, and after success the
/// new one, even after a power failure. Only its owner may read it.
///
/// Everything that this program writes beside its databases goes through here: a temporary file in
/// the same folder is written, flushed and renamed, and then the folder is flushed.
public struct WholeFile: ~Copyable, Sendable {
    /// The final name.
    public let path: String
    private let file: File
    private var isNamed = false

    /// Where the bytes are until ``complete()``.
    package let partialPath: String

    /// Begins a file among a person's own, none of which is touched: its bytes wait under a new name, such as
    /// `meals.csv.5f0c19aa.partial`. What a killed process leaves there stays, as nothing tells it from a file of
    /// theirs.
    public init(_ path: String) throws(SystemError) {
        let name = String(UInt32.random(in: 0x1000_0000...UInt32.max), radix: 16)
        try self.init(path, partial: "\(path).\(name).partial")
    }

    /// Begins a file with a name that only this program uses. What an interrupted earlier attempt left is removed
    /// first.
    package init(own path: String) throws(SystemError) {
        let partial = "\(path).partial"
        Files.remove(partial)
        try self.init(path, partial: partial)
    }

    private init(_ path: String, partial: String) throws(SystemError) {
        file = try File.create(partial)
        (self.path, partialPath) = (path, partial)
    }

    /// Appends bytes.
    public func write(_ bytes: [UInt8]) throws(SystemError) { try file.write(bytes) }

    /// Gives the file its name, durably.
    public mutating func complete() throws(SystemError) {
        try file.flush()
        try Files.move(partialPath, to: path)
        isNamed = true
        try Files.flushFolder(of: path)
    }

    deinit { if !isNamed { Files.remove(partialPath) } }
}

extension WholeFile {
    /// Replaces a small file with a name that only this program uses.
    ///
    /// - Parameter staysOnThisDevice: Whether the system's backups leave the file out.
    package static func replace(
        _ path: String, with bytes: [UInt8], staysOnThisDevice: Bool = false
    ) throws(SystemError) {
        var whole = try WholeFile(own: path)
        try whole.write(bytes)
        if staysOnThisDevice { try excludeFromBackups(whole.file.descriptor) }
        try whole.complete()
    }

    /// Removes a file, durably. A missing file counts as removed.
    package static func remove(_ path: String) throws(SystemError) {
        guard unlink(path) != 0 else { return try Files.flushFolder(of: path) }
        guard errno == ENOENT else { throw .last }
    }

    /// Reads a small file.
    ///
    /// - Parameters:
    ///   - bytesMax: How much of it is read.
    ///   - isPrivate: Whether a file that others may read is refused, with ``ReadError/exposed``.
    /// - Returns: `nil` if there is none.
    package static func read(
        _ path: String, atMost bytesMax: Int, isPrivate: Bool = false
    ) throws(ReadError) -> [UInt8]? {
        let found: (isExposed: Bool, bytes: [UInt8])
        do throws(SystemError) {
            let file = try File.open(path)
            let isExposed = isPrivate ? try !file.status.isPrivate : false
            found = (isExposed, isExposed ? [] : try file.read(atMost: bytesMax))
        } catch {
            if error.isMissing { return nil }
            throw .system(error)
        }
        guard !found.isExposed else { throw .exposed }
        return found.bytes
    }

    /// Why a file was not read.
    package enum ReadError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The system's error; also for a link.
        case system(SystemError)
        /// Others may read it, or it is another user's, or it is no file.
        case exposed

        /// The reason in words.
        package var description: String {
            switch self {
            case .system(let error): error.description
            case .exposed: "it must be a file that belongs to its user alone"
            }
        }
    }
}
