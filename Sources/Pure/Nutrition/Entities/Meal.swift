public import MacrologEvents

extension Kind {
    /// Something eaten, or planned, on a day.
    public static let meal = Kind(
        "meal", added: "meal.added", otherTypes: Meal.eventRules, day: Meal.localDate.spec,
        sharedIDs: [Meal.plannedID, Meal.copyID]
    ) {
        Meal.localDate
        Meal.slot
        Meal.dishName
        Meal.isConsumed
        Meal.consumedAt
        Meal.consumedShareBasisPoints
        Meal.note
        Meal.tags
        Meal.isEstimated
        Meal.healthScore
        Meal.photoHashes
        Meal.reportedTotal
        Meal.source
        Meal.analysisID
        Meal.externalIDs
        Nutrient.fields
    }
}

/// Something eaten, or meant to be, on a day: with nutrients of its own, items, or both.
public struct Meal: NutrientHolder {
    /// `meal` in events: its fields with their units and bounds.
    public static let kind = Kind.meal
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public var fields: ValueMap

    static let localDate = SharedFields.localDate
    static let slot = Field.word("meal_type", .slot).shown(as: "meal slot", key: "slot")
    static let dishName = Field.text("dish_name", 0...200).shown(as: "name", key: "name")
    static let isConsumed = Field.flag("consumed").shown(as: "eaten").otherwise(false)
    static let consumedAt = Field.instant("consumed_at").shown(as: "eaten at")
    static let consumedShareBasisPoints = Field.number(
        "consumed_share_bp", .basisPoints, 0...100_000
    ).shown(as: "share eaten").otherwise(10_000)
    static let note = SharedFields.note
    static let tags = Field.texts("tags", .text(bytes: 1...50, lines: false), elementsMax: 50)
    static let isEstimated = Field.flag("estimated").assuming(false)
    static let healthScore = Field.number("health_score", .count, 0...10)
    static let photoHashes = Field<[[UInt8]]>(
        FieldSpec("photo_sha256s", .hash, elementsMax: 10),
        read: { ($0?.array ?? []).compactMap { $0.bytes } },
        write: { $0.isEmpty ? nil : .array($0.map { .bytes($0) }) }
    ).shown(as: "photos", key: "photos")
    static let reportedTotal = Field<Nutrients?>(
        FieldSpec("reported_total", .totals), read: { $0?.map.map { Nutrients(fields: $0) } },
        write: { $0.map { $0.value } })
    static let source = Field<MealSource?>.choice("source")
    static let analysisID = Field.reference("analysis_id")
    static let externalIDs = SharedFields.externalIDs

    static let plannedID = SharedID("plan_meal/{plan_entry}", for: "the meal that a plan becomes")
    static let copyID = SharedID(
        "meal_copy/{meal}/{day}/{ordinal}{parts}", for: "a meal that was copied to a day")

    static let eventRules = [
        EventRule("meal.consumed") { isEating($0) && $0.new[isConsumed] },
        EventRule("meal.unconsumed") { isEating($0) && !$0.new[isConsumed] },
        EventRule("meal.moved") { $0.old != nil && $0.isOnly(["local_date", "meal_type"]) },
        EventRule("photo.attached") { edit in
            guard let old = edit.old, edit.isOnly(["photo_sha256s"]) else { return false }
            return old[photoHashes].allSatisfy { edit.new[photoHashes].contains($0) }
        },
        EventRule("photo.removed") { $0.old != nil && $0.isOnly(["photo_sha256s"]) },
    ]

    private static func isEating(_ edit: Edit) -> Bool {
        edit.old != nil && edit.isOnly(["consumed", "consumed_at"])
            && edit.changed.contains("consumed")
    }

    /// Reads the stored fields; `nil` when the day is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A meal of a day.
    ///
    /// - Parameters:
    ///   - dishName: Up to 200 bytes.
    ///   - slot: `breakfast`, `lunch`, `dinner`, `snack`, or a person's own slot.
    ///   - isConsumed: Whether it has been eaten; only then does it count.
    ///   - nutrients: The meal's own, besides those of its items.
    public init(
        id: Identifier, on localDate: LocalDate, dishName: String? = nil, slot: UTF8Text? = nil,
        isConsumed: Bool = true, nutrients: Nutrients = Nutrients()
    ) {
        self.id = id
        fields = ValueMap()
        self.localDate = localDate
        self.isConsumed = isConsumed
        self.dishName = dishName
        self.slot = slot
        self.nutrients = nutrients
    }

