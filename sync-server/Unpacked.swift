/// A copy that was put where a server can use it, for a drill and for a restore alike.
import MacrologArgumentParsing
import MacrologEvents
import MacrologCryptography
import MacrologService
import MacrologSystem

struct Unpacked {
    /// Which secrets its database is for.
    enum Origin {
        /// Those of the server that is meant.
        case known([UInt8])
        /// Those that are in the copy.
        case own
        /// They are lost, and so is the proof of who made it: the accounts are given to these new ones.
        case lost(new: [UInt8])
    }

    let manifest: Manifest
    /// The secrets of the database: those that were known or are new, or its own.
    let secrets: [UInt8]
    /// What was deleted or disabled, as far as the copies know; `nil` if no ledger is beside them.
    let deletions: [DeletionLedger.Entry]?

    static let secretsOption = Parameter.option(
        "secrets", .file, "The copy of secrets.key, if it is kept apart.")

    /// Writes a copy to a database, with the keys of its accounts, and checks who made it.
    ///
    init(
        _ copy: Copy, to database: String, _ origin: Origin, pair: SealingPair?
    ) throws(CommandError) {
        manifest = try copy.manifest()
        if case .known(let bytes) = origin { try copy.check(manifest, madeWith: Secrets(bytes)) }
        _ = try copy.listedBlobs(manifest)
        _ = try copy.listedAccounts(manifest)
        let own = try copy.unpack(to: database, manifest, pair: pair)
        let proving: Secrets?
        (secrets, proving) = try Self.secrets(origin, own)
        if let proving { try copy.check(manifest, madeWith: proving) }
        deletions = try CopiedLedger(in: Files.folder(of: copy.path)).entries(proving)
        let table = try copy.keys(manifest, proving, beside: database, pair: pair)
        do { if let table { try ServerFile.putKeys(table, into: database) } } catch {
            throw CommandError(.dataErr, database, error)
        }
    }

    /// The secrets of the database, and those that prove the copy.
    private static func secrets(
        _ origin: Origin, _ own: [UInt8]?
    ) throws(CommandError) -> ([UInt8], proving: Secrets?) {
        switch (origin, own) {
        case (.known(let bytes), _), (.own, let bytes?): return (bytes, Secrets(bytes))
        case (.own, nil):
            throw CommandError(
                .noInput,
                """
                sync-server: the copy has no secrets.key, without which no one can log in. Name the \
                copy of that file with --secrets. If that is lost, `sync-server restore` takes --new-secrets.
                """)
        case (.lost(let new), nil): return (new, nil)
        case (.lost, _?):
            throw CommandError(
                .usage,
                """
                sync-server: the copy has its secrets.key, so no new one is needed. Leave --new-secrets \
                out; if the folder has the secrets.key of another server, move that aside.
                """)
        }
    }

    /// Whether the ledger beside the copies has less than when the copy was made.
    var lacksDeletions: Bool { Int64(deletions?.count ?? 0) < manifest.deletions }

    /// How many deletions the ledger beside the copies has, and of when the last is: an earlier ledger
    /// that someone put back has fewer.
    var deletionsSummary: String {
        guard let last = deletions?.last else {
            return "The list of deleted accounts beside the copies is empty."
        }
        return """
            The list beside the copies, of deleted and disabled accounts and of those that ended a share, has \
            \(deletions?.count ?? 0) entries, the last of \
            \(SystemClock.utc(last.at)).
            """
    }

    /// What is wrong with accounts that have no key; empty if all of them were deleted.
    static func problems(
        of contents: ServerFile.Contents, _ entries: [DeletionLedger.Entry]
    ) -> [String] {
        let deleted = Set(entries.filter { $0.change == .deleted }.map(\.account))
        return contents.keyless.filter { !deleted.contains($0) }.map {
            """
            the key of account \($0) is missing: it was deleted, or the copies that had it are gone; if it was \
            deleted, the newest list of deletions says so: put it beside the copies
            """
        }
    }
}
