/// Where the bytes of complete blobs are: a folder of this machine, or a store of objects that several
/// servers share. A storage knows no keys: what is encrypted was so before it came.
import MacrologEvents
import MacrologSystem

/// One stored blob.
package struct BlobObject: Hashable, Sendable {
    package let key: BlobKey
    package let isEncrypted: Bool

    package init(_ key: BlobKey, isEncrypted: Bool) {
        self.key = key
        self.isEncrypted = isEncrypted
    }

    /// What the name of an encrypted one ends in.
    package static let ending = ".enc"

    /// Its name: the number of the space, `/`, hexadecimal digits, and the ending.
    package var name: String { "\(key.space)/\(key.digits)" + (isEncrypted ? Self.ending : "") }

    /// The object of a name; `nil` for any other name.
    package init?(name: some StringProtocol) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let space = Space(parts[0]), "\(space)" == parts[0] else {
            return nil
        }
        let isEncrypted = parts[1].hasSuffix(Self.ending)
        let digits = parts[1].utf8.dropLast(isEncrypted ? Self.ending.utf8.count : 0)
        guard let bytes = BlobKey.name(digits: Array(digits)) else { return nil }
        self.init(BlobKey(space: space, name: bytes), isEncrypted: isEncrypted)
    }
}

/// A part of an object.
package struct StoredPart: Sendable {
    package let bytes: [UInt8]
    /// The length of the whole object, in bytes.
    package let total: Int64
    /// Names the state of the object from which it was read, if the storage tells.
    package let version: String?

    package init(bytes: [UInt8], total: Int64, version: String?) {
        self.bytes = bytes
        self.total = total
        self.version = version
    }
}

/// Where the bytes of complete blobs are stored. Each call returns when it is done, and may wait for a disk
/// or a network.
package protocol BlobStorage: Sendable {
    /// The length of an object, in bytes; `nil` if it does not exist.
    func length(of object: BlobObject) throws(StoreError) -> Int64?
    /// A part of an object, or what it has of it; `nil` if it does not exist, or is not in the state that
    /// `version` names.
    func read(
        _ object: BlobObject, _ range: Range<Int64>, version: String?
    ) throws(StoreError) -> StoredPart?
    /// Stores a file under a name, whole and durably, in place of what has the name. If it throws, either
    /// may be there.
    func put(_ file: String, as object: BlobObject) throws(StoreError)
    /// Removes an object; removing what is not there is no error.
    func remove(_ object: BlobObject) throws(StoreError)
    /// Calls a closure with the objects of a space, or of all, and when each was written, in milliseconds since 1970
    /// UTC: some at a time, because there may be many millions.
    func list(of space: Space?, _ body: (ListedObjects) throws(StoreError) -> Void)
        throws(StoreError)
    /// When an object was written, in milliseconds since 1970 UTC; `nil` if it does not exist.
    func written(_ object: BlobObject) throws(StoreError) -> Int64?
}

/// Objects, and when each was written, in milliseconds since 1970 UTC.
package typealias ListedObjects = [(object: BlobObject, written: Int64)]

extension BlobStorage {
    /// All objects of a space, or of all spaces where there are few.
    package func list(of space: Space?) throws(StoreError) -> ListedObjects {
        var all: ListedObjects = []
        try list(of: space) { (part: ListedObjects) throws(StoreError) in all += part }
        return all
    }
}

/// A folder for each space, and in it a file for each blob.
struct FolderStorage: BlobStorage {
    let folder: String
    /// The folder above it as it was at the start, if several nodes share it; otherwise `nil`. It may be unmounted, and
    /// what lies there then is not what the nodes have stored.
    var opened: FileStatus?
    /// Called when a flush has failed, because the next flush would not report it; ends the process.
    let fatal: (@Sendable (String) -> Void)?

    func path(_ object: BlobObject) -> String { "\(folder)/\(object.name)" }

    /// Whether the folder is still the one of the start.
    var isMounted: Bool {
        guard let opened else { return true }
        let found = FileStatus(of: Files.folder(of: folder))
        return found?.inode == opened.inode && found?.device == opened.device
    }

    /// Refuses a folder that is not the one of the start.
    func requireMounted() throws(StoreError) {
        guard isMounted else { throw .unmounted }
    }

    /// What may not be looked at, or lies in a folder that is not mounted, is not missing.
    func length(of object: BlobObject) throws(StoreError) -> Int64? {
        let status: FileStatus?
        do throws(SystemError) { status = try FileStatus.ifThere(path(object)) } catch {
            throw StoreError(error, "look at a photo in \(folder)")
        }
        if let status, status.isRegular { return status.bytes }
        try requireMounted()
        return nil
    }

    func read(
        _ object: BlobObject, _ range: Range<Int64>, version: String?
    ) throws(StoreError) -> StoredPart? {
        guard let total = try length(of: object) else { return nil }
        let wanted = range.clamped(to: 0..<total)
        do throws(SystemError) {
            let file = try File.open(path(object))
            var part = [UInt8](repeating: 0, count: wanted.count)
            var count = 0
            while count < part.count {
                let offset = wanted.lowerBound + Int64(count)
                let result = part.withUnsafeMutableBytes { buffer -> Result<Int, SystemError> in
                    do throws(SystemError) {
                        return .success(
                            try file.read(
                                into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]),
                                at: offset))
                    } catch {
                        return .failure(error)
                    }
                }
                let more = try result.get()
                guard more > 0 else { throw SystemError(number: 5) }
                count += more
            }
            return StoredPart(bytes: part, total: total, version: nil)
        } catch {
            throw StoreError(error, "read a blob")
        }
    }

    /// Flushes the file's bytes, then its name, and the names of the folders that contain it.
    func put(_ file: String, as object: BlobObject) throws(StoreError) {
        try requireMounted()
        let space = "\(folder)/\(object.key.space)"
        try Self.make(space)
        try sync(file)
        do throws(SystemError) { try Files.move(file, to: path(object)) } catch {
            throw StoreError(error, "name a blob")
        }
        for folder in [space, folder, Files.folder(of: folder)] { try sync(folder) }
    }

    func remove(_ object: BlobObject) { Files.remove(path(object)) }

    func list(
        of space: Space?, _ body: (ListedObjects) throws(StoreError) -> Void
    ) throws(StoreError) {
        try body(Self.objects(in: folder, of: space).map { ($0, written($0) ?? 0) })
    }

    /// What lies in a folder of this form.
    static func objects(in folder: String, of only: Space? = nil) -> [BlobObject] {
        Files.names(in: folder).flatMap { name -> [BlobObject] in
            guard let space = Space(name), only == nil || only == space else { return [] }
            return Files.names(in: "\(folder)/\(name)").compactMap {
                BlobObject(name: "\(name)/\($0)")
            }
        }
    }

    func written(_ object: BlobObject) -> Int64? {
        FileStatus(of: path(object)).map { $0.modified / 1_000_000 }
    }

    static func make(_ folder: String) throws(StoreError) {
        do throws(SystemError) { try Files.makeFolder(folder) } catch {
            throw StoreError(error, "make a folder")
        }
    }

    func sync(_ path: String) throws(StoreError) {
        do throws(SystemError) { try Files.flush(path) } catch {
            let failure = StoreError(error, "make a file durable")
            if error.isFlush { fatal?("cannot tell what is on the disk: \(failure)") }
            throw failure
        }
    }
}
