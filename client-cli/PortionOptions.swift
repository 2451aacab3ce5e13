import Commands
import Macrolog

/// How much of something: `--grams 60`, `--serving 2`.
enum PortionOptions {
    static let grams = Parameter.option(
        "grams", .portion, "How much: grams unless a unit follows, such as 2oz or 250ml.")
    static let serving = Parameter.option(
        "serving", .servings, "How many servings: 2, 1/2 or 2 slices.")

    static let all: [Specification] = [grams.specification, serving.specification]

    /// What was typed; `nil` when nothing was.
    static func read(_ words: Words, _ home: inout Home) throws -> Portion? {
        let mark = try home.preferences.decimalMark ?? .auto
        if words.has(grams), words.has(serving) {
            throw words.refusal(of: serving, "is given beside --grams", instead: "one of the two")
        }
        if let typed = words[grams] {
            let quantity = try quantity(typed, mark, grams, words, "60, 2oz or 250ml")
            return try quantity.measure?.dimension == .volume
                ? .volume(whole(quantity, .microliter, unitless: nil, grams, words))
                : .mass(whole(quantity, .milligram, unitless: .gram, grams, words))
        }
        guard let typed = words[serving] else { return nil }
        let quantity = try quantity(typed, mark, serving, words, "2, 1/2 or 2 slices")
        if quantity.measure != nil {
            throw words.refusal(
                of: serving, "\"\(printable(typed.text))\" is a mass or a volume",
                instead: "--grams \(typed.text)")
        }
        return .servings(milli: quantity.milli, unit: quantity.unit)
    }

    private static func quantity(
        _ typed: TypedPortion, _ mark: DecimalMark, _ parameter: Parameter<TypedPortion?>,
        _ words: Words, _ example: String
    ) throws -> Quantity {
        do throws(NumberError) {
            if let quantity = try NumberReader(decimalMark: mark).read(typed.text) {
                return quantity
            }
        } catch {
            let bad = BadValue(error, example: example)
            throw words.refusal(
                of: parameter, "\"\(printable(typed.text))\" \(bad.problem)", instead: bad.instead)
        }
        throw words.refusal(of: parameter, "is unknown", instead: example)
    }

    private static func whole(
        _ quantity: Quantity, _ measure: Measure, unitless: Measure?,
        _ parameter: Parameter<TypedPortion?>, _ words: Words
    ) throws -> Int64 {
        do throws(NumberError) {
            return try quantity.whole(measure, unitless: unitless)
        } catch {
            let bad = BadValue(error, example: "60, 2oz or 250ml")
            throw words.refusal(of: parameter, bad.problem, instead: bad.instead)
        }
    }
}

/// How much of something, in the unit of what was typed.
enum Portion {
    /// Milligrams.
    case mass(Int64)
    /// Microlitres.
    case volume(Int64)
    /// Thousandths of a serving, or of the unit typed.
    case servings(milli: Int64, unit: Text?)

    /// The amount as an item stores it.
    var amount: Amount {
        switch self {
        case .mass(let milligrams): Amount(milligrams: milligrams)
        case .volume(let microliters): Amount(milli: microliters, unit: "ml")
        case .servings(let milli, let unit): Amount(milli: milli, unit: unit ?? "serving")
        }
    }

    /// An item with what so much of a food holds.
    func item(
        of food: Food, meal: Identifier, _ words: Words, _ home: inout Home
    ) throws -> MealItem {
        let (amount, nutrients) = try portion(of: food, words)
        var item = MealItem(
            id: try home.replica.newID(), of: meal, name: food.name, amount: amount,
            nutrients: nutrients)
        item.foodID = food.id
        return item
    }

