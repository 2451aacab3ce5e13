/// Where the bytes of blobs are stored: a folder for each space, a file for each blob, and
/// unfinished uploads in a separate folder. The server chooses all names: numbers of spaces and
/// hexadecimal digits. The file of a blob that is encrypted ends in `.enc`.
import MacrologEvents
import MacrologWire
import MacrologCryptography
import MacrologSystem

/// The folder of a server's blobs, next to its database.
package struct BlobFiles: Sendable {
    package let folder: String
    /// Called when a flush has failed, because the next flush would not report it; ends the
    /// process.
    private let fatal: (@Sendable (String) -> Void)?
    /// Encrypts new blobs, and decrypts those that are encrypted.
    private let atRest: AtRest?

    /// The blobs of the database at a path, without keys.
    package init(of database: String) { self.init(of: database, nil) }

    /// The blobs of the database at a path.
    ///
    /// - Parameter fatal: Called when a flush has failed; should end the process. Without it, or if
    ///   it returns, the error is thrown.
    init(of database: String, _ atRest: AtRest?, fatal: (@Sendable (String) -> Void)? = nil) {
        folder = "\(database).blobs"
        self.fatal = fatal
        self.atRest = atRest
    }

    /// What the name of an encrypted file ends in.
    package static let ending = ".enc"

    private func plainPath(_ key: BlobKey) -> String { "\(folder)/\(key.space)/\(key.digits)" }

    /// The path of a complete blob.
    package func path(_ key: BlobKey) -> String {
        isEncrypted(key) ? plainPath(key) + Self.ending : plainPath(key)
    }

    /// Whether a complete blob is encrypted.
    func isEncrypted(_ key: BlobKey) -> Bool { Files.exists(plainPath(key) + Self.ending) }

    private func cipher(of key: BlobKey) throws(StoreError) -> DataKey? {
        try atRest?.cipher(of: key.space).key
    }

    /// An upload continues in the form in which it began, unless it begins again.
    private func unfinishedPath(_ key: BlobKey, isEncrypted: Bool) -> String {
        "\(folder)/unfinished/\(key.space)/\(key.digits)" + (isEncrypted ? Self.ending : "")
    }

    private func unfinishedPath(_ key: BlobKey) -> String {
        unfinishedPath(key, isEncrypted: atRest?.isOn ?? false)
    }

    /// The length of a complete blob; `nil` if it does not exist.
    package func bytes(_ key: BlobKey) -> Int64? { Self.length(path(key)) }

    /// The size of an unfinished upload, in bytes.
    func unfinishedBytes(_ key: BlobKey) -> Int64 { Self.length(unfinishedPath(key)) ?? 0 }

    /// Opens an unfinished upload, truncates it to `count` bytes, and positions it for appending.
    func open(_ key: BlobKey, keeping count: Int64) throws(StoreError) -> UnfinishedFile {
        for part in [folder, "\(folder)/unfinished", "\(folder)/unfinished/\(key.space)"] {
            try Self.make(part)
        }
        let path = unfinishedPath(key)
        let secret = try cipher(of: key)
        do throws(SystemError) {
            guard let secret else {
                return UnfinishedFile(try File.resume(path, keeping: count), nil)
            }
            // Bytes that are sent once more get another nonce.
            let nonce =
                count == 0
                ? randomBytes(DataKey.nonceBytes)
                : try File.open(path).read(atMost: DataKey.nonceBytes)
            guard nonce.count == DataKey.nonceBytes else { throw SystemError(number: 5) }
            let kept = count == 0 ? 0 : count + Int64(nonce.count)
            let file = try File.resume(path, keeping: kept)
            if count == 0 { try file.write(nonce) }
            return UnfinishedFile(file, BlobCipher(key: secret, nonce: nonce))
        } catch {
            throw StoreError(error, "open an upload")
        }
    }

    /// The first bytes of a blob.
    func beginning(_ key: BlobKey, _ count: Int64) throws(StoreError) -> [UInt8] {
        if isEncrypted(key) { return try read(key, 0..<count) }
        do throws(SystemError) { return try File.open(path(key)).read(atMost: Int(count)) } catch {
            throw StoreError(error, "read a blob")
        }
    }

    /// A part of an encrypted blob.
    func read(_ key: BlobKey, _ range: Range<Int64>) throws(StoreError) -> [UInt8] {
        guard let secret = try cipher(of: key) else { throw .failed("a blob's key is missing") }
        do throws(SystemError) {
            let file = try File.open(path(key))
            let nonce = try file.read(atMost: DataKey.nonceBytes)
            var part = [UInt8](repeating: 0, count: Int(range.count))
            var count = 0
            while count < part.count {
                let offset = Int64(DataKey.nonceBytes) + range.lowerBound + Int64(count)
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
                guard more > 0, nonce.count == DataKey.nonceBytes else {
                    throw SystemError(number: 5)
                }
                count += more
            }
            secret.apply(nonce: nonce, at: range.lowerBound, to: &part)
            return part
        } catch {
            throw StoreError(error, "read a blob")
        }
    }

    /// The SHA-256 of an unfinished upload.
    func hashUnfinished(_ key: BlobKey) throws(StoreError) -> [UInt8] {
        try hash(unfinishedPath(key), key)
    }

    /// The SHA-256 of a complete blob.
    package func hash(_ key: BlobKey) throws(StoreError) -> [UInt8] { try hash(path(key), key) }

    /// Turns a complete upload into a blob, durably: flushes its bytes, then its name, and the
    /// names of the folders that contain it.
    func complete(_ key: BlobKey) throws(StoreError) {
        let space = "\(folder)/\(key.space)"
        let from = unfinishedPath(key)
        try Self.make(space)
        try sync(from)
        let name = plainPath(key) + (from.hasSuffix(Self.ending) ? Self.ending : "")
        do throws(SystemError) { try Files.move(from, to: name) } catch {
            throw StoreError(error, "name a blob")
        }
        for folder in [space, folder, parent] { try sync(folder) }
    }

    /// The folder of the database.
    private var parent: String { Files.folder(of: folder) }

    package func remove(_ key: BlobKey) {
        for end in ["", Self.ending] { Files.remove(plainPath(key) + end) }
    }

    func removeUnfinished(_ key: BlobKey) {
        for isEncrypted in [false, true] {
            Files.remove(unfinishedPath(key, isEncrypted: isEncrypted))
        }
    }

    /// The complete blobs of all spaces.
    package func all() -> [BlobKey] { keys(in: folder) }

    /// The unfinished uploads of one space or of all, and when each was last written, in
    /// milliseconds since 1970 UTC.
    func unfinished(of space: Space? = nil) -> [(key: BlobKey, written: Int64)] {
        keys(in: "\(folder)/unfinished", of: space).map { key in
            let written = [false, true].compactMap {
                FileStatus(of: unfinishedPath(key, isEncrypted: $0))?.modified
            }
            return (key, (written.max() ?? 0) / 1_000_000)
        }
    }

    private func keys(in folder: String, of only: Space? = nil) -> [BlobKey] {
        var keys: [BlobKey] = []
        for name in Files.names(in: folder) {
            guard let space = Space(name), only == nil || only == space else { continue }
            for digits in Files.names(in: "\(folder)/\(name)") {
                let end = digits.hasSuffix(Self.ending) ? Self.ending.utf8.count : 0
                guard let bytes = BlobKey.name(digits: Array(digits.utf8.dropLast(end))) else {
                    continue
                }
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
            var whole = try WholeFile(plainPath(key) + Self.ending)
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

    /// The length of the blob in a file.
    private static func length(_ path: String) -> Int64? {
        guard let status = FileStatus(of: path, followsLinks: false), status.isRegular else {
            return nil
        }
        guard path.hasSuffix(ending) else { return status.bytes }
        return max(0, status.bytes - Int64(DataKey.nonceBytes))
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

    private func hash(_ path: String, _ key: BlobKey) throws(StoreError) -> [UInt8] {
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

/// The key of an encrypted file, and its nonce.
struct BlobCipher: Sendable {
    let key: DataKey
    let nonce: [UInt8]
}

/// The file of an upload, encrypted as it grows.
struct UnfinishedFile: ~Copyable, Sendable {
    private let file: File
    private let cipher: BlobCipher?

    init(_ file: consuming File, _ cipher: BlobCipher?) {
        self.file = file
        self.cipher = cipher
    }

    /// Appends bytes.
    ///
    /// - Parameter offset: How many bytes of the blob precede them.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
        guard let cipher else { return try file.write(bytes) }
        var part = Array(bytes)
        cipher.key.apply(nonce: cipher.nonce, at: offset, to: &part)
        try file.write(part)
    }
}

extension StoreError {
    /// An error of the system.
    init(_ error: SystemError, _ operation: String) {
        self = error.isFull ? .full : .failed("cannot \(operation): \(error)")
    }
}
