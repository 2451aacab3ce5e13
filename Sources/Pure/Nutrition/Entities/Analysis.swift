public import MacrologEvents

/// The analysis of a photo. It is recorded once and not edited; the meal made from it is.
public struct Analysis: Entity {
    /// The kind.
    public static let kind = Kind.analysis
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the status is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields["status"]?.text != nil else { return nil }
        self.id = id
        self.fields = fields
    }

    /// The result of an analysis, and the items that it found: up to 100.
    public init(id: Identifier, status: AnalysisStatus, items: [TemplateItem] = []) {
        self.id = id
        fields = ["status": .text(status.name)]
        if !items.isEmpty { fields["items"] = TemplateItem.value(items) }
    }

    /// How it ended; `nil` for a word this version does not know.
    public var status: AnalysisStatus? {
        get { fields.choice("status") }
        set { fields.put("status", choice: newValue) }
    }

    /// The SHA-256 of the photo.
    public var photoHash: [UInt8]? {
        get { fields["photo_sha256"]?.bytes }
        set { fields["photo_sha256"] = newValue.map { .bytes($0) } }
    }

    /// Who made it, up to 60 bytes.
    public var provider: String? {
        get { fields.string("provider") }
        set { fields.put("provider", newValue) }
    }

    /// With which model, up to 80 bytes.
    public var model: String? {
        get { fields.string("model") }
        set { fields.put("model", newValue) }
    }

    /// The items that it found, up to 100.
    public var items: [TemplateItem] {
        get { fields["items"].flatMap { TemplateItem.list($0) } ?? [] }
        set { fields["items"] = TemplateItem.value(newValue) }
    }

    /// How sure it was, in basis points from 0 to 10,000.
    public var confidenceBasisPoints: Int64? {
        get { fields.number("confidence_bp") }
        set { fields.put("confidence_bp", newValue) }
    }

    /// Whether the total it stated differs from the sum of its items.
    public var hasTotalMismatch: Bool? {
        get { fields.flag("total_mismatch") }
        set { fields.put("total_mismatch", newValue) }
    }

    /// Why it failed, up to 500 bytes.
    public var error: String? {
        get { fields.string("error") }
        set { fields.put("error", newValue) }
    }

    /// How long it took, in milliseconds up to an hour.
    public var latencyMilliseconds: Int64? {
        get { fields.number("latency_ms") }
        set { fields.put("latency_ms", newValue) }
    }

    /// The answer as it came, up to 16,384 bytes.
    public var raw: String? {
        get { fields.string("raw") }
        set { fields.put("raw", newValue) }
    }
}
