/// What a token of a person may do: a session without a device, for scripts, shortcuts, and others whom the
/// person lets read.
package import MacrologEvents

/// The right of a token.
package struct TokenRight: Hashable, Sendable {
    /// What it may do over the web interface.
    package enum Scope: String, CaseIterable, Sendable {
        /// Read everything.
        case read
        /// Read and write.
        case write
        /// Record one line, and read nothing.
        case quick
    }

    package let scope: Scope
    /// Of a token for someone else: the first day that it shows, in days since 1970-01-01. Each use is in the
    /// audit trail.
    package let firstDay: Int64?
}

/// A token to store.
package struct NewToken: Sendable {
    package let id: Identifier
    package let space: Space
    /// The session that makes it, which must still be there when it is made.
    package let maker: Identifier
    /// The owner's name for it.
    package let label: String
    package let right: TokenRight
    /// Milliseconds since 1970 UTC.
    package let expires: Int64
    package let entry: AuditEntry
    package let now: Int64
}
