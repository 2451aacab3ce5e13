import MacrologEvents
package import MacrologHTTP

// The error that an app gets, from the error of an exchange.

extension AccountError {
    /// The error that an app gets for a failed exchange.
    package init(_ error: SyncError) {
        var isOffline = false
        if case .transport = error.code { isOffline = true }
        let cause = Cause(
            explanation: error.explanation, hint: error.hint, isRetryable: error.isRetryable,
            isOffline: isOffline)
        switch error.code {
        case .refused(_, Problem.eventQuota, _): self = .sync(cause)
        case .refused(_, Problem.codeRequired, _): self = .codeRequired(cause)
        case .refused(_, Problem.accountDisabled, _): self = .refused(cause)
        case .refused(_, Problem.invalidField, _): self = .invalid(cause)
        case .refused(status: 401, _, _), .refused(status: 403, _, _): self = .notAllowed(cause)
        case .refused(status: 429, _, _), .refused(status: 503, _, _): self = .busy(cause)
        default: self = .sync(cause)
        }
    }

    /// An invalid address.
    package init(_ error: OriginError) {
        self = .badServer(
            Cause(
                explanation: error.explanation, hint: error.hint, isRetryable: false,
                isOffline: false))
    }

    /// Syncing ended before it was complete.
    package static let stopped = AccountError.sync(
        Cause(
            explanation: "syncing was stopped", hint: nil, isRetryable: true, isOffline: false))
}
