import CMacrologPostgreSQL
import MacrologPlatform
import MacrologSystem

/// Running statements: `run` for effects, `first`, `all`, `forEach` and `forEachWhile` for rows.
///
/// Each takes one SQL literal and a value for every `?` in it; `?2` is the second value, wherever it
/// stands. The closures get one row at a time. The query stops if a closure throws, or at a damaged
/// column; see ``PostgreSQLRow/damaged(_:)``.
extension PostgreSQLConnection {
    /// Sends a statement, whose error the next statement that is waited for throws.
    ///
    /// - Precondition: The number of values equals the number of `?`s.
    package mutating func run<each Value: PostgreSQLValue>(
        _ sql: StaticString, _ values: repeat each Value
    ) throws(PostgreSQLError) {
        var parameters = PostgreSQLParameters()
        repeat parameters.append(each values)
        writes += 1
        try send(sql, parameters)
        // The server's answers must not fill its buffers unread.
        if sent.count >= 512 { try flush() }
    }

    /// The first row, or `nil` if there is none.
    package mutating func first<T, each Value: PostgreSQLValue>(
        _ sql: StaticString, _ values: repeat each Value,
        row: (borrowing PostgreSQLRow) throws(PostgreSQLError) -> T
    ) throws(PostgreSQLError) -> T? {
        var parameters = PostgreSQLParameters()
        repeat parameters.append(each values)
        var found: T?
        try query(sql, parameters) { line throws(PostgreSQLError) in
            found = try row(line)
            return false
        }
        return found
    }

    /// All rows, in the statement's order.
    package mutating func all<T, each Value: PostgreSQLValue>(
        _ sql: StaticString, _ values: repeat each Value,
        row: (borrowing PostgreSQLRow) throws(PostgreSQLError) -> T
    ) throws(PostgreSQLError) -> [T] {
        var parameters = PostgreSQLParameters()
        repeat parameters.append(each values)
        var rows: [T] = []
        try query(sql, parameters) { line throws(PostgreSQLError) in
            rows.append(try row(line))
            return true
        }
        return rows
    }

    /// Calls the closure with each row.
    package mutating func forEach<each Value: PostgreSQLValue>(
        _ sql: StaticString, _ values: repeat each Value,
        row: (borrowing PostgreSQLRow) throws(PostgreSQLError) -> Void
    ) throws(PostgreSQLError) {
        var parameters = PostgreSQLParameters()
        repeat parameters.append(each values)
        try query(sql, parameters) { line throws(PostgreSQLError) in
            try row(line)
            return true
        }
    }

    /// Calls the closure with each row until it returns `false`.
    package mutating func forEachWhile<each Value: PostgreSQLValue>(
        _ sql: StaticString, _ values: repeat each Value,
        row: (borrowing PostgreSQLRow) throws(PostgreSQLError) -> Bool
    ) throws(PostgreSQLError) {
        var parameters = PostgreSQLParameters()
        repeat parameters.append(each values)
        try query(sql, parameters, row)
    }

    /// How many rows the last statement of ``run(_:_:)`` has changed. Waits for its answer.
    package mutating func changed() throws(PostgreSQLError) -> Int {
        try flush()
        return changedRows
    }

    /// Waits until everything sent is answered.
    package mutating func flush() throws(PostgreSQLError) {
        guard !sent.isEmpty else { return }
        if let rows = try answer() { library.call.clear(rows) }
    }

    // The optimizer of Swift 6.3 crashes when it inlines a closure's borrowed row.
    @inline(never)
    private mutating func query(
        _ sql: StaticString, _ parameters: PostgreSQLParameters,
        _ row: (borrowing PostgreSQLRow) throws(PostgreSQLError) -> Bool
    ) throws(PostgreSQLError) {
        try send(sql, parameters)
        try takeRows("\(sql)", row)
    }

