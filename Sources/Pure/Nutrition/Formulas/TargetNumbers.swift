import MacrologEvents

/// Numbers and names, as an explanation of a target shows them: in a person's units.
///
/// A formula is shown in the units that it is defined in; where the person's differ, they follow.
struct TargetWords {
    let preferences: Preferences

    var energyUnit: EnergyUnit { preferences.energyUnit ?? .kilocalories }

    func title(_ nutrient: Nutrient) -> String {
        switch nutrient {
        case .energy: "Energy"
        case .protein: "Protein"
        case .carbs: "Carbohydrate"
        case .fat: "Fat"
        case .fiber: "Fibre"
        default: nutrient.key.string
        }
    }

    /// `2,136 kcal`
    func energy(_ energy: Int64) -> String { Display.energy(energy, in: energyUnit) }

    /// The result of an equation that is defined in kilocalories: `1,780 kcal`, `1,780 kcal = 7,448 kJ`.
    func equated(_ energy: Int64) -> String {
        Display.energy(energy, in: .kilocalories)
            + (energyUnit == .kilocalories ? "" : " = " + self.energy(energy))
    }

    /// The energy of a gram without its unit: `9`, `37.656`.
    func perGram(_ kilocalories: Int64) -> String {
        energyUnit == .kilocalories
            ? "\(kilocalories)" : decimal(kilocalories * 4_184, 1_000, 3)
    }

    /// `÷ 9 kcal/g`, `÷ 37.656 kJ/g`
    func dividedPerGram(_ kilocalories: Int64) -> String {
        "÷ \(perGram(kilocalories)) " + (energyUnit == .kilocalories ? "kcal/g" : "kJ/g")
    }

    /// A body mass in kilograms: `80 kg`, `80 kg (176.4 lb)`.
    func kilograms(_ grams: Int64) -> String {
        let unit = preferences.weightUnit ?? .kilograms
        return decimal(grams, 1_000, 3) + " kg"
            + (unit == .kilograms ? "" : " (\(Display.weight(grams, in: unit)))")
    }

    /// A body mass in pounds: `176.4 lb`, `176.4 lb (80.0 kg)` for people who set another unit.
    func pounds(_ grams: Int64) -> String {
        let pounds = Display.weight(grams, in: .pounds)
        guard let unit = preferences.weightUnit, unit != .pounds else { return pounds }
        return "\(pounds) (\(Display.weight(grams, in: unit)))"
    }

    /// A height in centimetres: `180 cm`, `180 cm (5 ft 11 in)`.
    func centimeters(_ millimeters: Int64) -> String {
        let unit = preferences.heightUnit ?? .centimeters
        return decimal(millimeters, 10, 1) + " cm"
            + (unit == .centimeters ? "" : " (\(Display.height(millimeters, in: unit)))")
    }

    func grams(_ milligrams: Int64) -> String {
        Display.decimal(milligrams, scale: 1_000, places: 1) + " g"
    }

    func percent(_ basisPoints: Int64) -> String {
        decimal(basisPoints, 100, 2) + " %"
    }

    /// A decimal number without the zeros at its end.
    func decimal(_ number: Int64, _ scale: Int64, _ places: Int) -> String {
        var bytes = Array(Display.decimal(number, scale: scale, places: places).utf8)
        while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
