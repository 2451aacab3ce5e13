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
        runToEnd(&binder)
        try check(binder)
    }

    /// The first row, or `nil` if there is none.
    @inlinable
    package mutating func first<T, each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value, row: (borrowing Row) throws(Failure) -> T
    ) throws(Failure) -> T? {
        var binder = try binder(sql)
        repeat (each values).bind(to: &binder)
        start(binder)
        defer { end(binder) }
        let result = step(&binder) ? try row(Row(binder)) : nil
        try check(binder)
        return result
    }

    /// All rows, in the statement's order.
    @inlinable
    package mutating func all<T, each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value, row: (borrowing Row) throws(Failure) -> T
    ) throws(Failure) -> [T] {
        var binder = try binder(sql)
        repeat (each values).bind(to: &binder)
        start(binder)
        defer { end(binder) }
        var rows: [T] = []
        while step(&binder) { rows.append(try row(Row(binder))) }
        try check(binder)
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
        start(binder)
        defer { end(binder) }
        while step(&binder) { try row(Row(binder)) }
        try check(binder)
    }

    /// Calls the closure with each row until it returns `false`.
    @inlinable
    package mutating func forEachWhile<each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value,
        row: (borrowing Row) throws(Failure) -> Bool
    ) throws(Failure) {
        var binder = try binder(sql)
        repeat (each values).bind(to: &binder)
        start(binder)
        defer { end(binder) }
        while step(&binder), try row(Row(binder)) {}
        try check(binder)
    }
}

// Functions that throw the owner's error are inlined into the caller, where that type is known.
// Those that run for every row throw nothing: the binder keeps the first error until `check`.
extension SQLiteConnection {
    /// The prepared statement of a literal, ready for bindings.
    @inlinable
    mutating func binder(_ sql: StaticString) throws(Failure) -> Binder {
        if let statement = cachedStatement(UInt(bitPattern: sql.utf8Start)) {
            return Binder(statement, scratch: scratch)
        }
        return Binder(try statement(sql), scratch: scratch)
    }

    /// Prepares for the first step. After a failed binding, no step follows.
    @usableFromInline
    mutating func start(_ binder: Binder) {
        binder.damagedColumn.pointee = 0
        guard binder.code == SQLITE_OK else {
            keep(binder.code, of: binder.statement)
            return
        }
        precondition(
            sqlite3_bind_parameter_count(binder.statement) == binder.count,
            "one value for each ? of the SQL")
        counters.statements += 1
    }

    /// Steps to the next row; returns `false` at the end, and after an error.
    @usableFromInline
    mutating func step(_ binder: inout Binder) -> Bool {
        guard !binder.hasFailed else { return false }
        let code = sqlite3_step(binder.statement)
        guard code == SQLITE_ROW else {
            guard code != SQLITE_DONE else { return false }
            binder.code = code
            keep(code, of: binder.statement)
            return false
        }
        counters.rows += 1
        return true
    }

    /// Throws if a step or a binding failed, or a column of the row was reported as damaged.
    @inlinable
    mutating func check(_ binder: Binder) throws(Failure) {
        if binder.hasFailed { throw Failure(error(of: binder)) }
    }

    /// The error that a binder has kept.
    @usableFromInline
    func error(of binder: Binder) -> SQLiteError {
        let column = binder.damagedColumn.pointee
        if column == 0, let keptError { return keptError }
        // SQLite itself found no error in the file, so there is no extended code.
        return SQLiteError(
            code: .corrupt, extendedCode: 0, operation: Self.text(of: binder.statement),
            detail: "column \(column) holds what it cannot hold")
    }

    /// Resets the statement, and clears bindings if necessary.
    @usableFromInline
    func end(_ binder: Binder) {
        sqlite3_reset(binder.statement)
        if binder.mustClear { sqlite3_clear_bindings(binder.statement) }
    }

    /// Runs a statement to completion.
    @usableFromInline
    mutating func runToEnd(_ binder: inout Binder) {
        start(binder)
        while step(&binder) {}
        end(binder)
    }
}
