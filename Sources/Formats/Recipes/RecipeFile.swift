import MacrologJSON
import MacrologNutrition

/// A file of recipes: schema.org's Recipe as JSON-LD, alone or within a web page, or a JSON export
/// of Mealie or Tandoor.
///
/// Formats: <https://schema.org/Recipe>; Mealie's recipe JSON; Tandoor's `recipe.json`.
public struct RecipeFile: Sendable {
    /// The recipes of the file, in its order.
    public let recipes: [ReadRecipe]

    /// The maximum size of a file, in bytes.
    public static let bytesMax = 16 << 20

    /// Reads a whole file.
    ///
    /// - Throws: ``ImportError`` for a file that is neither JSON nor a page that contains some, and
    ///   for JSON without a recipe.
    public init(_ bytes: [UInt8]) throws(ImportError) {
        guard bytes.count <= Self.bytesMax else {
            throw ImportError(
                "the file has more than \(Self.bytesMax) bytes", hint: "choose one recipe")
        }
        var found: [ReadRecipe] = []
        for text in try Self.texts(in: bytes) { found += Self.recipes(in: text, depth: 0) }
        guard !found.isEmpty else {
            throw ImportError(
                "the file holds no recipe",
                hint: "choose a page or JSON with schema.org's Recipe, or an export of Mealie or "
                    + "Tandoor (recipe.json)")
        }
        recipes = found
    }

    // MARK: Finding

    private static func texts(in bytes: [UInt8]) throws(ImportError) -> [JSON] {
        let problem: JSONError
        do throws(JSONError) { return [try JSON.parse(bytes)] } catch { problem = error }
        guard bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "<")
        else {
            throw ImportError(
                line: problem.line, "this is not JSON: \(problem.problem)",
                hint: "choose a page or JSON with schema.org's Recipe, or an export of Mealie or "
                    + "Tandoor (recipe.json)")
        }
        let texts = scripts(in: bytes).compactMap { try? JSON.parse(Array($0)) }
        guard !texts.isEmpty else {
            throw ImportError(
                "the page holds no data that programs can read (JSON-LD)",
                hint: "choose another page, or type the recipe")
        }
        return texts
    }

    /// The contents of `<script type="application/ld+json">`.
    private static func scripts(in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        let page = bytes.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
        var found: [ArraySlice<UInt8>] = []
        var place = page.startIndex
        let (open, close, kind) = (
            Array("<script".utf8), Array("</script".utf8), Array("ld+json".utf8)
        )
        while let start = page[place...].firstRange(of: open),
            let body = page[start.upperBound...].firstIndex(of: UInt8(ascii: ">")),
            let end = page[body...].firstRange(of: close)
        {
            if page[start.upperBound..<body].firstRange(of: kind) != nil {
                found.append(bytes[(body + 1)..<end.lowerBound])
            }
            place = end.upperBound
        }
        return found
    }

    private static func recipes(in json: JSON, depth: Int) -> [ReadRecipe] {
        guard depth < 8 else { return [] }
        if let list = json.array { return list.flatMap { recipes(in: $0, depth: depth + 1) } }
        guard let members = json.object else { return [] }
        if let steps = json["steps"]?.array, json["recipeIngredient"] == nil {
            return Tandoor.recipe(json, steps: steps).map { [$0] } ?? []
        }
        if isRecipe(json) { return schema(json).map { [$0] } ?? [] }
        return members.filter { ["@graph", "mainEntity", "recipes", "items"].contains($0.key) }
            .flatMap { recipes(in: $0.value, depth: depth + 1) }
    }

    private static func isRecipe(_ json: JSON) -> Bool {
        let types =
            [json["@type"]?.string].compactMap(\.self)
            + (json["@type"]?.array ?? []).compactMap(\.string)
        if types.contains(where: { $0 == "Recipe" || $0.hasSuffix("/Recipe") }) { return true }
        return types.isEmpty && json["recipeIngredient"]?.array != nil
    }

    // MARK: schema.org and Mealie

    private static func schema(_ json: JSON) -> ReadRecipe? {
        guard let name = line(json["name"]) ?? line(json["headline"]) else { return nil }
        var recipe = ReadRecipe(name: name)
        recipe.url = [json["orgURL"], json["url"], json["@id"], json["mainEntityOfPage"]]
            .compactMap { line($0) }.first { $0.hasPrefix("http") }
        let lines = json["recipeIngredient"]?.array ?? json["ingredients"]?.array ?? []
        recipe.ingredients = lines.compactMap(ingredient)
        var steps = instructions(json["recipeInstructions"], depth: 0)
        recipe.stated = StatedServing(json["nutrition"])
        if let stated = recipe.stated {
            steps.append("Stated for one serving: \(stated.text)")
        }
        recipe.setSteps(steps)
        if let servings = json["recipeServings"].flatMap(digits), servings != "0" {
            recipe.servingsMilli = ExactDecimal(servings)?.whole(places: 3)
        } else {
            recipe.setYield(yields(json["recipeYield"]) ?? yields(json["yield"]))
        }
        return recipe
    }

    /// A line of text, or the parts of one in Mealie's form.
    private static func ingredient(_ json: JSON) -> ReadIngredient? {
        if let text = line(json) { return ReadIngredient(text) }
        guard json.object != nil else { return nil }
        let name = line(json["food"]?["name"]) ?? line(json["food"])
        let note = line(json["note"])
        guard let name else {
            let text = [json["originalText"], json["display"], json["note"], json["title"]]
                .compactMap { line($0) }.first
            return text.map { ReadIngredient($0) }
        }
        let isCounted = json["disableAmount"]?.bool != true
        let unit = line(json["unit"]?["name"]) ?? line(json["unit"])
        return ReadIngredient(
            number: isCounted ? json["quantity"].flatMap(digits) : nil, unit: unit, name: name,
            note: note)
    }

    private static func instructions(_ json: JSON?, depth: Int) -> [String] {
        guard let json, depth < 8 else { return [] }
        if let list = json.array { return list.flatMap { instructions($0, depth: depth + 1) } }
        if let text = json.string { return [text] }
        let parts = instructions(json["itemListElement"], depth: depth + 1)
        let heading = parts.isEmpty ? nil : line(json["name"])
        let text = json["text"]?.string ?? (parts.isEmpty ? json["name"]?.string : nil)
        return [heading, text].compactMap(\.self) + parts
    }

    private static func yields(_ json: JSON?) -> String? {
        guard let json else { return nil }
        if let list = json.array {
            let texts = list.compactMap { line($0) }
            return texts.max { $0.utf8.count < $1.utf8.count }
        }
        return line(json)
    }

    /// A text in one line, a number as a text; `nil` if it is empty.
    static func line(_ json: JSON?) -> String? {
        guard let raw = json?.string ?? json.flatMap(digits) else { return nil }
        let text = Product.text(.string(PlainText.of(raw)))
        return text
    }

    static func digits(_ json: JSON) -> String? {
        switch json {
        case .integer(let number): "\(number)"
        case .number(let text): text
        default: nil
        }
    }
}

