public import MacrologEvents

/// Something eaten, or meant to be, on a day: with nutrients of its own, items, or both.
public struct Meal: NutrientHolder {
    /// The kind.
    public static let kind = Kind.meal
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public var fields: ValueMap

    /// Reads cells; `nil` when the day is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields["local_date"].flatMap({ LocalDate($0) }) != nil else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A meal of a day.
    ///
    /// - Parameters:
    ///   - dishName: Up to 200 bytes.
    ///   - type: `breakfast`, `lunch`, `dinner`, `snack`, or a person's own slot.
    ///   - isConsumed: Whether it has been eaten; only then does it count.
    ///   - nutrients: The meal's own, besides those of its items.
    public init(
        id: Identifier, on localDate: LocalDate, dishName: String? = nil, type: Text? = nil,
        isConsumed: Bool = true, nutrients: Nutrients = Nutrients()
    ) {
        self.id = id
        fields = ["local_date": localDate.value, "consumed": .bool(isConsumed)]
        if let dishName { fields.put("dish_name", dishName) }
        if let type { fields["meal_type"] = .text(type) }
        self.nutrients = nutrients
    }

    /// The day it counts for, with its instant and zone.
    public var localDate: LocalDate {
        get { fields["local_date"].flatMap { LocalDate($0) } ?? LocalDate(day: .earliest) }
        set { fields["local_date"] = newValue.value }
    }

    /// The meal of the day: `breakfast`, `lunch`, `dinner`, `snack`, or a person's own slot.
    public var type: Text? {
        get { fields["meal_type"]?.text }
        set { fields["meal_type"] = newValue.map { .text($0) } }
    }

    /// Whether it has been eaten; only then does it count. False when not set.
    public var isConsumed: Bool {
        get { fields.flag("consumed") ?? false }
        set { fields.put("consumed", newValue) }
    }

    /// The part of it that was eaten, in basis points from 0 to 100,000; 10,000 when not set.
    public var consumedShareBasisPoints: Int64 {
        get { fields.number("consumed_share_bp") ?? 10_000 }
        set { fields.put("consumed_share_bp", newValue) }
    }

    /// The name of the dish, up to 200 bytes.
    public var dishName: String? {
        get { fields.string("dish_name") }
        set { fields.put("dish_name", newValue) }
    }

    /// When it was eaten, in milliseconds since 1970-01-01 UTC.
    public var consumedAt: Int64? {
        get { fields.number("consumed_at") }
        set { fields.put("consumed_at", newValue) }
    }

    /// A note, up to 4,000 bytes.
    public var note: String? {
        get { fields.string("note") }
        set { fields.put("note", newValue) }
    }

    /// Tags, up to 50 of 50 bytes.
    public var tags: [String] {
        get { fields.strings("tags") }
        set { fields.put("tags", newValue) }
    }

    /// Whether the numbers are a guess.
    public var isEstimated: Bool? {
        get { fields.flag("estimated") }
        set { fields.put("estimated", newValue) }
    }

    /// How healthy an analysis found it, 0 to 10.
    public var healthScore: Int64? {
        get { fields.number("health_score") }
        set { fields.put("health_score", newValue) }
    }

    /// The SHA-256 of each of its photos, up to 10 of 32 bytes.
    public var photoHashes: [[UInt8]] {
        get { (fields["photo_sha256s"]?.array ?? []).compactMap { $0.bytes } }
        set {
            fields["photo_sha256s"] = newValue.isEmpty ? nil : .array(newValue.map { .bytes($0) })
        }
    }

    /// The total that another source computed; never used in sums.
    public var reportedTotal: Nutrients? {
        get { fields["reported_total"]?.map.map { Nutrients(fields: $0) } }
        set { fields["reported_total"] = newValue?.value }
    }

    /// How it was entered.
    public var source: MealSource? {
        get { fields.choice("source") }
        set { fields.put("source", choice: newValue) }
    }

    /// The analysis it came from.
    public var analysisID: Identifier? {
        get { fields.identifier("analysis_id") }
        set { fields.put("analysis_id", newValue) }
    }

    /// Its names in other systems, up to 20 of 120 bytes.
    public var externalIDs: [String] {
        get { fields.strings("external_ids") }
        set { fields.put("external_ids", newValue) }
    }
}
