public import MacrologEvents

/// How a person wants things shown and counted. Nothing is required; what is not set has the
/// default that its property names.
public struct Preferences: Entity {
    /// The kind.
    public static let kind = Kind.preferences
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; nothing is required.
    public init(id: Identifier, fields: ValueMap) {
        self.id = id
        self.fields = fields
    }

    /// The unit of energy; kilocalories by default.
    public var energyUnit: EnergyUnit? {
        get { fields.choice("energy_unit") }
        set { fields.put("energy_unit", choice: newValue) }
    }

    /// The unit of body mass; kilograms by default.
    public var weightUnit: WeightUnit? {
        get { fields.choice("weight_unit") }
        set { fields.put("weight_unit", choice: newValue) }
    }

    /// The unit of height; centimetres by default.
    public var heightUnit: HeightUnit? {
        get { fields.choice("height_unit") }
        set { fields.put("height_unit", choice: newValue) }
    }

    /// The unit of volume; millilitres by default.
    public var volumeUnit: VolumeUnit? {
        get { fields.choice("volume_unit") }
        set { fields.put("volume_unit", choice: newValue) }
    }

    /// How an ambiguous number is read; not at all by default.
    public var decimalMark: DecimalMark? {
        get { fields.choice("decimal") }
        set { fields.put("decimal", choice: newValue) }
    }

    /// The first day of a week, 1 for Monday to 7; Monday by default.
    public var weekStart: Int64? {
        get { fields.number("week_start") }
        set { fields.put("week_start", newValue) }
    }

    /// The IANA name of the home zone.
    public var zone: String? {
        get { fields.string("tz") }
        set { fields.put("tz", newValue) }
    }

    /// When a day begins, in minutes after midnight from 0 to 480; 0 by default.
    public var dayStartMinutes: Int64? {
        get { fields.number("day_start_min") }
        set { fields.put("day_start_min", newValue) }
    }

    /// The meals of a day; ``MealSlot/standard`` by default.
    public var mealSlots: [MealSlot]? {
        get { fields["meal_slots"].flatMap { MealSlot.list($0) } }
        set { fields["meal_slots"] = newValue.map { MealSlot.value($0) } }
    }

    /// Which weigh-in of a day counts; the first by default.
    public var weighPolicy: WeighPolicy? {
        get { fields.choice("weigh_policy") }
        set { fields.put("weigh_policy", choice: newValue) }
    }

    /// Whether streaks are shown; true by default.
    public var showsStreaks: Bool? {
        get { fields.flag("show_streaks") }
        set { fields.put("show_streaks", newValue) }
    }

    /// Whether water in food counts as water drunk; false by default.
    public var countsFoodWater: Bool? {
        get { fields.flag("food_water") }
        set { fields.put("food_water", newValue) }
    }

    /// Whether photos may be analysed; false by default.
    public var consentsToPhotoAnalysis: Bool? {
        get { fields.flag("photo_ai_consent") }
        set { fields.put("photo_ai_consent", newValue) }
    }

    /// How far a total may miss its goal, in basis points from 0 to 5,000; 500 by default.
    public var goalToleranceBasisPoints: Int64? {
        get { fields.number("goal_tolerance_bp") }
        set { fields.put("goal_tolerance_bp", newValue) }
    }

    /// After how many days devices compact superseded payloads, from 30 to 36,500; `nil`, the
    /// default, for never.
    public var historyDays: Int64? {
        get { fields.number("history_days") }
        set { fields.put("history_days", newValue) }
    }

    /// The keys of the nutrients shown first, up to 20.
    public var pinnedNutrients: [String] {
        get { fields.strings("pinned_nutrients") }
        set { fields.put("pinned_nutrients", newValue) }
    }
}
