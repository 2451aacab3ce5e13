/// An `INSERT` of many rows: sixteen a statement, and what is left one by one. SQLite keeps its place in the
/// table from row to row of a statement, which takes a third less time.
///
///     static let words = Insertion("INSERT OR FAIL INTO word (id, text)", columns: 2)
///
/// Write `OR FAIL` where an error ends the transaction, or where the rows can be inserted again one by one: with
/// it, SQLite does not prepare for undoing half of a statement, and the rows before the one that failed stay.
/// The text stays in memory for the life of the program: store it in a `static let`.
@usableFromInline
package struct Insertion: Sendable {
    private let one: JoinedSQL
    private let several: JoinedSQL

    /// The rows of a statement.
    @usableFromInline static let rowsMax = 16

    /// - Parameters:
    ///   - beginning: The statement up to `VALUES`.
    ///   - columns: How many values a row has.
    package init(_ beginning: StaticString, columns: Int) {
        let row: [StaticString] =
            ["(?"] + [StaticString](repeating: ", ?", count: columns - 1) + [")"]
        let start: [StaticString] = [beginning, " VALUES "]
        one = JoinedSQL(start + row)
        let rows = [[StaticString]](repeating: row, count: Self.rowsMax)
        several = JoinedSQL(start + Array(rows.joined(separator: [", "])))
    }

    /// The statement of one row, or of `rowsMax`.
    func sql(of rows: Int) -> JoinedSQL { rows == 1 ? one : several }
}

extension SQLiteConnection {
    /// Inserts rows.
    ///
    /// - Parameters:
    ///   - rows: The numbers of the rows.
    ///   - bind: Binds the values of a row, one for each column. What it lends must stay where it is until
    ///     this call returns.
    @inlinable
    package mutating func insert(
        _ rows: Range<Int>, by insertion: Insertion, bind: (Int, inout Binder) -> Void
    ) throws(Failure) {
        var row = rows.lowerBound
        while row < rows.upperBound {
            let count = rows.upperBound - row < Insertion.rowsMax ? 1 : Insertion.rowsMax
            var binder = try binder(insertion, rows: count)
            for index in row..<row + count { bind(index, &binder) }
            runToEnd(&binder)
            try check(binder)
            row += count
        }
    }

    @usableFromInline
    mutating func binder(_ insertion: Insertion, rows: Int) throws(Failure) -> Binder {
        try binder(insertion.sql(of: rows))
    }
}
