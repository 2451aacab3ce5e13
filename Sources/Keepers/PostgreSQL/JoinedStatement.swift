/// The text of a statement that is joined from literals, for SQL that follows from a declaration, and rows whose
/// columns follow from it, too.
///
/// It consists of literals only, so no value from outside can become SQL. Statements are cached by the
/// address of their text, which stays in memory for the life of the program: store it in a `static let`.
package struct JoinedStatement: Sendable {
    /// The address that stands for the text.
    let address: UInt
    /// The text.
    let text: String

    /// Joins literals as they stand.
    package init(_ parts: [StaticString]) {
        text = parts.map { "\($0)" }.joined()
        address = UInt(bitPattern: UnsafeMutablePointer<UInt8>.allocate(capacity: 1))
    }
}

extension PostgreSQLConnection {
    /// Sends a statement, as the method of the same name that takes a literal.
    package mutating func run(
        _ sql: JoinedStatement, _ values: some PostgreSQLValue
    ) throws(PostgreSQLError) {
        var parameters = PostgreSQLParameters()
        parameters.append(values)
        writes += 1
        try send(sql, parameters)
        if sent.count >= 512 { try flush() }
    }

    /// Calls the closure with each row.
    package mutating func forEach(
        _ sql: JoinedStatement, _ values: some PostgreSQLValue,
        row: (borrowing PostgreSQLRow) throws(PostgreSQLError) -> Void
    ) throws(PostgreSQLError) {
        var parameters = PostgreSQLParameters()
        parameters.append(values)
        try send(sql, parameters)
        try takeRows(sql.text) { line throws(PostgreSQLError) in
            try row(line)
            return true
        }
    }
}