    /// Waits for the rows of the last statement that was sent.
    ///
    /// - Parameter operation: For errors.
    @inline(never)
    mutating func takeRows(
        _ operation: @autoclosure () -> String,
        _ row: (borrowing PostgreSQLRow) throws(PostgreSQLError) -> Bool
    ) throws(PostgreSQLError) {
        guard let rows = try answer() else { return }
        defer { library.call.clear(rows) }
        damagedColumn.pointee = 0
        for index in 0..<library.call.row_count(rows) {
            let goesOn = try row(PostgreSQLRow(library, rows, index, damagedColumn))
            guard damagedColumn.pointee == 0 else {
                throw PostgreSQLError(
                    .damaged, operation: operation(),
                    detail: "column \(damagedColumn.pointee) holds what it cannot hold")
            }
            guard goesOn else { return }
        }
    }
}

extension PostgreSQLConnection {
    /// Queues a statement, prepared at its first use.
    private mutating func send(
        _ sql: StaticString, _ parameters: PostgreSQLParameters
    ) throws(PostgreSQLError) {
        try send(UInt(bitPattern: sql.utf8Start), Sent(sql: sql), parameters) {
            Self.numbered(UnsafeBufferPointer(start: sql.utf8Start, count: sql.utf8CodeUnitCount))
        }
    }

    /// Queues a statement that is joined from literals.
    mutating func send(
        _ sql: JoinedStatement, _ parameters: PostgreSQLParameters
    ) throws(PostgreSQLError) {
        try send(sql.address, Sent(sql: "", script: sql.text), parameters) {
            var text = sql.text
            return text.withUTF8 { Self.numbered($0) }
        }
    }

    /// - Parameters:
    ///   - address: What its statement is known by.
    ///   - one: The statement, for errors.
    ///   - text: Its text with `$1` for the first `?`, when it is needed.
    private mutating func send(
        _ address: UInt, _ one: Sent, _ parameters: PostgreSQLParameters, text: () -> [CChar]
    ) throws(PostgreSQLError) {
        guard !isBroken else {
            throw PostgreSQLError(
                .disconnected, operation: one.operation, detail: "the connection is broken")
        }
        let isNew = statements[address] == nil
        let statement =
            statements[address]
            ?? Prepared(name: isPooled ? nil : "s\(statements.count)", text: text())
        statements[address] = statement
        if isNew, let name = statement.name {
            let isSent = library.call.send_prepare(
                handle, name, statement.text, Int32(parameters.types.count), parameters.types)
            guard isSent == 1 else { throw broken(one.operation) }
            var preparing = one
            preparing.preparing = address
            sent.append(preparing)
        }
        let (library, handle) = (library, handle)
        let isSent = parameters.lend { values, lengths, formats in
            guard let name = statement.name else {
                return library.call.send_params(
                    handle, statement.text, Int32(values.count), parameters.types, values, lengths,
                    formats, 1)
            }
            return library.call.send_prepared(
                handle, name, Int32(values.count), values, lengths, formats, 1)
        }
        guard isSent == 1 else { throw broken(one.operation) }
        sent.append(one)
    }

    /// Queues one statement of a text that has several.
    mutating func send(
        script: String, of sql: StaticString
    ) throws(PostgreSQLError) {
        let isSent = library.call.send_params(handle, script, 0, nil, nil, nil, nil, 1)
        guard isSent == 1 else { throw broken("\(sql)") }
        sent.append(Sent(sql: sql, script: script))
    }

