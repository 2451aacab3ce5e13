/// The options of copies, the keys that seal them, and `backup add` and `backup key`.
import MacrologArgumentParsing
import MacrologCryptography
import MacrologService
import MacrologSystem

enum BackupOptions {
    static let folder = Parameter.option(
        "backup", .directory,
        "A folder in which the server keeps copies of itself, on another disk if possible.")
    static let interval = Parameter.option(
        "every", .duration, otherwise: "1h", "How often it makes a copy, such as 30m, 1h or 1d.")
    static let keep = Parameter.option(
        "keep", .integer("COUNT", in: 1...10_000), otherwise: "24", "How many copies it keeps.")
    static let publicKey = Parameter.option(
        "backup-key", .publicKey,
        "Encrypt copies to this public key, which `sync-server backup key` makes.")
    static let hasSecrets = Parameter.flag(
        "backup-secrets",
        "Put secrets.key into copies, too: one file less to keep apart, and one more to protect.")
    static let secret = Parameter.option(
        "backup-secret", .file, "The file of the secret key that opens encrypted copies.")

    static func plan(
        _ arguments: ParsedArguments, folder: String, keys: [DataKey]
    ) -> CopyPlan {
        CopyPlan(
            folder: folder, keep: arguments[keep], publicKey: arguments[publicKey],
            hasSecrets: arguments[hasSecrets], keys: keys)
    }

    /// The pair of keys that opens copies; `nil` without the option.
    static func pair(_ arguments: ParsedArguments) throws(CommandError) -> SealingPair? {
        guard let path = arguments[secret] else { return nil }
        let text = String(decoding: try DataFolder.readKey(path), as: UTF8.self)
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 1, let bytes = Base64URL.decode(Array(words[0].utf8)),
            bytes.count == SealingPair.byteCount
        else {
            throw CommandError(
                .dataErr,
                "sync-server: \(path) is no secret key of `sync-server backup key`, or is damaged.")
        }
        return SealingPair(secret: bytes)
    }
}

/// A key as it is written.
enum SealingKey {
    static func text(_ key: [UInt8]) -> String {
        String(decoding: Base64URL.encode(key), as: UTF8.self)
    }
}

extension Form where Value == [UInt8] {
    /// The public key of copies.
    static var publicKey: Form {
        Form("KEY") { word throws(BadValue) in
            guard let key = Base64URL.decode(Array(word.utf8)), key.count == SealingPair.byteCount
            else {
                throw BadValue(
                    "is not a public key", instead: "the key that `sync-server backup key` printed")
            }
            return key
        }
    }
}

extension Form where Value == Int64 {
    /// A duration in milliseconds, typed as `90s`, `30m`, `1h` or `2d`.
    static var duration: Form {
        Form("DURATION") { word throws(BadValue) in
            let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
            guard let unit = word.last.flatMap({ units[$0] }),
                let count = Int64(word.dropLast()), (1...100_000).contains(count)
            else {
                throw BadValue("is not a duration", instead: "one such as 30m, 1h or 1d")
            }
            return count * unit * 1_000
        }
    }
}

enum BackupAdd {
    static let folder = Parameter.argument("folder", .directory, "The folder of copies.")

    static let command = Command<Void, CommandError>(
        "backup add", "Add a copy to a folder of copies, also while the server runs.",
        example: "backup add /backups/macrolog --data /var/lib/macrolog --keep 14",
        explanation: """
            A copy is a folder named by its time. It is complete, or it is not there. A photo that the \
            copy before has is not written again. With --backup a server does this by itself.
            """,
        run: { arguments, _ throws(CommandError) in
            let data = try DataFolder.existing(arguments, instead: StoreOptions.copying)
            for path in [data.path, arguments[folder]] { try DataFolder.refuseAnothers(path) }
            try data.requireOwnBlobs("`backup add`")
            let keys = try AtRestKey.keys(arguments, for: data)
            let plan = BackupOptions.plan(arguments, folder: arguments[folder], keys: keys)
            let made = try plan.make(from: data)
            guard made.problems.isEmpty else {
                throw CommandError(
                    .dataErr,
                    made.problems.joined(separator: "\n") + "\nsync-server: \(made.copy.path) was "
                        + "made, but what is named above needs a look.")
            }
            Standard.output(
                "\(made.copy.path) holds \(made.manifest.events) events of "
                    + "\(made.manifest.accounts) accounts, \(made.manifest.blobs) blobs.\n")
        }
    ) {
        folder
        Settings.file
        Serve.data
        AtRestKey.option
        BackupOptions.keep
        BackupOptions.publicKey
        BackupOptions.hasSecrets
    }
}

enum BackupKey {
    static let file = Parameter.argument("file", .file, "Where the secret key is written.")

    static let command = Command<Void, CommandError>(
        "backup key", "Make a pair of keys for encrypted copies.",
        example: "backup key backup.secret",
        explanation: """
            The public key is printed, for --backup-key: with it copies are made. The secret key opens \
            them: keep it away from the server, and more than once.
            """,
        run: { arguments, _ throws(CommandError) in
            let path = arguments[file]
            var pair = SealingPair()
            // After `--backup-key` a dash would begin another option.
            while SealingKey.text(pair.publicKey).hasPrefix("-") { pair = SealingPair() }
            guard !Files.exists(path) else {
                throw CommandError(
                    .cantCreate,
                    "sync-server: \(path) exists, and copies may need it. Choose another name.")
            }
            do throws(SystemError) {
                var whole = try WholeFile(path)
                try whole.write(Array((SealingKey.text(pair.secret) + "\n").utf8))
                try whole.complete()
            } catch {
                throw CommandError(.cantCreate, "sync-server: cannot write \(path): \(error)")
            }
            Standard.output("\(SealingKey.text(pair.publicKey))\n")
        }
    ) {
        file
    }
}
