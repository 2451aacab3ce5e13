import MacrologEvents

/// Numbers and names, as an explanation of a target shows them.
extension TargetExplanation {
    static func title(_ nutrient: Nutrient) -> String {
        switch nutrient {
        case .energy: "Energy"
        case .protein: "Protein"
        case .carbs: "Carbohydrate"
        case .fat: "Fat"
        case .fiber: "Fibre"
        default: nutrient.key.string
        }
    }

    static func plain(_ energy: Int64) -> String {
        Display.decimal(energy, scale: 1_000, places: 0)
    }

    static func signed(_ energy: Int64) -> String {
        (energy < 0 ? " - " : " + ") + plain(abs(max(energy, -.max)))
    }

    static func kilocalories(_ energy: Int64) -> String { plain(energy) + " kcal" }

    static func grams(_ milligrams: Int64) -> String {
        Display.decimal(milligrams, scale: 1_000, places: 1) + " g"
    }

    static func percent(_ basisPoints: Int64) -> String {
        decimal(basisPoints, 100, 2) + " %"
    }

    /// A decimal number without the zeros at its end.
    static func decimal(_ number: Int64, _ scale: Int64, _ places: Int) -> String {
        var bytes = Array(Display.decimal(number, scale: scale, places: places).utf8)
        while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
