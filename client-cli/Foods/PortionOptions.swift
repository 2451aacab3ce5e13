import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// The amount options: `--grams 60`, `--serving 2`, `--amount '1 cup'`.
enum PortionOptions {
    static let grams = Parameter.option(
        "grams", .portion, "How much: grams unless a unit follows, such as 2oz or 250ml.")
    static let serving = Parameter.option(
        "serving", .servings, "How many servings: 2, 1/2 or 2 slices.")
    static let amount = Parameter.option(
        "amount", .amount, "How much, in any measure of the food: '1 cup', '2 slices', 60g.")

    static let all: [Specification] = [
        grams.specification, serving.specification, amount.specification,
    ]

    /// The one that was typed.
    static func typed(_ arguments: ParsedArguments) -> Parameter<TypedPortion?> {
        [grams, serving].first { arguments.has($0) } ?? amount
    }

    /// The typed amount, more than 0; `nil` if there is none.
    static func read(_ arguments: ParsedArguments, _ home: inout Home) throws -> Portion? {
        let portion = try typedPortion(arguments, &home)
        // Nothing could be scaled from it later.
        if portion?.amount.milli == 0 {
            throw arguments.usageError(
                of: typed(arguments), "must be more than 0",
                instead: "60, 2oz or 250ml")
        }
        return portion
    }

    private static func typedPortion(
        _ arguments: ParsedArguments, _ home: inout Home
    ) throws -> Portion? {
        let mark = try home.preferences.decimalMark ?? .auto
        let typed = [grams, serving, amount].filter { arguments.has($0) }
        if typed.count > 1 {
            throw arguments.usageError(
                combining: typed[0].specification.label, typed[1].specification.label)
        }
        if let typed = arguments[grams] {
            let quantity = try quantity(typed, mark, grams, arguments, "60, 2oz or 250ml")
            return try quantity.measure?.dimension == .volume
                ? .volume(whole(typed, quantity, .microliter, unitless: nil, grams, arguments))
                : .mass(whole(typed, quantity, .milligram, unitless: .gram, grams, arguments))
        }
        if let typed = arguments[amount] { return try read(typed, mark, arguments) }
        guard let typed = arguments[serving] else { return nil }
        let quantity = try quantity(typed, mark, serving, arguments, "2, 1/2 or 2 slices")
        if quantity.measure != nil {
            throw arguments.usageError(
                of: serving, "\"\(printable(typed.text))\" is a mass or a volume",
                instead: "--grams \(typed.text)")
        }
        return .servings(milli: quantity.milli, unit: typed.unit(of: quantity))
    }

    /// `1 cup, chopped`: a number, and the text after it.
    private static func read(
        _ typed: TypedPortion, _ mark: DecimalMark, _ arguments: ParsedArguments
    ) throws -> Portion {
        let (number, label) = typed.halves
        let count = TypedPortion(text: number)
        let quantity = try quantity(count, mark, amount, arguments, "'1 cup', '2 slices' or 60g")
        guard !label.isEmpty else { return .servings(milli: quantity.milli, unit: nil) }
        if let measure = Measure.named(label), [.mass, .volume].contains(measure.dimension) {
            let whole = try self.quantity(typed, mark, amount, arguments, "60g or 250ml")
            return measure.dimension == .volume
                ? .volume(
                    try self.whole(typed, whole, .microliter, unitless: nil, amount, arguments))
                : .mass(try self.whole(typed, whole, .milligram, unitless: nil, amount, arguments))
        }
        return .servings(milli: quantity.milli, unit: UTF8Text(label))
    }

    private static func quantity(
        _ typed: TypedPortion, _ mark: DecimalMark, _ parameter: Parameter<TypedPortion?>,
        _ arguments: ParsedArguments, _ example: String
    ) throws -> Quantity {
        do throws(NumberError) {
            if let quantity = try NumberReader(decimalMark: mark).read(typed.text) {
                return quantity
            }
        } catch {
            let bad = BadValue(error, typed: typed.text, example: example)
            throw arguments.usageError(
                of: parameter, "\"\(printable(typed.text))\" \(bad.problem)", instead: bad.instead)
        }
        throw arguments.usageError(of: parameter, "is unknown", instead: example)
    }

