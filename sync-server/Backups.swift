/// Copies of a server in a folder: made while it runs, by itself or by `backup add`, each complete or
/// not there. A photo that an earlier copy has is not written again, but gets one more name.
import MacrologArgumentParsing
import MacrologEvents
import MacrologCryptography
import MacrologService
import MacrologSystem
import Synchronization

/// Where copies go, and what is in them.
struct CopyPlan: Sendable {
    /// The folder of copies.
    let folder: String
    /// How many complete copies stay.
    let keep: Int64
    /// Seals every file; `nil` leaves them as they are.
    let publicKey: [UInt8]?
    /// Whether the secrets are in the copy.
    let hasSecrets: Bool
    /// The keys of encryption at rest.
    let keys: [DataKey]

    /// A copy that was made.
    struct Made {
        let copy: Copy
        let manifest: Manifest
        /// Blobs that were written, rather than named once more.
        var newBlobs = 0
        /// What is damaged in the server itself, or in the copies before.
        var problems: [String] = []
        /// The accounts that have a key in it, each with the digest of that.
        let accounts: [Identifier: String]
        let deletions: [DeletionLedger.Entry]
    }

    /// The right to write into the folder of copies, which is made if there is none.
    func lock() throws(CommandError) -> LockFile {
        do throws(SystemError) { try Files.makeFolder(folder) } catch {
            throw CommandError(
                .cantCreate,
                "sync-server: cannot create \(folder): \(error). Name one that can be written.")
        }
        do throws(LockError) {
            return try LockFile.take(for: "\(folder)/copies", waitingSeconds: 0)
        } catch {
            throw CommandError(error.isRetryable ? .tempFail : .cantCreate, "sync-server: \(error)")
        }
    }

