/// A dot as one number of this file, so that events lie in a table of numbers: the device's key in
/// the upper bits, the event's `seq` in the lower 40. In SQL: `dot >> 40` and `dot & 0xFFFFFFFFFF`.
enum DotNumber {
    /// The number of a device's event.
    static func of(_ key: Int64, _ seq: Int64) -> Int64 { key << 40 | seq }

    /// The greatest number that a device's events can have.
    static func last(of key: Int64) -> Int64 { of(key, 0xFF_FFFF_FFFF) }

    /// The event's `seq`.
    static func seq(_ number: Int64) -> Int64 { number & 0xFF_FFFF_FFFF }
}
