package import MacrologEvents
import MacrologWire
package import MacrologSQLite

/// A dot as one integer of this file, for the table's integer key: the event's `seq` in the lowest
/// 40 bits, the device's key above them.
///
/// In SQL: `dot >> 40` and `dot & 0xFFFFFFFFFF`.
package struct DotNumber: Hashable, Sendable, Bindable {
    let rawValue: Int64

    /// A number of this device's own.
    init(_ key: Int64, _ seq: Int64) {
        precondition(0...Self.seqMax ~= seq, "a device records fewer than 2^40 events")
        rawValue = key << 40 | seq
    }

    /// A number from outside: from an event, or the next of one in the file.
    ///
    /// - Throws: The error for a damaged file, if no event of a device can have the number.
    package init(_ key: Int64, _ seq: Seq?) throws(LogError) {
        guard let seq, 0...Self.seqMax ~= seq.rawValue else {
            throw LogError(.damaged(CBORError(.integerRange, at: 0, in: "number of an event")))
        }
        self.init(key, seq.rawValue)
    }

    /// A number as it is stored.
    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// The greatest number that an event of a device can have.
    static func last(of key: Int64) -> DotNumber { DotNumber(key, seqMax) }

    /// The device's key.
    package var key: Int64 { rawValue >> 40 }
    /// The event's number on its device.
    package var seq: Int64 { rawValue & Self.seqMax }

    private static let seqMax: Int64 = 1 << 40 - 1

    package func bind(to binder: inout Binder) { rawValue.bind(to: &binder) }
}

extension Row {
    /// An `INTEGER` that was bound as a dot's number.
    package func dotNumber(_ column: Int) -> DotNumber { DotNumber(rawValue: int(column)) }
}
