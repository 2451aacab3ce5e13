/// The text of a statement that is joined from literals, for SQL that follows from a declaration.
///
/// It consists of literals only, so no value from outside can become SQL. Its text stays in memory
/// for the life of the program, because statements are cached by the address of their text: store
/// it in a `static let`, and never make one for a single call.
package struct JoinedSQL: Sendable {
    /// The address of the text, which ends with a zero byte.
    let address: UInt
    /// The length of the text in bytes, without the zero.
    let count: Int

    /// Joins literals as they stand.
    package init(_ parts: StaticString...) { self.init(parts) }

    /// Joins literals as they stand.
    package init(_ parts: [StaticString]) {
        let text = parts.map { "\($0)" }.joined()
        precondition(!text.isEmpty, "SQL has text")
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count + 1)
        _ = bytes.initialize(from: Array(text.utf8) + [0])
        address = UInt(bitPattern: bytes.baseAddress)
        count = text.utf8.count
    }

    /// The text.
    package var text: String {
        String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    var start: UnsafePointer<UInt8>? { UnsafePointer(bitPattern: address) }
}

extension SQLiteConnection {
    /// Runs a statement to completion and discards its rows.
    package mutating func run(_ sql: JoinedSQL, _ values: some Bindable) throws(Failure) {
        var binder = try binder(sql)
        values.bind(to: &binder)
        runToEnd(&binder)
        try check(binder)
    }

    /// Runs a statement without values to completion and discards its rows.
    package mutating func run(_ sql: JoinedSQL) throws(Failure) {
        var binder = try binder(sql)
        runToEnd(&binder)
        try check(binder)
    }

    /// Calls the closure with each row.
    package mutating func forEach(
        _ sql: JoinedSQL, _ values: some Bindable, row: (borrowing Row) throws(Failure) -> Void
    ) throws(Failure) {
        var binder = try binder(sql)
        values.bind(to: &binder)
        try forEach(&binder, row)
    }

    /// Calls the closure with each row of a statement without values.
    package mutating func forEach(
        _ sql: JoinedSQL, row: (borrowing Row) throws(Failure) -> Void
    ) throws(Failure) {
        var binder = try binder(sql)
        try forEach(&binder, row)
    }

    /// Calls the closure with each row until it returns `false`.
    package mutating func forEachWhile(
        _ sql: JoinedSQL, _ values: some Bindable, row: (borrowing Row) throws(Failure) -> Bool
    ) throws(Failure) {
        var binder = try binder(sql)
        values.bind(to: &binder)
        start(binder)
        defer { end(binder) }
        while step(&binder), try row(Row(binder)) {}
        try check(binder)
    }

    private mutating func forEach(
        _ binder: inout Binder, _ row: (borrowing Row) throws(Failure) -> Void
    ) throws(Failure) {
        start(binder)
        defer { end(binder) }
        while step(&binder) { try row(Row(binder)) }
        try check(binder)
    }

    /// Runs each statement of a text once, without caching them. No bindings, no rows.
    package mutating func execute(_ sql: JoinedSQL) throws(Failure) {
        guard let start = sql.start else { return }
        try execute(
            UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self), byteCount: sql.count)
    }

    mutating func binder(_ sql: JoinedSQL) throws(Failure) -> Binder {
        if let statement = cachedStatement(sql.address) {
            return Binder(statement, scratch: scratch)
        }
        guard let start = sql.start else { preconditionFailure("SQL has text") }
        return Binder(try statement(start, count: sql.count), scratch: scratch)
    }
}
