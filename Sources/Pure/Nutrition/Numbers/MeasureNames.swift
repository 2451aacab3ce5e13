extension Measure {
    /// The unit of a word as people type it; `nil` for a word that is no unit here.
    ///
    /// ASCII letter case does not matter. `cal` is a kilocalorie, as on every label. `cup` and `floz`
    /// are none: their size depends on the country, so they are kept as words and asked about.
    public static func named(_ word: String) -> Measure? {
        let bytes = ASCII.lowered(ASCII.trimmed(Array(word.utf8)))
        for (measure, names) in table {
            for name in names where ASCII.matches(bytes, name) { return measure }
        }
        return nil
    }

    private static let table: [(Measure, [String])] = [
        (.gram, ["g", "gr", "gram", "grams", "gramme", "grammes"]),
        (.kilogram, ["kg", "kgs", "kilo", "kilos", "kilogram", "kilograms"]),
        (.milligram, ["mg"]),
        // The micro sign and the Greek letter look alike and are typed alike.
        (.microgram, ["ug", "mcg", "\u{B5}g", "\u{3BC}g"]),
        (.nanogram, ["ng"]),
        (.pound, ["lb", "lbs", "pound", "pounds"]),
        (.ounce, ["oz", "ounce", "ounces"]),
        (.stone, ["st", "stone", "stones"]),
        (.milliliter, ["ml", "milliliter", "milliliters", "millilitre", "millilitres"]),
        (.centiliter, ["cl"]),
        (.deciliter, ["dl"]),
        (.liter, ["l", "liter", "liters", "litre", "litres"]),
        (.microliter, ["ul", "\u{B5}l", "\u{3BC}l"]),
        (.usFluidOunce, ["us_floz"]),
        (.imperialFluidOunce, ["imp_floz"]),
        (.usCup, ["us_cup"]),
        (.metricCup, ["metric_cup"]),
        (.millimeter, ["mm"]),
        (.centimeter, ["cm"]),
        (.meter, ["m"]),
        (.inch, ["in", "inch", "inches", "\"", "\u{2033}"]),
        (.foot, ["ft", "foot", "feet", "'", "\u{2019}", "\u{2032}"]),
        (.kilocalorie, ["kcal", "kcals", "cal", "cals", "calorie", "calories"]),
        (.kilojoule, ["kj", "kjs", "kilojoule", "kilojoules"]),
        (.millikilocalorie, ["mkcal"]),
        (.percent, ["%", "percent"]),
        (.basisPoint, ["bp"]),
        (.minute, ["min", "mins", "minute", "minutes"]),
        (.hour, ["h", "hr", "hrs", "hour", "hours"]),
    ]
}