    /// The day it counts for, with its instant and zone.
    public var localDate: LocalDate {
        get { fields[Self.localDate] }
        set { fields[Self.localDate] = newValue }
    }

    /// The meal slot: `breakfast`, `lunch`, `dinner`, `snack`, or a person's own slot.
    public var slot: UTF8Text? {
        get { fields[Self.slot] }
        set { fields[Self.slot] = newValue }
    }

    /// Whether it has been eaten; only then does it count. False when not set.
    public var isConsumed: Bool {
        get { fields[Self.isConsumed] }
        set { fields[Self.isConsumed] = newValue }
    }

    /// The part of it that was eaten, in basis points from 0 to 100,000; 10,000 when not set.
    public var consumedShareBasisPoints: Int64 {
        get { fields[Self.consumedShareBasisPoints] }
        set { fields[Self.consumedShareBasisPoints] = newValue }
    }

    /// What was left over of the dish, in basis points of the whole; negative when more was eaten than
    /// there was.
    public var leftoverBasisPoints: Int64 {
        Rounding.clamped(10_000 - Int128(consumedShareBasisPoints))
    }

    /// The name of the dish, up to 200 bytes.
    public var dishName: String? {
        get { fields[Self.dishName] }
        set { fields[Self.dishName] = newValue }
    }

    /// When it was eaten, in milliseconds since 1970-01-01 UTC.
    public var consumedAt: Int64? {
        get { fields[Self.consumedAt] }
        set { fields[Self.consumedAt] = newValue }
    }

    /// A note, up to 4,000 bytes.
    public var note: String? {
        get { fields[Self.note] }
        set { fields[Self.note] = newValue }
    }

    /// Tags, up to 50 of 50 bytes.
    public var tags: [String] {
        get { fields[Self.tags] }
        set { fields[Self.tags] = newValue }
    }

    /// Whether the numbers are a guess.
    public var isEstimated: Bool? {
        get { fields[Self.isEstimated] }
        set { fields[Self.isEstimated] = newValue }
    }

    /// How healthy an analysis found it, 0 to 10.
    public var healthScore: Int64? {
        get { fields[Self.healthScore] }
        set { fields[Self.healthScore] = newValue }
    }

    /// The SHA-256 of each of its photos, up to 10 of 32 bytes.
    public var photoHashes: [[UInt8]] {
        get { fields[Self.photoHashes] }
        set { fields[Self.photoHashes] = newValue }
    }

    /// The total that another source computed; never used in sums.
    public var reportedTotal: Nutrients? {
        get { fields[Self.reportedTotal] }
        set { fields[Self.reportedTotal] = newValue }
    }

    /// How it was entered.
    public var source: MealSource? {
        get { fields[Self.source] }
        set { fields[Self.source] = newValue }
    }

    /// The analysis it came from.
    public var analysisID: Identifier? {
        get { fields[Self.analysisID] }
        set { fields[Self.analysisID] = newValue }
    }

    /// Its names in other systems, up to 20 of 120 bytes.
    public var externalIDs: [String] {
        get { fields[Self.externalIDs] }
        set { fields[Self.externalIDs] = newValue }
    }
}

extension Meal {
    /// When it was eaten, in milliseconds since 1970 UTC, as far as that is known at an instant; `nil` for no time up to
    /// then. One that was planned for later, and is eaten before that, was eaten when it was marked as eaten.
    package func eatenAt(by instant: Int64) -> Int64? {
        guard isConsumed, let planned = localDate.occurredAt else { return nil }
        if planned <= instant { return planned }
        return consumedAt.flatMap { $0 <= instant ? $0 : nil }
    }

    /// Whether it counts at an instant: its time has come, or it has been eaten, or has no time.
    package func hasCome(by instant: Int64) -> Bool {
        localDate.hasCome(by: instant) || eatenAt(by: instant) != nil
    }
}
