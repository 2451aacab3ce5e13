public import MacrologEvents

/// How much of something: a number of units, and what that weighs where known. One value that
/// changes as a whole, since "2 lb" with the grams of "2 kg" would be nonsense.
///
/// Stored as the array `[milli, unit, grams_mg]`.
public struct Amount: Hashable, Sendable {
    /// Thousandths of the unit, from 0 to 1,000,000,000.
    public var milli: Int64
    /// The unit as people write it, 1 to 24 bytes: `g`, `ml`, `slice`.
    public var unit: UTF8Text
    /// The mass in milligrams, 0 to 50,000,000; `nil` when unknown.
    public var milligrams: Int64?

    /// Thousandths of a unit, and its mass where known.
    public init(milli: Int64, unit: UTF8Text, milligrams: Int64? = nil) {
        self.milli = milli
        self.unit = unit
        self.milligrams = milligrams
    }

    /// A mass, in milligrams, written in grams.
    public init(milligrams: Int64) {
        self.init(milli: milligrams, unit: "g", milligrams: milligrams)
    }

    /// Reads the stored array; `nil` for anything else.
    package init?(_ value: Value) {
        guard let parts = value.array, parts.count == 3, let milli = parts[0].int,
            (0...Amount.milliMax).contains(milli), let unit = parts[1].text,
            (1...Amount.unitBytesMax).contains(unit.byteCount), !FieldShape.hasControls(unit),
            parts[2].isNull || parts[2].int.map(Amount.milligramBounds.contains) == true
        else { return nil }
        self.init(milli: milli, unit: unit, milligrams: parts[2].int)
    }

    /// The array that is stored.
    package var value: Value {
        .array([.int(milli), .text(unit), Value(milligrams)])
    }

    static let milliMax: Int64 = 1_000_000_000
    static let unitBytesMax = 24
    static let milligramBounds: ClosedRange<Int64> = 0...50_000_000
}
