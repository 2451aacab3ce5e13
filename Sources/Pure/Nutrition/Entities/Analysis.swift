package import MacrologEvents

extension Kind {
    /// What a model is asked about a meal, or what it answered.
    package static let analysis = Kind(
        "analysis", added: "analysis.recorded", otherTypes: Analysis.eventRules,
        sharedIDs: [Analysis.answerID]
    ) {
        Analysis.photoHash
        Analysis.status
        Analysis.mealID
        Analysis.questionID
        Analysis.words
        Analysis.provider
        Analysis.model
        Analysis.dishName
        Analysis.items
        Analysis.reportedTotal
        Analysis.healthScore
        Analysis.confidenceBasisPoints
        Analysis.hasTotalMismatch
        Analysis.isInconsistent
        Analysis.error
        Analysis.latencyMilliseconds
        Analysis.tokens
        Analysis.raw
    }
}

/// A question about a meal, with status `wanted`, or the answer of one device's provider to it. Neither is
/// edited; the meal is.
///
/// A question is asked of the first provider that a device can reach. Devices that answer at the same time
/// give two answers, each an entity of its own.
package struct Analysis: Entity {
    /// `analysis` in events: its fields with their units and bounds.
    public static let kind = Kind.analysis
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let photoHash = Field.hash("photo_sha256")
    static let status = Field<AnalysisStatus?>.choice("status").required()
    static let mealID = Field.reference("meal_id").shown(as: "meal")
    static let questionID = Field.reference("question_id").shown(as: "question")
    static let words = Field.text("words", 0...1_000)
    static let provider = Field.text("provider", 0...60)
    static let model = Field.text("model", 0...80)
    static let dishName = Field.text("dish_name", 0...200).shown(as: "name", key: "name")
    static let items = Field.items("items")
    static let reportedTotal = Field<Nutrients?>(
        FieldSpec("reported_total", .totals), read: { $0?.map.map { Nutrients(fields: $0) } },
        write: { $0.map { $0.value } })
    static let healthScore = Field.number("health_score", .count, 0...10)
    static let confidenceBasisPoints = Field.number("confidence_bp", .basisPoints, 0...10_000)
    static let hasTotalMismatch = Field.flag("total_mismatch")
    static let isInconsistent = Field.flag("inconsistent")
    static let error = Field.text("error", 0...500, lines: true).shown(key: "failure")
    static let latencyMilliseconds = Field.number("latency_ms", .milliseconds, 0...3_600_000)
    static let tokens = Field.number("tokens", .count, 0...10_000_000_000).shown(
        key: "token_count")
    static let raw = Field.text("raw", 0...16_384, lines: true)

    static let answerID = SharedID(
        "analysis_answer/{question}/{device}",
        for: "the answer of a device's provider to a question")

    static let eventRules = [
        EventRule("analysis.wanted") { $0.old == nil && $0.new[status] == .wanted }
    ]

    /// Reads the stored fields; `nil` when the status is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A question, or an answer with the items that it found: up to 100.
    public init(id: Identifier, status: AnalysisStatus, items: [TemplateItem] = []) {
        self.id = id
        fields = ValueMap()
        self.status = status
        if !items.isEmpty { self.items = items }
    }

    /// How it ended; `nil` for a word this version does not know.
    public var status: AnalysisStatus? {
        get { fields[Self.status] }
        set { fields[Self.status] = newValue }
    }

    /// The SHA-256 of the photo.
    public var photoHash: [UInt8]? {
        get { fields[Self.photoHash] }
        set { fields[Self.photoHash] = newValue }
    }

    /// The meal.
    public var mealID: Identifier? {
        get { fields[Self.mealID] }
        set { fields[Self.mealID] = newValue }
    }

    /// The question that it answers; `nil` for a question.
    public var questionID: Identifier? {
        get { fields[Self.questionID] }
        set { fields[Self.questionID] = newValue }
    }

    /// What the person wrote about the meal, up to 1,000 bytes.
    public var words: String? {
        get { fields[Self.words] }
        set { fields[Self.words] = newValue }
    }

    /// Who made it, up to 60 bytes.
    public var provider: String? {
        get { fields[Self.provider] }
        set { fields[Self.provider] = newValue }
    }

    /// With which model, up to 80 bytes.
    public var model: String? {
        get { fields[Self.model] }
        set { fields[Self.model] = newValue }
    }

    /// The name of the dish, up to 200 bytes.
    public var dishName: String? {
        get { fields[Self.dishName] }
        set { fields[Self.dishName] = newValue }
    }

    /// The items that it found, up to 100.
    public var items: [TemplateItem] {
        get { fields[Self.items] }
        set { fields[Self.items] = newValue }
    }

    /// The total that the model stated; never used in sums.
    public var reportedTotal: Nutrients? {
        get { fields[Self.reportedTotal] }
        set { fields[Self.reportedTotal] = newValue }
    }

    /// How healthy the model found it, 0 to 10.
    public var healthScore: Int64? {
        get { fields[Self.healthScore] }
        set { fields[Self.healthScore] = newValue }
    }

    /// How sure it was, in basis points from 0 to 10,000.
    public var confidenceBasisPoints: Int64? {
        get { fields[Self.confidenceBasisPoints] }
        set { fields[Self.confidenceBasisPoints] = newValue }
    }

    /// Whether the total it stated differs from the sum of its items.
    public var hasTotalMismatch: Bool? {
        get { fields[Self.hasTotalMismatch] }
        set { fields[Self.hasTotalMismatch] = newValue }
    }

    /// Whether its energy, macronutrients and masses contradict each other.
    public var isInconsistent: Bool? {
        get { fields[Self.isInconsistent] }
        set { fields[Self.isInconsistent] = newValue }
    }

    /// Why it failed, up to 500 bytes.
    public var error: String? {
        get { fields[Self.error] }
        set { fields[Self.error] = newValue }
    }

    /// How long it took, in milliseconds up to an hour.
    public var latencyMilliseconds: Int64? {
        get { fields[Self.latencyMilliseconds] }
        set { fields[Self.latencyMilliseconds] = newValue }
    }

    /// How much the provider counted for question and answer, in its tokens.
    public var tokens: Int64? {
        get { fields[Self.tokens] }
        set { fields[Self.tokens] = newValue }
    }

    /// The answer as it came, up to 16,384 bytes.
    public var raw: String? {
        get { fields[Self.raw] }
        set { fields[Self.raw] = newValue }
    }
}
