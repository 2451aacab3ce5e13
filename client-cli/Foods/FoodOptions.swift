import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// The options of a food besides its name and nutrients.
enum FoodOptions {
    static let brand = Parameter.option("brand", .anyText, "The brand.")
    static let barcode = Parameter.option("barcode", .barcode, "The digits of the barcode.")
    static let basis = Parameter.option(
        "per",
        .choice([
            (word: "100g", value: FoodBasis.per100Grams),
            (word: "100ml", value: .per100Milliliters), (word: "serving", value: .perServing),
        ]), "The amount that the nutrients are for.")
    static let serving = Parameter.option(
        "serving-size", .servingSize, "One serving: 30g, 250ml or '1 slice=28g'.")
    static let carbBasis = Parameter.option(
        "carb-basis",
        .choice(CarbBasis.allCases.map { (word: $0.name.string, value: $0) }),
        "Whether carbohydrate includes fibre: total as in the USA, available as in Europe.")

    static let all: [Specification] = [
        brand.specification, barcode.specification, basis.specification, serving.specification,
        carbBasis.specification,
    ]

    /// Applies everything that was typed.
    static func apply(to food: inout Food, _ arguments: ParsedArguments, _ home: inout Home) throws
    {
        if let brand = arguments[brand] { food.brand = brand.isEmpty ? nil : brand }
        if let barcode = arguments[barcode] { food.gtin = barcode.gtin.string }
        if let basis = arguments[basis] { food.basis = basis }
        if let carbs = arguments[carbBasis] { food.carbBasis = carbs }
        if let size = arguments[serving] {
            food.serving = try size.amount(try home.preferences.decimalMark ?? .auto, arguments)
        }
        for entry in try home.read({ try NutrientOptions.read(arguments, $0, &$1) }) {
            food[entry.nutrient] = entry.amount
        }
    }
}

/// One serving as typed.
struct TypedServing: Sendable {
    let text: String

    func amount(_ mark: DecimalMark, _ arguments: ParsedArguments) throws -> Amount {
        do throws(NumberError) {
            return try read(mark)
        } catch {
            let bad = BadValue(error, example: "30g, 250ml or '1 slice=28g'")
            throw arguments.usageError(
                of: FoodOptions.serving, "\"\(printable(text))\" \(bad.problem)",
                instead: bad.instead)
        }
    }

    func read(_ mark: DecimalMark) throws(NumberError) -> Amount {
        let reader = NumberReader(decimalMark: mark)
        let halves = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard let first = halves.first, let quantity = try reader.read(first) else {
            throw .malformed
        }
        var mass: Int64?
        if halves.count == 2 {
            guard let weight = try reader.read(halves[1]) else { throw .malformed }
            mass = try weight.whole(.milligram, unitless: .gram)
        } else if quantity.measure?.dimension == .mass {
            mass = try quantity.whole(.milligram)
        } else if quantity.measure?.dimension == .volume {
            return Amount(milli: try quantity.whole(.microliter), unit: "ml")
        }
        guard let unit = TypedPortion(text: first).unit(of: quantity) else {
            return Amount(milli: quantity.milli, unit: "serving", milligrams: mass)
        }
        return Amount(milli: quantity.milli, unit: unit, milligrams: mass)
    }
}

extension Form where Value == TypedServing {
    static var servingSize: Form {
        Form("AMOUNT") { word throws(BadValue) in
            let typed = TypedServing(text: word)
            do throws(NumberError) {
                _ = try typed.read(.auto)
            } catch {
                if case .ambiguous = error { return typed }
                throw BadValue(
                    error, typed: word, example: "30g, 250ml or '1 slice=28g'", takesVolumes: true)
            }
            return typed
        }
    }
}

extension Form where Value == Barcode {
    static var barcode: Form {
        Form("DIGITS") { word throws(BadValue) in
            guard let barcode = Barcode(word) else {
                let digits = word.utf8.filter { (48...57).contains($0) }.count
                let isWhole =
                    [8, 12, 13, 14].contains(digits)
                    && word.utf8.allSatisfy {
                        (48...57).contains($0) || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-")
                    }
                throw isWhole
                    ? BadValue(
                        "has a last digit, the check digit, that does not fit the others",
                        instead: "the digits under the bars again: at least one is wrong")
                    : BadValue(
                        "is not a barcode", instead: "the 8, 12, 13 or 14 digits of the barcode")
            }
            return barcode
        }
    }
}
