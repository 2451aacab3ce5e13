/// A copy that was put where a server can use it, for a drill and for a restore alike.
import MacrologArgumentParsing
import MacrologEvents
import MacrologSeal
import MacrologService
import MacrologSystem

struct Unpacked {
    let manifest: Manifest
    /// The secrets that prove it: those that were known, or its own.
    let secrets: [UInt8]
    /// What was deleted or disabled, as far as the copies know; `nil` if no ledger is beside them.
    let deletions: [DeletionLedger.Entry]?

    static let secretsOption = Parameter.option(
        "secrets", .file, "The copy of secrets.key, if it is kept apart.")

    /// Writes a copy to a database, with the keys of its accounts, and checks who made it.
    ///
    /// - Parameter known: The secrets of the server that is meant; `nil` for those that the copy has.
    init(
        _ copy: Copy, to database: String, _ known: [UInt8]?, pair: SealingPair?
    ) throws(CommandError) {
        manifest = try copy.manifest()
        if let known { try copy.check(manifest, madeWith: Secrets(known)) }
        _ = try copy.listedBlobs(manifest)
        _ = try copy.listedAccounts(manifest)
        let own = try copy.unpack(to: database, manifest, pair: pair)
        guard let bytes = known ?? own else {
            throw CommandError(
                .noInput,
                """
                sync-server: the copy has no secrets.key, without which no one can log in. Name the \
                copy of that file with --secrets.
                """)
        }
        secrets = bytes
        let secrets = Secrets(bytes)
        try copy.check(manifest, madeWith: secrets)
        deletions = try CopiedLedger(in: Files.folder(of: copy.path)).entries(secrets)
        let table = try copy.keys(manifest, secrets, beside: database, pair: pair)
        do { if let table { try ServerFile.putKeys(table, into: database) } } catch {
            throw CommandError(.dataErr, database, error)
        }
    }

    /// Whether the ledger beside the copies has less than when the copy was made.
    var lacksDeletions: Bool { Int64(deletions?.count ?? 0) < manifest.deletions }

    /// How many deletions the ledger beside the copies has, and of when the last is: an earlier ledger
    /// that someone put back has fewer.
    var deletionsSummary: String {
        guard let last = deletions?.last else { return "The list of deleted accounts is empty." }
        return """
            The list of deleted and disabled accounts has \(deletions?.count ?? 0) entries, the last of \
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
