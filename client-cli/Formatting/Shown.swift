import MacrologArgumentParsing
import MacrologTerminal
public import Macrolog
import MacrologFaces

/// Formats numbers, days and times in the person's units.
public struct Shown: Sendable {
    let preferences: Preferences
    /// The nutrients that the person defined.
    var custom: [Nutrient: CustomNutrient] = [:]

    /// Shows as a person prefers.
    public init(preferences: Preferences, customNutrients: [CustomNutrient] = []) {
        self.preferences = preferences
        for nutrient in customNutrients {
            if let key = Nutrient(key: nutrient.key) { custom[key] = nutrient }
        }
    }

    /// Numbers as a day shows them.
    init(_ report: DayReport) {
        self.init(preferences: report.preferences, customNutrients: report.customNutrients)
    }

    private var energyUnit: EnergyUnit { preferences.energyUnit ?? .kilocalories }

    /// `kcal` or `kJ`.
    var energySymbol: String { energyUnit.symbol }

    /// An energy in thousandths of a kilocalorie, as a whole number without its unit: `1,240`.
    func energy(_ amount: Int64) -> String {
        String(Display.energy(amount, in: energyUnit).prefix { $0 != " " })
    }

    /// `1,240 kcal`
    func energyWithUnit(_ amount: Int64) -> String { "\(energy(amount)) \(energySymbol)" }

    /// `80.2 kg`
    func weight(_ grams: Int64) -> String {
        Display.weight(grams, in: preferences.weightUnit ?? .kilograms)
    }

    /// A change of weight with its sign, from micrograms: `-0.3 kg`.
    func weightChange(micrograms: Int64) -> String {
        let (scale, unit): (Int64, String) =
            preferences.weightUnit ?? .kilograms == .kilograms
            ? (1_000_000_000, "kg") : (453_592_370, "lb")
        let text = Display.decimal(micrograms, scale: scale, places: 1)
        return (micrograms > 0 && text != "0.0" ? "+" : "") + text + " " + unit
    }

    /// A weight as the person would type it, for an example.
    var typedWeight: String {
        switch preferences.weightUnit ?? .kilograms {
        case .kilograms: "80.2kg"
        case .pounds: "176.8lb"
        case .stones: "12st8"
        }
    }

    /// `2,100 + 580 = 2,680 kcal`
    func explanation(of targets: ComputedTargets) -> String {
        targets.explanation(in: energyUnit)
    }

    func height(_ millimeters: Int64) -> String {
        Display.height(millimeters, in: preferences.heightUnit ?? .centimeters)
    }

    func length(_ millimeters: Int64) -> String {
        Display.length(millimeters, in: preferences.heightUnit ?? .centimeters)
    }

    /// `1,250 ml`, `8.5 fl oz`
    func volume(_ microliters: Int64) -> String {
        let unit = preferences.volumeUnit ?? .milliliters
        return volumeNumber(microliters) + (unit == .milliliters ? " ml" : " fl oz")
    }

    /// A volume without its unit: `1,250`.
    func volumeNumber(_ microliters: Int64) -> String {
        let text = Display.volume(microliters, in: preferences.volumeUnit ?? .milliliters)
        return grouped(String(text.prefix { $0 != " " }))
    }

    /// A level of ketones: `1.2 mmol/l`.
    func ketones(_ micromoles: Int64) -> String {
        let places = micromoles % 100 == 0 ? 1 : 2
        return Display.decimal(micromoles, scale: 1_000, places: places) + " mmol/l"
    }

    /// A share in basis points: `18.5 %`.
    func share(_ basisPoints: Int64) -> String {
        NumberFormat.grouped.text(basisPoints, scale: 2, decimals: 1) + " %"
    }

    /// An amount of a nutrient without its unit: energy whole, masses with one decimal; `–` if
    /// unknown.
    func amount(_ amount: Int64?, of nutrient: Nutrient) -> String {
        guard let amount else { return "–" }
        switch nutrient.unit {
        case .millikilocalories: return energy(amount)
        case .milligrams: return grouped(Display.decimal(amount, scale: 1_000, places: 1))
        case .nanograms where amount == 0: return "0"
        case .nanograms:
            return amount < 1_000_000
                ? Display.decimal(amount, scale: 1_000, places: 1)
                : grouped(
                    Display.decimal(amount, scale: 1_000_000, places: amount < 10_000_000 ? 1 : 0))
        default: return NumberFormat.grouped.text(amount, scale: 3)
        }
    }

