public import MacrologEvents

/// A device by the name a person gave it. Its id is the device's in events; whether it may still sign
/// in is the server's to say.
public struct Device: Entity {
    /// The kind.
    public static let kind = Kind.device
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the name is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields.string("name") != nil else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A device, by the id it has in events; its name has 1 to 60 bytes.
    public init(id: Identifier, name: String, platform: Text? = nil) {
        self.id = id
        fields = ["name": .text(Text(name))]
        fields["platform"] = platform.map { .text($0) }
    }

    /// The name, 1 to 60 bytes.
    public var name: String {
        get { fields.string("name") ?? "" }
        set { fields.put("name", newValue) }
    }

    /// The system it runs, a word such as `linux`.
    public var platform: Text? {
        get { fields["platform"]?.text }
        set { fields["platform"] = newValue.map { .text($0) } }
    }

    /// When it joined, in milliseconds since 1970-01-01 UTC.
    public var createdAt: Int64? {
        get { fields.number("created_at") }
        set { fields.put("created_at", newValue) }
    }
}