    private static func whole(
        _ typed: TypedPortion, _ quantity: Quantity, _ measure: Measure, unitless: Measure?,
        _ parameter: Parameter<TypedPortion?>, _ arguments: ParsedArguments
    ) throws -> Int64 {
        do throws(NumberError) {
            return try quantity.whole(measure, unitless: unitless)
        } catch {
            let bad = BadValue(
                error, typed: typed.text, example: "60, 2oz or 250ml", takesVolumes: true)
            throw arguments.usageError(
                of: parameter, "\"\(printable(typed.text))\" \(bad.problem)", instead: bad.instead)
        }
    }
}

/// An amount, in the unit that was typed.
enum Portion {
    /// Milligrams.
    case mass(Int64)
    /// Microlitres.
    case volume(Int64)
    /// Thousandths of a serving, or of the unit typed.
    case servings(milli: Int64, unit: UTF8Text?)

    /// The amount as stored by an item without a food.
    var amount: Amount {
        switch self {
        case .mass(let milligrams): Amount(milligrams: milligrams)
        case .volume(let microliters): Amount(milli: microliters, unit: "ml")
        case .servings(let milli, let unit): Amount(milli: milli, unit: Portion.unit(unit))
        }
    }

    /// A typed measure, cut to the maximum length of a unit.
    private static func unit(_ typed: UTF8Text?) -> UTF8Text {
        guard let typed else { return "serving" }
        guard typed.string.utf8.count > 24 else { return typed }
        let head = typed.string.prefix { $0 != "," && $0 != "(" }
        return UTF8Text(head.utf8.count <= 24 && !head.isEmpty ? String(head) : "portion")
    }

    /// The amount of a food, with its mass if the food defines it.
    func amount(
        of food: Food, _ arguments: ParsedArguments, _ diary: borrowing Diary
    ) throws -> Amount {
        try resolved(food, arguments, diary).amount
    }

    /// An item with the nutrients of this amount of a food.
    func item(
        of food: Food, meal: Identifier, _ arguments: ParsedArguments, _ diary: borrowing Diary
    ) throws -> MealItem {
        let (amount, nutrients) = try resolved(food, arguments, diary)
        var item = MealItem(
            id: diary.newID(), of: meal, name: food.name, amount: amount,
            nutrients: nutrients)
        item.foodID = food.id
        return item
    }

    private func resolved(
        _ food: Food, _ arguments: ParsedArguments, _ diary: borrowing Diary
    ) throws -> (amount: Amount, nutrients: Nutrients) {
        guard let servingSizes = try diary.servingSizes(of: food.id) else {
            throw EntryError(.notFound(.food))
        }
        do throws(PortionError) {
            var amount = self.amount
            if case .servings(let milli, let unit) = self {
                amount = try servingSizes.amount(milli: milli, of: unit)
            }
            let (nutrients, weighed) = try servingSizes.nutrients(of: amount)
            return (weighed, nutrients)
        } catch {
            throw mismatch(food, servingSizes.takesMasses, error, arguments)
        }
    }

