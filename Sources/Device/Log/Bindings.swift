public import MacrologEvents
import MacrologWire
public import MacrologSQLite

extension Identifier: Bindable {
    /// A `BLOB` of the sixteen bytes.
    @usableFromInline
    package func bind(to binder: inout Binder) {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { binder.bytes($0) }
    }
}

extension UTF8Text: Bindable {
    /// A `TEXT` of the UTF-8 bytes.
    @usableFromInline
    package func bind(to binder: inout Binder) { string.bind(to: &binder) }
}

extension PrefixDigest: Bindable {
    /// A `BLOB` of the sixteen bytes.
    @usableFromInline
    package func bind(to binder: inout Binder) { bytes.bind(to: &binder) }
}

extension OutsideNumber where Self: Bindable {
    /// An `INTEGER`.
    @usableFromInline
    package func bind(to binder: inout Binder) { rawValue.bind(to: &binder) }
}

extension Seq: Bindable {}
extension LogNumber: Bindable {}
extension SealedTime: Bindable {}

extension Row {
    /// A `BLOB` of sixteen bytes that was bound as an identifier.
    package func identifier(_ column: Int) -> Identifier {
        withBytes(column) { bytes in
            guard bytes.count == 16 else {
                damaged(column)
                return Identifier(high: 0, low: 0)
            }
            return Identifier(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }

    /// A `TEXT` as it was bound.
    package func name(_ column: Int) -> UTF8Text { UTF8Text(text(column)) }
}

extension IDRange: Bindable {
    /// The bounds: greater than the first, and not greater than the second.
    @usableFromInline
    package func bind(to binder: inout Binder) {
        after.bind(to: &binder)
        through.bind(to: &binder)
    }
}
