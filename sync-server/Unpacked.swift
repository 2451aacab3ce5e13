/// A copy that was put where a server can use it, for a drill and for a restore alike.
import MacrologArgumentParsing
import MacrologEvents
import MacrologSeal
import MacrologService
import MacrologSystem

struct Unpacked {
    let manifest: Manifest
    let secrets: Secrets
    /// The bytes of the secrets, if the copy has them.
    let ownSecrets: [UInt8]?
    /// What was deleted or disabled, as far as the copies know; `nil` if no ledger is beside them.
    let deletions: [DeletionLedger.Entry]?

    static let secretsOption = Parameter.option(
        "secrets", .file, "The copy of secrets.key, if it is kept apart.")

    /// Writes a copy to a database, with the keys of its accounts, and checks who made it.
    ///
    /// - Parameter known: The secrets of the server that is meant; `nil` for those that the copy has.
    init(
        _ copy: Copy, to database: String, _ known: Secrets?, pair: SealingPair?
    ) throws(CommandError) {
        manifest = try copy.manifest()
        if let known { try copy.check(manifest, madeWith: known) }
        _ = try copy.listedBlobs(manifest)
        _ = try copy.listedAccounts(manifest)
        ownSecrets = try copy.unpack(to: database, manifest, pair: pair)
        guard let secrets = known ?? ownSecrets.map({ Secrets($0) }) else {
            throw CommandError(
                .noInput,
                """
                sync-server: the copy has no secrets.key, without which no one can log in. Name the \
                copy of that file with --secrets.
                """)
        }
        self.secrets = secrets
        try copy.check(manifest, madeWith: secrets)
        deletions = try CopiedLedger(in: Files.folder(of: copy.path)).entries(secrets)
        let table = try copy.keys(manifest, secrets, beside: database, pair: pair)
        do { if let table { try ServerFile.putKeys(table, into: database) } } catch {
            throw CommandError(.dataErr, database, error)
        }
    }

    /// What is wrong with accounts that have no key; empty if all of them were deleted.
    static func problems(
        of contents: ServerFile.Contents, _ entries: [DeletionLedger.Entry]
    ) -> [String] {
        let deleted = Set(entries.filter { $0.change == .deleted }.map(\.account))
        return contents.keyless.filter { !deleted.contains($0) }.map {
            "the key of account \($0) is missing: it was deleted, or the copies that had it are gone"
        }
    }
}
