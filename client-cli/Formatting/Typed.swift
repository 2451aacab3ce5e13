import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// A number with a unit as typed. What `1,234` means depends on the person's decimal mark, so it is
/// read when the log is open.
struct Typed: Sendable {
    let text: String
    let scale: TypedScale

    /// The whole number in the scale's unit; `nil` for `n/a` and `-`, which mean unknown.
    ///
    /// - Parameter preferences: The unit of a number without a unit, and the ounce that `floz`
    ///   means; without preferences only the form is checked.
    func value(_ preferences: Preferences?) throws(NumberError) -> Int64? {
        let reader = NumberReader(
            decimalMark: preferences?.decimalMark ?? .auto, allowsNegative: scale.allowsNegative)
        guard let quantity = try reader.read(scale.spelled(text, preferences)) else { return nil }
        return try scale.whole(quantity, preferences)
    }

    /// The number with these preferences applied; or what to type.
    func checked(_ preferences: Preferences) throws(BadValue) -> Int64? {
        do throws(NumberError) {
            return try value(preferences)
        } catch {
            throw BadValue(error, typed: text, example: scale.example)
        }
    }
}

/// The stored unit of a number, and its default unit on the command line.
enum TypedScale: Sendable {
    /// Thousandths of a kilocalorie; kilocalories when typed without a unit.
    case energy
    /// Like energy, but may be negative.
    case energyChange
    /// Milligrams; grams.
    case grams
    /// Milligrams; milligrams.
    case milligrams
    /// Microlitres; the person's unit, millilitres unless chosen.
    case volume
    /// Millimetres; centimetres.
    case height
    /// Millimetres of a body; centimetres, or inches for people who measure height in feet.
    case length
    /// Minutes; hours.
    case duration
    /// Basis points; percent.
    case percent
    /// Basis points; percent, or a fraction of the whole.
    case share
    /// Grams of a body; the person's unit, kilograms unless chosen.
    case weight

    var allowsNegative: Bool { self == .energyChange }

    func whole(
        _ quantity: Quantity, _ preferences: Preferences?
    ) throws(NumberError) -> Int64 {
        switch self {
        case .energy, .energyChange:
            return try quantity.whole(.millikilocalorie, unitless: .kilocalorie)
        case .grams: return try quantity.whole(.milligram, unitless: .gram)
        case .milligrams: return try quantity.whole(.milligram, unitless: .milligram)
        case .volume:
            let unit: Measure =
                switch preferences?.volumeUnit ?? .milliliters {
                case .milliliters: .milliliter
                case .usFluidOunces: .usFluidOunce
                case .imperialFluidOunces: .imperialFluidOunce
                }
            return try quantity.whole(.microliter, unitless: unit)
        case .height: return try quantity.whole(.millimeter, unitless: .centimeter)
        case .length:
            let isImperial = preferences?.heightUnit == .feet
            return try quantity.whole(.millimeter, unitless: isImperial ? .inch : .centimeter)
        case .duration: return try quantity.whole(.minute, unitless: .hour)
        case .percent, .share: return try quantity.whole(.basisPoint, unitless: .percent)
        case .weight:
            let unit: Measure =
                switch preferences?.weightUnit ?? .kilograms {
                case .kilograms: .kilogram
                case .pounds: .pound
                case .stones: .stone
                }
            return try quantity.whole(.gram, unitless: unit)
        }
    }

    /// The text with `floz` replaced by the person's fluid ounce, and a share `1/2` by `100/2`, which is
    /// in percent.
    func spelled(_ text: String, _ preferences: Preferences?) -> String {
        if self == .share {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            let isFraction = parts.count == 2 && parts[0].count < 5 && UInt16(parts[0]) != nil
            return isFraction ? "\(parts[0])00/\(parts[1])" : text
        }
        guard self == .volume else { return text }
        let plain = text.lowercased().replacing("fl oz", with: "floz")
            .replacing("fl_oz", with: "floz").replacing("us floz", with: "us_floz")
            .replacing("imp floz", with: "imp_floz")
        guard plain.contains("floz"), !plain.contains("_floz") else { return plain }
        switch preferences?.volumeUnit {
        // Without preferences only the form matters.
        case nil where preferences != nil, .milliliters?: return plain
        case nil, .usFluidOunces?: return plain.replacing("floz", with: "us_floz")
        case .imperialFluidOunces?: return plain.replacing("floz", with: "imp_floz")
        }
    }

    var example: String {
        switch self {
        case .energy: "250, 250kcal or 1046kJ"
        case .energyChange: "-500 or 300"
        case .grams: "12.5, 12.5g or 1/2 oz"
        case .milligrams: "400 or 0.4g"
        case .volume: "250ml, 2l, 8us_floz or 8imp_floz"
        case .height: "178, 1.78m or 5ft10"
        case .length: "84cm or 33in"
        case .duration: "16h or 90min"
        case .percent: "21.5"
        case .share: "50% or 1/2"
        case .weight: "80.2kg, 176.8lb or 12st8"
        }
    }
}

