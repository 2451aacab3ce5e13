package import MacrologEvents
package import MacrologWire
package import MacrologSQLite

/// A connection that throws what the log throws.
package typealias LogConnection = SQLiteConnection<LogError>

/// Why the log refused an event or a page, or could not be read. Nothing was written.
package struct LogError: ExplainedError, Hashable, Sendable {
    /// What is wrong.
    package enum Code: Hashable, Sendable {
        /// The event is larger than ``Limits/eventBytesMax``, or breaks another limit.
        case tooLarge
        /// A change without operations, an entity twice in one event, or a cell written twice.
        case malformedDraft
        /// An entity that a draft adds is deleted.
        case deleted(EntityKey)
        /// The page does not continue where the log ends, or an event in it skips a number.
        case gap(expected: Int64)
        /// An event of the page cannot be read.
        case malformedEvent(CBORError)
        /// The server's log and this one differ although they have the same length.
        case divergent(n: Int64)
        /// The server has events of this device that this device does not have: its file was
        /// restored or copied.
        case rolledBack(seq: Int64)
        /// The server's statements about its log contradict each other.
        case contradiction
        /// A stored event, or what is derived from events, cannot be read: the file is damaged.
        case damaged(CBORError)
        /// An unsealed event of this device is not what was recorded.
        case altered(seq: Int64)
        /// An action cannot be undone, redone or resolved, or its history not be read.
        case history(HistoryError)
        /// SQLite refused or failed.
        case file(SQLiteError)
        /// The file can be read but not written here.
        case readOnly
        /// This is the log as of an earlier time: it can be read but not written.
        case readOnlySnapshot
        /// The file beside the database, which says how far this device may record, could not be
        /// written.
        case notReserved(reason: String)
    }

    /// What is wrong.
    package let code: Code

    /// Wraps a code.
    package init(_ code: Code) {
        self.code = code
    }

    /// Wraps what is wrong with an action or its history.
    package init(_ code: HistoryError.Code) {
        self.code = .history(HistoryError(code))
    }
}

extension LogError {
    /// What is wrong, in words.
    package var text: ErrorText {
        ErrorText(cannot: operation, explanation, hint: hint, isRetryable: isRetryable)
    }

    package var operation: String {
        switch code {
        case .tooLarge, .malformedDraft, .deleted: "record this"
        case .damaged: "read the log"
        case .file(let error): error.operation
        case .history(let error): error.operation
        case .readOnly, .readOnlySnapshot, .notReserved: "record this"
        case .gap, .malformedEvent, .divergent, .rolledBack, .contradiction, .altered: "sync"
        }
    }

    /// A sentence, without any content of the log.
    package var explanation: String {
        switch code {
        case .tooLarge:
            "one change is too large to record: at most \(Limits.eventBytesMax / 1_024) KiB, "
                + "with texts of at most \(Limits.textBytesMax / 1_024) KiB"
        case .malformedDraft: "the change is not well-formed"
        case .deleted(let entity): "the \(entity.kind) of this id is deleted"
        case .gap(let expected): "the server's page has a gap: expected number \(expected)"
        case .malformedEvent(let error): "an event of the server cannot be read: \(error)"
        case .divergent(let n): "this device and the server hold different logs up to number \(n)"
        case .rolledBack(let seq):
            "the server knows events up to \(seq) of this device, which this file does not hold"
        case .contradiction: "what the server says of its log contradicts itself"
        case .damaged(let error): "what is stored cannot be read: \(error)"
        case .altered(let seq):
            "event \(seq) of this device is not what was recorded, and is not sent"
        case .file(let error): error.detail
        case .history(let error): error.explanation
        case .readOnly: "the log is read-only here: it can be read, but nothing can be recorded"
        case .readOnlySnapshot: "this is the log as of an earlier time, which cannot be changed"
        case .notReserved(let reason): reason
        }
    }

    package var isRetryable: Bool { sqlite?.isRetryable ?? false }

    package var hint: String? {
        switch code {
        case .tooLarge: "record less at once, or shorten the text"
        case .deleted: "restore it, or take a new id"
        case .damaged: "sync: a damaged event is fetched again, and the rest folded again"
        case .file(let error): error.hint
        case .history(let error): error.hint
        case .readOnly: "check the permissions of the file and its folder"
        case .readOnlySnapshot: "record in the present log"
        case .notReserved:
            "check the disk, and the permissions of the file and its folder"
        // Syncing itself acts on these: it recovers, repairs, or rotates the device's ID.
        case .malformedDraft, .gap, .malformedEvent, .divergent, .rolledBack, .contradiction,
            .altered:
            nil
        }
    }
}

extension LogError: SQLiteErrorWrapper {
    package init(_ error: SQLiteError) { self.init(.file(error)) }

    package var sqlite: SQLiteError? {
        if case .file(let error) = code { error } else { nil }
    }
}
