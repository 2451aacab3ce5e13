public import MacrologEvents

/// The metadata of a photo. Its bytes are transferred separately from the log, by their SHA-256.
public struct Photo: Entity {
    /// The kind.
    public static let kind = Kind.photo
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the hash is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields["sha256"]?.bytes?.count == 32 else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A photo by its SHA-256, with the id ``Identities/photo(_:)``.
    public init(sha256: [UInt8], type: PhotoType? = nil, bytes: Int64? = nil) {
        id = Identities.photo(sha256)
        fields = ["sha256": .bytes(sha256)]
        fields.put("mime", choice: type)
        fields.put("bytes", bytes)
    }

    /// The SHA-256 of the bytes.
    public var sha256: [UInt8] {
        get { fields["sha256"]?.bytes ?? [] }
        set { fields["sha256"] = .bytes(newValue) }
    }

    /// The format.
    public var type: PhotoType? {
        get { fields.choice("mime") }
        set { fields.put("mime", choice: newValue) }
    }

    /// Its size in bytes, 1 to 15,728,640.
    public var byteCount: Int64? {
        get { fields.number("bytes") }
        set { fields.put("bytes", newValue) }
    }

    /// Pixels from left to right, 1 to 20,000.
    public var width: Int64? {
        get { fields.number("width") }
        set { fields.put("width", newValue) }
    }

    /// Pixels from top to bottom, 1 to 20,000.
    public var height: Int64? {
        get { fields.number("height") }
        set { fields.put("height", newValue) }
    }

    /// When it was taken, in milliseconds since 1970-01-01 UTC.
    public var takenAt: Int64? {
        get { fields.number("taken_at") }
        set { fields.put("taken_at", newValue) }
    }

    /// A caption, up to 500 bytes.
    public var caption: String? {
        get { fields.string("caption") }
        set { fields.put("caption", newValue) }
    }
}