/// Tandoor's export: steps, each with its ingredients.
enum Tandoor {
    static func recipe(_ json: JSON, steps: [JSON]) -> ReadRecipe? {
        guard let name = RecipeFile.line(json["name"]) else { return nil }
        var recipe = ReadRecipe(name: name)
        recipe.url = RecipeFile.line(json["source_url"])
        var lines: [String] = []
        for step in steps {
            if let heading = RecipeFile.line(step["name"]) { lines.append(heading) }
            if let text = step["instruction"]?.string { lines.append(text) }
            for part in step["ingredients"]?.array ?? [] where part["is_header"]?.bool != true {
                if let ingredient = ingredient(part) { recipe.ingredients.append(ingredient) }
            }
        }
        recipe.setSteps(lines)
        if let servings = json["servings"].flatMap(RecipeFile.digits) {
            recipe.servingsMilli = ExactDecimal(servings)?.whole(places: 3)
        }
        return recipe
    }

    private static func ingredient(_ json: JSON) -> ReadIngredient? {
        let name = RecipeFile.line(json["food"]?["name"]) ?? RecipeFile.line(json["food"])
        guard let name else {
            return (RecipeFile.line(json["original_text"]) ?? RecipeFile.line(json["note"]))
                .map { ReadIngredient($0) }
        }
        let isCounted = json["no_amount"]?.bool != true
        return ReadIngredient(
            number: isCounted ? json["amount"].flatMap(RecipeFile.digits) : nil,
            unit: RecipeFile.line(json["unit"]?["name"]) ?? RecipeFile.line(json["unit"]),
            name: name, note: RecipeFile.line(json["note"]))
    }
}

extension ReadRecipe {
    /// The maximum length of a recipe's steps, in bytes.
    private static let stepsBytesMax = 16_384

    fileprivate mutating func setSteps(_ parts: [String]) {
        let lines = parts.flatMap { PlainText.of($0).split(separator: "\n") }
            .compactMap { Product.text(.string(String($0))) }
        let text = lines.joined(separator: "\n")
        let kept = Product.cut(text, Self.stepsBytesMax)
        if kept.utf8.count < text.utf8.count { notices.append("its steps are too long and cut") }
        steps = kept.isEmpty ? nil : kept
    }

    /// `4 servings`, `Serves 4`, `12 cookies`, `900 g`.
    fileprivate mutating func setYield(_ text: String?) {
        guard let text, let start = text.firstIndex(where: { $0.isASCII && $0.isNumber }) else {
            return notices.append("it does not say how many servings it yields: one is counted")
        }
        let number = text[start...].prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let rest = text[start...].dropFirst(number.count)
        let unit = Cell.trimmed(String(rest.drop { $0 == " " }.prefix { $0.isLetter }))
        guard let milli = ExactDecimal(String(number))?.whole(places: 3), milli > 0 else { return }
        if let measure = Measure.named(unit), measure.dimension == .mass {
            cookedMilligrams = measure.convert(milli, to: .milligram)
                .map { Rounding.scaled($0, by: 1, over: 1_000) }
            return
        }
        servingsMilli = milli
        if rest.contains(where: { $0.isNumber }) {
            notices.append("it yields \"\(text)\": \(number) servings are counted")
        }
    }
}
