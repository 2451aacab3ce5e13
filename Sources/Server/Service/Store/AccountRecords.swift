/// What the server stores about accounts and their sessions.
package import MacrologEvents

/// An account, as a login needs it.
package struct Account: Sendable {
    package let space: Space
    /// The name that a client sees.
    package let name: Identifier
    /// The keyed digest of the address in lower case.
    package let emailKey: [UInt8]
    /// The address as its owner wrote it.
    package let email: String
    /// The password's hash, in PHC text or of bcrypt; `nil` before the first password.
    package let passwordHash: [UInt8]?
    package let isDisabled: Bool
    /// The second factor; `nil` for none.
    package let secondFactor: SecondFactor?
    /// Milliseconds since 1970 UTC.
    package let created: Int64
}

extension Account {
    /// What a password and a code are checked against.
    package var credentials: Credentials {
        Credentials(
            passwordHash: passwordHash ?? [], asksForCode: secondFactor?.isConfirmed ?? false)
    }
}

/// What a password and a code were checked against. What the check allows is done only while the account
/// still has them: a login or a change in flight cannot undo a new password.
package struct Credentials: Hashable, Sendable {
    /// Empty before the first password.
    package let passwordHash: [UInt8]
    package let asksForCode: Bool
}

/// The second factor of an account.
package struct SecondFactor: Sendable {
    /// The secret, sealed for the account.
    package let sealed: [UInt8]
    /// Whether it is asked for: a first code has been seen.
    package let isConfirmed: Bool
    /// The last time step whose code was used.
    package let step: Int64
}

/// What a server knows about an account besides its events. All times are milliseconds since 1970
/// UTC.
package struct AccountFacts: Sendable {
    package let name: Identifier
    package let email: String
    package let created: Int64
    package let disabled: Int64?
    package let hasPassword: Bool
    package let hasSecondFactor: Bool
    package let sessions: Int64
    package let lastSeen: Int64?
    package let events: Int64
    package let eventBytes: Int64
    package let blobs: Int64
    package let blobBytes: Int64
}

/// An event of an account's audit trail.
package enum AuditEvent: String, Sendable {
    case registered, added, login, logout, exported, disabled, enabled, shared
    case analyzed = "analysed"
    case shareRevoked = "share_revoked"
    case loginFailed = "login_failed"
    case sessionEnded = "session_ended"
    case refreshReused = "refresh_reused"
    case passwordChanged = "password_changed"
    case resetCodeMade = "reset_code_made"
    case passwordReset = "password_reset"
    case resetFailed = "reset_failed"
    case tokenMade = "token_made"
    case tokenUsed = "token_used"
    case webhookAdded = "webhook_added"
    case webhookRemoved = "webhook_removed"
    case totpEnabled = "totp_enabled"
    case totpRefused = "totp_refused"
    case totpDisabled = "totp_disabled"
}

/// An entry of an account's audit trail: what happened, and from where.
package struct AuditEntry: Sendable {
    package let event: AuditEvent
    /// The network of the address, shortened as in the log; `nil` for the operator.
    package let network: String?
    /// The label of the session.
    package var device: String?
    /// Milliseconds since 1970 UTC.
    package let now: Int64

    /// The most that an account has; older ones go.
    package static let countMax: Int64 = 1_000
}

/// An entry as it is read.
package struct StoredAuditEntry: Sendable {
    package let event: String
    package let network: String?
    package let device: String?
    package let at: Int64
}

/// What a change of an account needs besides a password, and uses up.
package enum Proof: Hashable, Sendable {
    /// A reset code, by its digest.
    case reset([UInt8])
    /// A recovery code in place of the second factor, by its digest.
    case recovery([UInt8])
    /// A time step of the second factor.
    case step(Int64)
}

/// A change of an account, made whole or not at all.
package struct AccountUpdate: Sendable {
    /// What happens to the account's sessions.
    package enum Ending: Sendable {
        case none, all
        case others(of: Identifier)
    }

    package let space: Space
    package let entry: AuditEntry?
    /// What the account must still have; `nil` for a change by the operator or with a reset code.
    package var credentials: Credentials?
    /// What is used up; without it nothing changes.
    package var proof: Proof?
    package var passwordHash: [UInt8]?
    package var isDisabled: Bool?
    /// Deletes the account: ends its sessions, frees its address, and marks what is left for
    /// ``ServerStore/removeDeleted(then:)``.
    package var deletes = false
    package var secondFactor: SecondFactor??
    /// Replaces the recovery codes, by their digests.
    package var recoveryCodes: [[UInt8]]?
    /// Replaces the reset code, by its digest.
    package var resetCode: ResetCode?
    package var ending = Ending.none
    /// Milliseconds since 1970 UTC.
    package let now: Int64

    init(_ space: Space, _ entry: AuditEntry?, now: Int64) {
        self.space = space
        self.entry = entry
        self.now = now
    }
}

/// A reset code to store.
package struct ResetCode: Sendable {
    package let digest: [UInt8]
    /// Milliseconds since 1970 UTC.
    package let expires: Int64
    /// Whether the second factor ends when the code is used.
    package let endsSecondFactor: Bool
}

/// An invitation to register. All times are milliseconds since 1970 UTC.
package struct Invitation: Sendable {
    package let number: Int64
    package let created: Int64
    package let expires: Int64
    /// How many accounts may be made with it.
    package let uses: Int64
    package let used: Int64
}

/// An account to add.
package struct NewAccount: Sendable {
    package let name: Identifier
    /// The keyed digest of the address in lower case.
    package let emailKey: [UInt8]
    /// The address as its owner wrote it.
    package let email: String
    /// Empty: none yet.
    package let passwordHash: [UInt8]
    /// The digest of the invitation that it uses; `nil` for none.
    package let invitation: [UInt8]?
    package let entry: AuditEntry
    /// Milliseconds since 1970 UTC.
    package let now: Int64
}

/// The outcome of adding an account.
package enum Addition: Hashable, Sendable {
    case added
    /// The address already has an account.
    case known
    /// The invitation is used up, has ended, or was never made.
    case notInvited
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
    /// What the account must still have.
    package let credentials: Credentials
    /// What the login needed besides the password.
    package let proof: Proof?
    /// Replaces the password's hash, which had another cost or was of an earlier system.
    package let betterHash: [UInt8]?
    package let entry: AuditEntry
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
    /// Of a token: what it may do; `nil` for the session of a device.
    package var right: TokenRight?
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
