/// Why an account does not move.
package enum AccountMoveError: Error, Equatable {
    /// There is no store of this name: those that there are.
    case unknownStore([String])
    /// No store has the account, or it is deleted.
    case unknownAccount
    /// The directory does not know the account that a store has.
    case unplaced(String)
    /// Another move of it is not finished.
    case isMoving(from: String, to: String)
    /// Another run copies it now.
    case isHeld
    /// Several stores say that they serve it.
    case severalServe([String])
    /// A database has steps that this program does not know, or lacks some.
    case otherVersion(String)
    /// The key of encryption at rest is missing, or another one.
    case key(ServerFile.KeyProblem)
    /// In what both sides differ, one line each.
    case differs([String])
}
