/// A whole number from an untrusted message or event: compared, never used in arithmetic.
///
/// The sender chooses it, and an integer overflow traps in Swift. So these types have no `+` and no
/// `-`: operations that may overflow return an optional. Trusted numbers convert freely; the way
/// back is ``rawValue``, and `.ci/numbers` refuses arithmetic with it in modules that read
/// messages.
@usableFromInline
package protocol OutsideNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number itself: to store, compare or report it.
    var rawValue: Int64 { get }
    /// Wraps any number.
    init(_ rawValue: Int64)
}

extension OutsideNumber {
    /// The number 0.
    @inlinable package static var zero: Self { Self(0) }

    /// The next number; `nil` after the greatest.
    @inlinable package func successor() -> Self? { adding(1) }

    /// The sum; `nil` on overflow.
    @inlinable
    package func adding(_ other: Int64) -> Self? {
        let (sum, overflow) = rawValue.addingReportingOverflow(other)
        return overflow ? nil : Self(sum)
    }

    /// How much greater this is than another number; `nil` on overflow.
    @inlinable
    package func distance(from other: Self) -> Int64? {
        let (difference, overflow) = rawValue.subtractingReportingOverflow(other.rawValue)
        return overflow ? nil : difference
    }

    /// Compares the numbers.
    @inlinable
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    /// Compares the numbers.
    @inlinable
    package static func < (left: Self, right: Int64) -> Bool { left.rawValue < right }
    /// Compares the numbers.
    @inlinable
    package static func > (left: Self, right: Int64) -> Bool { left.rawValue > right }
    /// Compares the numbers.
    @inlinable
    package static func <= (left: Self, right: Int64) -> Bool { left.rawValue <= right }
    /// Compares the numbers.
    @inlinable
    package static func >= (left: Self, right: Int64) -> Bool { left.rawValue >= right }
    /// Compares the numbers.
    @inlinable
    package static func == (left: Self, right: Int64) -> Bool { left.rawValue == right }
    /// Compares the numbers.
    @inlinable
    package static func != (left: Self, right: Int64) -> Bool { left.rawValue != right }

    /// Compares the numbers.
    @inlinable
    package static func < (left: Int64, right: Self) -> Bool { left < right.rawValue }
    /// Compares the numbers.
    @inlinable
    package static func > (left: Int64, right: Self) -> Bool { left > right.rawValue }
    /// Compares the numbers.
    @inlinable
    package static func <= (left: Int64, right: Self) -> Bool { left <= right.rawValue }
    /// Compares the numbers.
    @inlinable
    package static func >= (left: Int64, right: Self) -> Bool { left >= right.rawValue }
    /// Compares the numbers.
    @inlinable
    package static func == (left: Int64, right: Self) -> Bool { left == right.rawValue }

    /// The digits.
    package var description: String { String(rawValue) }
}

extension Optional where Wrapped: OutsideNumber {
    /// Compares the numbers.
    @inlinable
    package static func == (left: Self, right: Int64) -> Bool { left?.rawValue == right }
}

/// The `seq` of an event on its device: 1, 2, 3 … without gaps.
package struct Seq: OutsideNumber {
    /// The number itself.
    public let rawValue: Int64

    /// Wraps any number.
    @inlinable public init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// A number `n` of the server's log: of an event, 1, 2, 3 … without gaps, or a count of events.
package struct LogNumber: OutsideNumber {
    /// The number itself.
    public let rawValue: Int64

    /// Wraps any number.
    @inlinable public init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// A sealed time `t`: milliseconds since 1970 UTC shifted left by 16, plus a counter.
package struct SealedTime: OutsideNumber {
    /// The number itself.
    public let rawValue: Int64

    /// Wraps any number.
    @inlinable public init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// The milliseconds since 1970 UTC: less than 2^47, so that sums of them do not overflow.
    package var milliseconds: Int64 { rawValue >> 16 }
    /// The lower 16 bits.
    package var counter: Int64 { rawValue & 0xFFFF }
}

/// Milliseconds reported for a clock, or for the difference of two of its readings.
package struct Milliseconds: OutsideNumber {
    /// The number itself.
    public let rawValue: Int64

    /// Wraps any number.
    @inlinable public init(_ rawValue: Int64) { self.rawValue = rawValue }
}
