import CMacrologSQLite

/// One row, valid only inside a closure: its memory belongs to the running statement.
///
/// Columns count from 0. An unexpected `NULL` or a value of another type is treated as damage: it
/// reads as 0, "" or no bytes, and the query ends with an error.
@usableFromInline
package struct Row: ~Copyable {
    @usableFromInline let statement: OpaquePointer
    private let damagedColumn: UnsafeMutablePointer<Int>

    @usableFromInline
    init(_ binder: Binder) {
        statement = binder.statement
        damagedColumn = binder.damagedColumn
    }

    /// Reports that a column contains an impossible value, as in a damaged file: the query ends
    /// with an error after the closure has returned, and the closure's result for this row is
    /// discarded.
    package func damaged(_ column: Int) { damagedColumn.pointee = column + 1 }

    /// An `INTEGER` within a range; anything else is damage, and reads as the lower bound.
    package func int(_ column: Int, in range: ClosedRange<Int64>) -> Int64 {
        let value = int(column)
        guard range.contains(value) else {
            damaged(column)
            return range.lowerBound
        }
        return value
    }

    /// A `BLOB` of `count` bytes; anything else is damage, and reads as zeros.
    package func bytes(_ column: Int, count: Int) -> [UInt8] {
        let bytes = bytesOrNull(column) ?? []
        guard bytes.count == count else {
            damaged(column)
            return [UInt8](repeating: 0, count: count)
        }
        return bytes
    }

    /// An `INTEGER`.
    @usableFromInline
    package func int(_ column: Int) -> Int64 {
        let index = Int32(truncatingIfNeeded: column)
        guard sqlite3_column_type(statement, index) == SQLITE_INTEGER else {
            damaged(column)
            return 0
        }
        return sqlite3_column_int64(statement, index)
    }

    /// An `INTEGER`, or `nil` for `NULL`.
    @usableFromInline
    package func intOrNull(_ column: Int) -> Int64? {
        isNull(column) ? nil : int(column)
    }

    /// An `INTEGER` that was bound as `Bool`: every value except 0 is true.
    @usableFromInline
    package func bool(_ column: Int) -> Bool {
        int(column) != 0
    }

    /// A `TEXT`. Invalid UTF-8 becomes U+FFFD; use ``bytes(_:)`` if the exact bytes matter.
    @usableFromInline
    package func text(_ column: Int) -> String {
        withBytes(column) { String(decoding: $0, as: UTF8.self) }
    }

    /// A `TEXT`, or `nil` for `NULL`.
    @usableFromInline
    package func textOrNull(_ column: Int) -> String? {
        isNull(column) ? nil : text(column)
    }

    /// A copy of a `BLOB`, or of the UTF-8 bytes of a `TEXT`.
    @usableFromInline
    package func bytes(_ column: Int) -> [UInt8] {
        withBytes(column) { [UInt8]($0) }
    }

    /// A copy of a `BLOB`, or `nil` for `NULL`.
    @usableFromInline
    package func bytesOrNull(_ column: Int) -> [UInt8]? {
        isNull(column) ? nil : bytes(column)
    }

    /// The bytes of a `BLOB` or a `TEXT`, without a copy. They are valid inside the closure only.
    @inlinable
    package func withBytes<T, E: Error>(
        _ column: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> T
    ) throws(E) -> T {
        try body(lend(column))
    }

    /// The storage class of a column's value.
    package enum ColumnType: Sendable {
        case null, integer, text, blob
    }

    /// How many columns the row has.
    package var columnCount: Int { Int(sqlite3_column_count(statement)) }

    /// The storage class of a column's value. No table of this project has floating-point columns.
    package func type(_ column: Int) -> ColumnType {
        switch sqlite3_column_type(statement, Int32(truncatingIfNeeded: column)) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer
        case SQLITE_TEXT: .text
        default: .blob
        }
    }

    /// Whether the value is `NULL`.
    @usableFromInline
    package func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(statement, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
    }

    /// The value's memory, valid until the statement steps.
    @usableFromInline
    func lend(_ column: Int) -> UnsafeRawBufferPointer {
        let index = Int32(truncatingIfNeeded: column)
        let type = sqlite3_column_type(statement, index)
        guard type == SQLITE_BLOB || type == SQLITE_TEXT else {
            damaged(column)
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        // The order matters: `sqlite3_column_blob` may convert the value, and the length is that of
        // the result.
        let base = sqlite3_column_blob(statement, index)
        return UnsafeRawBufferPointer(
            start: base, count: Int(sqlite3_column_bytes(statement, index)))
    }
}
