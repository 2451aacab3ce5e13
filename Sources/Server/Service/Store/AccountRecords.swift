/// What the server stores about accounts and their sessions.
package import MacrologEvents

/// An account, as a login needs it.
package struct Account: Sendable {
    package let space: Space
    /// The name that a client sees.
    package let name: Identifier
    /// The password's hash, in PHC text.
    package let passwordHash: [UInt8]
}

/// An account to add.
package struct NewAccount: Sendable {
    package let name: Identifier
    /// The keyed digest of the address in lower case.
    package let emailKey: [UInt8]
    /// The address as its owner wrote it.
    package let email: String
    package let passwordHash: [UInt8]
    /// Milliseconds since 1970 UTC.
    package let now: Int64
}

/// The outcome of adding an account.
package enum Addition: Hashable, Sendable {
    case added
    /// The address already has an account.
    case known
    /// The server has reached its maximum number of accounts.
    case noRoom
}

/// A session to begin.
package struct NewSession: Sendable {
    package let id: Identifier
    package let space: Space
    /// The owner's label for the device.
    package let label: String
    /// The digest of its first refresh token.
    package let refresh: [UInt8]
    /// The digest of the account's address and the network from which the session begins.
    package let network: [UInt8]
    /// Milliseconds since 1970 UTC.
    package let now: Int64
}

/// A session that is not revoked. All times are milliseconds since 1970 UTC.
package struct StoredSession: Sendable {
    package let id: Identifier
    package let space: Space
    package let account: Identifier
    package let label: String
    package let created: Int64
    package var lastSeen: Int64
    /// When the session expires regardless of use.
    package let expires: Int64
    /// What its device was last known to hold; `nil` before its first exchange.
    package var held: Receipt.Held?
}

/// One use of a refresh token.
package struct Rotation: Sendable {
    /// The digest of the token that was presented.
    package let presented: [UInt8]
    /// The digest of its successor.
    package let successor: [UInt8]
    /// Milliseconds since 1970 UTC.
    package let now: Int64
}

/// The outcome of presenting a refresh token.
package enum RotationOutcome: Sendable {
    /// The successor is valid now. `isRetry` if it was valid already, because the answer that
    /// contained it was lost.
    case rotated(StoredSession, isRetry: Bool)
    /// Not a token of this server, or a token of a session that has ended.
    case unknown
    /// The token was used before: the session is revoked.
    case reused(StoredSession)
}

/// How long sessions last, in milliseconds.
package enum SessionLimits {
    /// The idle timeout: without any refresh.
    package static let idle: Int64 = 90 * 86_400_000
    /// The absolute lifetime.
    package static let absolute: Int64 = 365 * 86_400_000
    /// How long a refresh token that was just used still names the same successor.
    package static let repeatWindow: Int64 = 60_000
    /// How long ended sessions and used tokens are kept, so that misuse can still be investigated.
    package static let kept: Int64 = 400 * 86_400_000
}
