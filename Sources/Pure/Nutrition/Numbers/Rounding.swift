/// How whole numbers are divided here: once, exactly, and half to even.
///
/// Half to even has no drift: over many items as many halves go up as go down.
package enum Rounding {
    /// `numerator / denominator`, rounded half to even. The denominator must be positive.
    @inlinable
    package static func halfEven(_ numerator: Int128, over denominator: Int128) -> Int128 {
        precondition(denominator > 0, "a denominator is positive")
        var (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        if remainder < 0 {
            quotient -= 1
            remainder += denominator
        }
        let rest = denominator - remainder
        if remainder > rest || (remainder == rest && quotient & 1 != 0) { quotient += 1 }
        return quotient
    }

    /// `value × factor / divisor`, rounded half to even; results beyond 64 bits stay at the limit.
    @inlinable
    package static func scaled(_ value: Int64, by factor: Int64, over divisor: Int64) -> Int64 {
        clamped(halfEven(Int128(value) * Int128(factor), over: Int128(divisor)))
    }

    /// The nearest 64-bit number.
    @inlinable
    package static func clamped(_ value: Int128) -> Int64 {
        Int64(clamping: value)
    }

    /// The sum, held at the limits of 64 bits, so that no stored number can stop a program.
    @inlinable
    package static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        guard overflow else { return sum }
        return right < 0 ? .min : .max
    }
}
