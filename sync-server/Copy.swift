/// One copy of a server in a folder of copies: the database without the keys of accounts, those keys, the
/// blobs and a list of them, the secrets when asked, and a manifest. With a public key every file but the
/// list and the manifest is sealed: it ends in `.sealed`.
import MacrologArgumentParsing
import MacrologEvents
import MacrologWire
import MacrologJSON
import MacrologCryptography
import MacrologService
import MacrologSystem

/// A copy, by its path.
struct Copy {
    let path: String

    static let databaseName = "server.db"
    static let blobsName = "server.db.blobs"
    static let blobListName = "blobs"
    static let secretsName = "secrets.key"
    static let keysName = "server.db.keys"
    static let accountListName = "accounts"
    static let keysBytesMax = 1 << 30
    static let ending = ".sealed"
    static let manifestBytesMax = 65_536
    static let listBytesMax = 1 << 30

    var manifestPath: String { "\(path)/manifest" }

    /// Whether a path is a copy in a folder, as opposed to a single file.
    static func isCopy(_ path: String) -> Bool { Files.exists("\(path)/manifest") }

    /// Whether it is a folder, rather than a link to one elsewhere.
    private var isFolder: Bool { FileStatus(of: path, followsLinks: false)?.isFolder ?? false }

    /// The copies in a folder, the oldest first.
    static func all(in folder: String) -> [Copy] {
        Files.names(in: folder).map { Copy(path: "\(folder)/\($0)") }
            .filter { isCopy($0.path) && $0.isFolder }
            .map { (copy: $0, madeAt: $0.madeAt) }
            .sorted { $0.madeAt < $1.madeAt }
            .map(\.copy)
    }

    /// When it was made, in milliseconds since 1970 UTC; when its manifest was written, if that is
    /// damaged.
    var madeAt: Int64 {
        if let manifest = try? manifest() { return manifest.madeAt }
        return (FileStatus(of: manifestPath)?.modified ?? 0) / 1_000_000
    }

    /// The newest copy in a folder, or the folder itself if it is one.
    static func newest(_ path: String) throws(CommandError) -> Copy {
        if isCopy(path) { return Copy(path: path) }
        guard let last = all(in: path).last else {
            throw CommandError(.noInput, "sync-server: there is no complete copy in \(path).")
        }
        return last
    }

    func manifest() throws(CommandError) -> Manifest {
        let bytes: [UInt8]?
        do throws(WholeFile.ReadError) {
            bytes = try WholeFile.read(manifestPath, atMost: Self.manifestBytesMax)
        } catch {
            throw CommandError(.noInput, "sync-server: cannot read \(manifestPath): \(error)")
        }
        if let bytes, Manifest.isEarlier(bytes) {
            throw CommandError(
                .dataErr,
                """
                sync-server: an earlier build made the copy \(path), and nothing in it proves who did. \
                Make a new one with `sync-server backup add`, or restore it with that build.
                """)
        }
        guard let manifest = bytes.flatMap({ Manifest($0) }) else { throw damaged("its manifest") }
        return manifest
    }

    /// Its manifest, if the server with these secrets made it; without secrets any.
    func manifest(madeWith secrets: Secrets?) -> Manifest? {
        guard let manifest = try? manifest() else { return nil }
        return secrets.map { manifest.isMade(with: $0) } ?? true ? manifest : nil
    }

    /// A blob's file in a copy.
    struct Listed {
        /// Its SHA-256, in hexadecimal.
        let hash: String
        /// Its length and when it was written, as ``stamp(_:)``.
        let stamp: String
    }

    /// The length of a file, and when it was written: as long as both are the same, it is taken for
    /// unchanged.
    static func stamp(_ path: String) -> String {
        FileStatus(of: path).map { "\($0.bytes)-\($0.modified)" } ?? ""
    }

    /// The files of blobs by their names.
    func listedBlobs(_ manifest: Manifest) throws(CommandError) -> [String: Listed] {
        let lines = try lines(Self.blobListName, manifest.blobList, "its list of photos")
        let words = lines.map { $0.split(separator: " ").map { String($0) } }
        return Dictionary(
            words.compactMap { $0.count == 3 ? ($0[0], Listed(hash: $0[1], stamp: $0[2])) : nil },
            uniquingKeysWith: { first, _ in first })
    }

