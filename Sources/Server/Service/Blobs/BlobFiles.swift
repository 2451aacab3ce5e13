/// The complete blobs of a server, in a storage. Encryption at rest lies between them and the storage. The server
/// chooses all names: numbers of spaces and hexadecimal digits.
import MacrologEvents
import MacrologWire
import MacrologCryptography
package import MacrologSystem

/// The blobs of a server, and the folder next to its database.
package struct BlobFiles: Sendable {
    package let folder: String
    /// Encrypts new blobs, and decrypts those that are encrypted.
    private(set) var atRest: AtRest?
    let local: FolderStorage
    /// Where complete blobs are, if they are not in the folder.
    private let elsewhere: (any BlobStorage)?
    /// Where unfinished uploads are. An upload is one file that grows, so nodes that share the folder have one
    /// each.
    let unfinishedFolder: String

    /// The blobs of the database at a path, without keys.
    package init(of database: String) { self.init(of: database, nil) }

    /// The blobs of the database at a path.
    ///
    /// - Parameters:
    ///   - node: Names this one of several nodes that share the folder, always alike.
    ///   - elsewhere: Where complete blobs are, if they are not in the folder.
    ///   - fatal: Called when a flush has failed; should end the process. Without it, or if it returns, the
    ///     error is thrown.
    init(
        of database: String, _ atRest: AtRest?, node: String? = nil,
        elsewhere: (any BlobStorage)? = nil, fatal: (@Sendable (String) -> Void)? = nil
    ) {
        folder = "\(database).blobs"
        unfinishedFolder = "\(folder)/\(Self.unfinishedName)" + (node.map { "-\($0)" } ?? "")
        let isSharedFolder = node != nil && elsewhere == nil
        local = FolderStorage(
            folder: folder, opened: isSharedFolder ? FileStatus(of: Files.folder(of: folder)) : nil,
            fatal: fatal)
        self.elsewhere = elsewhere
        self.atRest = atRest
    }

    /// The same blobs, encrypted with the keys of another list.
    func encrypted(by atRest: AtRest) -> BlobFiles {
        var files = self
        files.atRest = atRest
        return files
    }

    /// What the name of an encrypted file ends in.
    package static let ending = BlobObject.ending

    /// Whether reading or completing a blob may wait for a network, and other servers use the same storage.
    var isShared: Bool { elsewhere != nil }

    var storage: any BlobStorage { elsewhere ?? local }

    func object(_ key: BlobKey, isEncrypted: Bool) -> BlobObject {
        BlobObject(key, isEncrypted: isEncrypted)
    }

    private func plainPath(_ key: BlobKey) -> String {
        local.path(object(key, isEncrypted: false))
    }

    /// The path of a complete blob in the folder.
    package func path(_ key: BlobKey) -> String {
        local.path(object(key, isEncrypted: isEncrypted(key)))
    }

    /// Whether a complete blob of the folder is encrypted.
    func isEncrypted(_ key: BlobKey) -> Bool { Files.exists(plainPath(key) + Self.ending) }

    func cipher(of key: BlobKey) throws(StoreError) -> DataKey? {
        try atRest?.cipher(of: key.space).key
    }

    /// The length of a complete blob of the folder; `nil` if it does not exist.
    package func bytes(_ key: BlobKey) -> Int64? { Self.length(path(key)) }

    /// Whether the storage has a blob with this length: it may have lost the blob.
    func hasWhole(_ key: BlobKey, bytes: Int64) throws(StoreError) -> Bool {
        let isOn = atRest?.isOn ?? false
        for isEncrypted in [isOn, !isOn] {
            let head = isEncrypted ? Int64(DataKey.nonceBytes) : 0
            let length = try storage.length(of: object(key, isEncrypted: isEncrypted))
            if length == head + bytes { return true }
        }
        return false
    }

    /// How far from its beginning a part is read with what precedes it, so that one request is enough.
    private static let readTogether: Int64 = 65_536

    /// A part of a complete blob; `nil` if the blob is not there whole.
    ///
    /// - Parameter bytes: The length of the blob.
    func read(
        _ key: BlobKey, _ range: Range<Int64>, of bytes: Int64
    ) throws(StoreError) -> [UInt8]? {
        guard !range.isEmpty else { return [] }
        let isOn = atRest?.isOn ?? false
        var part = try read(key, range, of: bytes, isEncrypted: isOn)
        if part == nil { part = try read(key, range, of: bytes, isEncrypted: !isOn) }
        guard let part, isShared, range == 0..<bytes else { return part }
        // What came over a network is what its name says, or not there.
        return SHA256.hash(part) == key.name ? part : nil
    }

    private func read(
        _ key: BlobKey, _ range: Range<Int64>, of bytes: Int64, isEncrypted: Bool
    ) throws(StoreError) -> [UInt8]? {
        let object = object(key, isEncrypted: isEncrypted)
        guard isEncrypted else {
            let part = try storage.read(object, range, version: nil)
            guard let part, part.total == bytes, part.bytes.count == range.count else { return nil }
            return part.bytes
        }
        let head = Int64(DataKey.nonceBytes)
        let isNear = range.lowerBound <= Self.readTogether
        let first = try storage.read(
            object, 0..<(isNear ? head + range.upperBound : head), version: nil)
        guard let first, first.total == head + bytes, first.bytes.count >= head else { return nil }
        guard let secret = try cipher(of: key) else { throw .failed("a blob's key is missing") }
        let nonce = Array(first.bytes.prefix(Int(head)))
        var part = Array(first.bytes.dropFirst(Int(head + range.lowerBound)))
        if !isNear {
            // Another upload of the same blob has another nonce.
            let rest = try storage.read(
                object, head + range.lowerBound..<head + range.upperBound, version: first.version)
            guard let rest else { throw .busy }
            part = rest.bytes
        }
        guard part.count == range.count else { return nil }
        secret.apply(nonce: nonce, at: range.lowerBound, to: &part)
        return part
    }

    /// The SHA-256 of a complete blob.
    package func hash(_ key: BlobKey) throws(StoreError) -> [UInt8] { try hash(path(key), key) }

    /// The folder of the database.
    private var parent: String { Files.folder(of: folder) }

    /// Removes a complete blob. Of a storage that others share, ``removeUnclaimed(written:isClaimed:)`` does it: another
    /// server may be storing it again.
    package func remove(_ key: BlobKey) {
        guard !isShared else { return }
        for isEncrypted in [false, true] { local.remove(object(key, isEncrypted: isEncrypted)) }
    }

    /// Removes what a shared storage holds, was written within a range of times, in milliseconds since 1970 UTC, and
    /// no row names. What other servers are storing is younger.
    ///
    /// - Returns: How many objects were removed.
    func removeUnclaimed(
        written range: Range<Int64>, isClaimed: (BlobKey) -> Bool
    ) throws(StoreError) -> Int {
        guard let elsewhere else { return 0 }
        var removed = 0
        try elsewhere.list(of: nil) { (part: ListedObjects) throws(StoreError) in
            for (object, written) in part
            where range.contains(written) && object.key.space != HistoryMark.space
                && !isClaimed(object.key)
            {
                // It may have been stored again since it was listed.
                guard let written = try elsewhere.written(object), range.contains(written) else {
                    continue
                }
                try elsewhere.remove(object)
                removed += 1
            }
        }
        return removed
    }

    /// Whether a shared storage has a mark.
    func has(_ mark: HistoryMark) throws(StoreError) -> Bool {
        try elsewhere?.length(of: mark.object) != nil
    }

    /// Stores a mark in a shared storage, and removes all others.
    func store(_ mark: HistoryMark) throws(StoreError) {
        guard let elsewhere else { return }
        try FolderStorage.make(folder)
        let file = "\(unfinishedFolder).mark"
        do throws(SystemError) { try WholeFile.replace(file, with: mark.name) } catch {
            throw StoreError(error, "write the mark of a history")
        }
        defer { Files.remove(file) }
        try elsewhere.put(file, as: mark.object)
        for (object, _) in try elsewhere.list(of: HistoryMark.space) where object != mark.object {
            try elsewhere.remove(object)
        }
    }

    /// The complete blobs of all spaces in the folder.
    package func all() -> [BlobKey] { FolderStorage.objects(in: folder).map(\.key) }

    /// Whether a complete blob is in the folder.
    package var hasAny: Bool {
        Files.names(in: folder).contains {
            Space($0) != nil && !Files.names(in: "\(folder)/\($0)").isEmpty
        }
    }

    /// Copies a blob into another folder, durably except for the folder's own entry.
    func copy(_ key: BlobKey, to other: BlobFiles) throws(StoreError) {
        try FolderStorage.make(other.folder)
        try FolderStorage.make("\(other.folder)/\(key.space)")
        do throws(SystemError) {
            let end = isEncrypted(key) ? Self.ending : ""
            let target = try File.create(other.plainPath(key) + end)
            try Self.read(path(key)) { piece throws(SystemError) in try target.write(piece) }
            try target.flush()
        } catch {
            throw StoreError(error, "copy a blob")
        }
    }

    /// Encrypts a blob that is stored as it is, and removes what was stored, durably.
    ///
    /// An interrupted attempt leaves both files: the encrypted one is kept if it is sound.
    func encrypt(_ key: BlobKey) throws(StoreError) {
        guard Files.exists(plainPath(key)), let secret = try cipher(of: key) else { return }
        let found = isEncrypted(key) ? try hash(key) : nil
        if found != key.name { try writeEncrypted(key, secret) }
        do throws(SystemError) { try WholeFile.remove(plainPath(key)) } catch {
            throw StoreError(error, "remove a photo that is not encrypted")
        }
    }

    private func writeEncrypted(_ key: BlobKey, _ secret: DataKey) throws(StoreError) {
        do throws(SystemError) {
            let nonce = randomBytes(DataKey.nonceBytes)
            var whole = try WholeFile(own: plainPath(key) + Self.ending)
            try whole.write(nonce)
            var offset: Int64 = 0
            try Self.read(plainPath(key)) { piece throws(SystemError) in
                var part = Array(piece)
                secret.apply(nonce: nonce, at: offset, to: &part)
                offset += Int64(part.count)
                try whole.write(part)
            }
            try whole.complete()
        } catch {
            throw StoreError(error, "encrypt a blob")
        }
    }

    /// Removes the unfinished uploads that are stored as they are: devices send them again.
    ///
    /// - Throws: If a blob is still stored as it is.
    func removePlain() throws(StoreError) {
        for (key, _) in unfinished() {
            do throws(SystemError) {
                try WholeFile.remove(unfinishedPath(key, isEncrypted: false))
            } catch {
                throw StoreError(error, "remove an upload that is not encrypted")
            }
        }
        guard let left = all().first(where: { Files.exists(plainPath($0)) }) else { return }
        throw .failed("\(plainPath(left)) is not encrypted")
    }

    /// Makes the entries of all folders durable, and the entries of the folders themselves.
    func syncToDisk() throws(StoreError) {
        for folder in [parent, folder] + Files.names(in: folder).map({ "\(folder)/\($0)" })
        where Files.exists(folder) {
            try local.sync(folder)
        }
    }

    /// Removes the blobs and unfinished uploads of a space.
    ///
    /// - Throws: If a shared storage still has some, or the folder is not mounted.
    func removeAll(of space: Space) throws(StoreError) {
        try local.requireMounted()
        for object in FolderStorage.objects(in: folder, of: space) { local.remove(object) }
        for inner in allUnfinished {
            for object in FolderStorage.objects(in: inner, of: space) {
                Files.remove("\(inner)/\(object.name)")
            }
            Files.removeFolder("\(inner)/\(space)")
        }
        Files.removeFolder("\(folder)/\(space)")
        guard let elsewhere else { return }
        for (object, _) in try elsewhere.list(of: space) { try elsewhere.remove(object) }
    }

    /// Removes the folder and all files in it that the server created.
    package func removeAll() {
        for object in FolderStorage.objects(in: folder) { local.remove(object) }
        for (key, _) in unfinished() { removeUnfinished(key) }
        for inner in allUnfinished + [folder] {
            for name in Files.names(in: inner) { Files.removeFolder("\(inner)/\(name)") }
            Files.removeFolder(inner)
        }
    }

    /// The length of the blob in a file.
    static func length(_ path: String) -> Int64? {
        guard let status = FileStatus(of: path, followsLinks: false), status.isRegular else {
            return nil
        }
        guard path.hasSuffix(ending) else { return status.bytes }
        return max(0, status.bytes - Int64(DataKey.nonceBytes))
    }

    /// The SHA-256 of the blob in a file.
    func hash(_ path: String, _ key: BlobKey) throws(StoreError) -> [UInt8] {
        let isEncrypted = path.hasSuffix(Self.ending)
        let secret = isEncrypted ? try cipher(of: key) : nil
        guard !isEncrypted || secret != nil else { throw .failed("a blob's key is missing") }
        var hash = SHA256Stream()
        var (nonce, offset): ([UInt8], Int64) = ([], 0)
        do throws(SystemError) {
            try Self.read(path) { piece throws(SystemError) in
                guard let secret else { return hash.add(piece) }
                // The first piece is longer than a nonce.
                let skipped = nonce.isEmpty ? DataKey.nonceBytes : 0
                if nonce.isEmpty { nonce = Array(piece.prefix(DataKey.nonceBytes)) }
                guard nonce.count == DataKey.nonceBytes else { return }
                var part = Array(piece.dropFirst(skipped))
                secret.apply(nonce: nonce, at: offset, to: &part)
                offset += Int64(part.count)
                part.withUnsafeBytes { hash.add($0) }
            }
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
    package init(_ error: SystemError, _ operation: String) {
        self = error.isFull ? .full : .failed("cannot \(operation): \(error)")
    }
}
