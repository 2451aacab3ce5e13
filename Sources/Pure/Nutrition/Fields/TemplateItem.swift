public import MacrologEvents

/// One part of a meal as it was or may be: in a template, or as an analysis saw it.
///
/// Stored as the array `[name, food_id, recipe_id, amount, nutrients]`, with null for what is unknown.
/// A list of them is one value: it changes as a whole.
public struct TemplateItem: Hashable, Sendable {
    /// The name, 1 to 200 bytes.
    public var name: String
    /// The food it was taken from.
    public var foodID: Identifier?
    /// The recipe it was taken from.
    public var recipeID: Identifier?
    /// How much.
    public var amount: Amount?
    /// The nutrients of the whole amount.
    public var nutrients: Nutrients

    /// How many items a list may have.
    package static let countMax = 100

    /// A part of a meal; the name has 1 to 200 bytes.
    public init(
        name: String, foodID: Identifier? = nil, recipeID: Identifier? = nil,
        amount: Amount? = nil, nutrients: Nutrients = Nutrients()
    ) {
        self.name = name
        self.foodID = foodID
        self.recipeID = recipeID
        self.amount = amount
        self.nutrients = nutrients
    }

    /// A part as a meal has it.
    public init(_ item: MealItem) {
        self.init(
            name: item.name ?? "", foodID: item.foodID, recipeID: item.recipeID,
            amount: item.amount, nutrients: item.nutrients)
    }

    /// The part of a meal that it becomes.
    public func item(id: Identifier, of meal: Identifier) -> MealItem {
        var item = MealItem(id: id, of: meal, name: name, amount: amount, nutrients: nutrients)
        item.foodID = foodID
        item.recipeID = recipeID
        return item
    }

    /// Reads the stored array; `nil` for anything else, and for numbers out of bounds.
    package init?(_ value: Value) {
        guard let parts = value.array, parts.count == 5, let name = parts[0].text,
            (1...200).contains(name.byteCount), !FieldShape.hasControls(name),
            let food = TemplateItem.reference(parts[1]),
            let recipe = TemplateItem.reference(parts[2]),
            FieldSpec.isTotals(parts[4]), let nutrients = parts[4].map
        else { return nil }
        if parts[3].isNull {
            amount = nil
        } else {
            guard let amount = Amount(parts[3]) else { return nil }
            self.amount = amount
        }
        self.name = name.string
        foodID = food.id
        recipeID = recipe.id
        self.nutrients = Nutrients(fields: nutrients)
    }

    /// The array that is stored.
    package var value: Value {
        .array([
            .text(UTF8Text(name)), foodID.map { .bytes($0.bytes) } ?? .null,
            recipeID.map { .bytes($0.bytes) } ?? .null, amount?.value ?? .null, nutrients.value,
        ])
    }

    /// Reads a stored list; `nil` for anything else, and for more than a hundred.
    package static func list(_ value: Value) -> [TemplateItem]? {
        guard let parts = value.array, parts.count <= countMax else { return nil }
        var items: [TemplateItem] = []
        for part in parts {
            guard let item = TemplateItem(part) else { return nil }
            items.append(item)
        }
        return items
    }

    /// The list that is stored.
    package static func value(_ items: [TemplateItem]) -> Value {
        .array(items.map { $0.value })
    }

    private static func reference(_ value: Value) -> (id: Identifier?, Void)? {
        if value.isNull { return (nil, ()) }
        guard let bytes = value.bytes, let id = Identifier(bytes: bytes) else { return nil }
        return (id, ())
    }
}
