import MacrologEvents
import MacrologJSON
import MacrologNutrition

/// A product of Open Food Facts as a food.
///
/// Nutrients come from the object `nutrition` (schema 1003), else from `nutriments`: both may
/// contain numbers as text. Energy in kcal is preferred as the label states it, else it is computed
/// from kJ; `energy_100g` is kJ. Sodium is computed from salt (salt = sodium × 2.5), else as
/// stated. Values of the prepared product are ignored, since they are not for the contents of the
/// package.
struct Product {
    private let json: JSON
    private let line: Int

    init(_ json: JSON, line: Int) {
        (self.json, self.line) = (json, line)
    }

    var food: ReadFood {
        var read = ReadRow(line: line)
        guard let code = text("code") ?? text("_id") else {
            read.refuse("code", "says nothing", "take the product out of the file")
            return ReadFood(read: read)
        }
        guard let name = name else {
            read.refuse("product_name", "says nothing", "name the product, or take it out")
            return ReadFood(read: read)
        }
        read.stated["name"] = .text(UTF8Text(Self.cut(name, 200)))
        read.stated["source"] = .text(FoodSource.openFoodFacts.name)
        read.stated["source_ref"] = .text(UTF8Text(code))
        if let brand = brand { read.stated["brand"] = .text(UTF8Text(Self.cut(brand, 120))) }
        if let ingredients = text("ingredients_text") {
            // Underscores mark allergens and were never printed.
            let printed = Self.cut(ingredients.filter { $0 != "_" }, 4_000)
            read.stated["ingredients_text"] = printed.isEmpty ? nil : .text(UTF8Text(printed))
        }
        let facts = ProductFacts(json)
        read.stated["serving"] = facts.serving?.value
        read.stated["basis"] = .text(facts.basis.name)
        for (nutrient, amount) in facts.nutrients { read.stated[nutrient.key] = .int(amount) }
        if facts.nutrients.contains(where: { $0.0 == .carbs }) {
            read.stated["carb_basis"] = .text(facts.carbBasis.name)
        }
        for (key, value) in facts.unread {
            read.refuse(key, "\"\(value)\" is not a number", "correct it, or take the product out")
        }
        read.warnings += facts.warnings
        return ReadFood(read: read, id: id(code, &read)).with(read)
    }

    /// Identified by its barcode, so that a product from several sources is one food; else by its
    /// code.
    private func id(_ code: String, _ read: inout ReadRow) -> Identifier {
        if let barcode = Self.barcode(code) {
            read.stated["gtin"] = .text(barcode.gtin)
            return Identities.food(barcode)
        }
        read.warnings.append("its code is not a barcode, so it is found by its name only")
        return Identities.food(.openFoodFacts, reference: code)
    }

    /// Codes are kept there without leading zeros: fewer than 8 digits are a GTIN-8, fewer than 13 a
    /// GTIN-13.
    static func barcode(_ code: String) -> Barcode? {
        let missing = code.utf8.count < 8 ? 8 - code.utf8.count : max(0, 13 - code.utf8.count)
        let isShort = code.utf8.count == 8
        return Barcode(isShort ? code : String(repeating: "0", count: missing) + code)
    }

    private var name: String? {
        if let name = text("product_name") { return name }
        if let language = text("lang") ?? text("lc"), let name = text("product_name_" + language) {
            return name
        }
        let names =
            json.object?.filter {
                $0.key.hasPrefix("product_name_") && $0.key.utf8.count == 15
            } ?? []
        // The first by the bytes of its key: the order of members has no meaning.
        let first = names.filter { Self.text($0.value) != nil }.min {
            UTF8Text($0.key) < UTF8Text($1.key)
        }
        return first.flatMap { Self.text($0.value) } ?? text("generic_name")
    }

    private var brand: String? {
        if let brands = json["brands"]?.array {
            return brands.compactMap(\.string).first.flatMap { Self.text(.string($0)) }
        }
        return text("brands")
    }

    private func text(_ key: String) -> String? { Self.text(json[key]) }

    /// A text or a whole number in one line, trimmed; `nil` if it is empty.
    static func text(_ json: JSON?) -> String? {
        guard let raw = json?.string ?? json?.integer.map({ "\($0)" }) else { return nil }
        var words = ""
        for scalar in raw.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            words.unicodeScalars.append(isControl ? " " : scalar)
        }
        let text = Cell.trimmed(words)
        return text.isEmpty ? nil : text
    }

    /// The longest prefix of a text that fits into `bytesMax` bytes.
    static func cut(_ text: String, _ bytesMax: Int) -> String {
        guard text.utf8.count > bytesMax else { return text }
        var kept = ""
        var count = 0
        for character in text {
            count += character.utf8.count
            if count > bytesMax { break }
            kept.append(character)
        }
        return kept
    }
}

extension ReadFood {
    fileprivate func with(_ read: ReadRow) -> ReadFood { ReadFood(read: read, id: id) }
}
