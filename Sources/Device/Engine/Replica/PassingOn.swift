import MacrologEvents
package import MacrologLog
import MacrologReadModels
import MacrologSQLite

extension LogError {
    /// Runs a body, and throws what a replica throws in place of an error of its log.
    package static func passingOn<T: ~Copyable>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as LogError { throw error.passedOn }
    }

    /// The error that a replica throws for this one: SQLite's where the file is at fault, and the
    /// replica's own where nothing can be recorded.
    private var passedOn: any Error {
        switch code {
        case .file(let error) where error.code == .readOnly: ReplicaError(.readOnly)
        case .file(let error): error
        case .history(let error): error
        case .readOnly: ReplicaError(.readOnly)
        case .readOnlySnapshot: ReplicaError(.readOnlySnapshot)
        case .notReserved(let reason): InstanceFileError(explanation: reason)
        case .tooLarge, .malformedDraft, .gap, .malformedEvent, .divergent, .rolledBack,
            .contradiction, .damaged, .altered:
            self
        }
    }
}
