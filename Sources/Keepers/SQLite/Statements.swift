import CMacrologSQLite

/// The prepared statements of one connection, looked up by the address of the SQL literal.
///
/// A literal has one address for the life of the program, so a look-up costs one multiplication,
/// and no text is hashed or compared. The cache never shrinks, because the number of literals in a
/// program is limited.
struct StatementCache: ~Copyable {
    struct Entry {
        var key: UInt
        var statement: OpaquePointer?
        /// What the statement reads and writes.
        var tables = (read: TouchedTables.Set(), written: TouchedTables.Set())
    }

    /// Open addressing over a power of two, at most half full.
    private var entries = empty(64)
    private var count = 0

    /// Finalizes every statement. The cache cannot be used afterwards.
    func finalize() {
        for statement in all { sqlite3_finalize(statement) }
        entries.deallocate()
    }

    /// Every statement, in any order.
    var all: [OpaquePointer] { entries.compactMap { $0.statement } }

    /// The prepared statement of a literal, if there is one, and what it reads and writes.
    @inline(__always)
    func find(_ key: UInt) -> Entry { entries[slot(of: key)] }

    mutating func insert(_ entry: Entry) {
        if (count + 1) * 2 > entries.count { grow() }
        entries[slot(of: entry.key)] = entry
        count += 1
    }

    /// The slot of a key, or the free slot for it.
    private func slot(of key: UInt) -> Int {
        let mask = entries.count - 1
        // Fibonacci hashing: the multiplier is 2^64 divided by the golden ratio.
        var slot = Int(truncatingIfNeeded: (UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> 40) & mask
        while entries[slot].key != key, entries[slot].statement != nil { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() {
        let old = entries
        entries = Self.empty(old.count * 2)
        for entry in old where entry.statement != nil { entries[slot(of: entry.key)] = entry }
        old.deallocate()
    }

    private static func empty(_ count: Int) -> UnsafeMutableBufferPointer<Entry> {
        let entries = UnsafeMutableBufferPointer<Entry>.allocate(capacity: count)
        entries.initialize(repeating: Entry(key: 0, statement: nil))
        return entries
    }
}

extension SQLiteConnection {
    /// The statement of the literal at an address, if it has been used before and may run now.
    @usableFromInline
    func cachedStatement(_ address: UInt) -> OpaquePointer? {
        guard !isTransactionLost, durability.pointee.failure == nil else { return nil }
        let found = statements.find(address)
        tables.pointee.touch(found.tables)
        return found.statement
    }

    /// The statement of a literal, prepared at its first use.
    @usableFromInline
    mutating func statement(_ sql: StaticString) throws(Failure) -> OpaquePointer {
        precondition(sql.hasPointerRepresentation, "SQL is longer than one character")
        return try statement(sql.utf8Start, count: sql.utf8CodeUnitCount)
    }

    /// The statement of a text that stays in memory for the life of the program, prepared at its
    /// first use.
    mutating func statement(
        _ start: UnsafePointer<UInt8>, count: Int
    ) throws(Failure) -> OpaquePointer {
        if isTransactionLost {
            throw Failure(
                SQLiteError(
                    code: SQLITE_ABORT, operation: Self.text(start, count),
                    detail: "the transaction has already been rolled back by an earlier error"))
        }
        let key = UInt(bitPattern: start)
        let found = statements.find(key)
        if let statement = found.statement {
            tables.pointee.touch(found.tables)
            if durability.pointee.failure != nil { try refuse(statement) }
            return statement
        }

        var rest: UnsafePointer<CChar>?
        let prepared = try prepare(
            UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self), byteCount: count,
            flags: UInt32(SQLITE_PREPARE_PERSISTENT), rest: &rest)
        guard let prepared else { preconditionFailure("no SQL in \"\(Self.text(start, count))\"") }
        precondition(
            rest.map { isBlank($0) } ?? true,
            "one statement at a time, not \"\(Self.text(start, count))\"")
        let entry = StatementCache.Entry(
            key: key, statement: prepared, tables: tables.pointee.prepared)
        statements.insert(entry)
        tables.pointee.touch(entry.tables)
        if durability.pointee.failure != nil { try refuse(prepared) }
        return prepared
    }

    private static func text(_ start: UnsafePointer<UInt8>, _ count: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Runs each statement of a text once, without caching them. No bindings, no rows.
    package mutating func execute(_ sql: StaticString) throws(Failure) {
        precondition(sql.hasPointerRepresentation, "SQL is longer than one character")
        try execute(
            UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self),
            byteCount: sql.utf8CodeUnitCount)
    }

    /// The same for SQL that this module assembles.
    mutating func execute(
        _ start: UnsafePointer<CChar>, byteCount: Int
    ) throws(Failure) {
        let end = start + byteCount
        var position = start
        while position < end {
            var rest: UnsafePointer<CChar>?
            let statement = try prepare(
                position, byteCount: end - position, flags: 0, rest: &rest)
            defer { sqlite3_finalize(statement) }
            tables.pointee.touch(tables.pointee.prepared)
            if let statement {
                if durability.pointee.failure != nil { try refuse(statement) }
                var code = SQLITE_ROW
                while code == SQLITE_ROW { code = sqlite3_step(statement) }
                guard code == SQLITE_DONE else {
                    keep(code, of: statement)
                    throw Failure(keptError ?? SQLiteError(code: code, operation: "execute"))
                }
                counters.statements += 1
            }
            position = rest ?? end
        }
    }

    private func prepare(
        _ start: UnsafePointer<CChar>, byteCount: Int, flags: UInt32,
        rest: inout UnsafePointer<CChar>?
    ) throws(Failure) -> OpaquePointer? {
        var statement: OpaquePointer?
        tables.pointee.prepared = (TouchedTables.Set(), TouchedTables.Set())
        let code = sqlite3_prepare_v3(
            handle, start, Int32(clamping: byteCount), flags, &statement, &rest)
        guard code == SQLITE_OK else {
            let text = UnsafeRawBufferPointer(start: start, count: byteCount)
            throw Failure(
                SQLiteError.last(
                    code, of: handle, operation: String(decoding: text, as: UTF8.self),
                    whileRunning: false))
        }
        return statement
    }

    /// Keeps the error of a step or a binding, with the SQL of the statement, until the owner's
    /// error is thrown.
    mutating func keep(_ code: Int32, of statement: OpaquePointer) {
        let error = SQLiteError.last(
            code, of: handle, operation: Self.text(of: statement), whileRunning: true)
        // A full disk ends the whole transaction. Later statements would then commit individually.
        if isInTransaction, sqlite3_get_autocommit(handle) != 0 { isTransactionLost = true }
        note(error)
        keptError = error
    }

    /// The SQL of a statement.
    static func text(of statement: OpaquePointer) -> String {
        sqlite3_sql(statement).map { String(cString: $0) } ?? ""
    }
}

/// Whether only white space and semicolons are left.
private func isBlank(_ text: UnsafePointer<CChar>) -> Bool {
    var position = text
    while position.pointee != 0 {
        guard " \n\t\r;".utf8.contains(UInt8(bitPattern: position.pointee)) else { return false }
        position += 1
    }
    return true
}
