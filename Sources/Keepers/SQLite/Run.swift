import CMacrologSQLite

/// Running statements: `run` for effects, `first`, `all`, `forEach` and `forEachWhile` for rows.
///
/// Each takes one SQL literal and a value for every `?` in it. The closures get one row at a time
/// and cannot use the connection meanwhile. The query stops if a closure throws, or, with code
/// `corrupt`, at a damaged column; see ``Row/damaged(_:)``.
extension SQLiteConnection {
    /// Runs a statement to completion and discards its rows.
    ///
    ///     try db.run("INSERT INTO event (device, seq, body) VALUES (?, ?, ?)", device, 3, body)
    ///
    /// - Precondition: The number of values equals the number of `?`s.
    @inlinable
    package mutating func run<each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value
    ) throws(Failure) {
        var binder = try binder(sql)
        repeat (each values).bind(to: &binder)
        try finish(binder)
    }

    /// The first row, or `nil` if there is none.
    @inlinable
    package mutating func first<T, each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value, row: (borrowing Row) throws(Failure) -> T
    ) throws(Failure) -> T? {
        var binder = try binder(sql)
        repeat (each values).bind(to: &binder)
        try start(binder)
        defer { end(binder) }
        let result = try step(binder) ? row(Row(binder)) : nil
        try checkRow(binder)
        return result
    }

    /// All rows, in the statement's order.
    @inlinable
    package mutating func all<T, each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value, row: (borrowing Row) throws(Failure) -> T
    ) throws(Failure) -> [T] {
        var binder = try binder(sql)
        repeat (each values).bind(to: &binder)
        try start(binder)
        defer { end(binder) }
        var rows: [T] = []
        while try step(binder) { rows.append(try row(Row(binder))) }
        return rows
    }

    /// Calls the closure with each row.
    @inlinable
    package mutating func forEach<each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value,
        row: (borrowing Row) throws(Failure) -> Void
    ) throws(Failure) {
        var binder = try binder(sql)
        repeat (each values).bind(to: &binder)
        try start(binder)
        defer { end(binder) }
        while try step(binder) { try row(Row(binder)) }
    }

    /// Calls the closure with each row until it returns `false`.
    @inlinable
    package mutating func forEachWhile<each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value,
        row: (borrowing Row) throws(Failure) -> Bool
    ) throws(Failure) {
        var binder = try binder(sql)
        repeat (each values).bind(to: &binder)
        try start(binder)
        defer { end(binder) }
        while try step(binder), try row(Row(binder)) {}
        try checkRow(binder)
    }
}

extension SQLiteConnection {
    /// The prepared statement of a literal, ready for bindings.
    @usableFromInline
    mutating func binder(_ sql: StaticString) throws(Failure) -> Binder {
        Binder(try statement(sql), scratch: scratch)
    }

    /// Checks the bindings before the first step.
    @usableFromInline
    mutating func start(_ binder: Binder) throws(Failure) {
        guard binder.code == SQLITE_OK else {
            let error = failure(binder.code, of: binder.statement)
            end(binder)
            throw error
        }
        precondition(
            sqlite3_bind_parameter_count(binder.statement) == binder.count,
            "one value for each ? of the SQL")
        binder.damagedColumn.pointee = 0
        counters.statements += 1
    }

    /// Steps to the next row; returns whether there is one.
    @usableFromInline
    mutating func step(_ binder: Binder) throws(Failure) -> Bool {
        try checkRow(binder)
        switch sqlite3_step(binder.statement) {
        case SQLITE_ROW:
            counters.rows += 1
            return true
        case SQLITE_DONE: return false
        case let code: throw failure(code, of: binder.statement)
        }
    }

    /// Throws if a column of the row was reported as damaged.
    @usableFromInline
    func checkRow(_ binder: Binder) throws(Failure) {
        let column = binder.damagedColumn.pointee
        guard column > 0 else { return }
        binder.damagedColumn.pointee = 0
        let sql = sqlite3_sql(binder.statement).map { String(cString: $0) } ?? ""
        // SQLite itself found no error in the file, so there is no extended code.
        throw Failure(
            SQLiteError(
                code: .corrupt, extendedCode: 0, operation: sql,
                detail: "column \(column) holds what it cannot hold"))
    }

    /// Resets the statement, and clears bindings if necessary.
    @usableFromInline
    func end(_ binder: Binder) {
        sqlite3_reset(binder.statement)
        if binder.mustClear { sqlite3_clear_bindings(binder.statement) }
    }

    /// Runs a statement to completion.
    @usableFromInline
    mutating func finish(_ binder: Binder) throws(Failure) {
        try start(binder)
        defer { end(binder) }
        while try step(binder) {}
    }
}