    /// The unit that ``amount(_:of:)`` omits.
    func unit(of nutrient: Nutrient, for amount: Int64) -> String {
        switch nutrient.unit {
        case .millikilocalories: energySymbol
        case .milligrams: "g"
        case .nanograms: amount != 0 && amount < 1_000_000 ? "µg" : "mg"
        default: custom[nutrient].map { ($0.unit ?? .grams).formatted } ?? ""
        }
    }

    /// The unit that a nutrient is stored in; `number` for an undefined one.
    func storedUnit(of nutrient: Nutrient) -> String {
        switch nutrient.unit {
        case .millikilocalories: "kcal"
        case .milligrams: "g"
        case .nanograms: "mg"
        default: custom[nutrient].map { ($0.unit ?? .grams).formatted } ?? "number"
        }
    }

    /// The name of a nutrient, as the person called it.
    func name(of nutrient: Nutrient) -> String { custom[nutrient]?.name ?? nutrient.formatted }

    /// `26.0 g`, `1,240 kcal`, `–`.
    func amountWithUnit(_ amount: Int64?, of nutrient: Nutrient) -> String {
        guard let known = amount else { return "–" }
        let unit = unit(of: nutrient, for: known)
        return self.amount(known, of: nutrient) + (unit.isEmpty ? "" : " \(unit)")
    }

    /// `12.0 g`, `at most 12.0 g from 3 of 4 items`.
    func netCarbs(_ net: NetCarbs) -> String {
        let text =
            (net.isUpperBound ? "at most " : "") + amountWithUnit(net.milligrams, of: .carbs)
        return net.coverage.isComplete || net.coverage.known == 0
            ? text : "\(text) from \(net.coverage) items"
    }

    /// The meal slots.
    var slots: [MealSlot] { preferences.mealSlots ?? MealSlot.standard }

    /// The name of a meal slot: `Breakfast`; `Other` for none.
    func slot(_ key: UTF8Text?) -> String {
        guard let key, !key.string.isEmpty else { return "Other" }
        for slot in slots where slot.key == key {
            return slot.name.string
        }
        return key.string.prefix(1).uppercased() + key.string.dropFirst()
    }

    /// An amount of a food: `150 g`, `2 slices (60 g)`.
    func amount(_ amount: Amount) -> String {
        let number = NumberFormat.grouped.text(amount.milli, scale: 3)
        let text = "\(number) \(amount.unit)"
        guard let mass = amount.milligrams, amount.unit != "g" else { return text }
        return "\(text) (\(NumberFormat.grouped.text(mass, scale: 3)) g)"
    }
}

extension LocalDate {
    /// `07:40`; nothing when only the day is known.
    var clock: String { minuteOfDay.map { clockText($0) } ?? "" }

    /// `2026-11-20 07:40`, or only the day.
    var formatted: String { clock.isEmpty ? "\(day)" : "\(day) \(clock)" }
}

/// A decimal number with its digits in groups: `1234.5` as `1,234.5`.
private func grouped(_ number: String) -> String {
    let parts = number.split(separator: ".", maxSplits: 1)
    guard let whole = parts.first.flatMap({ Int64($0) }), whole.magnitude >= 1_000 else {
        return number
    }
    return NumberFormat.grouped.text(whole) + (parts.count == 2 ? ".\(parts[1])" : "")
}

/// `1 row`, `2 rows`: a count and what is counted.
func counted(_ count: Int64, _ noun: String, _ plural: String? = nil) -> String {
    "\(NumberFormat.grouped.text(count)) \(count == 1 ? noun : plural ?? noun + "s")"
}

/// `1 event waits`, `2 events wait`.
func waiting(_ events: Int64) -> String {
    "\(counted(events, "event")) \(events == 1 ? "waits" : "wait")"
}

/// A length of time in minutes: `45 min`, `16 h`, `16 h 05 min`.
func durationText(_ minutes: Int64) -> String {
    let (hours, rest) = (minutes / 60, minutes % 60)
    if hours == 0 { return "\(rest) min" }
    return rest == 0 ? "\(hours) h" : "\(hours) h \(rest < 10 ? "0" : "")\(rest) min"
}
