import MacrologEvents
package import MacrologLog
import MacrologReadModels

extension SyncError {
    /// Converts what a replica throws about its log.
    init(_ error: ReplicaError) {
        if let log = error.log { self.init(log) } else { self.init(.storage(detail: "\(error)")) }
    }

    /// Converts the log's error about a page into an error of syncing.
    package init(_ error: LogError) {
        switch error.code {
        case .divergent(let n): self.init(.divergent(n: n))
        case .rolledBack(let seq): self.init(.rolledBack(seq: seq))
        case .gap, .malformedEvent, .contradiction: self.init(.malformed(detail: error.description))
        case .tooLarge, .malformedDraft, .deleted, .damaged, .altered, .history, .file, .readOnly,
            .readOnlySnapshot, .notReserved:
            self.init(.storage(detail: error.description))
        }
    }
}
