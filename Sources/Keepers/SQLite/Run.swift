import CMacrologSQLite

/// The verbs: `run` for effects, `first`, `all`, `forEach` and `forEachWhile` for rows.
///
/// Each takes one literal of SQL and a value for every `?` in it. The closures see one row at a
/// time and cannot use the connection meanwhile. A closure that throws stops the walk; and so does a
/// column of a damaged file, see ``Row/damaged(_:)``, with reason `corrupt`.
extension Connection {
    /// Runs a statement to its end and drops any rows.
    ///
    ///     try db.run("INSERT INTO event (device, seq, body) VALUES (?, ?, ?)", device, 3, body)
    ///
    /// - Precondition: The number of values is the number of `?`s.
    @inlinable
    package mutating func run<each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value
    ) throws(SQLiteError) {
        var binder = try binder(sql)
        repeat (each values).bind(to: &binder)
        try finish(binder)
    }

    /// The first row, or `nil` where there is none.
    @inlinable
    package mutating func first<T, each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value, row: (borrowing Row) -> T
    ) throws(SQLiteError) -> T? {
        var binder = try binder(sql)
        repeat (each values).bind(to: &binder)
        try start(binder)
        defer { end(binder) }
        let result = try step(binder) ? row(Row(binder)) : nil
        try checkRow(binder)
        return result
    }

    /// The first row, or `nil` where there is none.
    @inlinable
    package mutating func first<T, each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value, row: (borrowing Row) throws -> T
    ) throws -> T? {
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
        _ sql: StaticString, _ values: repeat each Value, row: (borrowing Row) -> T
    ) throws(SQLiteError) -> [T] {
        var binder = try binder(sql)
        repeat (each values).bind(to: &binder)
        try start(binder)
        defer { end(binder) }
        var rows: [T] = []
        while try step(binder) { rows.append(row(Row(binder))) }
        return rows
    }

    /// All rows, in the statement's order.
    @inlinable
    package mutating func all<T, each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value, row: (borrowing Row) throws -> T
    ) throws -> [T] {
        var binder = try binder(sql)
        repeat (each values).bind(to: &binder)
        try start(binder)
        defer { end(binder) }
        var rows: [T] = []
        while try step(binder) { rows.append(try row(Row(binder))) }
        return rows
    }

    /// Lends every row in turn.
    @inlinable
    package mutating func forEach<each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value, row: (borrowing Row) -> Void
    ) throws(SQLiteError) {
        var binder = try binder(sql)
        repeat (each values).bind(to: &binder)
        try start(binder)
        defer { end(binder) }
        while try step(binder) { row(Row(binder)) }
    }

    /// Lends every row in turn.
    @inlinable
    package mutating func forEach<each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value, row: (borrowing Row) throws -> Void
    ) throws {
        var binder = try binder(sql)
        repeat (each values).bind(to: &binder)
        try start(binder)
        defer { end(binder) }
        while try step(binder) { try row(Row(binder)) }
    }

    /// Lends rows until the closure returns `false`.
    @inlinable
    package mutating func forEachWhile<each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value, row: (borrowing Row) -> Bool
    ) throws(SQLiteError) {
        var binder = try binder(sql)
        repeat (each values).bind(to: &binder)
        try start(binder)
        defer { end(binder) }
        while try step(binder), row(Row(binder)) {}
        try checkRow(binder)
    }

    /// Lends rows until the closure returns `false`.
    @inlinable
    package mutating func forEachWhile<each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value, row: (borrowing Row) throws -> Bool
    ) throws {
        var binder = try binder(sql)
        repeat (each values).bind(to: &binder)
        try start(binder)
        defer { end(binder) }
        while try step(binder), try row(Row(binder)) {}
        try checkRow(binder)
    }
}

extension Connection {
    /// The statement for a literal, ready to be filled.
    @usableFromInline
    mutating func binder(_ sql: StaticString) throws(SQLiteError) -> Binder {
        Binder(try statement(sql), scratch: scratch)
    }

    /// Checks the bindings, so that the statement may step.
    @usableFromInline
    mutating func start(_ binder: Binder) throws(SQLiteError) {
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

    /// Moves to the next row and tells whether there is one.
    @usableFromInline
    mutating func step(_ binder: Binder) throws(SQLiteError) -> Bool {
        try checkRow(binder)
        switch sqlite3_step(binder.statement) {
        case SQLITE_ROW:
            counters.rows += 1
            return true
        case SQLITE_DONE: return false
        case let code: throw failure(code, of: binder.statement)
        }
    }

    /// Refuses a row in which something was read that its column cannot hold.
    @usableFromInline
    func checkRow(_ binder: Binder) throws(SQLiteError) {
        let column = binder.damagedColumn.pointee
        guard column > 0 else { return }
        binder.damagedColumn.pointee = 0
        let sql = sqlite3_sql(binder.statement).map { String(cString: $0) } ?? ""
        // SQLite itself found nothing wrong with the file: no code of its own.
        throw SQLiteError(
            reason: .corrupt, extendedCode: 0, operation: sql,
            detail: "column \(column) holds what it cannot hold")
    }

    /// Lets go of the rows, and of whatever the bindings hold.
    @usableFromInline
    func end(_ binder: Binder) {
        sqlite3_reset(binder.statement)
        if binder.mustClear { sqlite3_clear_bindings(binder.statement) }
    }

    /// Runs a statement to its end.
    @usableFromInline
    mutating func finish(_ binder: Binder) throws(SQLiteError) {
        try start(binder)
        defer { end(binder) }
        while try step(binder) {}
    }
}
