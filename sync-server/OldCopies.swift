/// What becomes of the copies that a folder has when a new one is made.
import MacrologEvents
import MacrologService
import MacrologSystem

extension CopyPlan {
    /// Removes the oldest copies, and the keys of accounts from those that are older than a week. A copy
    /// that the server's secrets do not prove counts for nothing, and stays.
    ///
    /// - Returns: What needs a look.
    func tidy(after made: Made, _ secrets: Secrets) -> [String] {
        let others = Copy.all(in: folder).filter { $0.path != made.copy.path }
        let (own, unproven) = proven(others, secrets)
        let kept = own.suffix(Int(keep) - 1)
        for old in own.dropLast(kept.count) {
            // Without its manifest it is no copy any more, whatever else is left of it.
            Files.remove(old.copy.manifestPath)
            Files.removeAll(old.copy.path)
        }
        return Self.problem(unproven).map { [$0] } ?? []
            + kept.compactMap { fromFuture($0, after: made) }
            + kept.compactMap { forgetKeys($0, after: made) }
    }

    private typealias Proven = (copy: Copy, manifest: Manifest)

    private func proven(_ copies: [Copy], _ secrets: Secrets) -> ([Proven], unproven: [Copy]) {
        var (own, unproven): ([Proven], [Copy]) = ([], [])
        for copy in copies {
            if let manifest = copy.manifest(madeWith: secrets) {
                own.append((copy, manifest))
            } else {
                unproven.append(copy)
            }
        }
        return (own, unproven)
    }

    private static func problem(_ unproven: [Copy]) -> String? {
        guard let first = unproven.first else { return nil }
        return """
            copies that secrets.key does not prove: \(unproven.count), such as \(first.path). They do not \
            count and are not removed: if you know them, move them to another folder
            """
    }

    private func fromFuture(_ other: Proven, after made: Made) -> String? {
        guard other.manifest.madeAt > made.manifest.madeAt else { return nil }
        return """
            \(other.copy.path) is from the future, and counts as the newest: set the clock, or remove it
            """
    }

    /// Removes the keys of accounts from an old copy, so that it cannot be opened for one that is deleted
    /// later; unless it would not be opened for one that is there, either.
    ///
    /// - Returns: Why they stay.
    private func forgetKeys(_ old: Proven, after made: Made) -> String? {
        guard old.manifest.madeAt < made.manifest.madeAt - KeyTable.kept, old.copy.hasKeys else {
            return nil
        }
        let deleted = Set(made.deletions.filter { $0.change == .deleted }.map(\.account))
        let isSameLog = old.manifest.epoch == made.manifest.epoch
        // After a restore an account may have another key. Within a log it is the same, however wrapped.
        guard let listed = try? old.copy.listedAccounts(old.manifest),
            listed.allSatisfy({ account, digest in
                deleted.contains(account) || isSameLog && made.accounts[account] != nil
                    || made.accounts[account] == digest
            })
        else {
            return """
                the keys of accounts in \(old.copy.path) are older than a week, and stay: the new copy \
                lacks some of these accounts, or has other keys of them. Once you do not need them, remove \
                \(old.copy.path)
                """
        }
        old.copy.removeKeys()
        return nil
    }
}