    /// Makes a copy, and removes the oldest ones.
    func make(from data: DataFolder) throws(CommandError) -> Made {
        let lock = try self.lock()
        let partial = "\(folder)/.partial"
        let clear = {
            DataFolder.removeUnfinished(data.copying)
            Files.removeAll(partial)
        }
        clear()
        defer { clear() }
        let secrets = try data.secrets()
        var made: Made
        do {
            made = try make(from: data, partial, secrets)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.cantCreate, data.database, error)
        }
        made.problems += tidy(after: made, secrets)
        _ = consume lock
        return made
    }

    private func make(
        from data: DataFolder, _ partial: String, _ secrets: Secrets
    ) throws -> Made {
        let (now, staged) = (SystemClock.wallMilliseconds, data.copying)
        // What the server admits from now on may be missing.
        let copy = Copy(path: freeName())
        let ledger = try CopiedLedger(in: folder).add(of: data, secrets)
        try ServerFile.copyDatabase(data.database, to: staged)
        let contents = try ServerFile.check(staged, keys: keys, hasBlobs: false)
        do throws(SystemError) { try Files.makeFolder(partial, isNew: true) } catch {
            throw CommandError(
                .cantCreate,
                "sync-server: cannot create \(partial): \(error). Remove what is there.")
        }
        var blobs = CopiedBlobs()
        let previous: Previous?
        if let problem = ledger.problem { blobs.problems.append(problem) }
        do throws(CommandError) {
            previous = try previousCopy(Int64(contents.epoch), secrets)
        } catch {
            blobs.problems.append(error.message)
            previous = nil
        }
        var gone: [BlobKey] = []
        let files = try ServerFile.blobFiles(data.database, keys: keys)
        for (key, bytes) in try ServerFile.blobs(staged) {
            guard files.bytes(key) == bytes else {
                gone.append(key)
                continue
            }
            try put(key, files, in: partial, previous, &blobs)
        }
        var problems = contents.problems + blobs.problems
        let lost = try missing(gone, in: data)
        problems += lost.map { "a photo of account \($0.space) is missing" }
        try ServerFile.forgetBlobs(gone, in: staged)
        let keys = try ServerFile.takeKeys(from: staged)
        var manifest = Manifest()
        manifest.deletions = Int64(ledger.entries.count)
        manifest.madeAt = now
        manifest.epoch = Int64(contents.epoch)
        manifest.accounts = contents.accounts
        manifest.events = contents.events
        manifest.blobs = contents.blobs - Int64(gone.count)
        manifest.digest = hexadecimal(contents.digest)
        manifest.sealedTo = publicKey.map { SealingKey.text($0) } ?? ""
        manifest.database = hexadecimal(try write(staged, Copy.databaseName, in: partial))
        if hasSecrets {
            manifest.secrets = hexadecimal(
                try write(data.secretsFile, Copy.secretsName, in: partial))
        }
        if !keys.isEmpty {
            try WholeFile.replace(data.copyingKeys, with: keys.bytes)
            manifest.keys = hexadecimal(
                try write(data.copyingKeys, Copy.keysName, in: partial))
            let lines = keys.digests(secrets).map { "\($0) \($1)\n" }.sorted().joined()
            manifest.accountList = try list(lines, Copy.accountListName, in: partial)
        }
        manifest.blobList = try list(blobs.list, Copy.blobListName, in: partial)
        try WholeFile.replace("\(partial)/manifest", with: Array(manifest.text(secrets).utf8))
        try Files.move(partial, to: copy.path)
        try Files.flush(folder)
        return Made(
            copy: copy, manifest: manifest, newBlobs: blobs.new, problems: problems,
            accounts: keys.digests(secrets), deletions: ledger.entries)
    }

    /// Writes a list that is not sealed, and gives its SHA-256.
    private func list(
        _ text: String, _ name: String, in partial: String
    ) throws(SystemError) -> String {
        try WholeFile.replace("\(partial)/\(name)", with: Array(text.utf8))
        return hexadecimal(sha256(Array(text.utf8)))
    }

    /// Blobs without a file that the server's database still names.
    private func missing(_ gone: [BlobKey], in data: DataFolder) throws -> [BlobKey] {
        guard !gone.isEmpty else { return [] }
        let known = Set(try ServerFile.blobs(data.database).map(\.key))
        return gone.filter { known.contains($0) }
    }

    /// The copy before, whose photos need not be written again.
    private struct Previous {
        let copy: Copy
        let blobs: [String: Copy.Listed]
    }

    /// The newest copy, if it is of this log and sealed to the same key, or not at all, as this one.
    /// After a restore accounts get numbers once more, and a name may stand for another photo's key.
    private func previousCopy(
        _ epoch: Int64, _ secrets: Secrets
    ) throws(CommandError) -> Previous? {
        let copies = Copy.all(in: folder).compactMap { copy in
            copy.manifest(madeWith: secrets).map { (copy: copy, manifest: $0) }
        }
        guard let (last, manifest) = copies.last else { return nil }
        let sealedTo = publicKey.map { SealingKey.text($0) } ?? ""
        guard manifest.epoch == epoch, manifest.sealedTo == sealedTo else { return nil }
        return Previous(copy: last, blobs: try last.listedBlobs(manifest))
    }

    /// The blobs of a copy that is being made.
    private struct CopiedBlobs {
        /// Lines of a file's name, its SHA-256 and its stamp, as ``Copy/listedBlobs(_:)`` reads them.
        var list = ""
        /// How many were written, rather than named once more.
        var new = 0
        var problems: [String] = []
    }

    /// Puts a blob into a copy: as one more name of the file in the copy before if there is one, and it
    /// is what it was.
    private func put(
        _ key: BlobKey, _ files: BlobFiles, in partial: String, _ previous: Previous?,
        _ blobs: inout CopiedBlobs
    ) throws {
        let source = files.path(key)
        let plain = "\(Copy.blobsName)/\(key.space)/\(source.split(separator: "/").last ?? "")"
        let name = plain + (publicKey == nil ? "" : Copy.ending)
        let target = "\(partial)/\(name)"
        try Files.makeFolder("\(partial)/\(Copy.blobsName)")
        try Files.makeFolder(Files.folder(of: target))
        if let previous, let listed = previous.blobs[name] {
            let earlier = "\(previous.copy.path)/\(name)"
            if !Self.isUnchanged(earlier, listed) {
                blobs.problems.append(
                    "\(earlier) is damaged, and is written again: look at the disk")
            } else if (try? Files.link(earlier, to: target)) != nil {
                blobs.list += "\(name) \(listed.hash) \(Copy.stamp(target))\n"
                return
            }
            // A disk without hard links gets a copy of its own.
        }
        blobs.new += 1
        _ = try write(source, plain, in: partial)
        // What is damaged is not in the list, so the next copy does not take it over.
        if try files.hash(key) == key.name {
            blobs.list += "\(name) \(try Pieces.hash(target)) \(Copy.stamp(target))\n"
        } else {
            blobs.problems.append("a photo of account \(key.space) is not what its name says")
        }
    }

    /// Whether a file of the copy before is what it was. One in sixteen, by chance, is read for that, and
    /// each whose length or time is another; a drill reads all.
    private static func isUnchanged(_ path: String, _ listed: Copy.Listed) -> Bool {
        let isRead = Copy.stamp(path) != listed.stamp || randomBytes(1)[0] % 16 == 0
        return !isRead || (try? Pieces.hash(path)) == listed.hash
    }

    private func write(
        _ source: String, _ name: String, in partial: String
    ) throws(SystemError) -> [UInt8] {
        guard let publicKey else { return try Pieces.copy(source, to: "\(partial)/\(name)") }
        return try Pieces.seal(source, to: "\(partial)/\(name)\(Copy.ending)", publicKey)
    }

    /// A name by the time, which no copy has.
    private func freeName() -> String {
        let name = "\(folder)/\(SystemClock.utc.filter { $0 != ":" })"
        var (free, number) = (name, 1)
        while Files.exists(free) {
            number += 1
            free = "\(name)-\(number)"
        }
        return free
    }
}

