package import MacrologEvents
package import MacrologHTTP

/// Why an exchange with the server did not finish. It never loses anything recorded on this device.
package struct SyncError: ExplainedError, Equatable, Sendable {
    package enum Code: Equatable, Sendable {
        /// There is no answer. Being offline is normal, not an error.
        case transport(TransportError)
        /// The server states why it refuses, in a problem document (RFC 9457).
        case refused(status: Int, problem: String, detail: String)
        /// The server does not speak the requested version; it speaks these.
        case unsupportedVersion(supported: ClosedRange<Int64>, detail: String)
        /// An answer that does not come from a sync server: a captive portal, a proxy's error page.
        case notTheServer(status: Int)
        /// An answer of a sync server that `protocol.md` does not describe.
        case malformed(detail: String)
        /// This device and the server hold different logs.
        case divergent(n: Int64)
        /// The bytes on this disk are not the bytes that were stored.
        case damaged
        /// The server has events of this device that this file does not hold.
        case rolledBack(seq: Int64)
        /// The page could not be stored in the file.
        case storage(detail: String)
    }

    package let code: Code
    /// Milliseconds that the server asks to wait; 0 when it does not say.
    package var retryAfter: Int64

    package init(_ code: Code, retryAfter: Int64 = 0) {
        self.code = code
        self.retryAfter = retryAfter
    }

    /// Whether there was no sign of the server.
    package var isOffline: Bool {
        switch code {
        // A refusal of a body for its size shows that the network works.
        case .notTheServer(status: 413): false
        case .transport, .notTheServer: true
        case .refused, .unsupportedVersion, .malformed, .divergent, .damaged, .rolledBack, .storage:
            false
        }
    }

    /// Whether this side ended the exchange.
    package var isCancelled: Bool {
        if case .transport(let error) = code { error.code == .cancelled } else { false }
    }

    /// Its class, by which the state machine decides the next step.
    package var errorClass: SyncMachine.ErrorClass {
        switch code {
        case .transport(let error) where error.code == .timedOut || error.code == .tooLarge:
            .tooLarge
        // New tokens would not help against these.
        case .refused(_, Problem.wrongCredentials, _), .refused(_, Problem.codeRequired, _),
            .refused(_, Problem.wrongCode, _):
            .retry(after: retryAfter)
        case .refused(status: 401, _, _): .unauthorized
        case .refused(status: 426, _, _), .unsupportedVersion: .fatal(.upgradeNeeded)
        case .refused(_, Problem.dotReuse, _), .rolledBack: .deviceIDTaken
        case .refused(_, Problem.epochChanged, _), .refused(_, Problem.divergent, _), .damaged:
            .differs
        // Only the push is refused: pulling continues to work.
        case .refused(let status, _, _) where [400, 409, 413, 500, 507].contains(status):
            .pushRefused(after: retryAfter)
        case .refused(_, Problem.eventQuota, _), .notTheServer(status: 413):
            .pushRefused(after: retryAfter)
        case .transport, .refused, .notTheServer, .malformed, .divergent, .storage:
            .retry(after: retryAfter)
        }
    }
}

extension SyncError {
    /// What is wrong, in words.
    package var text: ErrorText {
        ErrorText(cannot: "sync", explanation, hint: hint, isRetryable: isRetryable)
    }

    /// What happened.
    package var explanation: String {
        switch code {
        case .transport(let error): Self.sentence(error)
        case .refused(_, Problem.unauthorized, _), .refused(_, Problem.wrongRefreshToken, _):
            "the session has ended; what is recorded here stays, and is sent later"
        case .refused(_, Problem.dotReuse, _), .rolledBack:
            "this file was copied, or restored from a backup: the device takes a new ID"
        case .refused(_, Problem.eventQuota, _):
            "the account's quota of events on this server is used up; nothing is lost: what is "
                + "recorded stays on this device and is sent when there is room"
        case .refused(_, _, let detail), .unsupportedVersion(_, let detail):
            // A server's sentence as part of another one.
            detail.hasSuffix(".") ? String(detail.dropLast()) : detail
        case .notTheServer(status: 413):
            "a proxy between here and the server refuses bodies of this size (status 413)"
        case .notTheServer(let status):
            "the answer (status \(status)) does not come from a sync server"
        case .malformed(let detail): "the server's answer cannot be understood: \(detail)"
        case .divergent(let n):
            "this device and the server hold different logs up to number \(n)"
        case .damaged: "some of what is stored here is damaged, and is fetched again"
        case .storage(let detail): detail
        }
    }

