/// Where the bytes of blobs are stored: a folder for each space, a file for each blob, and
/// unfinished uploads in a separate folder. The server chooses all names: numbers of spaces and
/// hexadecimal digits.
import MacrologEvents
import MacrologSeal
import MacrologSystem

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
    func open(_ key: BlobKey, keeping count: Int64) throws(StoreError) -> File {
        for part in [folder, "\(folder)/unfinished", "\(folder)/unfinished/\(key.space)"] {
            try Self.make(part)
        }
        do throws(SystemError) {
            return try File.resume(unfinishedPath(key), keeping: count)
        } catch {
            throw StoreError(error, "open an upload")
        }
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
        do throws(SystemError) { try Files.move(unfinishedPath(key), to: path(key)) } catch {
            throw StoreError(error, "name a blob")
        }
        for folder in [space, folder, parent] { try sync(folder) }
    }

    /// The folder of the database.
    private var parent: String { Files.folder(of: folder) }

    func remove(_ key: BlobKey) { Files.remove(path(key)) }

    func removeUnfinished(_ key: BlobKey) { Files.remove(unfinishedPath(key)) }

    /// The complete blobs of all spaces.
    package func all() -> [BlobKey] { keys(in: folder) }

    /// The unfinished uploads of one space or of all, and when each was last written, in
    /// milliseconds since 1970 UTC.
    func unfinished(of space: Space? = nil) -> [(key: BlobKey, written: Int64)] {
        keys(in: "\(folder)/unfinished", of: space).map { key in
            (key, (FileStatus(of: unfinishedPath(key))?.modified ?? 0) / 1_000_000)
        }
    }

    private func keys(in folder: String, of only: Space? = nil) -> [BlobKey] {
        var keys: [BlobKey] = []
        for name in Files.names(in: folder) {
            guard let space = Space(name), only == nil || only == space else { continue }
            for digits in Files.names(in: "\(folder)/\(name)") {
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
        do throws(SystemError) {
            let target = try File.create(other.path(key))
            try Self.read(path(key)) { piece throws(SystemError) in try target.write(piece) }
            try target.flush()
        } catch {
            throw StoreError(error, "copy a blob")
        }
    }

    /// Makes the entries of all folders durable, and the entries of the folders themselves.
    func syncToDisk() throws(StoreError) {
        for folder in [parent, folder] + Files.names(in: folder).map({ "\(folder)/\($0)" })
        where Files.exists(folder) {
            try sync(folder)
        }
    }

    /// Removes the blobs and unfinished uploads of a space.
    func removeAll(of space: Space) {
        for key in keys(in: folder, of: space) { remove(key) }
        for (key, _) in unfinished(of: space) { removeUnfinished(key) }
        for inner in ["\(folder)/unfinished", folder] {
            Files.removeFolder("\(inner)/\(space)")
        }
    }

    /// Removes the folder and all files in it that the server created.
    package func removeAll() {
        for key in all() { remove(key) }
        for (key, _) in unfinished() { removeUnfinished(key) }
        for inner in ["\(folder)/unfinished", folder] {
            for name in Files.names(in: inner) { Files.removeFolder("\(inner)/\(name)") }
            Files.removeFolder(inner)
        }
    }

    private static func size(_ path: String) -> Int64? {
        guard let status = FileStatus(of: path, followsLinks: false), status.isRegular else {
            return nil
        }
        return status.bytes
    }

    private static func make(_ folder: String) throws(StoreError) {
        do throws(SystemError) { try Files.makeFolder(folder) } catch {
            throw StoreError(error, "make a folder")
        }
    }

    private func sync(_ path: String) throws(StoreError) {
        do throws(SystemError) { try Files.flush(path) } catch {
            let failure = StoreError(error, "make a file durable")
            if error.isFlush { fatal?("cannot tell what is on the disk: \(failure)") }
            throw failure
        }
    }

    private static func hash(_ path: String) throws(StoreError) -> [UInt8] {
        var hash = SHA256Stream()
        do throws(SystemError) {
            try read(path) { piece throws(SystemError) in hash.add(piece) }
        } catch {
            throw StoreError(error, "read a file")
        }
        return hash.finish()
    }

    private static func read(
        _ path: String, _ body: (UnsafeRawBufferPointer) throws(SystemError) -> Void
    ) throws(SystemError) {
        let file = try File.open(path)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try file.read(into: buffer)
            guard count > 0 else { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}

extension StoreError {
    /// An error of the system.
    init(_ error: SystemError, _ operation: String) {
        self = error.isFull ? .full : .failed("cannot \(operation): \(error)")
    }
}
