/// What the SQL of a store runs on: a connection to SQLite or to PostgreSQL. Each statement is written
/// once, in words that both understand, so that both stores decide alike.
///
/// Values are `?` or `?1`; numbers are `INTEGER` here and `bigint` there, where `true` is 1; there is no
/// `INSERT OR REPLACE`, `max` of two values, or column outside of `GROUP BY`.
import MacrologSQLite
import MacrologEvents
import MacrologPostgreSQL

/// A value that both bind.
typealias SQLValue = Bindable & PostgreSQLValue

/// One row, valid only inside a closure. Columns count from 0. An unexpected `NULL` or a value of another
/// type is treated as damage: it reads as 0, "" or no bytes, and the query ends with an error.
protocol SQLRow: ~Copyable {
    func damaged(_ column: Int)
    func isNull(_ column: Int) -> Bool
    func int(_ column: Int) -> Int64
    func text(_ column: Int) -> String
    func bytes(_ column: Int) -> [UInt8]
    func withBytes<T, E: Error>(
        _ column: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> T
    ) throws(E) -> T
}

extension SQLRow where Self: ~Copyable {
    /// A number within a range; anything else is damage, and reads as the lower bound.
    func int(_ column: Int, in range: ClosedRange<Int64>) -> Int64 {
        let value = int(column)
        guard range.contains(value) else {
            damaged(column)
            return range.lowerBound
        }
        return value
    }

    /// `count` bytes; anything else is damage, and reads as zeros.
    func bytes(_ column: Int, count: Int) -> [UInt8] {
        let bytes = isNull(column) ? [] : bytes(column)
        guard bytes.count == count else {
            damaged(column)
            return [UInt8](repeating: 0, count: count)
        }
        return bytes
    }

    func intOrNull(_ column: Int) -> Int64? { isNull(column) ? nil : int(column) }
    func textOrNull(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
    func bytesOrNull(_ column: Int) -> [UInt8]? { isNull(column) ? nil : bytes(column) }
}

/// What a database throws.
protocol SQLFailure: Error, CustomStringConvertible {
    /// The error for a number that this program cannot have written.
    static func number(_ detail: String) -> Self
    /// The error for a file beside the database.
    static func beside(_ path: String, _ detail: String) -> Self
}

/// A connection, or a transaction on it.
protocol SQLDatabase: ~Copyable {
    associatedtype Line: SQLRow, ~Copyable
    associatedtype Failure: SQLFailure

    /// Runs a statement to completion and discards its rows.
    mutating func run<each Value: SQLValue>(
        _ sql: StaticString, _ values: repeat each Value
    ) throws(Failure)
    /// The first row, or `nil` if there is none.
    mutating func first<T, each Value: SQLValue>(
        _ sql: StaticString, _ values: repeat each Value, row: (borrowing Line) throws(Failure) -> T
    ) throws(Failure) -> T?
    /// All rows, in the statement's order.
    mutating func all<T, each Value: SQLValue>(
        _ sql: StaticString, _ values: repeat each Value, row: (borrowing Line) throws(Failure) -> T
    ) throws(Failure) -> [T]
    /// Calls the closure with each row.
    mutating func forEach<each Value: SQLValue>(
        _ sql: StaticString, _ values: repeat each Value,
        row: (borrowing Line) throws(Failure) -> Void
    ) throws(Failure)
    /// Calls the closure with each row until it returns `false`.
    mutating func forEachWhile<each Value: SQLValue>(
        _ sql: StaticString, _ values: repeat each Value,
        row: (borrowing Line) throws(Failure) -> Bool
    ) throws(Failure)
    /// How many rows the last `INSERT`, `UPDATE` or `DELETE` has changed.
    mutating func changed() throws(Failure) -> Int
    /// Adds events to the log of a space: now, or with all others of the transaction.
    mutating func add(
        _ events: [NewEvent], to space: Space, now: Int64, _ overlay: inout LogOverlay
    ) throws(Failure)
    /// Removes an event of an account that is deleted.
    mutating func removeEvent(at place: Int64) throws(Failure)

    // Digests of rows of webhooks, where the database has no checksums of its pages.

    /// Notes the digest of a row that was added or changed.
    mutating func noteDigest(in table: DigestedTable, of id: Identifier) throws(Failure)
    /// Notes the digest of when an account is to be looked at.
    mutating func noteLookDigest(of space: Space) throws(Failure)
    /// Notes the digests of all addresses of an account, or of all accounts for `nil`.
    mutating func noteAddressDigests(of space: Space?) throws(Failure)
}

extension SQLDatabase where Self: ~Copyable {
    /// The place of event `n` of a space; `n` 0 is before the first.
    func place(_ space: Space, _ n: LogNumber?) throws(Failure) -> Int64 {
        guard let place = Place.of(space, n) else { throw .number("it is no number of a log") }
        return place
    }

    /// The last place that a space can have.
    func endPlace(of space: Space) throws(Failure) -> Int64 {
        try place(space, LogNumber(Place.numberMax))
    }
}

extension Row: SQLRow {}
extension SQLiteError: SQLFailure {}

extension SQLiteConnection: SQLDatabase where Failure == SQLiteError {
    typealias Line = Row
    mutating func changed() throws(SQLiteError) -> Int { changes }
    mutating func add(
        _ events: [NewEvent], to space: Space, now: Int64, _: inout LogOverlay
    ) throws(SQLiteError) {
        var bytes = 0
        for event in events {
            bytes += event.bytes
            try run(
                """
                INSERT INTO event (place, space, t, t_max, device, seq, hash, digest, body)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, event.place, space, event.t.rawValue, event.greatest.rawValue, event.device,
                event.seq.rawValue, event.hash, event.digest, event.stored)
            if !event.mentions.isEmpty {
                try note(event.mentions, in: space, place: event.place, now: now)
            }
        }
        try addEventBytes(bytes, to: space)
    }
    mutating func removeEvent(at place: Int64) throws(SQLiteError) {
        try run("DELETE FROM event WHERE place = ?", place)
    }
}

extension PostgreSQLRow: SQLRow {}
extension PostgreSQLError: SQLFailure {}
extension PostgreSQLConnection: SQLDatabase {
    typealias Line = PostgreSQLRow
    typealias Failure = PostgreSQLError
    mutating func add(
        _ events: [NewEvent], to space: Space, now: Int64, _ overlay: inout LogOverlay
    ) throws(PostgreSQLError) {
        overlay.waiting += events
        // These are few; the events go first.
        guard events.contains(where: { !$0.mentions.isEmpty }) else { return }
        try writeWaiting(&overlay)
        for event in events { try note(event.mentions, in: space, place: event.place, now: now) }
    }
    mutating func removeEvent(at place: Int64) throws(PostgreSQLError) {
        try run("SELECT remove_event(?)", place)
    }
    mutating func noteDigest(in table: DigestedTable, of id: Identifier) {}
    mutating func noteLookDigest(of space: Space) {}
    mutating func noteAddressDigests(of space: Space?) {}
}
