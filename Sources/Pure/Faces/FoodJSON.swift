public import MacrologJSON
public import MacrologNutrition

extension Food {
    /// The food with the nutrients of its basis.
    public var json: JSON { .object(members) }

    /// Adds what a newer version wrote about it.
    public func json(newer: NewerParts?) -> JSON { .object(members + newer.members) }

    /// Adds the amount that was logged last.
    public func json(last: Amount?) -> JSON {
        .object(members + [JSON.Member("last_portion", last?.json ?? .null)])
    }

    private var members: [JSON.Member] {
        [
            JSON.Member("id", .id(id)), JSON.Member("name", .string(name)),
            JSON.Member("brand", .optional(brand)), JSON.Member("barcode", .optional(gtin)),
            JSON.Member("basis", .text((basis ?? .per100Grams).name)),
            JSON.Member("serving", serving?.json ?? .null),
            JSON.Member("carb_basis", .text((carbBasis ?? .total).name)),
            JSON.Member("source", .text((source ?? .user).name)),
            JSON.Member("favorite", .bool(isFavourite ?? false)),
            JSON.Member("archived", .bool(isArchived ?? false)),
            JSON.Member("nutrients", nutrients.json),
        ]
    }
}

/// A nutrition label that was read from a picture.
public struct LabelFace: Sendable {
    private let columns: [(basis: FoodBasis, nutrients: Nutrients)]
    private let serving: Amount?
    private let carbBasis: CarbBasis
    private let doubts: [String]

    /// Collects what was read, and what a person should compare.
    public init(
        columns: [(basis: FoodBasis, nutrients: Nutrients)], serving: Amount?, carbBasis: CarbBasis,
        doubts: [String]
    ) {
        (self.columns, self.serving) = (columns, serving)
        (self.carbBasis, self.doubts) = (carbBasis, doubts)
    }

    /// The label, and the food that was stored from it.
    public func json(stored food: Food?) -> JSON {
        .object([
            JSON.Member(
                "columns",
                .array(
                    columns.map {
                        .object([
                            JSON.Member("basis", .text($0.basis.name)),
                            JSON.Member("nutrients", $0.nutrients.json),
                        ])
                    })),
            JSON.Member("serving", serving?.json ?? .null),
            JSON.Member("carb_basis", .text(carbBasis.name)),
            JSON.Member("doubts", .array(doubts.map { .string($0) })),
            JSON.Member("stored_food", food?.json ?? .null),
        ])
    }
}

extension FoodPortion {
    /// The portion with its mass.
    public var json: JSON {
        .object([
            JSON.Member("id", .id(id)), JSON.Member("food_id", .id(foodID)),
            JSON.Member("measure", .string(label)),
            JSON.Member("mass_g", .decimal(milligrams, scale: 3)),
        ])
    }
}

extension CustomNutrient {
    /// The nutrient that a person defined.
    public var json: JSON {
        .object([
            JSON.Member("id", .id(id)), JSON.Member("nutrient", .text(key)),
            JSON.Member("name", .string(name)), JSON.Member("unit", .text((unit ?? .grams).name)),
        ])
    }
}

extension NewerParts? {
    /// Whether a newer version wrote about the entity, and the fields that are unknown here.
    public var members: [JSON.Member] {
        [
            JSON.Member("edited_by_newer_version", .bool(self != nil)),
            JSON.Member("unknown_fields", .array((self?.fields ?? []).map { .text($0) })),
        ]
    }
}

extension FoodTally {
    /// How often it was eaten, and the sum.
    public var json: JSON {
        .object([
            JSON.Member("name", .string(name)),
            JSON.Member("log_count", .integer(Int64(times))),
            JSON.Member("logged_days", .integer(Int64(days))),
            JSON.Member("totals", totals.json),
        ])
    }
}

extension FoodHistory {
    /// The items that change, and those that stay.
    ///
    /// - Parameter isDry: Whether nothing was recorded.
    public func json(isDry: Bool) -> JSON {
        .object([
            JSON.Member("dry_run", .bool(isDry)),
            JSON.Member("items_same", .integer(Int64(same))),
            JSON.Member(
                "changed",
                .array(
                    edits.map {
                        .object([
                            JSON.Member("day", .day($0.day)), JSON.Member("item", $0.new.json),
                            JSON.Member("nutrients_before", $0.old.nutrients.json),
                        ])
                    })),
            JSON.Member("edited_item_ids", .array(edited.map { .id($0.id) })),
            JSON.Member("unmeasured_item_ids", .array(unmeasured.map { .id($0.id) })),
        ])
    }
}
