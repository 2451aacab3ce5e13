import CMacrologSQLite

/// A value that can be bound to one `?` of a statement.
///
/// To conform your own type, forward to a type that already conforms:
///
///     extension Milligrams: Bindable {
///         package func bind(to binder: inout Binder) { binder.integer(count) }
///     }
@usableFromInline
package protocol Bindable {
    /// Calls exactly one method of `binder`, once for each `?` that it stands for.
    func bind(to binder: inout Binder)
}

/// Binds the `?`s of one statement from left to right.
///
/// Text and bytes are copied. SQLite would allocate memory for each, so short values are copied
/// into the connection's scratch memory, which stays unchanged until the statement is done. Only
/// memory lent through ``lentBytes(_:)`` is read in place. The first failure is kept, and reported
/// when the statement runs.
@usableFromInline
package struct Binder {
    @usableFromInline let statement: OpaquePointer
    /// Where the next short copy is written.
    private var scratch: UnsafeMutableRawPointer
    private let scratchEnd: UnsafeMutableRawPointer
    /// One more than the column that is damaged; 0 for none.
    @usableFromInline let damagedColumn: UnsafeMutablePointer<Int>
    private(set) var count: Int32 = 0
    /// The result code of the first binding or step that failed.
    @usableFromInline var code: Int32 = 0
    /// Whether the bindings must be cleared after the call: lent memory, or large copies.
    private(set) var mustClear = false

    @usableFromInline
    init(_ statement: OpaquePointer, scratch: UnsafeMutableRawPointer) {
        self.statement = statement
        self.scratch = scratch
        self.scratchEnd = scratch + Self.scratchBytes
        damagedColumn = scratchEnd.assumingMemoryBound(to: Int.self)
    }

    /// Whether a binding or a step failed, or a column of the row was reported as damaged.
    @inlinable var hasFailed: Bool { code != 0 || damagedColumn.pointee != 0 }

    /// The size of a connection's scratch memory.
    static let scratchBytes = 16_384

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

    /// A `TEXT` of exactly these UTF-8 bytes, including NUL bytes.
    @usableFromInline
    package mutating func text(_ utf8: UnsafeBufferPointer<UInt8>) {
        let copy = copied(UnsafeRawBufferPointer(utf8))
        note(
            sqlite3_bind_text64(
                statement, next(), copy.address.assumingMemoryBound(to: CChar.self),
                UInt64(utf8.count), copy.release, UInt8(SQLITE_UTF8)))
    }

    /// A `BLOB` of these bytes, copied.
    @usableFromInline
    package mutating func bytes(_ bytes: UnsafeRawBufferPointer) {
        let copy = copied(bytes)
        note(
            sqlite3_bind_blob64(statement, next(), copy.address, UInt64(bytes.count), copy.release))
    }

    /// A `BLOB` of these bytes, read in place: the memory must stay valid until the call that binds
    /// it returns.
    @usableFromInline
    package mutating func lentBytes(_ bytes: UnsafeRawBufferPointer) {
        mustClear = true
        note(
            sqlite3_bind_blob64(
                statement, next(), bytes.baseAddress ?? UnsafeRawPointer(scratch),
                UInt64(bytes.count), nil))
    }

    /// The address that SQLite reads, and whether SQLite copies the bytes: `nil` means read in
    /// place.
    ///
    /// The address is valid even for no bytes: with a null pointer SQLite would bind `NULL`.
    private mutating func copied(
        _ bytes: UnsafeRawBufferPointer
    ) -> (address: UnsafeRawPointer, release: sqlite3_destructor_type?) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else {
            return (UnsafeRawPointer(scratch), nil)
        }
        guard bytes.count <= scratchEnd - scratch else {
            mustClear = true
            return (source, macrolog_sqlite3_transient())
        }
        let address = scratch
        address.copyMemory(from: source, byteCount: bytes.count)
        scratch += bytes.count
        return (UnsafeRawPointer(address), nil)
    }

    private mutating func next() -> Int32 {
        count += 1
        return count
    }

    private mutating func note(_ result: Int32) {
        if code == SQLITE_OK { code = result }
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
    /// An `INTEGER` with the same 64 bits, so values of 2^63 and above are stored as negative
    /// numbers and sort before all others. Read it with ``Row/unsigned(_:)``.
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
    /// A `BLOB` read in place. The memory must stay valid until the call that binds it returns, as
    /// it does inside `withUnsafeBytes`.
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
