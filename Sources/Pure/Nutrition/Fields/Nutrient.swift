public import MacrologEvents

/// What a food can hold: energy, a nutrient, or one a person defined. The key is the name of the
/// field that stores it on a food, a meal or a meal item.
public struct Nutrient: Hashable, Comparable, Sendable {
    /// The place among the known nutrients; 255 for those a person defined.
    let index: UInt8
    /// The name of the field: `energy`, `protein`, or `x:` and a name a person chose.
    public let key: UTF8Text

    private init(_ index: UInt8, _ key: UTF8Text) {
        self.index = index
        self.key = key
    }

    /// Energy, in thousandths of a kilocalorie.
    public static let energy = Nutrient(0, "energy")
    /// Protein, in milligrams.
    public static let protein = Nutrient(1, "protein")
    /// Carbohydrate, in milligrams; whether it includes fibre is the food's `carb_basis`.
    public static let carbs = Nutrient(2, "carbs")
    /// Fat, in milligrams.
    public static let fat = Nutrient(3, "fat")
    /// Dietary fibre, in milligrams.
    public static let fiber = Nutrient(4, "fiber")
    /// Sugars, in milligrams.
    package static let sugars = Nutrient(5, "sugars")
    /// Sugars added in the making, in milligrams.
    package static let addedSugars = Nutrient(6, "added_sugars")
    /// Saturated fat, in milligrams.
    package static let saturatedFat = Nutrient(7, "sat_fat")
    /// Trans fat, in milligrams.
    package static let transFat = Nutrient(8, "trans_fat")
    /// Monounsaturated fat, in milligrams.
    package static let monounsaturatedFat = Nutrient(9, "mono_fat")
    /// Polyunsaturated fat, in milligrams.
    package static let polyunsaturatedFat = Nutrient(10, "poly_fat")
    /// Alcohol, in milligrams.
    package static let alcohol = Nutrient(11, "alcohol")
    /// Water, in milligrams.
    package static let water = Nutrient(12, "water")
    /// Polyols, in milligrams.
    package static let polyols = Nutrient(13, "polyols")
    /// Cholesterol, in nanograms.
    package static let cholesterol = Nutrient(14, "cholesterol")
    /// Sodium, in nanograms; salt is sodium × 2.5.
    package static let sodium = Nutrient(15, "sodium")
    /// Potassium, in nanograms.
    package static let potassium = Nutrient(16, "potassium")
    /// Calcium, in nanograms.
    package static let calcium = Nutrient(17, "calcium")
    /// Iron, in nanograms.
    package static let iron = Nutrient(18, "iron")
    /// Magnesium, in nanograms.
    package static let magnesium = Nutrient(19, "magnesium")
    /// Zinc, in nanograms.
    package static let zinc = Nutrient(20, "zinc")
    /// Vitamin A, in nanograms.
    package static let vitaminA = Nutrient(21, "vit_a")
    /// Vitamin C, in nanograms.
    package static let vitaminC = Nutrient(22, "vit_c")
    /// Vitamin D, in nanograms; 1 µg is 40 IU.
    package static let vitaminD = Nutrient(23, "vit_d")
    /// Vitamin B12, in nanograms.
    package static let vitaminB12 = Nutrient(24, "vit_b12")
    /// Caffeine, in nanograms.
    package static let caffeine = Nutrient(25, "caffeine")

    /// Every nutrient that has a place of its own, in the order of display.
    public static let known: [Nutrient] = [
        energy, protein, carbs, fat, fiber, sugars, addedSugars, saturatedFat, transFat,
        monounsaturatedFat, polyunsaturatedFat, alcohol, water, polyols, cholesterol, sodium,
        potassium, calcium, iron, magnesium, zinc, vitaminA, vitaminC, vitaminD, vitaminB12,
        caffeine,
    ]

    /// The nutrient of a field; `nil` for a field that holds none.
    ///
    /// Besides the known keys, `x:` followed by 1 to 40 of `a`–`z`, `0`–`9` and `_`.
    public init?(key: UTF8Text) {
        if key.byteCount < Nutrient.byLength.count {
            let alike = Nutrient.byLength[key.byteCount]
            for index in alike.indices where alike[index].key == key {
                self = alike[index]
                return
            }
        }
        var bytes = Array(key.string.utf8)[...]
        guard bytes.count > 2, bytes.count <= 42, bytes.removeFirst() == UInt8(ascii: "x"),
            bytes.removeFirst() == UInt8(ascii: ":"),
            bytes.allSatisfy({
                $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") || ASCII.isDigit($0)
                    || $0 == UInt8(ascii: "_")
            })
        else { return nil }
        self.init(255, key)
    }

    /// Those of `known` whose keys have as many bytes as the index says: few are compared.
    private static let byLength: [[Nutrient]] = (0...(known.map { $0.key.byteCount }.max() ?? 0))
        .map { count in
            known.filter { $0.key.byteCount == count }
        }

    /// The unit of the stored whole number.
    public var unit: FieldUnit {
        switch index {
        case 0: .millikilocalories
        case 1...13: .milligrams
        case 14...25: .nanograms
        default: .thousandths
        }
    }

    /// Equality of keys.
    public static func == (left: Nutrient, right: Nutrient) -> Bool {
        left.index == right.index && (left.index != 255 || left.key == right.key)
    }

    /// The order of display; those a person defined come last, by the bytes of their keys.
    public static func < (left: Nutrient, right: Nutrient) -> Bool {
        left.index == right.index
            ? left.index == 255 && left.key < right.key : left.index < right.index
    }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(index)
        if index == 255 { hasher.combine(key) }
    }

    /// The hard bounds of a stored number, wherever it stands: 20,000 kcal, 2 kg, or a quadrillion
    /// of what a person defined.
    package var bounds: ClosedRange<Int64> {
        switch unit {
        case .millikilocalories: 0...20_000_000
        case .milligrams: 0...2_000_000
        case .nanograms: 0...2_000_000_000_000
        default: 0...1_000_000_000_000_000
        }
    }
}

extension Nutrient {
    /// The field of each known nutrient.
    static let fields = known.map { FieldSpec($0) }

    /// The name for display.
    public var formatted: String {
        switch self {
        case .fiber: "fibre"
        case .saturatedFat: "saturated fat"
        case .monounsaturatedFat: "monounsaturated fat"
        case .polyunsaturatedFat: "polyunsaturated fat"
        case .vitaminA: "vitamin A"
        case .vitaminB12: "vitamin B12"
        case .vitaminC: "vitamin C"
        case .vitaminD: "vitamin D"
        default:
            index == 255
                ? String(decoding: key.string.utf8.dropFirst(2), as: UTF8.self) : key.spaced.string
        }
    }
}

extension FieldSpec {
    /// The field that holds a nutrient.
    init(_ nutrient: Nutrient) {
        let soft: ClosedRange<Int64>? = nutrient == .energy ? 0...5_000_000 : nil
        self.init(nutrient.key, .number(nutrient.unit, hard: nutrient.bounds, soft: soft))
    }
}
