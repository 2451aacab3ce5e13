/// The unfinished uploads of a server: files that grow in a folder of this machine, until each is a complete blob.
import MacrologEvents
import MacrologWire
import MacrologCryptography
import MacrologSystem

extension BlobFiles {
    /// What the name of a folder of unfinished uploads begins with.
    static let unfinishedName = "unfinished"

    /// An upload continues in the form in which it began, unless it begins again.
    func unfinishedPath(_ key: BlobKey, isEncrypted: Bool) -> String {
        "\(unfinishedFolder)/\(object(key, isEncrypted: isEncrypted).name)"
    }

    /// Where an upload goes now.
    private func unfinishedPath(_ key: BlobKey) -> String {
        unfinishedPath(key, isEncrypted: atRest?.isOn ?? false)
    }

    /// The size of an unfinished upload, in bytes.
    func unfinishedBytes(_ key: BlobKey) -> Int64 { Self.length(unfinishedPath(key)) ?? 0 }

    /// Opens an unfinished upload, truncates it to `count` bytes, and positions it for appending.
    func open(_ key: BlobKey, keeping count: Int64) throws(StoreError) -> UnfinishedFile {
        try local.requireMounted()
        for part in [folder, unfinishedFolder, "\(unfinishedFolder)/\(key.space)"] {
            try FolderStorage.make(part)
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

    /// The SHA-256 of an unfinished upload.
    func hashUnfinished(_ key: BlobKey) throws(StoreError) -> [UInt8] {
        try hash(unfinishedPath(key), key)
    }

    /// Turns a complete upload into a blob, durably.
    func complete(_ key: BlobKey) throws(StoreError) {
        let from = unfinishedPath(key)
        let object = object(key, isEncrypted: from.hasSuffix(Self.ending))
        try storage.put(from, as: object)
        guard isShared else { return }
        // A storage may have answered before all of it was there.
        guard let status = FileStatus(of: from), try storage.length(of: object) == status.bytes
        else { throw .failed("a blob is not in the storage after it was stored") }
        Files.remove(from)
    }

    /// Removes an unfinished upload, in whichever form it is.
    func removeUnfinished(_ key: BlobKey) {
        for isEncrypted in [false, true] {
            Files.remove(unfinishedPath(key, isEncrypted: isEncrypted))
        }
    }

    /// The unfinished uploads of this node, of one space or of all, and when each was last written, in
    /// milliseconds since 1970 UTC.
    func unfinished(of space: Space? = nil) -> [(key: BlobKey, written: Int64)] {
        FolderStorage.objects(in: unfinishedFolder, of: space).map(\.key).map { key in
            let written = [false, true].compactMap {
                FileStatus(of: unfinishedPath(key, isEncrypted: $0))?.modified
            }
            return (key, (written.max() ?? 0) / 1_000_000)
        }
    }

    /// The folders of unfinished uploads of all nodes.
    var allUnfinished: [String] {
        Files.names(in: folder).filter { $0.hasPrefix(Self.unfinishedName) }.map {
            "\(folder)/\($0)"
        }
    }

    /// Removes what other nodes have of unfinished uploads, and have not written since a time, in milliseconds since
    /// 1970 UTC. A node that has gone for ever does not come back for it.
    ///
    /// - Returns: How many uploads were removed.
    func removeUnfinishedOfOthers(before: Int64) -> Int {
        var removed = 0
        for other in allUnfinished where other != unfinishedFolder {
            for object in FolderStorage.objects(in: other) {
                let path = "\(other)/\(object.name)"
                guard let status = FileStatus(of: path), status.modified / 1_000_000 < before
                else { continue }
                Files.remove(path)
                removed += 1
            }
        }
        return removed
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
