public import MacrologEvents

/// Why a replica refused to record. Nothing was written.
public struct ReplicaError: ExplainedError, Hashable, Sendable {
    /// What is wrong.
    public enum Code: Hashable, Sendable {
        /// This is the log as of an earlier time: it can be read but not written.
        case readOnlySnapshot
        /// The file of the log can be read but not written here.
        case readOnly
        /// The replica was used inside of its own `read` or `write`.
        case nested
    }

    /// What is wrong.
    public let code: Code

    /// Wraps a code.
    public init(_ code: Code) {
        self.code = code
    }
}

extension ReplicaError {
    /// What was attempted, as it follows "cannot".
    public var operation: String {
        switch code {
        case .readOnlySnapshot, .readOnly: "record this"
        case .nested: "use the log"
        }
    }

    /// Why it failed.
    public var explanation: String {
        switch code {
        case .nested: "the code that calls has borrowed it already, by read or write"
        case .readOnlySnapshot: "this is the log as of an earlier time, which cannot be changed"
        case .readOnly: "the log is read-only here: it can be read, but nothing can be recorded"
        }
    }

    /// What to do about it.
    public var hint: String? {
        switch code {
        case .readOnlySnapshot: "record in the present log"
        case .nested: "call the diary that read or write has passed"
        case .readOnly: "check the permissions of the file and its folder"
        }
    }
}