extension Form where Value == Typed {
    static var energy: Form { typed("KCAL", .energy) }
    static var energyChange: Form { typed("KCAL", .energyChange) }
    static var grams: Form { typed("GRAMS", .grams) }
    static var milligrams: Form { typed("MILLIGRAMS", .milligrams) }
    static var volume: Form { typed("VOLUME", .volume) }
    static var height: Form { typed("HEIGHT", .height) }
    static var length: Form { typed("LENGTH", .length) }
    static var duration: Form { typed("DURATION", .duration) }
    static var percent: Form { typed("PERCENT", .percent) }
    static var share: Form { typed("SHARE", .share) }
    static var weight: Form { typed("WEIGHT", .weight) }

    static func typed(_ placeholder: String, _ scale: TypedScale) -> Form {
        Form(placeholder) { word throws(BadValue) in
            let typed = Typed(text: word, scale: scale)
            let value: Int64?
            do throws(NumberError) {
                value = try typed.value(nil)
            } catch {
                // The person's preferences may decide which of the two is meant.
                if case .ambiguous = error { return typed }
                throw BadValue(error, typed: word, example: scale.example)
            }
            // `2` may be two portions, and `1 1/2` is no fraction that is read as a part.
            let isPlain = !word.contains("%") && scale.spelled(word, nil) == word
            if scale == .share, isPlain, let value, (1...1_000).contains(value) {
                throw BadValue(
                    "may be a part or a percentage", instead: "\(word)%, or 1/2 for a half")
            }
            return typed
        }
    }
}

extension BadValue {
    /// The error of the number reader, in the words of the command line.
    ///
    /// - Parameter takesVolumes: Whether a volume is understood beside the wanted unit.
    init(
        _ error: NumberError, typed: String = "", example: String, takesVolumes: Bool = false
    ) {
        switch error {
        case .ambiguous(let decimal, let grouped):
            self.init(
                "can be read in two ways",
                instead:
                    "\(grouped) or \(decimal), or choose with: macrolog config set decimal point")
        case .malformed: self.init("is not a number with a unit", instead: example)
        case .misgrouped:
            self.init(
                "has separators that are not at every third digit", instead: "the digits alone")
        case .tooLarge: self.init("is too large or too long", instead: example)
        case .notFinite: self.init("is not finite", instead: example)
        case .negative: self.init("is below zero", instead: example)
        case .dividedByZero: self.init("divides by zero", instead: "a fraction such as 1/2")
        case .overfull(let unit, let limit):
            self.init(
                "has \(limit) \(unit) or more", instead: "less than \(limit), or one unit only")
        case .unconvertible(let from, let to):
            let meant =
                takesVolumes || Self.isVolume(to) ? Self.volumes(meantBy: from, in: typed) : nil
            self.init(
                meant == nil ? "is in \(from), which does not fit here" : "is ambiguous",
                instead: meant ?? example)
        case .missingUnit: self.init("has no unit", instead: example)
        case .unexpectedUnit: self.init("has a unit where none belongs", instead: example)
        }
    }
}

extension BadValue {
    /// The volumes that `8floz` may mean: `8us_floz or 8imp_floz`; `nil` for other units.
    private static func volumes(meantBy unit: UTF8Text, in typed: String) -> String? {
        let meant: [Measure] =
            switch unit {
            case "floz": [.usFluidOunce, .imperialFluidOunce]
            case "cup", "cups": [.usCup, .metricCup]
            default: []
            }
        guard !meant.isEmpty else { return nil }
        // `'1 glass=8floz'`: what stands before the equals sign stays.
        let name = typed.lastIndex(of: "=").map { typed[...$0] } ?? ""
        let number = typed.dropFirst(name.count).prefix { !$0.isLetter && $0 != " " }
        return meant.map { "\(printable(String(name + number)))\($0.symbol)" }
            .joined(separator: " or ")
    }

    private static func isVolume(_ unit: UTF8Text) -> Bool {
        [Measure.milliliter, .liter, .usFluidOunce, .imperialFluidOunce]
            .contains { $0.symbol == unit }
    }
}

extension Home {
    /// The value of a typed number.
    ///
    /// - Returns: `nil` when it was not typed; a value of `nil` when it was typed as unknown.
    mutating func value(
        _ parameter: Parameter<Typed?>, _ arguments: ParsedArguments
    ) throws -> Int64?? {
        guard let typed = arguments[parameter] else { return nil }
        return .some(try value(typed, parameter, arguments))
    }

    /// The value of a required number.
    mutating func value(_ parameter: Parameter<Typed>, _ arguments: ParsedArguments) throws -> Int64
    {
        guard let value = try value(arguments[parameter], parameter, arguments) else {
            throw arguments.usageError(
                of: parameter, "is unknown", instead: arguments[parameter].scale.example)
        }
        return value
    }

    /// The value of a number that cannot be unknown; `nil` when it was not typed.
    mutating func known(_ parameter: Parameter<Typed?>, _ arguments: ParsedArguments) throws
        -> Int64?
    {
        guard let typed = try value(parameter, arguments) else { return nil }
        guard let number = typed else {
            throw arguments.usageError(
                of: parameter, "is unknown", instead: arguments[parameter]?.scale.example ?? "")
        }
        return number
    }

    private mutating func value<Value>(
        _ typed: Typed, _ parameter: Parameter<Value>, _ arguments: ParsedArguments
    ) throws -> Int64? {
        let preferences = try preferences
        do throws(BadValue) {
            return try typed.checked(preferences)
        } catch {
            throw arguments.usageError(
                of: parameter, "\"\(printable(typed.text))\" \(error.problem)",
                instead: error.instead)
        }
    }
}