    /// The text with `$1` in place of the first `?`, and `$2` in place of `?2`, outside of quotes.
    static func numbered(_ sql: UnsafeBufferPointer<UInt8>) -> [CChar] {
        var text: [UInt8] = []
        var count = 0
        var isQuoted = false
        let bytes = Array(sql)
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "'") { isQuoted.toggle() }
            guard byte == UInt8(ascii: "?"), !isQuoted else {
                text.append(byte)
                continue
            }
            text.append(UInt8(ascii: "$"))
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            if !(UInt8(ascii: "1")...UInt8(ascii: "9")).contains(next) {
                count += 1
                text += Array("\(count)".utf8)
            }
        }
        return text.map { CChar(bitPattern: $0) } + [0]
    }

    /// Waits for the answers to everything sent.
    ///
    /// - Returns: The rows of the last statement, which the caller clears; `nil` if it has none.
    /// - Throws: The first error among them.
    private mutating func answer() throws(PostgreSQLError) -> OpaquePointer? {
        let operation = sent.last?.operation ?? ""
        roundTrips += 1
        guard library.call.pipeline_sync(handle) == 1 else { throw broken(operation) }
        let deadline = SystemClock.monotonicMilliseconds + Self.answerMilliseconds
        try push(until: deadline, operation)
        var rows: OpaquePointer?
        var failure: PostgreSQLError?
        let asked = sent
        sent = []
        for (index, one) in asked.enumerated() {
            while let result = try next(until: deadline, operation) {
                let error = take(result, of: one)
                if let error, failure == nil { failure = error }
                if error == nil, index == asked.count - 1, one.preparing == nil, hasRows(result) {
                    rows = result
                } else {
                    library.call.clear(result)
                }
            }
        }
        // The end of the pipeline is an answer of its own.
        if let result = try next(until: deadline, operation) { library.call.clear(result) }
        guard let failure else { return rows }
        if let rows { library.call.clear(rows) }
        if failure.endsConnection { isBroken = true }
        throw failure
    }

    private func hasRows(_ result: OpaquePointer) -> Bool {
        library.call.result_status(result) == UInt32(MACROLOG_PG_ROWS)
    }

    /// Notes what one answer says.
    private mutating func take(_ result: OpaquePointer, of one: Sent) -> PostgreSQLError? {
        let status = library.call.result_status(result)
        switch Int(status) {
        case MACROLOG_PG_COMMAND_OK, MACROLOG_PG_ROWS:
            if one.preparing == nil {
                changedRows =
                    library.call.command_rows(result).flatMap { Int(String(cString: $0)) } ?? 0
                commandTag = library.call.command_status(result).map { String(cString: $0) } ?? ""
            }
            return nil
        case MACROLOG_PG_EMPTY: return nil
        case MACROLOG_PG_ABORTED:
            // It was skipped after an earlier error, which is the one to throw.
            if let address = one.preparing { statements[address] = nil }
            return nil
        default:
            if let address = one.preparing { statements[address] = nil }
            let state = library.field(MACROLOG_PG_SQLSTATE, of: result)
            // An error without a state is libpq's own: the server's answer did not come.
            var failure = PostgreSQLError(
                state.isEmpty ? .disconnected : .server(state: state), operation: one.operation,
                detail: library.field(MACROLOG_PG_MESSAGE, of: result))
            failure.database = database
            return failure
        }
    }

    /// Sends what is queued, reading what arrives meanwhile.
    private mutating func push(
        until deadline: Int64, _ operation: String
    ) throws(PostgreSQLError) {
        while true {
            let rest = library.call.flush(handle)
            guard rest != 0 else { return }
            guard rest == 1 else { throw broken(operation) }
            try wait(for: Int16(POLLIN) | Int16(POLLOUT), until: deadline, operation)
        }
    }

    /// The next answer; `nil` at the end of those to one statement.
    private mutating func next(
        until deadline: Int64, _ operation: String
    ) throws(PostgreSQLError) -> OpaquePointer? {
        while library.call.is_busy(handle) != 0 {
            try wait(for: Int16(POLLIN), until: deadline, operation)
        }
        return library.call.get_result(handle)
    }

    private mutating func wait(
        for events: Int16, until deadline: Int64, _ operation: String
    ) throws(PostgreSQLError) {
        let rest = deadline - SystemClock.monotonicMilliseconds
        var descriptor = pollfd(fd: socket, events: events, revents: 0)
        let ready = rest > 0 ? poll(&descriptor, 1, Int32(rest)) : 0
        if ready < 0, errno == EINTR { return }
        guard ready > 0 else {
            throw broken(
                operation, "no answer within \(Self.answerMilliseconds / 1_000) seconds")
        }
        guard
            descriptor.revents & Int16(POLLIN | POLLHUP | POLLERR) == 0
                || library.call.consume_input(handle) == 1
        else { throw broken(operation) }
    }
}
