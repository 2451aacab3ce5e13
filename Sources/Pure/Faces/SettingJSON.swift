public import MacrologEvents
public import MacrologJSON
public import MacrologNutrition

/// A person's profile and preferences as JSON.
public enum SettingJSON {
    /// Settings, each by its key, in the given order.
    public static func list(_ settings: [UTF8Text], of entity: some Entity) -> JSON {
        .object(members(settings, of: entity))
    }

    /// One setting.
    ///
    /// - Parameters:
    ///   - name: What a person types.
    ///   - text: The value in words, or the default in words.
    public static func one(
        _ setting: UTF8Text, of entity: some Entity, named name: String, text: String?
    ) -> JSON {
        [
            "name": .string(name), "value": list([setting], of: entity),
            "default": .bool(entity.fields[setting]?.isNull != false), "text": .optional(text),
        ]
    }

    /// The settings of a profile, and what follows from it and from the weigh-ins.
    ///
    /// - Parameters:
    ///   - resting: The resting energy of a day, in thousandths of a kilocalorie.
    ///   - ketone: The last level of ketones, of who follows a ketogenic diet.
    public static func profile(
        _ profile: Profile, _ settings: [UTF8Text], of body: Body, resting: Int64?, ketone: Ketone?
    ) -> JSON {
        .object(
            members(settings, of: profile) + [
                JSON.Member("age_years", .optional(body.age.map { Int64($0) })),
                JSON.Member("weight_kg", body.weightGrams.map { .decimal($0, scale: 3) } ?? .null),
                JSON.Member("resting_kcal", .amount(resting, of: .energy)),
                JSON.Member("ketone", ketone?.json ?? .null),
            ])
    }

    /// A log that was set up, and its file.
    public static func begun(
        _ file: String, _ profile: Profile, _ preferences: Preferences
    ) -> JSON {
        .object([JSON.Member("file", .string(file))] + set(profile, preferences))
    }

    /// What a person answered, the targets that follow, and what is still open.
    ///
    /// - Parameters:
    ///   - grams: The person's weight.
    ///   - goal: The goals, as JSON.
    ///   - open: The options of the questions without an answer.
    public static func answered(
        _ profile: Profile, _ preferences: Preferences, grams: Int64?, goal: JSON,
        _ explanation: TargetExplanation?, open: [String]
    ) -> JSON {
        .object(
            set(profile, preferences) + [
                JSON.Member("weight_kg", grams.map { .decimal($0, scale: 3) } ?? .null),
                JSON.Member("goal", goal),
                JSON.Member("derivation", .strings((explanation?.steps ?? []).map { "\($0)" })),
                JSON.Member("missing", .optional(explanation?.missing)),
                JSON.Member("open", .strings(open)),
            ])
    }

    /// The settings that have a value.
    private static func set(_ profile: Profile, _ preferences: Preferences) -> [JSON.Member] {
        [
            JSON.Member("profile", FieldJSON.object(profile.fields, in: Kind.profile.name)),
            JSON.Member(
                "preferences", FieldJSON.object(preferences.fields, in: Kind.preferences.name)),
        ]
    }

    private static func members<E: Entity>(_ settings: [UTF8Text], of entity: E) -> [JSON.Member] {
        settings.map { setting in
            let value = FieldJSON.object(
                [setting: entity.fields[setting] ?? .null], in: E.kind.name)
            return value.object?.first ?? JSON.Member(setting.string, .null)
        }
    }
}
