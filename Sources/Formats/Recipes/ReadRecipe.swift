import MacrologEvents
public import MacrologNutrition

/// A recipe as a file states it, before its ingredients are matched with foods.
public struct ReadRecipe: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// The yield in thousandths of a serving; `nil` if not stated.
    public var servingsMilli: Int64?
    /// The mass of the whole dish in milligrams, if the yield is a mass.
    public var cookedMilligrams: Int64?
    /// The instructions, one step per line, and other text of the file.
    public var steps: String?
    /// Its source.
    public var url: String?
    /// What it states for one serving.
    public var stated: StatedServing?
    /// Its ingredients, in order.
    public var ingredients: [ReadIngredient] = []
    /// Warnings about text that was changed or dropped.
    public var notices: [String] = []
}

/// A line of a recipe: `1 1/2 cups flour, sifted`.
public struct ReadIngredient: Hashable, Sendable {
    /// The original line.
    public let line: String
    /// The amount; `nil` if the line does not begin with an unambiguous number.
    public let amount: Amount?
    /// The rest of the line: `flour, sifted`; the whole line without an amount.
    public let name: String

    /// The ingredient's name without remarks: `flour`.
    public var food: String {
        let head = name.prefix { $0 != "," && $0 != "(" && $0 != ";" }
        let words = Cell.trimmed(String(head))
        return words.isEmpty ? name : words
    }

    /// Reads a line.
    ///
    /// A number without a unit counts pieces. A range and an ambiguous number stay text: nothing is
    /// guessed.
    public init(_ text: String) {
        line = Cell.trimmed(PlainText.of(text))
        (amount, name) = Self.read(line) ?? (nil, line)
    }

    /// An ingredient whose parts are known.
    init(number: String?, unit: String?, name: String, note: String? = nil) {
        let what = [name, note].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ", ")
        let words = [number, unit, what].compactMap { $0 }.filter { !$0.isEmpty }
        line = words.joined(separator: " ")
        let milli = number.flatMap { ExactDecimal($0)?.whole(places: 3) } ?? 0
        let amount = milli > 0 ? Self.amount(milli, unit.flatMap { $0.isEmpty ? nil : $0 }) : nil
        self.amount = amount
        self.name = amount == nil ? line : what
    }

    private static func read(_ line: String) -> (Amount, String)? {
        var number = ""
        var rest = line[...]
        while let next = rest.first {
            // Fractions such as ½ are numbers, too.
            guard next.isNumber || " ./,".contains(next) else { break }
            number.append(next)
            rest.removeFirst()
        }
        number = Cell.trimmed(number)
        // A range, or a word such as 7up.
        guard !number.isEmpty, let next = rest.first, next.isLetter,
            !number.hasSuffix("/"), let quantity = try? NumberReader().read(number),
            quantity.milli > 0
        else { return nil }
        let isApart = line[..<rest.startIndex].last == " "
        let word = String(rest.prefix { $0.isLetter || $0 == "." })
        let unit = word.hasSuffix(".") ? String(word.dropLast()) : word
        var name = Cell.trimmed(String(rest.dropFirst(word.count)))
        if Cell.isAlike(String(name.prefix(3)), "of ") { name = String(name.dropFirst(3)) }
        if isUnit(unit) {
            // An amount needs a name.
            guard !name.isEmpty, let amount = amount(quantity.milli, unit) else { return nil }
            return (amount, name)
        }
        guard isApart, let amount = amount(quantity.milli, nil) else { return nil }
        return (amount, Cell.trimmed(String(rest)))
    }

    private static func isUnit(_ word: String) -> Bool {
        if let measure = Measure.named(word) {
            return measure.dimension == .mass || measure.dimension == .volume
        }
        let singular = word.hasSuffix("s") ? String(word.dropLast()) : word
        return kitchenUnits.contains { Cell.isAlike($0, word) || Cell.isAlike($0, singular) }
    }

    /// Thousandths of a unit as a recipe stores them; a mass also in milligrams.
    private static func amount(_ milli: Int64, _ unit: String?) -> Amount? {
        guard let unit else { return Amount(Amount(milli: milli, unit: "piece").value) }
        guard let measure = Measure.named(unit) else {
            return Amount(Amount(milli: milli, unit: UTF8Text(Cell.lowered(unit))).value)
        }
        switch measure.dimension {
        case .mass:
            guard let mass = measure.convert(milli, to: .milligram) else { return nil }
            return Amount(
                Amount(
                    milli: milli, unit: measure.symbol,
                    milligrams: Rounding.scaled(mass, by: 1, over: 1_000)
                ).value)
        case .volume:
            guard let volume = measure.convert(milli, to: .microliter) else { return nil }
            return Amount(
                Amount(milli: Rounding.scaled(volume, by: 1, over: 1_000), unit: "ml").value)
        default: return nil
        }
    }

    /// Units whose size depends on the country or the food: kept as words.
    private static let kitchenUnits = [
        "cup", "tbsp", "tablespoon", "tsp", "teaspoon", "pinch", "dash", "clove", "slice", "can",
        "tin", "jar", "packet", "package", "pkg", "stick", "sprig", "bunch", "handful", "head",
        "stalk", "sheet", "piece", "pint", "quart", "gallon", "floz", "portion", "serving",
    ]
}

/// Plain text from HTML: tags removed, character references decoded.
enum PlainText {
    static func of(_ text: String) -> String {
        var plain = ""
        var rest = text[...]
        while let next = rest.first {
            if next == "<", let close = rest.firstIndex(of: ">") {
                let tag = Cell.lowered(String(rest[rest.index(after: rest.startIndex)..<close]))
                if ["br", "/p", "/li", "/div"].contains(where: tag.hasPrefix) { plain += "\n" }
                rest = rest[rest.index(after: close)...]
            } else if next == "&", let end = rest.prefix(10).firstIndex(of: ";"),
                let sign = sign(rest[rest.index(after: rest.startIndex)..<end])
            {
                plain.append(sign)
                rest = rest[rest.index(after: end)...]
            } else {
                let isSpace = next == "\u{A0}" || next == "\t" || next == "\r"
                plain.append(isSpace ? " " : next)
                rest.removeFirst()
            }
        }
        return plain
    }

    private static func sign(_ name: Substring) -> Character? {
        let named: [Substring: Character] = [
            "amp": "&", "quot": "\"", "apos": "'", "lt": "<", "gt": ">", "nbsp": " ",
            "frac12": "½", "frac14": "¼", "frac34": "¾", "deg": "°", "ndash": "–", "mdash": "—",
        ]
        if let sign = named[name] { return sign }
        guard name.first == "#" else { return nil }
        let digits = name.dropFirst()
        let code =
            digits.first.map { $0 == "x" || $0 == "X" } == true
            ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let code, code >= 0x20, let scalar = Unicode.Scalar(code) else { return nil }
        return Character(scalar)
    }
}
