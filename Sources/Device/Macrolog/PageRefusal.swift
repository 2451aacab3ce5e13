package import MacrologLog
package import MacrologEngine

extension SyncError {
    /// What the log says about a page, as an error of syncing.
    package init(_ error: LogError) {
        switch error.reason {
        case .divergent(let n): self.init(.divergent(n: n))
        case .rolledBack(let seq): self.init(.rolledBack(seq: seq))
        case .gap, .malformedEvent, .contradiction: self.init(.malformed(detail: error.description))
        case .tooLarge, .malformedDraft, .damaged, .altered:
            self.init(.storage(detail: error.description))
        }
    }
}
