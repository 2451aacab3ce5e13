import CMacrologSQLite

/// Which tables statements read and wrote: what read one may read something else after a write.
///
/// It is exact to the table, not to the row, and says too much rather than too little: a statement
/// that finds no row has read and written, too.
struct TouchedTables {
    typealias Set = SIMD2<UInt64>

    /// The names of tables, and of parts of a table, in the order of their first use.
    private(set) var names: [String] = []
    /// What was read and written since it was last emptied.
    var touched = (read: Set(), written: Set())
    /// What the statement that is being prepared will read and write.
    var prepared = (read: Set(), written: Set())

    /// The set of one name. The last place is shared by all names that have none of their own.
    mutating func set(of name: String) -> Set {
        var place = names.firstIndex(of: name) ?? names.count
        if place == names.count { names.append(name) }
        place = min(place, 127)
        var set = Set()
        set[place >> 6] = 1 << UInt64(place & 63)
        return set
    }

    /// Adds what a statement reads and writes.
    @inline(__always)
    mutating func touch(_ tables: (read: Set, written: Set)) {
        touched.read |= tables.read
        touched.written |= tables.written
    }

    /// The names of a set.
    func names(in set: Set) -> [String] {
        names.indices.filter { place in
            let place = min(place, 127)
            return set[place >> 6] >> UInt64(place & 63) & 1 == 1
        }.map { names[$0] }
    }
}

extension SQLiteConnection {
    /// Notes from now on which tables statements read and write. It costs nothing before.
    ///
    /// SQLite's authorizer tells it when a statement is prepared, of tables without row ids and of what
    /// triggers do as well, which its update hook would not. Statements are therefore prepared again.
    package mutating func noteTouchedTables() {
        guard !notesTouchedTables else { return }
        notesTouchedTables = true
        statements.finalize()
        statements = StatementCache()
        sqlite3_set_authorizer(
            handle,
            { context, action, table, _, _, _ in
                guard let tables = context?.assumingMemoryBound(to: TouchedTables.self), let table
                else { return SQLITE_OK }
                switch action {
                case SQLITE_READ:
                    tables.pointee.prepared.read |= tables.pointee.set(of: String(cString: table))
                case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
                    tables.pointee.prepared.written |= tables.pointee.set(
                        of: String(cString: table))
                default: break
                }
                return SQLITE_OK
            }, tables)
    }

    /// Forgets what was read and written until now.
    package mutating func forgetTouchedTables() {
        tables.pointee.touched = (TouchedTables.Set(), TouchedTables.Set())
    }

    /// The tables, and parts of tables, that were read since ``forgetTouchedTables()``.
    package var readTables: [String] { tables.pointee.names(in: tables.pointee.touched.read) }

    /// The tables, and parts of tables, that were written since ``forgetTouchedTables()``.
    package var writtenTables: [String] { tables.pointee.names(in: tables.pointee.touched.written) }

    /// Runs a body that reads only a part of its tables, and notes that part instead of them. What
    /// writes the part has to say so with ``noteWrite(of:)``.
    package mutating func reading<T>(
        part: @autoclosure () -> String, _ body: (inout Self) throws(Failure) -> T
    ) throws(Failure) -> T {
        guard notesTouchedTables else { return try body(&self) }
        let before = tables.pointee.touched.read
        let result = try body(&self)
        tables.pointee.touched.read = before
        noteRead(of: part())
        return result
    }

    /// Notes that a table, or a part of one, was read without a statement.
    package mutating func noteRead(of part: @autoclosure () -> String) {
        guard notesTouchedTables else { return }
        tables.pointee.touched.read |= tables.pointee.set(of: part())
    }

    /// Notes that a part of a table was written.
    package mutating func noteWrite(of part: @autoclosure () -> String) {
        guard notesTouchedTables else { return }
        tables.pointee.touched.written |= tables.pointee.set(of: part())
    }
}
