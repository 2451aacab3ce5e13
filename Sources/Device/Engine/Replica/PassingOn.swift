import MacrologEvents
import MacrologLog
package import MacrologReadModels
import MacrologSystem

extension ReplicaError {
    /// Runs a body, and throws what a replica throws in place of an error of its log or its file.
    package static func passingOn<T: ~Copyable>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as LogError {
            if case .history(let error) = error.code { throw error }
            throw ReplicaError(error)
        } catch let error as LockError {
            throw ReplicaError(error)
        } catch let error as InstanceFileError {
            throw ReplicaError(.disk, error.explanation, hint: error.hint)
        }
    }

    private init(_ error: LockError) {
        self.init(
            error.isRetryable ? .busy : .cannotOpen, error.explanation, hint: error.hint)
    }
}
