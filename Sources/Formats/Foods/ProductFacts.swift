import MacrologEvents
import MacrologJSON
import MacrologNutrition

/// The nutrients of a product of Open Food Facts, from either of the two forms.
struct ProductFacts {
    /// The reference amount of the numbers.
    private(set) var basis = FoodBasis.per100Grams
    private(set) var carbBasis = CarbBasis.available
    private(set) var serving: Amount?
    private(set) var nutrients: [(Nutrient, Int64)] = []
    /// The keys whose values could not be read.
    private(set) var unread: [(key: String, value: String)] = []
    private(set) var warnings: [String] = []

    /// A number as stated.
    private struct Stated {
        let text: String
        let unit: String
    }

    private var stated: [String: Stated] = [:]
    /// Whether carbohydrate includes fibre on labels where the product is sold.
    private let countsFiberIn: Bool

    /// Countries whose labels state total carbohydrate (in the United States by 21 CFR 101.9
    /// (c)(6)). A product that is also sold elsewhere is treated as sold elsewhere.
    private static let countriesCountingFiberIn = ["en:united-states", "en:canada"]

    init(_ product: JSON) {
        let countries = (product["countries_tags"]?.array ?? []).compactMap(\.string)
        countsFiberIn =
            !countries.isEmpty && countries.allSatisfy(Self.countriesCountingFiberIn.contains)
        serving = Self.serving(product)
        if !readNutrition(product["nutrition"]) { readNutriments(product) }
        convert()
    }

    // MARK: The two forms

    /// The sets of the new form: the aggregated one, else one as sold.
    private mutating func readNutrition(_ nutrition: JSON?) -> Bool {
        guard let nutrition, nutrition.object != nil else { return false }
        var sets = [nutrition["aggregated_set"]].compactMap(\.self)
        let inputs = nutrition["input_sets"]?.array ?? []
        for per in ["100g", "100ml", "serving"] {
            sets += inputs.filter { $0["per"]?.string == per }
        }
        guard
            let set = sets.first(where: {
                $0["preparation"]?.string != "prepared" && $0["nutrients"]?.object?.isEmpty == false
            })
        else {
            if !sets.isEmpty { warnings.append("only what it holds when prepared is stated") }
            return !sets.isEmpty
        }
        switch set["per"]?.string {
        case "100ml": basis = .per100Milliliters
        case "serving": basis = .perServing
        default: basis = .per100Grams
        }
        for member in set["nutrients"]?.object ?? [] {
            guard
                let text = Self.number(member.value["value_computed"])
                    ?? Self.number(member.value["value"])
                    ?? Self.number(member.value["value_string"])
            else { continue }
            let unit = member.value["unit"]?.string ?? Self.ownUnit(of: member.key)
            stated[member.key] = Stated(text: text, unit: unit)
        }
        return true
    }

    /// The old form stores every number in grams and kJ, in whatever unit it was typed.
    private mutating func readNutriments(_ product: JSON) {
        let members = product["nutriments"]?.object ?? []
        func read(_ suffix: String) -> [String: Stated] {
            var found: [String: Stated] = [:]
            for member in members where member.key.hasSuffix(suffix) {
                let key = String(member.key.dropLast(suffix.count))
                guard Self.isKnown(key), let text = Self.number(member.value) else { continue }
                found[key] = Stated(text: text, unit: Self.ownUnit(of: key))
            }
            return found
        }
        stated = read("_100g")
        basis = Self.isLiquid(product) ? .per100Milliliters : .per100Grams
        guard stated.isEmpty, product["nutrition_data_per"]?.string == "serving" else { return }
        stated = read("_serving")
        if !stated.isEmpty { basis = .perServing }
    }

    /// Numbers "per 100 g" are per 100 ml for products sold by volume.
    private static func isLiquid(_ product: JSON) -> Bool {
        if product["nutrition_data_per"]?.string == "100ml" { return true }
        for key in ["product_quantity_unit", "serving_quantity_unit"] {
            if let unit = product[key]?.string, let measure = Measure.named(unit) {
                return measure.dimension == .volume
            }
        }
        for key in ["quantity", "serving_size"] {
            if let text = product[key]?.string, let measure = Self.amount(text)?.measure {
                return measure.dimension == .volume
            }
        }
        return false
    }

    // MARK: Servings

    private static func serving(_ product: JSON) -> Amount? {
        let typed = product["serving_size"]?.string.flatMap { amount($0) }
        let unit =
            product["serving_quantity_unit"]?.string.flatMap { Measure.named($0) }
            ?? typed?.measure ?? .gram
        let number = number(product["serving_quantity"]).flatMap {
            ExactDecimal($0)?.whole(places: 3)
        }
        if let number, number > 0 {
            let isVolume = unit.dimension == .volume
            return bounded(
                isVolume
                    ? Amount(milli: number, unit: "ml") : Amount(milligrams: number))
        }
        guard let typed, let measure = typed.measure else { return nil }
        switch measure.dimension {
        case .mass: return bounded((try? typed.whole(.milligram)).map { Amount(milligrams: $0) })
        case .volume:
            return bounded((try? typed.whole(.microliter)).map { Amount(milli: $0, unit: "ml") })
        default: return nil
        }
    }

