public import MacrologEvents

extension Kind {
    /// How a person wants things shown: one per space.
    public static let preferences = Kind(
        "preferences", added: "preferences.edited", sharedIDs: [Preferences.sharedID],
        hasDefaults: true
    ) {
        Preferences.energyUnit
        Preferences.weightUnit
        Preferences.heightUnit
        Preferences.volumeUnit
        Preferences.decimalMark
        Preferences.weekStart
        Preferences.zone
        Preferences.dayStartMinutes
        Preferences.mealSlots
        Preferences.weighPolicy
        Preferences.showsStreaks
        Preferences.consentsToPhotoAnalysis
        Preferences.countsFoodWater
        Preferences.goalToleranceBasisPoints
        Preferences.pinnedNutrients
        Preferences.historyDays
    }
}

/// How a person wants things shown and counted. Nothing is required; what is not set has the
/// default that its property names.
public struct Preferences: Entity {
    /// `preferences` in events: its fields with their units and bounds.
    public static let kind = Kind.preferences
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let energyUnit = Field<EnergyUnit?>.choice("energy_unit").assuming(.kilocalories)
    static let weightUnit = Field<WeightUnit?>.choice("weight_unit").assuming(.kilograms)
    static let heightUnit = Field<HeightUnit?>.choice("height_unit").assuming(.centimeters)
    static let volumeUnit = Field<VolumeUnit?>.choice("volume_unit").assuming(.milliliters)
    static let decimalMark = Field<DecimalMark?>.choice("decimal")
    static let weekStart = Field.number("week_start", .count, 1...7).assuming(1).shown(.weekday)
    static let zone = Field.string("tz", .zone).shown(key: "zone")
    static let dayStartMinutes = Field.number("day_start_min", .minutes, 0...480).assuming(0)
        .shown(as: "start of the day", key: "day_start", .clock)
    static let mealSlots = Field<[MealSlot]?>(
        FieldSpec("meal_slots", .slots), read: { $0.flatMap { MealSlot.list($0) } },
        write: { $0.map { MealSlot.value($0) } }
    ).assuming(MealSlot.standard)
    static let weighPolicy = Field<WeighPolicy?>.choice("weigh_policy").assuming(.first)
    static let showsStreaks = Field.flag("show_streaks").assuming(true)
    static let consentsToPhotoAnalysis = Field.flag("photo_ai_consent").assuming(false)
    static let countsFoodWater = Field.flag("food_water").assuming(false)
    static let goalToleranceBasisPoints = Field.number(
        "goal_tolerance_bp", .basisPoints, 0...5_000
    ).assuming(500)
    static let pinnedNutrients = Field.texts("pinned_nutrients", .nutrient, elementsMax: 20)
    static let historyDays = Field.number("history_days", .count, 30...36_500)

    static let sharedID = SharedID("preferences", for: "the preferences")

    /// Nothing is set: the defaults.
    package init() { self.init(id: Identities.preferences, fields: [:]) }

    /// Reads the stored fields; nothing is required.
    public init(id: Identifier, fields: ValueMap) {
        self.id = id
        self.fields = fields
    }

    /// The unit of energy; kilocalories by default.
    public var energyUnit: EnergyUnit? {
        get { fields[Self.energyUnit] }
        set { fields[Self.energyUnit] = newValue }
    }

    /// The unit of body mass; kilograms by default.
    public var weightUnit: WeightUnit? {
        get { fields[Self.weightUnit] }
        set { fields[Self.weightUnit] = newValue }
    }

    /// The unit of height; centimetres by default.
    public var heightUnit: HeightUnit? {
        get { fields[Self.heightUnit] }
        set { fields[Self.heightUnit] = newValue }
    }

    /// The unit of volume; millilitres by default.
    public var volumeUnit: VolumeUnit? {
        get { fields[Self.volumeUnit] }
        set { fields[Self.volumeUnit] = newValue }
    }

    /// How an ambiguous number is read; not at all by default.
    public var decimalMark: DecimalMark? {
        get { fields[Self.decimalMark] }
        set { fields[Self.decimalMark] = newValue }
    }

    /// The first day of a week, 1 for Monday to 7; Monday by default.
    public var weekStart: Int64? {
        get { fields[Self.weekStart] }
        set { fields[Self.weekStart] = newValue }
    }

    /// The IANA name of the home zone.
    public var zone: String? {
        get { fields[Self.zone] }
        set { fields[Self.zone] = newValue }
    }

    /// When a day begins, in minutes after midnight from 0 to 480; 0 by default.
    public var dayStartMinutes: Int64? {
        get { fields[Self.dayStartMinutes] }
        set { fields[Self.dayStartMinutes] = newValue }
    }

    /// The meal slots of a day; ``MealSlot/standard`` by default.
    public var mealSlots: [MealSlot]? {
        get { fields[Self.mealSlots] }
        set { fields[Self.mealSlots] = newValue }
    }

    /// Which weigh-in of a day counts; the first by default.
    public var weighPolicy: WeighPolicy? {
        get { fields[Self.weighPolicy] }
        set { fields[Self.weighPolicy] = newValue }
    }

    /// Whether streaks are shown; true by default.
    public var showsStreaks: Bool? {
        get { fields[Self.showsStreaks] }
        set { fields[Self.showsStreaks] = newValue }
    }

    /// Whether water in food counts as water drunk; false by default.
    public var countsFoodWater: Bool? {
        get { fields[Self.countsFoodWater] }
        set { fields[Self.countsFoodWater] = newValue }
    }

    /// Whether photos may be analysed; false by default.
    public var consentsToPhotoAnalysis: Bool? {
        get { fields[Self.consentsToPhotoAnalysis] }
        set { fields[Self.consentsToPhotoAnalysis] = newValue }
    }

    /// How far a total may miss its goal, in basis points from 0 to 5,000; 500 by default.
    public var goalToleranceBasisPoints: Int64? {
        get { fields[Self.goalToleranceBasisPoints] }
        set { fields[Self.goalToleranceBasisPoints] = newValue }
    }

    /// After how many days devices compact superseded payloads, from 30 to 36,500; `nil`, the
    /// default, for never.
    public var historyDays: Int64? {
        get { fields[Self.historyDays] }
        set { fields[Self.historyDays] = newValue }
    }

    /// The keys of the nutrients shown first, up to 20.
    public var pinnedNutrients: [String] {
        get { fields[Self.pinnedNutrients] }
        set { fields[Self.pinnedNutrients] = newValue }
    }
}