    /// The accounts that have a key in the copy, each with the digest of that, which stay when the keys
    /// are removed.
    func listedAccounts(_ manifest: Manifest) throws(CommandError) -> [Identifier: String] {
        guard !manifest.keys.isEmpty else { return [:] }
        let lines = try lines(
            Self.accountListName, manifest.accountList, "its list of accounts")
        let words = lines.map { $0.split(separator: " ").map { String($0) } }
        return Dictionary(
            words.compactMap { word in
                Identifier(word[0]).map { ($0, word.count > 1 ? word[1] : "") }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The lines of a list, which is what the manifest says.
    private func lines(
        _ name: String, _ digest: String, _ what: String
    ) throws(CommandError) -> [Substring] {
        guard let bytes = try? WholeFile.read("\(path)/\(name)", atMost: Self.listBytesMax),
            hexadecimal(sha256(bytes)) == digest
        else { throw damaged(what) }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    /// Refuses a copy that another server made, or that someone has changed.
    func check(_ manifest: Manifest, madeWith secrets: Secrets) throws(CommandError) {
        guard !manifest.isMade(with: secrets) else { return }
        throw CommandError(
            .dataErr,
            """
            sync-server: the secrets are not those of the copy \(path), or someone has changed its \
            manifest. Name the copy of secrets.key that belongs to it with --secrets, or take another \
            copy. If the folder has the secrets.key of a new server, move that aside, and the copy's own \
            is taken.
            """)
    }

    /// The keys of accounts: those of this copy or, once they are gone, of the newest other copy that
    /// has some.
    func keys(
        _ manifest: Manifest, _ secrets: Secrets?, beside database: String, pair: SealingPair?
    ) throws(CommandError) -> KeyTable? {
        guard !manifest.keys.isEmpty else { return nil }
        let others = Copy.all(in: Files.folder(of: path)).reversed()
        var problem = damaged(Self.keysName)
        for copy in (hasKeys ? [self] : Array(others)) where copy.hasKeys {
            guard let own = copy.manifest(madeWith: secrets) else { continue }
            do throws(CommandError) {
                return try copy.ownKeys(own, beside: database, pair: pair)
            } catch {
                problem = error
            }
        }
        throw problem
    }

    private var keysFiles: [String] { ["", Self.ending].map { "\(path)/\(Self.keysName)\($0)" } }

    var hasKeys: Bool { keysFiles.contains { Files.exists($0) } }

    /// Removes the keys of accounts, so that the copy cannot be opened for one that is deleted later.
    func removeKeys() {
        for file in keysFiles { Files.remove(file) }
    }

    private func ownKeys(
        _ manifest: Manifest, beside database: String, pair: SealingPair?
    ) throws(CommandError) -> KeyTable {
        let scratch = "\(database).keys"
        defer { Files.remove(scratch) }
        let digest = try take(Self.keysName, to: scratch, pair)
        guard hexadecimal(digest) == manifest.keys,
            let bytes = try? WholeFile.read(scratch, atMost: Self.keysBytesMax),
            let table = KeyTable(bytes)
        else { throw damaged(Self.keysName) }
        return table
    }

    private func damaged(_ part: String) -> CommandError {
        CommandError(
            .dataErr,
            "sync-server: the copy \(path) is damaged: \(part) is not what it was. Take another copy."
        )
    }

    /// Writes the database and its blobs where a server can use them, and compares them with the
    /// manifest.
    ///
    /// - Returns: The secrets, if the copy has them.
    func unpack(
        to database: String, _ manifest: Manifest, pair: SealingPair?
    ) throws(CommandError) -> [UInt8]? {
        if !manifest.sealedTo.isEmpty, pair == nil {
            throw CommandError(
                .noInput,
                """
                sync-server: the copy \(path) is encrypted. Name the file of its secret key with \
                --backup-secret.
                """)
        }
        let found = try take(Self.databaseName, to: database, pair)
        guard hexadecimal(found) == manifest.database else { throw damaged(Self.databaseName) }
        // What no list names, its maker did not put there.
        for name in try listedBlobs(manifest).keys.sorted() where Files.exists("\(path)/\(name)") {
            let end = name.hasSuffix(Self.ending) ? Self.ending.utf8.count : 0
            let plain = name.dropLast(end)
            let parts = plain.split(separator: "/")
            guard parts.count == 3, parts[0] == Self.blobsName else { continue }
            try makeFolder("\(database).blobs")
            try makeFolder("\(database).blobs/\(parts[1])")
            _ = try take(String(plain), to: "\(database).blobs/\(parts[1])/\(parts[2])", pair)
        }
        guard !manifest.secrets.isEmpty else { return nil }
        let scratch = "\(database).secrets"
        defer { Files.remove(scratch) }
        let digest = try take(Self.secretsName, to: scratch, pair)
        guard hexadecimal(digest) == manifest.secrets,
            let bytes = try? WholeFile.read(scratch, atMost: Secrets.byteCount + 1),
            bytes.count == Secrets.byteCount
        else { throw damaged(Self.secretsName) }
        return bytes
    }

    private func makeFolder(_ path: String) throws(CommandError) {
        do throws(SystemError) { try Files.makeFolder(path) } catch {
            throw CommandError(.cantCreate, "sync-server: cannot create \(path): \(error)")
        }
    }

    /// Copies a file out of the copy, opened if it is sealed.
    private func take(
        _ name: String, to target: String, _ pair: SealingPair?
    ) throws(CommandError) -> [UInt8] {
        let source = "\(path)/\(name)"
        let hash: [UInt8]?
        do throws(SystemError) {
            if let pair, Files.exists(source + Self.ending) {
                hash = try Pieces.open(source + Self.ending, to: target, pair)
            } else {
                hash = try Pieces.copy(source, to: target)
            }
        } catch {
            if error.isMissing { throw damaged(name) }
            throw CommandError(.ioErr, "sync-server: cannot copy \(source): \(error)")
        }
        guard let hash else {
            throw CommandError(
                .dataErr,
                """
                sync-server: \(source + Self.ending) is damaged, or is for another key than the one \
                of --backup-secret.
                """)
        }
        return hash
    }
}

/// Files read piece by piece, and copied, sealed or opened on the way, which gives the SHA-256 of the
/// plain bytes.
enum Pieces {
    static func copy(_ source: String, to target: String) throws(SystemError) -> [UInt8] {
        let input = try File.open(source)
        let output = try File.create(target)
        var hash = SHA256Stream()
        while true {
            let piece = try input.read(atMost: StreamSealer.pieceBytes)
            guard !piece.isEmpty else { break }
            piece.withUnsafeBytes { hash.add($0) }
            try output.write(piece)
        }
        try output.flush()
        return hash.finish()
    }

    static func seal(
        _ source: String, to target: String, _ publicKey: [UInt8]
    ) throws(SystemError) -> [UInt8] {
        let input = try File.open(source)
        let output = try File.create(target)
        var hash = SHA256Stream()
        var sealer = StreamSealer(to: publicKey)
        try output.write(sealer.head)
        var piece = try input.read(atMost: StreamSealer.pieceBytes)
        while true {
            let next =
                piece.count < StreamSealer.pieceBytes
                ? [] : try input.read(atMost: StreamSealer.pieceBytes)
            piece.withUnsafeBytes { hash.add($0) }
            try output.write(sealer.seal(piece, isLast: next.isEmpty))
            if next.isEmpty { break }
            piece = next
        }
        try output.flush()
        return hash.finish()
    }

    /// - Returns: `nil` if the file was changed, is cut off, or is not for this pair.
    static func open(
        _ source: String, to target: String, _ pair: SealingPair
    ) throws(SystemError) -> [UInt8]? {
        let input = try File.open(source)
        let output = try File.create(target)
        var hash = SHA256Stream()
        let head = try input.read(atMost: StreamSealer.headBytes)
        guard var opener = StreamOpener(head: head, pair: pair) else { return nil }
        while true {
            let sealed = try input.read(
                atMost: StreamSealer.pieceBytes + StreamSealer.addedBytes)
            guard let (piece, isLast) = opener.open(sealed) else { return nil }
            piece.withUnsafeBytes { hash.add($0) }
            try output.write(piece)
            guard isLast else { continue }
            guard try input.read(atMost: 1).isEmpty else { return nil }
            try output.flush()
            return hash.finish()
        }
    }

    /// The SHA-256 of a file as it is, in hexadecimal.
    static func hash(_ path: String) throws(SystemError) -> String {
        let file = try File.open(path)
        var hash = SHA256Stream()
        while true {
            let piece = try file.read(atMost: StreamSealer.pieceBytes)
            guard !piece.isEmpty else { return hexadecimal(hash.finish()) }
            piece.withUnsafeBytes { hash.add($0) }
        }
    }
}
