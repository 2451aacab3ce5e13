import CMacrologPostgreSQL

/// One row, valid only inside a closure: its memory belongs to the answer.
///
/// Columns count from 0. An unexpected `NULL` or a value of another length is treated as damage: it
/// reads as 0, "" or no bytes, and the query ends with an error.
package struct PostgreSQLRow: ~Copyable {
    private let library: Libpq
    private let result: OpaquePointer
    private let row: Int32
    /// One more than the column that is damaged; 0 for none.
    private let damagedColumn: UnsafeMutablePointer<Int>

    init(
        _ library: Libpq, _ result: OpaquePointer, _ row: Int32,
        _ damagedColumn: UnsafeMutablePointer<Int>
    ) {
        self.library = library
        self.result = result
        self.row = row
        self.damagedColumn = damagedColumn
    }

    /// Reports that a column contains an impossible value: the query ends with an error after the
    /// closure has returned, and the closure's result for this row is discarded.
    package func damaged(_ column: Int) { damagedColumn.pointee = column + 1 }

    /// Whether the value is `NULL`.
    package func isNull(_ column: Int) -> Bool {
        library.call.is_null(result, row, Int32(truncatingIfNeeded: column)) != 0
    }

    /// A `bigint`, an `integer` or a `smallint`; a `boolean` is 1 or 0.
    package func int(_ column: Int) -> Int64 {
        let bytes = lend(column)
        switch bytes.count {
        case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case 1, 2, 4: break
        default:
            damaged(column)
            return 0
        }
        // The sign is that of the first byte; a boolean has none.
        let first = bytes.count == 1 ? 0 : Int64(Int8(bitPattern: bytes[0]) >> 7)
        return bytes.reduce(first) { $0 << 8 | Int64($1) }
    }

    /// A `text`.
    package func text(_ column: Int) -> String {
        withBytes(column) { String(decoding: $0, as: UTF8.self) }
    }

    /// A copy of a `bytea`, or of the UTF-8 bytes of a `text`.
    package func bytes(_ column: Int) -> [UInt8] { withBytes(column) { [UInt8]($0) } }

    /// The bytes of a `bytea` or a `text`, without a copy. They are valid inside the closure only.
    package func withBytes<T, E: Error>(
        _ column: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> T
    ) throws(E) -> T {
        if isNull(column) { damaged(column) }
        return try body(lend(column))
    }

    private func lend(_ column: Int) -> UnsafeRawBufferPointer {
        let index = Int32(truncatingIfNeeded: column)
        return UnsafeRawBufferPointer(
            start: library.call.value(result, row, index),
            count: Int(library.call.length(result, row, index)))
    }
}
