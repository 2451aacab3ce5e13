/// The unit of a stored whole number, and the text of a bound in it.
public enum FieldUnit: Hashable, Sendable {
    /// Thousandths of a kilocalorie.
    case millikilocalories
    /// Grams.
    case grams
    /// Milligrams.
    case milligrams
    /// Nanograms.
    case nanograms
    /// Microlitres.
    case microliters
    /// Millimetres.
    case millimeters
    /// Hundredths of a percent.
    case basisPoints
    /// Metres.
    case meters
    /// Micromoles per litre.
    case micromoles
    /// Minutes.
    case minutes
    /// Seconds.
    case seconds
    /// Milliseconds.
    case milliseconds
    /// Microseconds.
    case microseconds
    /// Bytes.
    case bytes
    /// Thousandths of a unit that a person defined.
    case thousandths
    /// A plain count.
    case count

    /// The end of the name of a field with this unit: `_mg`.
    package var suffix: String {
        switch self {
        case .millikilocalories: "_mkcal"
        case .grams: "_g"
        case .milligrams: "_mg"
        case .nanograms: "_ng"
        case .microliters: "_ul"
        case .millimeters: "_mm"
        case .basisPoints: "_bp"
        case .meters: "_m"
        case .micromoles: "_umol"
        case .minutes: "_min"
        case .seconds: "_s"
        case .milliseconds: "_ms"
        case .microseconds: "_us"
        case .bytes: "_bytes"
        case .thousandths: "_milli"
        case .count: ""
        }
    }

    /// A stored number in words, such as `650 kg` for 650,000 grams.
    func words(_ number: Int64) -> String {
        switch self {
        case .millikilocalories: FieldUnit.decimal(number, 1_000, "kcal")
        case .grams:
            number >= 1_000 || number <= -1_000
                ? FieldUnit.decimal(number, 1_000, "kg") : "\(number) g"
        case .milligrams: FieldUnit.decimal(number, 1_000, "g")
        case .nanograms: FieldUnit.decimal(number, 1_000_000, "mg")
        case .microliters: FieldUnit.decimal(number, 1_000, "ml")
        case .millimeters: FieldUnit.decimal(number, 10, "cm")
        case .basisPoints: FieldUnit.decimal(number, 100, "%")
        case .meters: FieldUnit.decimal(number, 1_000, "km")
        case .micromoles: FieldUnit.decimal(number, 1_000, "mmol/l")
        case .minutes: "\(number) min"
        case .seconds: FieldUnit.decimal(number, 1, "s")
        case .milliseconds: FieldUnit.decimal(number, 1_000, "s")
        case .microseconds: FieldUnit.decimal(number, 1_000, "ms")
        case .bytes: FieldUnit.decimal(number, 1, "bytes")
        case .thousandths: FieldUnit.decimal(number, 1_000, "")
        case .count: "\(number)"
        }
    }

    private static func decimal(_ number: Int64, _ scale: UInt64, _ unit: String) -> String {
        let magnitude = number.magnitude
        var text = (number < 0 ? "-" : "") + "\(magnitude / scale)"
        var rest = magnitude % scale
        var place = scale
        if rest > 0 { text += "." }
        while rest > 0 {
            place /= 10
            text += "\(rest / place)"
            rest %= place
        }
        return unit.isEmpty ? text : text + " " + unit
    }
}
