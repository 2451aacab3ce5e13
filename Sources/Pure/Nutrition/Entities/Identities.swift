public import MacrologEvents

/// Ids computed from names, so that two devices that never synced use the same id for the same
/// thing.
///
/// They are version 5 UUIDs (RFC 9562 §5.5) of ``namespace`` and the name each function states. An
/// account has one space, so a fixed name within the space is enough for what it has one of.
public enum Identities {
    /// `67b469c5-52dc-52a0-90aa-73542d0c9b2e`: the version 5 UUID of `urn:macrolog:entity` in the
    /// URL namespace of RFC 9562 §6.6.
    public static let namespace = Identifier(
        high: 0x67B4_69C5_52DC_52A0, low: 0x90AA_7354_2D0C_9B2E)

    /// The profile. Name: `profile`.
    public static let profile = id("profile")

    /// The preferences. Name: `preferences`.
    public static let preferences = id("preferences")

    /// The status of a day. Name: `day_log/2026-11-20`.
    public static func dayLog(on day: Day) -> Identifier {
        id("day_log/\(day)")
    }

    /// The one weigh-in of a day where a rule allows one per day, as the REST interface does.
    /// Name: `weigh_in/2026-11-20`.
    public static func weighIn(on day: Day) -> Identifier {
        id("weigh_in/\(day)")
    }

    /// A food with a barcode. Name: `food/` and the fourteen digits.
    public static func food(_ barcode: Barcode) -> Identifier {
        id("food/\(barcode.gtin.string)")
    }

    /// A food of an official table, so that importing it on two devices is one food.
    /// Name: `food/`, the source, `/`, the table's own name of it: `food/usda/01001`.
    public static func food(_ source: FoodSource, reference: String) -> Identifier {
        id("food/\(source.name.string)/\(reference)")
    }

    /// A portion of a food. Name: `food_portion/`, the food's id, `/`, the label.
    public static func foodPortion(of food: Identifier, label: String) -> Identifier {
        id("food_portion/\(food)/\(label)")
    }

    /// A photo. Name: `photo/` and the SHA-256 in lower-case hexadecimal.
    public static func photo(_ sha256: [UInt8]) -> Identifier {
        id("photo/\(hexadecimal(sha256))")
    }

    /// The one level of ketones of a day where a rule allows one per day.
    /// Name: `ketone/2026-11-20`.
    public static func ketone(on day: Day) -> Identifier {
        id("ketone/\(day)")
    }

    /// The one share of body fat of a day where a rule allows one per day.
    /// Name: `body_fat/2026-11-20`.
    public static func bodyFat(on day: Day) -> Identifier {
        id("body_fat/\(day)")
    }

    /// The one measure of a place and a day where a rule allows one per day.
    /// Name: `body_measure/waist/2026-11-20`.
    public static func bodyMeasure(_ place: MeasureKind, on day: Day) -> Identifier {
        id("body_measure/\(place.name.string)/\(day)")
    }

    /// The total of a source for a day. Name: `energy_day/2026-11-20/` and the source.
    public static func energyDay(on day: Day, source: Text) -> Identifier {
        id("energy_day/\(day)/\(source.string)")
    }

    /// A nutrient that a person defined. Name: `custom_nutrient/` and its key.
    public static func customNutrient(_ nutrient: Nutrient) -> Identifier {
        id("custom_nutrient/\(nutrient.key.string)")
    }

    /// The meal that a plan becomes. Name: `plan_meal/` and the plan's id.
    public static func plannedMeal(of plan: Identifier) -> Identifier {
        id("plan_meal/\(plan)")
    }

    /// A part of the meal that a plan becomes. Name: `plan_item/`, the plan's id, `/`, its place.
    public static func plannedItem(of plan: Identifier, _ index: Int) -> Identifier {
        id("plan_item/\(plan)/\(index)")
    }

    /// A plan that was copied to a day. Name: `plan_copy/`, the original's id, `/2026-11-20`.
    public static func planCopy(of plan: Identifier, on day: Day) -> Identifier {
        id("plan_copy/\(plan)/\(day)")
    }

    /// A row of an import, so that importing it again changes nothing.
    ///
    /// Name: `import/`, the kind, `/`, the hash in lower-case hexadecimal, `/`, the ordinal. Without
    /// the ordinal two equal rows, which are two meals, would become one.
    ///
    /// - Parameters:
    ///   - kind: The kind of entity that the row becomes.
    ///   - contentHash: A hash of the row's contents, independent of its position.
    ///   - ordinal: How many earlier rows of the file have the same hash.
    public static func imported(
        _ kind: Kind, contentHash: [UInt8], ordinal: Int
    ) -> Identifier {
        id("import/\(kind.name.string)/\(hexadecimal(contentHash))/\(ordinal)")
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        var digits = ""
        for byte in bytes { digits += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        return digits
    }

    private static func id(_ name: String) -> Identifier {
        Identifier.v5(namespace: namespace, name: name)
    }
}
