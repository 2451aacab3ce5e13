/// Stored whole numbers as people read them: rounded once, half to even, in the unit they chose.
public enum Display {
    /// A decimal number: `decimal(80_200, scale: 1_000, places: 1)` is `80.2`.
    ///
    /// - Parameters:
    ///   - number: The stored number.
    ///   - scale: How many of it make one; positive.
    ///   - places: How many decimals to show, 0 to 9.
    public static func decimal(_ number: Int64, scale: Int64, places: Int) -> String {
        precondition(scale > 0 && (0...9).contains(places), "a scale and up to nine places")
        let power = (0..<places).reduce(Int64(1)) { product, _ in product * 10 }
        return text(Rounding.scaled(number, by: power, over: scale), places: places)
    }

    /// A body mass in grams: `80.2 kg`, `176.8 lb` or `12 st 8.8 lb`.
    public static func weight(_ grams: Int64, in unit: WeightUnit) -> String {
        switch unit {
        case .kilograms: return decimal(grams, scale: 1_000, places: 1) + " kg"
        case .pounds: return text(tenthsOfPounds(grams), places: 1) + " lb"
        case .stones:
            // Rounded before it is divided, so that no 14.0 lb can appear.
            let tenths = tenthsOfPounds(grams)
            return "\(tenths / 140) st \(text(tenths % 140, places: 1)) lb"
        }
    }

    /// A height in millimetres: `185.4 cm` or `6 ft 1 in`.
    public static func height(_ millimeters: Int64, in unit: HeightUnit) -> String {
        switch unit {
        case .centimeters: return decimal(millimeters, scale: 10, places: 1) + " cm"
        case .feet:
            let inches = Rounding.scaled(millimeters, by: 10, over: 254)
            return "\(inches / 12) ft \(inches % 12) in"
        }
    }

    /// A length on the body in millimetres: `84.0 cm`, or `33.1 in` for people who are measured in feet.
    public static func length(_ millimeters: Int64, in unit: HeightUnit) -> String {
        switch unit {
        case .centimeters: decimal(millimeters, scale: 10, places: 1) + " cm"
        case .feet: text(Rounding.scaled(millimeters, by: 100, over: 254), places: 1) + " in"
        }
    }

    /// An energy in thousandths of a kilocalorie, in whole units: `2,680 kcal` or `11,213 kJ`.
    public static func energy(_ millikilocalories: Int64, in unit: EnergyUnit) -> String {
        wholeEnergy(millikilocalories, in: unit) + (unit == .kilocalories ? " kcal" : " kJ")
    }

    /// The number of ``energy(_:in:)`` without its unit.
    static func wholeEnergy(_ millikilocalories: Int64, in unit: EnergyUnit) -> String {
        let (factor, divisor) = wholeUnits(unit)
        return grouped(Rounding.scaled(millikilocalories, by: factor, over: divisor))
    }

    /// The terms of a sum of energies in whole units, rounded so that they add up to the rounded sum:
    /// 2,161.6 and 449.6 kcal are `2,162 + 449`, because their sum is 2,611 kcal.
    ///
    /// Each term is rounded down, and what the sum has more goes to the terms that lost most, of equal
    /// ones to the first (the method of largest remainders).
    static func terms(_ energies: [Int64], in unit: EnergyUnit) -> String {
        let (factor, divisor) = (Int128(wholeUnits(unit).0), Int128(wholeUnits(unit).1))
        let exact = energies.map { Int128($0) * factor }
        let lost = exact.map { ($0 % divisor + divisor) % divisor }
        var whole = zip(exact, lost).map { ($0 - $1) / divisor }
        let sum = Rounding.halfEven(exact.reduce(0, +), over: divisor)
        let order = lost.indices.sorted {
            lost[$0] == lost[$1] ? $0 < $1 : lost[$0] > lost[$1]
        }
        for index in order.prefix(Int(sum - whole.reduce(0, +))) { whole[index] += 1 }
        var text = ""
        for term in whole.map({ Rounding.clamped($0) }) {
            if text.isEmpty {
                text = grouped(term)
            } else {
                text += (term < 0 ? " - " : " + ") + grouped(Rounding.clamped(abs(Int128(term))))
            }
        }
        return text
    }

    /// A thousandth of a kilocalorie in whole units, as a fraction.
    private static func wholeUnits(_ unit: EnergyUnit) -> (Int64, Int64) {
        unit == .kilocalories ? (1, 1_000) : (4_184, 1_000_000)
    }

    /// A whole number with its digits in groups of three: `-1,234`.
    static func grouped(_ number: Int64) -> String {
        let digits = Array("\(number.magnitude)".utf8)
        var bytes: [UInt8] = number < 0 ? [UInt8(ascii: "-")] : []
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place) % 3 == 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(digit)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A volume in microlitres: `250 ml`, `8.5 fl oz` (US or imperial).
    public static func volume(_ microliters: Int64, in unit: VolumeUnit) -> String {
        switch unit {
        case .milliliters: return decimal(microliters, scale: 1_000, places: 0) + " ml"
        case .usFluidOunces: return ounces(microliters, .usFluidOunce)
        case .imperialFluidOunces: return ounces(microliters, .imperialFluidOunce)
        }
    }

    private static func ounces(_ microliters: Int64, _ unit: Measure) -> String {
        let tenths = Rounding.clamped(
            Measure.microliter.scaled(Int128(microliters) * 10, over: 1, to: unit))
        return text(tenths, places: 1) + " fl oz"
    }

    private static func tenthsOfPounds(_ grams: Int64) -> Int64 {
        Rounding.clamped(Rounding.halfEven(Int128(grams) * 1_000_000, over: 45_359_237))
    }

    private static func text(_ number: Int64, places: Int) -> String {
        var digits = "\(number.magnitude)"
        guard places > 0 else { return (number < 0 ? "-" : "") + digits }
        let missing = places + 1 - digits.utf8.count
        if missing > 0 { digits = String(repeating: "0", count: missing) + digits }
        let bytes = Array(digits.utf8)
        let whole = String(decoding: bytes.dropLast(places), as: UTF8.self)
        let decimals = String(decoding: bytes.suffix(places), as: UTF8.self)
        return (number < 0 ? "-" : "") + whole + "." + decimals
    }
}
