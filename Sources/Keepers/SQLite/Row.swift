import CMacrologSQLite

/// One row, lent to a closure. It cannot be kept: its memory belongs to the running statement.
///
/// Columns count from 0. Reading `NULL`, or a value of another type, where it was not expected is
/// damage: it reads as 0, "" or no bytes, and the walk ends with an error.
@usableFromInline
package struct Row: ~Copyable {
    @usableFromInline let statement: OpaquePointer
    private let damagedColumn: UnsafeMutablePointer<Int>

    @usableFromInline
    init(_ binder: Binder) {
        statement = binder.statement
        damagedColumn = binder.damagedColumn
    }

    /// Notes that a column holds what it cannot hold, as in a damaged file: the walk ends with an
    /// error once the closure has returned. What the closure makes of this row is thrown away.
    package func damaged(_ column: Int) { damagedColumn.pointee = column + 1 }

    /// An `INTEGER` of a range; anything else is damage, and reads as the range's least.
    package func int(_ column: Int, in range: ClosedRange<Int64>) -> Int64 {
        let value = int(column)
        guard range.contains(value) else {
            damaged(column)
            return range.lowerBound
        }
        return value
    }

    /// A `BLOB` of so many bytes; anything else is damage, and reads as zeros.
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

    /// The 64 bits of an `INTEGER` that was bound as `UInt64`.
    @usableFromInline
    package func unsigned(_ column: Int) -> UInt64 {
        UInt64(bitPattern: int(column))
    }

    /// An `INTEGER` that was bound as `Bool`: everything but 0 is true.
    @usableFromInline
    package func bool(_ column: Int) -> Bool {
        int(column) != 0
    }

    /// A `TEXT`. Bytes that are not UTF-8 become U+FFFD; read ``bytes(_:)`` where identity counts.
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

    /// Lends the bytes of a `BLOB`, or of a `TEXT`, without copying them. They are valid inside
    /// the closure only.
    @inlinable
    package func withBytes<T, E: Error>(
        _ column: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> T
    ) throws(E) -> T {
        try body(lend(column))
    }

    /// What a column of a row can hold.
    package enum ColumnType: Sendable {
        case null, integer, text, blob
    }

    /// How many columns the row has.
    package var columnCount: Int { Int(sqlite3_column_count(statement)) }

    /// What a column holds. No table of the house has a column of floating-point numbers.
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

    /// The value's memory, valid until the statement moves on.
    @usableFromInline
    func lend(_ column: Int) -> UnsafeRawBufferPointer {
        let index = Int32(truncatingIfNeeded: column)
        let type = sqlite3_column_type(statement, index)
        guard type == SQLITE_BLOB || type == SQLITE_TEXT else {
            damaged(column)
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        // The order matters: `sqlite3_column_blob` may convert, and the count is that of the result.
        let base = sqlite3_column_blob(statement, index)
        return UnsafeRawBufferPointer(
            start: base, count: Int(sqlite3_column_bytes(statement, index)))
    }
}