    private func mismatch(
        _ food: Food, _ takesMasses: Bool, _ error: PortionError, _ arguments: ParsedArguments
    ) -> UsageError {
        let typed = PortionOptions.typed(arguments)
        let name = printable(food.name)
        if case .servings(_, let unit?) = self {
            guard error.candidates.isEmpty else {
                return arguments.usageError(
                    of: typed, "\(printable(error.explanation))",
                    instead: error.candidates.map(\.quoted).formattedList)
            }
            var known = error.known
            if food.basis == .per100Milliliters { known += ["us_cup", "metric_cup"] }
            return arguments.usageError(
                of: typed,
                "does not fit: it is unknown how much one \"\(printable(unit.string))\" of "
                    + "\(name) is",
                instead: known.map(\.quoted).formattedList
                    + (takesMasses ? ", or define it: macrolog food portion add" : ""))
        }
        let instead: String =
            switch food.basis ?? .per100Grams {
            case .per100Grams:
                "\(food.example), or set the weight of one serving: macrolog food edit"
            case .per100Milliliters: "a volume such as \(food.example)"
            case .perServing: food.example
            }
        return arguments.usageError(
            of: typed, "does not fit: \(name) is known \((food.basis ?? .per100Grams).formatted)",
            instead: instead)
    }
}

extension ServingSizes {
    /// Whether a mass says how much of the food it is; the measures of a food are masses.
    var takesMasses: Bool { (try? nutrients(of: Amount(milligrams: 1_000))) != nil }
}

extension Food {
    /// An amount that fits, as it is typed.
    var example: String {
        switch basis ?? .per100Grams {
        case .per100Grams: "--grams 60"
        case .per100Milliliters: "--grams 250ml"
        case .perServing: "--serving 1"
        }
    }
}

extension FoodBasis {
    /// `per 100 g`
    var formatted: String {
        switch self {
        case .per100Grams: "per 100 g"
        case .per100Milliliters: "per 100 ml"
        case .perServing: "per serving"
        }
    }
}

/// An amount as typed.
struct TypedPortion: Sendable {
    let text: String

    /// The number, and the text after it: `1 1/2` and `cup, chopped`.
    var halves: (number: String, label: String) {
        let start = text.firstIndex { $0.isLetter } ?? text.endIndex
        let label = text[start...]
        return (
            String(text[..<start]),
            String(label.reversed().drop { $0.isWhitespace }.reversed())
        )
    }
}

extension TypedPortion {
    /// The unit of the quantity that was read: a word that is no measure as it was typed, with its
    /// capitals and spaces, unless it is too long then.
    func unit(of quantity: Quantity) -> UTF8Text? {
        guard quantity.measure == nil, let read = quantity.unit else { return quantity.unit }
        let words = halves.label.split(separator: " ")
        let typed = words.joined(separator: " ")
        let known = read.string.lowercased().utf8
        let isWhole = words.joined(separator: "").lowercased().utf8.elementsEqual(known)
        return isWhole && typed.utf8.count <= 24 ? UTF8Text(typed) : read
    }
}

extension Form where Value == TypedPortion {
    static var portion: Form { typed("AMOUNT", "60, 2oz or 250ml", isMeasure: true) }
    static var servings: Form { typed("N", "2, 1/2 or 2 slices") }

    static var amount: Form {
        Form("AMOUNT") { word throws(BadValue) in
            let typed = TypedPortion(text: word)
            let example = "'1 cup', '2 slices' or 60g"
            guard (try? Form.servings.read(typed.halves.number)) != nil else {
                throw BadValue("does not begin with a number", instead: example)
            }
            return typed
        }
    }

    /// - Parameter isMeasure: Whether only masses and volumes fit, and no portion of a food.
    private static func typed(
        _ placeholder: String, _ example: String, isMeasure: Bool = false
    ) -> Form {
        Form(placeholder) { word throws(BadValue) in
            let quantity: Quantity?
            do throws(NumberError) {
                quantity = try NumberReader().read(word)
            } catch {
                if case .ambiguous = error { return TypedPortion(text: word) }
                throw BadValue(error, example: example)
            }
            guard let quantity else { throw BadValue("is unknown", instead: example) }
            if isMeasure, let unit = quantity.unit, quantity.measure == nil {
                throw BadValue(
                    .unconvertible(unit, to: "g"), typed: word, example: example,
                    takesVolumes: true)
            }
            return TypedPortion(text: word)
        }
    }
}
