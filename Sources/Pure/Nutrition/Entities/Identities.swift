public import MacrologEvents

/// Ids computed from names, so that two devices that never synced use the same id for the same
/// thing.
///
/// They are version 5 UUIDs (RFC 9562 §5.5) of a namespace of this domain and the name each function
/// states. An account has one space, so a fixed name within the space is enough for what it has one
/// of.
public enum Identities {
    /// `67b469c5-52dc-52a0-90aa-73542d0c9b2e`: the version 5 UUID of `urn:macrolog:entity` in the
    /// URL namespace of RFC 9562 §6.6.
    package static let namespace = Identifier(
        high: 0x67B4_69C5_52DC_52A0, low: 0x90AA_7354_2D0C_9B2E)

    /// The profile. Name: `profile`.
    package static let profile = Profile.sharedID.id()

    /// The preferences. Name: `preferences`.
    package static let preferences = Preferences.sharedID.id()

    /// The status of a day. Name: `day_log/2026-11-20`.
    package static func dayLog(on day: Day) -> Identifier {
        DayLog.sharedID.id("\(day)")
    }

    /// The one weigh-in of a day where a rule allows one per day, as the REST interface does.
    /// Name: `weigh_in/2026-11-20`.
    package static func weighIn(on day: Day) -> Identifier {
        WeighIn.sharedID.id("\(day)")
    }

    /// A food that is added with a barcode; see ``Diary/foodID(of:)``. Name: `food/` and the fourteen digits.
    package static func food(_ barcode: Barcode) -> Identifier {
        Food.barcodeID.id(barcode.gtin.string)
    }

    /// A food of an official table, so that importing it on two devices is one food.
    /// Name: `food/`, the source, `/`, the table's own name of it: `food/usda/01001`.
    package static func food(_ source: FoodSource, reference: String) -> Identifier {
        Food.tableID.id(source.name.string, reference)
    }

    /// A portion of a food. Name: `food_portion/`, the food's id, `/`, the label.
    package static func foodPortion(of food: Identifier, label: String) -> Identifier {
        FoodPortion.sharedID.id("\(food)", label)
    }

    /// A photo. Name: `photo/` and the SHA-256 in lower-case hexadecimal.
    package static func photo(_ sha256: [UInt8]) -> Identifier {
        Photo.sharedID.id(hexadecimal(sha256))
    }

    /// The one level of ketones of a day where a rule allows one per day.
    /// Name: `ketone/2026-11-20`.
    package static func ketone(on day: Day) -> Identifier {
        Ketone.sharedID.id("\(day)")
    }

    /// The one share of body fat of a day where a rule allows one per day.
    /// Name: `body_fat/2026-11-20`.
    package static func bodyFat(on day: Day) -> Identifier {
        BodyFat.sharedID.id("\(day)")
    }

    /// The one measure of a place and a day where a rule allows one per day.
    /// Name: `body_measure/waist/2026-11-20`.
    package static func bodyMeasure(_ place: MeasureKind, on day: Day) -> Identifier {
        BodyMeasure.sharedID.id(place.name.string, "\(day)")
    }

    /// The total of a source for a day. Name: `energy_day/2026-11-20/` and the source.
    public static func energyDay(on day: Day, source: UTF8Text) -> Identifier {
        EnergyDay.sharedID.id("\(day)", source.string)
    }

    /// The check-in of a day. Name: `check_in/2026-11-20`.
    package static func checkIn(on day: Day) -> Identifier {
        CheckIn.sharedID.id("\(day)")
    }

    /// A nutrient that a person defined. Name: `custom_nutrient/` and its key.
    public static func customNutrient(_ nutrient: Nutrient) -> Identifier {
        CustomNutrient.sharedID.id(nutrient.key.string)
    }

    /// The meal that a plan becomes. Name: `plan_meal/` and the plan's id.
    package static func plannedMeal(of plan: Identifier) -> Identifier {
        Meal.plannedID.id("\(plan)")
    }

    /// A part of the meal that a plan becomes. Name: `plan_item/`, the plan's id, `/`, its place.
    package static func plannedItem(of plan: Identifier, _ index: Int) -> Identifier {
        MealItem.plannedID.id("\(plan)", "\(index)")
    }

    /// The answer of a device's provider to a question about a meal. Name: `analysis_answer/`, the question's
    /// id, `/`, the device.
    package static func answer(to question: Identifier, of device: Identifier) -> Identifier {
        Analysis.answerID.id("\(question)", "\(device)")
    }

    /// A part of a meal that was analysed. Name: `analysis_item/`, the question's id, `/`, its place.
    package static func analyzedItem(of question: Identifier, _ index: Int) -> Identifier {
        MealItem.analyzedID.id("\(question)", "\(index)")
    }

    /// A plan that was copied to a day. Name: `plan_copy/`, the original's id, `/2026-11-20`.
    package static func planCopy(of plan: Identifier, on day: Day) -> Identifier {
        PlanEntry.copyID.id("\(plan)", "\(day)")
    }

    /// A meal that was copied to a day. Name: `meal_copy/`, the original's id, `/2026-11-20/`, the ordinal, and for
    /// each of its parts `/` and the part's id, in the order of the ids.
    ///
    /// - Parameters:
    ///   - items: The ids of its parts, so that copies of other parts are not merged into one meal.
    ///   - ordinal: The first from 0 whose id the log does not know.
    package static func mealCopy(
        of meal: Identifier, _ items: [Identifier], on day: Day, _ ordinal: Int
    ) -> Identifier {
        let parts = items.sorted().map { "/\($0)" }.joined()
        return Meal.copyID.id("\(meal)", "\(day)", "\(ordinal)", parts)
    }

    /// A part of a meal that was copied to a day. Name: `copied_item/`, the copy's id, `/`, the original part's id.
    package static func copiedItem(_ item: Identifier, to copy: Identifier) -> Identifier {
        MealItem.copyID.id("\(copy)", "\(item)")
    }

    /// A row of an import, which may become an entity of any kind.
    package static let rowID = SharedID(
        "import/{kind}/{row_sha256}/{ordinal}", for: "a row of an import")

    /// A row of an import, so that importing it again changes nothing.
    ///
    /// Name: `import/`, the kind, `/`, the hash in lower-case hexadecimal, `/`, the ordinal. Without
    /// the ordinal two equal rows, which are two meals, would become one.
    ///
    /// - Parameters:
    ///   - kind: The kind of entity that the row becomes.
    ///   - contentHash: A hash of the row's contents, independent of its position.
    ///   - ordinal: How many earlier rows of the file have the same hash.
    package static func imported(
        _ kind: Kind, contentHash: [UInt8], ordinal: Int
    ) -> Identifier {
        rowID.id(kind.name.string, hexadecimal(contentHash), "\(ordinal)")
    }
}
