package import MacrologEvents

extension Kind {
    /// A device, by the name a person gave it.
    package static let device = Kind("device", added: "device.renamed") {
        Device.name
        Device.platform
        Device.createdAt
    }
}

/// A device by the name a person gave it. Its id is the device's in events; whether it may still sign
/// in is the server's to say.
package struct Device: Entity {
    /// `device` in events: its fields with their units and bounds.
    public static let kind = Kind.device
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let name = Field.text("name", 1...60).required(else: "")
    static let platform = Field.word("platform")
    static let createdAt = Field.instant("created_at")

    /// Reads the stored fields; `nil` when the name is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A device, by the id it has in events; its name has 1 to 60 bytes.
    public init(id: Identifier, name: String, platform: UTF8Text? = nil) {
        self.id = id
        fields = ValueMap()
        self.name = name
        self.platform = platform
    }

    /// The name, 1 to 60 bytes.
    public var name: String {
        get { fields[Self.name] }
        set { fields[Self.name] = newValue }
    }

    /// The system it runs, a word such as `linux`.
    public var platform: UTF8Text? {
        get { fields[Self.platform] }
        set { fields[Self.platform] = newValue }
    }

    /// When it joined, in milliseconds since 1970-01-01 UTC.
    public var createdAt: Int64? {
        get { fields[Self.createdAt] }
        set { fields[Self.createdAt] = newValue }
    }
}