    package var hint: String? {
        switch code {
        case .transport(let error): error.hint
        case .refused(_, Problem.unauthorized, _), .refused(_, Problem.wrongRefreshToken, _):
            "log in again"
        case .refused(_, Problem.eventQuota, _):
            "ask the server's operator for more room, or take the log to another server"
        case .notTheServer(status: 413):
            "ask its operator to let 11 MiB through (nginx: client_max_body_size 11m)"
        case .notTheServer(status: 502), .notTheServer(status: 503), .notTheServer(status: 504):
            "try again later: a proxy answers, and the server itself is not there at the moment"
        case .notTheServer: "a hotel or an office network may want you to log in first"
        // The server's sentence says what to do; the rest needs only another sync.
        case .refused, .unsupportedVersion, .malformed, .divergent, .damaged, .rolledBack,
            .storage:
            nil
        }
    }

    /// Why there is no answer, for a person; the detail of the library that sends requests comes last, and
    /// which request it was is in ``TransportError/operation``.
    private static func sentence(_ error: TransportError) -> String {
        switch error.code {
        case .unreachable(let detail): "the server cannot be reached: \(detail)"
        case .timedOut: "the server gave no answer in time"
        case .tls(let detail): "there is no safe connection to the server: \(detail)"
        case .tooLarge: "the server's answer is too large"
        case .cancelled: "the exchange was cancelled"
        case .malformed(let detail): "the exchange is not valid HTTP: \(detail)"
        case .noLibrary(let detail, _): detail
        }
    }

    package var isRetryable: Bool {
        switch code {
        case .transport(let error): error.isRetryable
        case .refused(let status, _, _): [429, 500, 502, 503, 504].contains(status)
        case .divergent, .damaged, .rolledBack: true
        case .notTheServer(let status): status != 413
        case .unsupportedVersion, .malformed, .storage: false
        }
    }
}

/// The types of problem documents on which a client acts.
package enum Problem {
    /// Prefix of every type.
    package static let prefix = "urn:macrolog:problem:"
    /// The access token is not valid any more.
    package static let unauthorized = prefix + "unauthorized"
    /// The refresh token is not valid any more.
    package static let wrongRefreshToken = prefix + "wrong_refresh_token"
    /// The address or the password is wrong.
    package static let wrongCredentials = prefix + "wrong_credentials"
    /// Something that a person gave is missing or cannot be accepted.
    package static let invalidField = prefix + "invalid_field"
    /// The account has a second factor, whose code is missing.
    package static let codeRequired = prefix + "code_required"
    /// The code is wrong, was used, or is too old.
    package static let wrongCode = prefix + "wrong_code"
    /// The operator has disabled the account.
    package static let accountDisabled = prefix + "account_disabled"
    /// A `seq` of this device is known with other bytes.
    package static let dotReuse = prefix + "dot_reuse"
    /// The pushed events do not continue where the server's log of this device ends.
    package static let expectedSeq = prefix + "expected_seq"
    /// The digests of the same prefix differ.
    package static let divergent = prefix + "divergent"
    /// A blob's bytes do not match its name.
    package static let wrongHash = prefix + "wrong_hash"
    /// An upload has to continue at another byte.
    package static let expectedOffset = prefix + "expected_offset"
    /// A blob ends before the range.
    package static let rangeNotSatisfiable = prefix + "range_not_satisfiable"
    /// There is nothing at this address.
    package static let notFound = prefix + "not_found"
    /// The account has as many events as it may.
    package static let eventQuota = prefix + "event_quota"
    /// The server's log has another epoch, or ends before the cursor.
    package static let epochChanged = prefix + "epoch_changed"
}