/// The copies that a server makes by itself.
final class Backups: Sendable {
    /// What became of them.
    struct State: Sendable {
        /// When the last one was complete, in milliseconds since 1970 UTC; 0 for none.
        var succeeded: Int64 = 0
        var count: Int64 = 0
        var failures: Int64 = 0
        fileprivate var nextTry: Int64 = 0
    }

    private let plan: CopyPlan
    private let data: DataFolder
    /// Milliseconds between two copies.
    let interval: Int64
    private let log: LogLines
    private let current: Mutex<State>
    /// The ledger of deletions as it is beside the copies, by its stamp.
    private let copiedLedger = Mutex((stamp: "", nextTry: Int64.min))

    init(_ plan: CopyPlan, of data: DataFolder, every interval: Int64, _ log: LogLines) {
        self.plan = plan
        self.data = data
        self.interval = interval
        self.log = log
        var state = State()
        state.succeeded = (try? Copy.all(in: plan.folder).last?.manifest())?.madeAt ?? 0
        current = Mutex(state)
    }

    var state: State { current.withLock { $0 } }

    /// Brings the ledger of deletions to the copies, if it has changed: what is deleted now must not come
    /// back with a copy of before.
    func keepLedger() {
        let stamp = Copy.stamp(DeletionLedger(of: data.database).path)
        let (known, nextTry) = copiedLedger.withLock { $0 }
        let now = SystemClock.monotonicMilliseconds
        guard !stamp.isEmpty, stamp != known, now >= nextTry else { return }
        do throws(CommandError) {
            let lock = try plan.lock()
            let added = try CopiedLedger(in: plan.folder).add(of: data, try data.secrets())
            _ = consume lock
            copiedLedger.withLock { $0.stamp = stamp }
            if let problem = added.problem {
                log.write(.error, "backup.damage", [("detail", problem)])
            }
        } catch {
            // While a copy is made, that has the lock.
            guard error.exitCode != .tempFail else { return }
            copiedLedger.withLock { $0.nextTry = now + 60_000 }
            log.write(.error, "backup.failed", [("detail", error.message)])
        }
    }

    /// Makes a copy if the last one is older than the interval; a failed one is tried again after a
    /// tenth of it, and after a minute at the earliest.
    func makeIfDue() {
        let now = SystemClock.wallMilliseconds
        let state = state
        // After the clock was set back, the last copy is not from the future.
        let isDue = now - state.succeeded >= interval || state.succeeded > now
        // A try noted while the clock ran ahead would be far away.
        let pause = max(60_000, interval / 10)
        guard isDue, now >= state.nextTry || state.nextTry > now + pause else { return }
        do throws(CommandError) {
            let made = try plan.make(from: data)
            current.withLock {
                $0.succeeded = made.manifest.madeAt
                $0.count += 1
            }
            log.write(
                .info, "backup",
                [
                    ("copy", made.copy.path), ("event_count", "\(made.manifest.events)"),
                    ("blob_count", "\(made.manifest.blobs)"),
                    ("new_blob_count", "\(made.newBlobs)"),
                ])
            for problem in made.problems.prefix(10) {
                log.write(.error, "backup.damage", [("detail", problem)])
            }
        } catch {
            current.withLock {
                $0.failures += 1
                $0.nextTry = now + pause
            }
            log.write(.error, "backup.failed", [("detail", error.message)])
        }
    }
}
