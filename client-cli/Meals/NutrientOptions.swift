import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// The nutrient options, shared by everything that can be eaten.
enum NutrientOptions {
    static let kcal = Parameter.option("kcal", .energy, "Energy, in kcal unless a unit follows.")
    static let protein = Parameter.option("p", .grams, "Protein, in grams.")
    static let carbs = Parameter.option("c", .grams, "Carbohydrate, in grams.")
    static let fat = Parameter.option("f", .grams, "Fat, in grams.")
    static let fiber = Parameter.option("fiber", .grams, "Fibre, in grams.")
    static let others = Parameter.options(
        "nutrient", .nutrient,
        "Any other nutrient, such as sodium=400mg, sugars=12g or x:omega_3=2.")

    static let all: [Specification] = [
        kcal.specification, protein.specification, carbs.specification, fat.specification,
        fiber.specification, others.specification,
    ]

    /// Whether any of them was typed.
    static func areTyped(_ arguments: ParsedArguments) -> Bool {
        [kcal, protein, carbs, fat, fiber].contains { arguments.has($0) } || arguments.has(others)
    }

    /// The typed amount of each nutrient; `nil` if it was typed as unknown.
    static func read(
        _ arguments: ParsedArguments, _ diary: borrowing Diary, _ home: inout Home
    ) throws -> [(nutrient: Nutrient, amount: Int64?)] {
        var found: [(nutrient: Nutrient, amount: Int64?)] = []
        for (nutrient, parameter) in [
            (Nutrient.energy, kcal), (.protein, protein), (.carbs, carbs), (.fat, fat),
            (.fiber, fiber),
        ] {
            if let amount = try home.value(parameter, arguments) {
                found.append((nutrient, amount))
            }
        }
        let mark = try home.preferences.decimalMark ?? .auto
        for typed in arguments[others] {
            let custom = try? diary.entity(
                CustomNutrient.self, Identities.customNutrient(typed.nutrient))
            do throws(NumberError) {
                found.append((typed.nutrient, try typed.value(mark, unit: custom?.unit)))
            } catch {
                let bad = BadValue(
                    error, typed: typed.text, example: typed.example(unit: custom?.unit))
                throw arguments.usageError(
                    of: others, "\"\(printable(typed.text))\" \(bad.problem)", instead: bad.instead)
            }
        }
        return found
    }
}

/// `sodium=400mg`: a nutrient and its amount, as typed.
struct TypedNutrient: Sendable {
    let nutrient: Nutrient
    let text: String

    /// The whole number in the nutrient's unit; `nil` for `n/a`.
    ///
    /// - Parameter unit: The unit of a nutrient that the person defined.
    func value(
        _ mark: DecimalMark, unit: CustomUnit? = nil
    ) throws(NumberError) -> Int64? {
        guard let quantity = try NumberReader(decimalMark: mark).read(text) else { return nil }
        switch nutrient.unit {
        case .millikilocalories:
            return try quantity.whole(.millikilocalorie, unitless: .kilocalorie)
        case .milligrams: return try quantity.whole(.milligram, unitless: .gram)
        // Sodium in grams or milligrams, vitamins in micrograms: a number without a unit is
        // ambiguous.
        case .nanograms: return try quantity.whole(.nanogram)
        default:
            switch unit {
            case .grams?: return try quantity.whole(.milligram, unitless: .gram)
            case .milligrams?: return try quantity.whole(.microgram, unitless: .milligram)
            case .micrograms?: return try quantity.whole(.nanogram, unitless: .microgram)
            case .internationalUnits? where quantity.unit == "iu": return quantity.milli
            case .internationalUnits?, nil: return try quantity.unitless()
            }
        }
    }

    /// An amount that fits, as it is typed: `sodium=400mg`.
    ///
    /// - Parameter unit: The unit of a nutrient that the person defined.
    func example(unit: CustomUnit? = nil) -> String {
        let key = nutrient.key.string
        let isVitamin = key.hasPrefix("vit_") && key != "vit_c"
        let amount: String
        switch (nutrient.unit, unit) {
        case (.millikilocalories, _): amount = "250kcal"
        case (.milligrams, _), (.thousandths, .grams?): amount = "1.2g"
        case (.thousandths, .micrograms?): amount = "10ug"
        case (.thousandths, .internationalUnits?): amount = "400iu"
        case (.thousandths, nil): amount = "2"
        default: amount = isVitamin ? "10ug" : "400mg"
        }
        return "\(key)=\(amount)"
    }
}

extension Form where Value == TypedNutrient {
    /// A nutrient and its amount.
    static var nutrient: Form {
        let names = Nutrient.known.map { $0.key.string }
        return Form("NAME=AMOUNT", completion: .words(names.map { "\($0)=" })) {
            word throws(BadValue) in
            let halves = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, let nutrient = Nutrient(key: UTF8Text(String(halves[0])))
            else {
                throw BadValue(
                    "is not a nutrient",
                    instead:
                        "NAME=AMOUNT, where NAME is one of \(names.formattedList), or x: and a "
                        + "name of your own")
            }
            let typed = TypedNutrient(nutrient: nutrient, text: String(halves[1]))
            do throws(NumberError) {
                // The unit of a person's own nutrient is known only when the log is open.
                if nutrient.unit == .thousandths {
                    _ = try NumberReader().read(typed.text)
                } else {
                    _ = try typed.value(.auto)
                }
            } catch {
                if case .ambiguous = error { return typed }
                throw BadValue(error, typed: word, example: typed.example())
            }
            return typed
        }
    }
}
