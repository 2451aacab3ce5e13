public import MacrologEvents

extension Kind {
    /// A person: one per space.
    public static let profile = Kind(
        "profile", added: "profile.edited", sharedIDs: [Profile.sharedID], hasDefaults: true,
        check: Profile.check
    ) {
        Profile.displayName
        Profile.birthDate
        Profile.sex
        Profile.heightMillimeters
        Profile.activityLevel
        Profile.targetWeightGrams
        Profile.dietType
        Profile.customMacroShares
        Profile.proteinMilligramsPerPound
        Profile.fatBasisPoints
        Profile.macroFlexibility
        Profile.restingFormula
        Profile.bodyFatBasisPoints
    }
}

/// A person: what the resting-energy and target formulas need. Nothing is required.
public struct Profile: Entity {
    /// `profile` in events: its fields with their units and bounds.
    public static let kind = Kind.profile
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let displayName = Field.text("display_name", 1...80).shown(as: "name")
    static let birthDate = Field.day("birth_date")
    static let sex = Field<Sex?>.choice("sex")
    static let heightMillimeters = Field.number(
        "height_mm", .millimeters, 400...2_720, soft: 1_200...2_200
    ).shown(.height)
    static let activityLevel = Field<ActivityLevel?>.choice("activity_level")
    static let targetWeightGrams = Field.number(
        "target_weight_g", .grams, 2_000...650_000, soft: 20_000...350_000)
    static let dietType = Field<DietType?>.choice("diet_type")
    static let customMacroShares = Field.shares("custom_macro_pct").shown(key: "shares")
    static let proteinMilligramsPerPound = Field.number(
        "protein_per_lb_mg", .milligrams, 0...5_000, soft: 500...2_000
    ).shown(as: "protein per pound")
    static let fatBasisPoints = Field.number(
        "fat_pct_bp", .basisPoints, 0...9_000, soft: 1_500...5_000
    ).shown(as: "share of fat", key: "fat_percent")
    static let macroFlexibility = Field<MacroFlexibility?>.choice("macro_flexibility")
    static let restingFormula = Field<RestingFormula?>.choice("bmr_formula").shown(as: "equation")
    static let bodyFatBasisPoints = Field.number("body_fat_bp", .basisPoints, 200...7_500)

    static let sharedID = SharedID("profile", for: "the profile")

    static func check(_ fields: ValueMap, _ today: Day) -> [Finding] {
        guard let birth = fields["birth_date"]?.int, birth > today.number else { return [] }
        return [
            Finding(
                .hard, kind: "profile", field: "birth_date", problem: "lies in the future",
                hint: "type a date up to today, such as 1990-05-17")
        ]
    }

    /// Reads the stored fields; nothing is required.
    public init(id: Identifier, fields: ValueMap) {
        self.id = id
        self.fields = fields
    }

    /// The name shown, 1 to 80 bytes.
    public var displayName: String? {
        get { fields[Self.displayName] }
        set { fields[Self.displayName] = newValue }
    }

    /// The day of birth.
    public var birthDate: Day? {
        get { fields[Self.birthDate] }
        set { fields[Self.birthDate] = newValue }
    }

    /// The sex, as the resting-energy equations distinguish it.
    public var sex: Sex? {
        get { fields[Self.sex] }
        set { fields[Self.sex] = newValue }
    }

    /// The height, in millimetres from 400 to 2,720.
    public var heightMillimeters: Int64? {
        get { fields[Self.heightMillimeters] }
        set { fields[Self.heightMillimeters] = newValue }
    }

    /// How much the person moves.
    public var activityLevel: ActivityLevel? {
        get { fields[Self.activityLevel] }
        set { fields[Self.activityLevel] = newValue }
    }

    /// The weight aimed at, in grams from 2,000 to 650,000.
    public var targetWeightGrams: Int64? {
        get { fields[Self.targetWeightGrams] }
        set { fields[Self.targetWeightGrams] = newValue }
    }

    /// The diet that the person follows, by which meals are scored.
    public var dietType: DietType? {
        get { fields[Self.dietType] }
        set { fields[Self.dietType] = newValue }
    }

    /// The shares of a custom diet.
    public var customMacroShares: MacroShares? {
        get { fields[Self.customMacroShares] }
        set { fields[Self.customMacroShares] = newValue }
    }

    /// Protein per pound of body mass, in milligrams from 0 to 5,000.
    public var proteinMilligramsPerPound: Int64? {
        get { fields[Self.proteinMilligramsPerPound] }
        set { fields[Self.proteinMilligramsPerPound] = newValue }
    }

    /// Fat's share of energy, in basis points from 0 to 9,000.
    public var fatBasisPoints: Int64? {
        get { fields[Self.fatBasisPoints] }
        set { fields[Self.fatBasisPoints] = newValue }
    }

    /// How strictly targets are meant.
    public var macroFlexibility: MacroFlexibility? {
        get { fields[Self.macroFlexibility] }
        set { fields[Self.macroFlexibility] = newValue }
    }

    /// The equation for resting energy.
    public var restingFormula: RestingFormula? {
        get { fields[Self.restingFormula] }
        set { fields[Self.restingFormula] = newValue }
    }

    /// Body fat, in basis points from 200 to 7,500, for want of a weigh-in's.
    public var bodyFatBasisPoints: Int64? {
        get { fields[Self.bodyFatBasisPoints] }
        set { fields[Self.bodyFatBasisPoints] = newValue }
    }
}
