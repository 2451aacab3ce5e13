public import MacrologEvents
import MacrologLog
import MacrologReadModels
import MacrologSQLite

/// Why a log cannot be opened with an app's tables, or a table not be read. Nothing was written.
public struct AppTableError: ExplainedError, Hashable, Sendable {
    /// What is wrong.
    public enum Code: Hashable, Sendable {
        /// The log has a table of that name itself, or every table has a column of that name.
        case reserved
        /// Two tables have that name, or two columns of a table.
        case duplicate
        /// It is not a letter followed by letters, digits and `_`, in ASCII.
        case malformed
        /// The replica was not opened with this table.
        case undeclared
    }

    /// What is wrong.
    public let code: Code
    /// The name of the table.
    public let table: String
    /// The name of its column at fault; `nil` where it is that of the table.
    public let column: String?

    init(code: Code, table: String, column: String? = nil) {
        (self.code, self.table, self.column) = (code, table, column)
    }

    /// The cause in words, and what a person can do about it.
    public var text: ErrorText {
        ErrorText(
            cannot: code == .undeclared ? "read the table" : "open the log", explanation,
            hint: hint)
    }

    /// Why it failed.
    var explanation: String {
        switch (code, column) {
        case (.reserved, nil): "the log has a table \"\(table)\" of its own"
        case (.duplicate, nil): "two tables are named \"\(table)\""
        case (.malformed, nil): "\"\(table)\" cannot be the name of a table"
        case (.reserved, let column?): "the table \"\(table)\" has a column \"\(column)\" already"
        case (.duplicate, let column?):
            "two columns of the table \"\(table)\" are named \"\(column)\""
        case (.malformed, let column?):
            "\"\(column)\" cannot be the name of a column of the table \"\(table)\""
        case (.undeclared, _): "the log was not opened with this table \"\(table)\""
        }
    }

    /// What to do about it.
    var hint: String? {
        switch code {
        case .reserved, .duplicate:
            column == nil ? "give the app's table another name" : "give the column another name"
        case .malformed: "use a letter followed by letters, digits and _"
        case .undeclared: "open the log with it"
        }
    }
}

extension AppTableError {
    /// Checks the names of an app's tables and columns. SQLite does not distinguish letter case in them.
    static func check(_ tables: [AppTable]) throws(AppTableError) {
        var seen: [[UInt8]] = []
        for table in tables {
            let text = "\(table.stored.name)"
            let name = lowercased(Array(text.utf8))
            guard isWord(name) else { throw AppTableError(code: .malformed, table: text) }
            guard !EventLog.tableNames.contains(name), !name.starts(with: "sqlite_".utf8) else {
                throw AppTableError(code: .reserved, table: text)
            }
            guard !seen.contains(name) else { throw AppTableError(code: .duplicate, table: text) }
            seen.append(name)
            try checkColumns(table.columns, of: text)
        }
    }

    private static func checkColumns(
        _ columns: [AppTable.Column], of table: String
    ) throws(AppTableError) {
        let id = Array("id".utf8)
        var seen = [id]
        for column in columns {
            let text = "\(column.stored.name)"
            let name = lowercased(Array(text.utf8))
            guard isWord(name) else {
                throw AppTableError(code: .malformed, table: table, column: text)
            }
            guard !seen.contains(name) else {
                throw AppTableError(
                    code: name == id ? .reserved : .duplicate, table: table, column: text)
            }
            seen.append(name)
        }
    }

    private static func isWord(_ name: [UInt8]) -> Bool {
        guard let first = name.first, (97...122).contains(first) else { return false }
        return name.allSatisfy {
            (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_")
        }
    }
}