    /// An amount that can be stored and is greater than zero.
    private static func bounded(_ amount: Amount?) -> Amount? {
        amount.flatMap { $0.milli > 0 ? Amount($0.value) : nil }
    }

    /// `30 g`, or the `30 g` of `2 biscuits (30 g)`.
    private static func amount(_ text: String) -> Quantity? {
        var words = text
        if let open = text.firstIndex(of: "("), let close = text[open...].firstIndex(of: ")") {
            words = String(text[text.index(after: open)..<close])
        }
        return (try? NumberReader(decimalMark: .point).read(words)) ?? nil
    }

    // MARK: Nutrients

    private static let masses: [(key: String, nutrient: Nutrient)] = [
        ("proteins", .protein), ("carbohydrates", .carbs), ("fat", .fat), ("fiber", .fiber),
        ("sugars", .sugars), ("added-sugars", .addedSugars), ("saturated-fat", .saturatedFat),
        ("trans-fat", .transFat), ("monounsaturated-fat", .monounsaturatedFat),
        ("polyunsaturated-fat", .polyunsaturatedFat), ("polyols", .polyols),
        ("cholesterol", .cholesterol), ("potassium", .potassium), ("calcium", .calcium),
        ("iron", .iron), ("magnesium", .magnesium), ("zinc", .zinc), ("vitamin-a", .vitaminA),
        ("vitamin-c", .vitaminC), ("vitamin-d", .vitaminD), ("vitamin-b12", .vitaminB12),
        ("caffeine", .caffeine),
    ]

    private static let others = [
        "energy-kcal", "energy", "energy-kj", "alcohol", "sodium", "salt", "carbohydrates-total",
    ]

    private static func isKnown(_ key: String) -> Bool {
        others.contains(key) || masses.contains { $0.key == key }
    }

    /// The unit of a number that states none.
    private static func ownUnit(of key: String) -> String {
        switch key {
        case "energy-kcal": "kcal"
        case "energy", "energy-kj": "kJ"
        case "alcohol": "% vol"
        default: "g"
        }
    }

    private mutating func convert() {
        if let energy = energy() { nutrients.append((.energy, energy)) }
        for (key, nutrient) in Self.masses {
            if let amount = mass(key, of: nutrient) { nutrients.append((nutrient, amount)) }
        }
        if countsFiberIn, stated["carbohydrates"] != nil { carbBasis = .total }
        if stated["carbohydrates"] == nil, let total = mass("carbohydrates-total", of: .carbs) {
            nutrients.append((.carbs, total))
            carbBasis = .total
        }
        if let salt = mass("salt", of: .sodium) {
            nutrients.append((.sodium, Rounding.scaled(salt, by: 2, over: 5)))
        } else if let sodium = mass("sodium", of: .sodium) {
            nutrients.append((.sodium, sodium))
        }
        // A share by volume gives a mass for a basis of 100 ml only: 1 ml of alcohol weighs
        // 0.789 g.
        if let alcohol = stated["alcohol"], basis == .per100Milliliters,
            let share = ExactDecimal(alcohol.text)?.whole(places: 3)
        {
            nutrients.append((.alcohol, Rounding.scaled(share, by: 789, over: 1_000)))
        }
    }

    private mutating func energy() -> Int64? {
        for key in ["energy-kcal", "energy", "energy-kj"] {
            guard let number = stated[key] else { continue }
            let isKilojoules = Measure.named(number.unit) == .kilojoule
            let amount =
                isKilojoules
                ? Energy.millikilocalories(kilojoules: number.text)
                : ExactDecimal(number.text)?.whole(places: 3)
            if let amount { return amount }
            unread.append((key, number.text))
        }
        return nil
    }

    private mutating func mass(_ key: String, of nutrient: Nutrient) -> Int64? {
        guard let number = stated[key] else { return nil }
        let gram = nutrient.unit == .milligrams ? 3 : 9
        let places: Int
        switch Measure.named(number.unit) {
        case .gram?: places = gram
        case .milligram?: places = gram - 3
        case .microgram?: places = gram - 6
        case .kilogram?: places = gram + 3
        default:
            // A share of a daily value, or international units, whose mass is unknown.
            warnings.append("\(key) is stated in \(number.unit) and left out")
            return nil
        }
        if let amount = ExactDecimal(number.text)?.whole(places: places) { return amount }
        unread.append((key, number.text))
        return nil
    }

    /// The digits of a number, or of a text that is one; `nil` if there is none.
    private static func number(_ json: JSON?) -> String? {
        switch json {
        case .integer(let number)?: "\(number)"
        case .number(let text)?: text
        case .string(let text)?: Cell.trimmed(text).isEmpty ? nil : Cell.trimmed(text)
        default: nil
        }
    }
}
