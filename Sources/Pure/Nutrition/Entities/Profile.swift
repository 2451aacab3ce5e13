public import MacrologEvents

/// A person: what the resting-energy and target formulas need. Nothing is required.
public struct Profile: Entity {
    /// The kind.
    public static let kind = Kind.profile
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; nothing is required.
    public init(id: Identifier, fields: ValueMap) {
        self.id = id
        self.fields = fields
    }

    /// The name shown, 1 to 80 bytes.
    public var displayName: String? {
        get { fields.string("display_name") }
        set { fields.put("display_name", newValue) }
    }

    /// The day of birth.
    public var birthDate: Day? {
        get { fields.day("birth_date") }
        set { fields.put("birth_date", newValue) }
    }

    /// The sex, as the resting-energy equations distinguish it.
    public var sex: Sex? {
        get { fields.choice("sex") }
        set { fields.put("sex", choice: newValue) }
    }

    /// The height, in millimetres from 400 to 2,720.
    public var heightMillimeters: Int64? {
        get { fields.number("height_mm") }
        set { fields.put("height_mm", newValue) }
    }

    /// How much the person moves.
    public var activityLevel: ActivityLevel? {
        get { fields.choice("activity_level") }
        set { fields.put("activity_level", choice: newValue) }
    }

    /// The weight aimed at, in grams from 2,000 to 650,000.
    public var targetWeightGrams: Int64? {
        get { fields.number("target_weight_g") }
        set { fields.put("target_weight_g", newValue) }
    }

    /// The diet.
    public var dietType: DietType? {
        get { fields.choice("diet_type") }
        set { fields.put("diet_type", choice: newValue) }
    }

    /// The shares of a custom diet.
    public var customMacroShares: MacroShares? {
        get { fields["custom_macro_pct"].flatMap { MacroShares($0) } }
        set { fields["custom_macro_pct"] = newValue?.value }
    }

    /// Protein per pound of body mass, in milligrams from 0 to 5,000.
    public var proteinMilligramsPerPound: Int64? {
        get { fields.number("protein_per_lb_mg") }
        set { fields.put("protein_per_lb_mg", newValue) }
    }

    /// Fat's share of energy, in basis points from 0 to 9,000.
    public var fatBasisPoints: Int64? {
        get { fields.number("fat_pct_bp") }
        set { fields.put("fat_pct_bp", newValue) }
    }

    /// How strictly targets are meant.
    public var macroFlexibility: MacroFlexibility? {
        get { fields.choice("macro_flexibility") }
        set { fields.put("macro_flexibility", choice: newValue) }
    }

    /// The equation for resting energy.
    public var restingFormula: RestingFormula? {
        get { fields.choice("bmr_formula") }
        set { fields.put("bmr_formula", choice: newValue) }
    }

    /// Body fat, in basis points from 200 to 7,500, for want of a weigh-in's.
    public var bodyFatBasisPoints: Int64? {
        get { fields.number("body_fat_bp") }
        set { fields.put("body_fat_bp", newValue) }
    }
}
