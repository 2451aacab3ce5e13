/// What the hub knows of people and of their sessions.
package import MacrologEvents

/// An account, as a login needs it.
package struct Account: Sendable {
    package let space: Space
    /// The name that a client sees.
    package let name: Identifier
    /// The password's hash, in PHC text.
    package let passwordHash: [UInt8]
}

/// An account to be added.
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

/// What became of an account to be added.
package enum Addition: Hashable, Sendable {
    case added
    /// The address has an account.
    case known
    /// There are as many accounts as can be.
    case noRoom
}

/// A session to be begun.
package struct NewSession: Sendable {
    package let id: Identifier
    package let space: Space
    /// What its owner calls the device.
    package let label: String
    /// The digest of its first refresh token.
    package let refresh: [UInt8]
    /// The digest of the account's address and the network that it begins from.
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
    /// When it ends whatever happens.
    package let expires: Int64
    /// What its device was last heard to hold; `nil` before its first exchange.
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

/// What became of a refresh token.
package enum RotationOutcome: Sendable {
    /// The successor is valid now; `isRepeat` when it already was, because the answer that named
    /// it had been lost.
    case rotated(StoredSession, isRepeat: Bool)
    /// No token of ours, or one of a session that has ended.
    case unknown
    /// A token that was used before: the session is revoked.
    case reused(StoredSession)
}

/// How long sessions last, in milliseconds.
package enum SessionLimits {
    /// Without any refresh.
    package static let idle: Int64 = 90 * 86_400_000
    /// In all.
    package static let absolute: Int64 = 365 * 86_400_000
    /// How long a refresh token that was just used still names the same successor.
    package static let repeatWindow: Int64 = 60_000
    /// How long what has ended is kept, so that misuse can still be looked into.
    package static let kept: Int64 = 400 * 86_400_000
}
