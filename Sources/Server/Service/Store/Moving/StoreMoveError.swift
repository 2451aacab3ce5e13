/// Why a store does not move. The source is as it was.
package enum StoreMoveError: Error {
    /// It holds nothing that a server has stored.
    case sourceIsEmpty
    /// It is not complete itself.
    case sourceIsFilling
    /// It was moved to another place before.
    case sourceHasMoved(to: String)
    /// It, or the target, lacks steps of this program.
    case otherVersion(isTarget: Bool)
    /// Servers are connected to a database: the words that name it.
    case serversRun(String)
    /// It is one of several stores of a service.
    case isPart
    /// The target holds something already.
    case targetIsUsed
    /// The target holds what was moved away from it.
    case targetHasMoved
    /// The target is being filled from another store.
    case targetIsFilling
    /// The secrets are not those of the source.
    case otherSecrets
    /// The key of encryption at rest is missing, or another one.
    case key(ServerFile.KeyProblem)
    /// What is wrong with the source, one line each.
    case sourceIsDamaged([String])
    /// In what both sides differ, one line each: something has changed one of them.
    case differs([String])
}
