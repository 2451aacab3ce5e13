import CSQLite

/// A value that fills one `?` of a statement.
///
/// Conform a type of your own by handing on to one that already conforms:
///
///     extension Milligrams: Bindable {
///         package func bind(to binder: inout Binder) { binder.integer(count) }
///     }
@usableFromInline
package protocol Bindable {
    /// Calls exactly one method of `binder`, once.
    func bind(to binder: inout Binder)
}

/// Fills the `?`s of one statement from left to right.
///
/// Text and bytes are copied by SQLite into buffers that it reuses from call to call; only memory
/// lent through ``lentBytes(_:)`` is read in place. The first failure is kept, and reported when
/// the statement runs.
@usableFromInline
package struct Binder {
    @usableFromInline let statement: OpaquePointer
    @usableFromInline var count: Int32 = 0
    @usableFromInline var code: Int32 = 0
    /// Whether the bindings must be let go after the call: lent memory, or large copies.
    @usableFromInline var mustClear = false

    @usableFromInline
    init(_ statement: OpaquePointer) {
        self.statement = statement
    }

    /// `NULL`.
    @usableFromInline
    package mutating func null() {
        note(sqlite3_bind_null(statement, next()))
    }

    /// An `INTEGER`.
    @usableFromInline
    package mutating func integer(_ value: Int64) {
        note(sqlite3_bind_int64(statement, next(), value))
    }

    /// A `TEXT` of exactly these UTF-8 bytes, including any NUL among them.
    @usableFromInline
    package mutating func text(_ utf8: UnsafeBufferPointer<UInt8>) {
        // No bytes are still a text; a missing pointer would make it NULL.
        let base = UnsafeRawPointer(utf8.baseAddress ?? Self.nowhere)
        mustClear = mustClear || utf8.count > Self.keptBytesMax
        note(
            sqlite3_bind_text64(
                statement, next(), base.assumingMemoryBound(to: CChar.self), UInt64(utf8.count),
                macrolog_sqlite3_transient(), UInt8(SQLITE_UTF8)))
    }

    /// A `BLOB` of these bytes, copied.
    @usableFromInline
    package mutating func bytes(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return noBytes() }
        mustClear = mustClear || bytes.count > Self.keptBytesMax
        note(
            sqlite3_bind_blob64(
                statement, next(), base, UInt64(bytes.count), macrolog_sqlite3_transient()))
    }

    /// A `BLOB` of these bytes, read in place: they must stay where they are until the call that
    /// binds them returns.
    @usableFromInline
    package mutating func lentBytes(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return noBytes() }
        mustClear = true
        note(sqlite3_bind_blob64(statement, next(), base, UInt64(bytes.count), nil))
    }

    /// The empty `BLOB`, which is not `NULL`.
    private mutating func noBytes() {
        note(sqlite3_bind_zeroblob(statement, next(), 0))
    }

    private mutating func next() -> Int32 {
        count += 1
        return count
    }

    private mutating func note(_ result: Int32) {
        if code == SQLITE_OK { code = result }
    }

    /// Larger copies are freed after the call; smaller ones keep their buffer for the next.
    private static let keptBytesMax = 4_096
    /// An address for no bytes. It is never read.
    private static var nowhere: UnsafePointer<UInt8> {
        UnsafePointer(bitPattern: 1).unsafelyUnwrapped
    }
}

extension Int64: Bindable {
    /// An `INTEGER`.
    @inlinable
    package func bind(to binder: inout Binder) { binder.integer(self) }
}

extension Int: Bindable {
    /// An `INTEGER`.
    @inlinable
    package func bind(to binder: inout Binder) { binder.integer(Int64(self)) }
}

extension UInt32: Bindable {
    /// An `INTEGER`.
    @inlinable
    package func bind(to binder: inout Binder) { binder.integer(Int64(self)) }
}

extension UInt64: Bindable {
    /// An `INTEGER` with the same 64 bits, so values from 2^63 are stored as negative numbers and
    /// sort before all others. Read back with ``Row/unsigned(_:)``.
    @inlinable
    package func bind(to binder: inout Binder) { binder.integer(Int64(bitPattern: self)) }
}

extension Bool: Bindable {
    /// The `INTEGER` 1 or 0.
    @inlinable
    package func bind(to binder: inout Binder) { binder.integer(self ? 1 : 0) }
}

extension String: Bindable {
    /// A `TEXT` of the string's UTF-8 bytes, unnormalised.
    @inlinable
    package func bind(to binder: inout Binder) {
        var copy = self
        copy.withUTF8 { binder.text($0) }
    }
}

extension Array: Bindable where Element == UInt8 {
    /// A `BLOB`; `[]` is the empty blob, not `NULL`.
    @inlinable
    package func bind(to binder: inout Binder) {
        withUnsafeBytes { binder.bytes($0) }
    }
}

extension ArraySlice: Bindable where Element == UInt8 {
    /// A `BLOB`; an empty slice is the empty blob, not `NULL`.
    @inlinable
    package func bind(to binder: inout Binder) {
        withUnsafeBytes { binder.bytes($0) }
    }
}

extension UnsafeRawBufferPointer: Bindable {
    /// A `BLOB` read in place. The memory must stay until the call that takes it returns, as it
    /// does inside `withUnsafeBytes`.
    @inlinable
    package func bind(to binder: inout Binder) { binder.lentBytes(self) }
}

extension Optional: Bindable where Wrapped: Bindable {
    /// `NULL` for `nil`.
    @inlinable
    package func bind(to binder: inout Binder) {
        switch self {
        case .some(let value): value.bind(to: &binder)
        case .none: binder.null()
        }
    }
}
