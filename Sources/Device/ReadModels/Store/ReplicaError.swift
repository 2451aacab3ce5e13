public import MacrologEvents

/// Why a replica refused to record. Nothing was written.
public struct ReplicaError: ExplainedError, Hashable, Sendable {
    /// What is wrong.
    public enum Code: Hashable, Sendable {
        /// This is the log as of an earlier time: it can be read but not written.
        case readOnlySnapshot
        /// The file of the log can be read but not written here.
        case readOnly
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
    public var operation: String { "record this" }

    /// Why it failed.
    public var explanation: String {
        switch code {
        case .readOnlySnapshot: "this is the log as of an earlier time, which cannot be changed"
        case .readOnly: "the log is read-only here: it can be read, but nothing can be recorded"
        }
    }

    /// What to do about it.
    public var hint: String? {
        switch code {
        case .readOnlySnapshot: "record in the present log"
        case .readOnly: "check the permissions of the file and its folder"
        }
    }
}
