package import MacrologEvents

extension Kind {
    /// The analysis of a photo.
    package static let analysis = Kind("analysis", added: "analysis.recorded") {
        Analysis.photoHash
        Analysis.status
        Analysis.provider
        Analysis.model
        Analysis.items
        Analysis.confidenceBasisPoints
        Analysis.hasTotalMismatch
        Analysis.error
        Analysis.latencyMilliseconds
        Analysis.raw
    }
}

/// The analysis of a photo. It is recorded once and not edited; the meal made from it is.
package struct Analysis: Entity {
    /// The kind.
    public static let kind = Kind.analysis
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let photoHash = Field.hash("photo_sha256")
    static let status = Field<AnalysisStatus?>.choice("status").required()
    static let provider = Field.text("provider", 0...60)
    static let model = Field.text("model", 0...80)
    static let items = Field.items("items")
    static let confidenceBasisPoints = Field.number("confidence_bp", .basisPoints, 0...10_000)
    static let hasTotalMismatch = Field.flag("total_mismatch")
    static let error = Field.text("error", 0...500, lines: true).shown(key: "failure")
    static let latencyMilliseconds = Field.number("latency_ms", .milliseconds, 0...3_600_000)
    static let raw = Field.text("raw", 0...16_384, lines: true)

    /// Reads cells; `nil` when the status is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// The result of an analysis, and the items that it found: up to 100.
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

    /// The items that it found, up to 100.
    public var items: [TemplateItem] {
        get { fields[Self.items] }
        set { fields[Self.items] = newValue }
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

    /// The answer as it came, up to 16,384 bytes.
    public var raw: String? {
        get { fields[Self.raw] }
        set { fields[Self.raw] = newValue }
    }
}
