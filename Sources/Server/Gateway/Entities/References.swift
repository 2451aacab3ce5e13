/// Members that name another entity: it must be one of the account, deleted or not. What another account has is
/// nothing here, like what never was.
import MacrologDiary
import MacrologEvents
import MacrologNutrition

extension Diary {
    /// Refuses a body that names an entity which this account does not have.
    ///
    /// - Parameters:
    ///   - input: What a body sets.
    ///   - old: The fields before the change: what is named there already may stay.
    func requireNamed(
        _ input: EntityInput, of kind: Kind, instead old: ValueMap = ValueMap(), at pointer: String
    ) throws {
        for (name, value) in input.fields where value != old[name] {
            guard let spec = kind.field(name), let value else { continue }
            let place = pointer + "/" + EntityInput.key(of: spec)
            switch spec.shape {
            case .reference:
                if let target = Self.kinds[name], let bytes = value.bytes {
                    try requireNamed(Identifier(bytes: bytes), target, at: place)
                }
            case .items:
                for (index, item) in (TemplateItem.list(value) ?? []).enumerated() {
                    try requireNamed(item.foodID, .food, at: "\(place)/\(index)/food_id")
                    try requireNamed(item.recipeID, .recipe, at: "\(place)/\(index)/recipe_id")
                }
            default: break
            }
        }
    }

    private func requireNamed(_ id: Identifier?, _ kind: Kind, at pointer: String) throws {
        guard let id, try fields(of: EntityKey(kind.name, id)) == nil else { return }
        let name = pointer.split(separator: "/").last ?? ""
        throw APIProblem.invalid(
            pointer, "\(name) must be the id of \(kind.title.withArticle) of this account.")
    }

    /// What the fields that a request may set name.
    private static var kinds: [UTF8Text: Kind] {
        [
            "food_id": .food, "recipe_id": .recipe, "sub_recipe_id": .recipe,
            "template_id": .mealTemplate, "done_meal_id": .meal,
        ]
    }
}
