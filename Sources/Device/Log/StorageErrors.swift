public import MacrologEvents
package import MacrologSQLite
package import MacrologSystem

// Errors of the file that a replica passes on to its app.

extension SQLiteError: ExplainedError {
    package var explanation: String { detail }
}

extension LockError: ExplainedError {
    package var operation: String { "open the log" }
}
