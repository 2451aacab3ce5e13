public import MacrologEvents

/// A unit that people type or read, with its exact size in its dimension's smallest unit.
public struct Measure: Hashable, Sendable {
    /// What a unit measures; only units of one dimension convert into each other.
    public enum Dimension: Hashable, Sendable {
        /// Smallest unit: a nanogram.
        case mass
        /// Smallest unit: a tenth of a picolitre, in which a US fluid ounce is whole.
        case volume
        /// Smallest unit: a micrometre.
        case length
        /// Smallest unit: a microcalorie (4.184 µJ), of which a kilojoule is no whole number.
        case energy
        /// Smallest unit: a basis point.
        case share
        /// Smallest unit: a minute.
        case time
    }

    /// How it is written: `kg`.
    public let symbol: UTF8Text
    /// What it measures.
    public let dimension: Dimension
    /// Its size, numerator first, in the dimension's smallest unit.
    let numerator: Int64
    let denominator: Int64

    private init(
        _ symbol: UTF8Text, _ dimension: Dimension, _ numerator: Int64, over denominator: Int64 = 1
    ) {
        self.symbol = symbol
        self.dimension = dimension
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The unit that a message names: people do not type those in which values are only stored.
    var typedSymbol: UTF8Text {
        switch self {
        case .microliter: "ml"
        case .millikilocalorie: "kcal"
        case .basisPoint: "%"
        default: symbol
        }
    }

    /// Nanogram.
    public static let nanogram = Measure("ng", .mass, 1)
    /// Microgram.
    public static let microgram = Measure("µg", .mass, 1_000)
    /// Milligram.
    public static let milligram = Measure("mg", .mass, 1_000_000)
    /// Gram.
    public static let gram = Measure("g", .mass, 1_000_000_000)
    /// Kilogram.
    public static let kilogram = Measure("kg", .mass, 1_000_000_000_000)
    /// Avoirdupois ounce: 28.349523125 g exactly (International Yard and Pound Agreement, 1959).
    package static let ounce = Measure("oz", .mass, 28_349_523_125)
    /// Avoirdupois pound: 453.59237 g exactly.
    public static let pound = Measure("lb", .mass, 453_592_370_000)
    /// Stone: 14 lb.
    public static let stone = Measure("st", .mass, 6_350_293_180_000)

    /// An international unit of vitamin D: 0.025 µg of cholecalciferol (WHO Technical Report Series 3, 1950). Of
    /// other vitamins it is another mass.
    package static let vitaminDUnit = Measure("IU", .mass, 25)

    /// Microlitre.
    public static let microliter = Measure("µl", .volume, 10_000_000)
    /// Millilitre.
    public static let milliliter = Measure("ml", .volume, 10_000_000_000)
    /// Centilitre.
    package static let centiliter = Measure("cl", .volume, 100_000_000_000)
    /// Decilitre.
    package static let deciliter = Measure("dl", .volume, 1_000_000_000_000)
    /// Litre.
    public static let liter = Measure("l", .volume, 10_000_000_000_000)
    /// US fluid ounce: 29.5735295625 ml exactly.
    public static let usFluidOunce = Measure("us_floz", .volume, 295_735_295_625)
    /// Imperial fluid ounce: 28.4130625 ml exactly.
    public static let imperialFluidOunce = Measure("imp_floz", .volume, 284_130_625_000)
    /// US customary cup: 8 US fluid ounces, 236.5882365 ml.
    public static let usCup = Measure("us_cup", .volume, 2_365_882_365_000)
    /// Metric cup: 250 ml.
    public static let metricCup = Measure("metric_cup", .volume, 2_500_000_000_000)

    /// Millimetre.
    public static let millimeter = Measure("mm", .length, 1_000)
    /// Centimetre.
    public static let centimeter = Measure("cm", .length, 10_000)
    /// Metre.
    package static let meter = Measure("m", .length, 1_000_000)
    /// Inch: 25.4 mm exactly.
    public static let inch = Measure("in", .length, 25_400)
    /// Foot: 12 in.
    package static let foot = Measure("ft", .length, 304_800)

    /// Thousandth of a kilocalorie.
    public static let millikilocalorie = Measure("mkcal", .energy, 1_000_000)
    /// Kilocalorie: 4.184 kJ exactly (the thermochemical calorie).
    public static let kilocalorie = Measure("kcal", .energy, 1_000_000_000)
    /// Kilojoule: 1/4.184 kcal.
    package static let kilojoule = Measure("kJ", .energy, 1_000_000_000_000, over: 4_184)

    /// Hundredth of a percent.
    public static let basisPoint = Measure("bp", .share, 1)
    /// Percent.
    public static let percent = Measure("%", .share, 100)

    /// Minute.
    public static let minute = Measure("min", .time, 1)
    /// Hour.
    public static let hour = Measure("h", .time, 60)

    /// A whole number of this unit in another, half to even; `nil` between dimensions.
    ///
    /// Results beyond 64 bits stay at the limit.
    package func convert(_ number: Int64, to other: Measure) -> Int64? {
        guard dimension == other.dimension else { return nil }
        return Rounding.clamped(scaled(Int128(number), over: 1, to: other))
    }

    /// `number / divisor` of this unit in another, half to even. The factors of all units stay below
    /// 5 × 10¹⁶, so 64-bit numbers cannot overflow.
    func scaled(_ number: Int128, over divisor: Int128, to other: Measure) -> Int128 {
        Rounding.halfEven(
            number * Int128(numerator) * Int128(other.denominator),
            over: divisor * Int128(denominator) * Int128(other.numerator))
    }
}
