/// What the server stores of a share. All times are milliseconds since 1970 UTC.
package import MacrologEvents

/// A share to add.
package struct NewShare: Sendable {
    package let id: Identifier
    package let space: Space
    /// The keyed digest of its token.
    package let token: [UInt8]
    /// 0 for no limit.
    package let opensMax: Int64
    package let expires: Int64
    /// The address of the server as its owner reaches it.
    package let origin: String
    /// As JSON.
    package let document: [UInt8]
    /// A PNG file.
    package let card: [UInt8]
    package let entry: AuditEntry
    package let now: Int64
}

/// The outcome of adding a share.
package enum ShareAddition: Hashable, Sendable {
    case added
    /// The account has a share with this token: the answer to an earlier request was lost.
    case known(Identifier, expires: Int64)
    /// The account had a share with this token, and ended it: it stays ended.
    case ended
    /// Another account has a share with this token.
    case taken
    /// The account has as many shares as it may, or is deleted.
    case noRoom
}

/// A share as its owner sees it.
package struct StoredShare: Sendable {
    package let id: Identifier
    package let created: Int64
    package let expires: Int64
    /// 0 for no limit.
    package let opensMax: Int64
    package let opens: Int64
    /// As JSON.
    package let document: [UInt8]
}

/// A share as a stranger with its token sees it.
package struct OpenShare: Sendable {
    package let id: Identifier
    package let expires: Int64
    package let origin: String
    /// As JSON.
    package let document: [UInt8]
}

/// Limits that an operator cannot change.
package enum ShareLimits {
    /// The maximum number of shares of an account.
    package static let countMax: Int64 = 100
    /// How long after an opening that counted the card of a share can still be fetched, where openings
    /// are limited, in milliseconds.
    package static let cardGrace: Int64 = 60_000
}