    private func portion(of food: Food, _ words: Words) throws -> (Amount, Nutrients) {
        let basis = food.basis ?? .per100Grams
        switch (self, basis) {
        case (.mass(let milligrams), .per100Grams):
            return (amount, food.nutrients.scaled(part: milligrams, whole: 100_000))
        case (.volume(let microliters), .per100Milliliters):
            return (amount, food.nutrients.scaled(part: microliters, whole: 100_000))
        case (.mass(let milligrams), .perServing):
            guard let whole = food.serving?.milligrams, whole > 0 else { break }
            return (amount, food.nutrients.scaled(part: milligrams, whole: whole))
        case (.servings(let milli, let unit), _):
            guard let serving = food.serving, serving.unit.matches(unit) else { break }
            // Two slices of a serving of one slice, or two servings.
            let own = unit == nil ? 1_000 : max(serving.milli, 1)
            let count = unit == nil ? Rounded.scaled(serving.milli, by: milli, over: 1_000) : milli
            let mass = serving.milligrams.map { Rounded.scaled($0, by: milli, over: own) }
            let amount = Amount(milli: count, unit: serving.unit, milligrams: mass)
            if basis == .perServing {
                return (amount, food.nutrients.scaled(part: milli, whole: own))
            }
            if basis == .per100Milliliters, serving.unit == "ml" {
                return (amount, food.nutrients.scaled(part: count, whole: 100_000))
            }
            guard let mass, basis == .per100Grams else { break }
            return (amount, food.nutrients.scaled(part: mass, whole: 100_000))
        default: break
        }
        if case .servings(let milli, nil) = self, basis == .perServing {
            return (amount, food.nutrients.scaled(part: milli, whole: 1_000))
        }
        throw mismatch(food, words)
    }

    private func mismatch(_ food: Food, _ words: Words) -> UsageError {
        let name = printable(food.name)
        let parameter: Parameter<TypedPortion?>
        if case .servings = self {
            parameter = PortionOptions.serving
        } else {
            parameter = PortionOptions.grams
        }
        let instead: String =
            switch food.basis ?? .per100Grams {
            case .per100Grams: "--grams 60, or say what one serving weighs: macrolog food edit"
            case .per100Milliliters: "a volume such as --grams 250ml"
            case .perServing: "--serving 1"
            }
        return words.refusal(
            of: parameter, "does not fit: \(name) is known \((food.basis ?? .per100Grams).spoken)",
            instead: instead)
    }
}

extension FoodBasis {
    /// `per 100 g`
    var spoken: String {
        switch self {
        case .per100Grams: "per 100 g"
        case .per100Milliliters: "per 100 ml"
        case .perServing: "per serving"
        }
    }
}

extension Text {
    /// Whether a typed unit is this one, in the plural or not; nothing typed matches everything.
    fileprivate func matches(_ typed: Text?) -> Bool {
        guard let typed else { return true }
        return typed == self || typed.string == string + "s" || string == typed.string + "s"
    }
}

/// `number × factor / divisor`, half away from zero, held at the limits of 64 bits.
enum Rounded {
    static func scaled(_ number: Int64, by factor: Int64, over divisor: Int64) -> Int64 {
        let product = Int128(number) * Int128(factor)
        let half = Int128(divisor) / 2
        let result = (product + (product < 0 ? -half : half)) / Int128(divisor)
        return Int64(clamping: result)
    }
}

/// An amount as somebody typed it.
struct TypedPortion: Sendable {
    let text: String
}

extension Form where Value == TypedPortion {
    static var portion: Form { typed("AMOUNT", "60, 2oz or 250ml") }
    static var servings: Form { typed("N", "2, 1/2 or 2 slices") }

    private static func typed(_ placeholder: String, _ example: String) -> Form {
        Form(placeholder) { word throws(BadValue) in
            let quantity: Quantity?
            do throws(NumberError) {
                quantity = try NumberReader().read(word)
            } catch {
                if case .ambiguous = error { return TypedPortion(text: word) }
                throw BadValue(error, example: example)
            }
            if quantity == nil { throw BadValue("is unknown", instead: example) }
            return TypedPortion(text: word)
        }
    }
}
