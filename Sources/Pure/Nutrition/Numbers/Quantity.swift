public import MacrologEvents

/// A number with its unit, as typed: an exact fraction, not yet rounded.
public struct Quantity: Hashable, Sendable {
    /// The number's numerator.
    package let numerator: Int64
    /// The number's denominator, positive.
    package let denominator: Int64
    /// The unit as a known measure; `nil` without a unit, and for words such as `slice`.
    public let measure: Measure?
    /// The unit: the measure's symbol, or the word in lower case as typed; `nil` without a unit.
    public let unit: UTF8Text?

    init(_ number: Fraction, measure: Measure?, word: UTF8Text?) {
        numerator = number.numerator
        denominator = number.denominator
        self.measure = measure
        unit = measure?.symbol ?? word
    }

    /// Thousandths of the typed unit, half to even, as ``Amount/milli`` stores them.
    public var milli: Int64 {
        Rounding.scaled(numerator, by: 1_000, over: denominator)
    }

    /// The whole number of a unit, half to even: "80,2kg" in grams is 80,200.
    ///
    /// - Parameters:
    ///   - target: The unit wanted.
    ///   - fallback: The unit of a number typed without one; without a fallback it is an error.
    /// - Throws: ``NumberError`` for a word that is no measure, another dimension, a missing unit,
    ///   and a number that does not fit in 64 bits.
    public func whole(
        _ target: Measure, unitless fallback: Measure? = nil
    ) throws(NumberError) -> Int64 {
        guard let own = measure ?? (unit == nil ? fallback : nil) else {
            if let unit { throw .unconvertible(unit, to: (fallback ?? target).typedSymbol) }
            throw .missingUnit(example: target.typedSymbol)
        }
        guard own.dimension == target.dimension else {
            throw .unconvertible(own.symbol, to: (fallback ?? target).typedSymbol)
        }
        let rounded = own.scaled(Int128(numerator), over: Int128(denominator), to: target)
        guard let whole = Int64(exactly: rounded) else { throw .tooLarge }
        return whole
    }

    /// The whole number of thousandths, half to even, of something that has no unit, such as "7.5".
    ///
    /// - Throws: ``NumberError`` when a unit was typed.
    public func unitless() throws(NumberError) -> Int64 {
        if let unit { throw .unexpectedUnit(unit) }
        return milli
    }
}

/// A typed number: exact, in lowest terms.
struct Fraction: Hashable, Sendable {
    let numerator: Int64
    let denominator: Int64

    /// Reduces; `nil` when it does not fit in 64 bits or the denominator is not positive.
    init?(_ numerator: Int128, over denominator: Int128 = 1) {
        guard denominator > 0 else { return nil }
        var (a, b) = (abs(numerator), denominator)
        while b != 0 { (a, b) = (b, a % b) }
        guard let top = Int64(exactly: numerator / a), let bottom = Int64(exactly: denominator / a)
        else { return nil }
        self.numerator = top
        self.denominator = bottom
    }
}
