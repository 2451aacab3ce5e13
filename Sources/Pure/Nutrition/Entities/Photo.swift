package import MacrologEvents

extension Kind {
    /// A photo's description; its bytes travel apart from the log.
    package static let photo = Kind("photo", added: "photo.attached", sharedIDs: [Photo.sharedID]) {
        Photo.sha256
        Photo.heldHashes
        Photo.type
        Photo.byteCount
        Photo.width
        Photo.height
        Photo.takenAt
        Photo.caption
    }
}

/// The metadata of a photo. Its bytes are transferred separately from the log, by their SHA-256.
package struct Photo: Entity {
    /// `photo` in events: its fields with their units and bounds.
    public static let kind = Kind.photo
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let sha256 = Field.hash("sha256")
    static let heldHashes = Field<[[UInt8]]>(
        FieldSpec("photo_sha256s", .hash, elementsMax: 1),
        read: { ($0?.array ?? []).compactMap { $0.bytes } },
        write: { $0.isEmpty ? nil : .array($0.map { .bytes($0) }) }
    ).shown(as: "photos", key: "photos")
    static let type = Field<PhotoType?>.choice("mime").shown(key: "media_type")
    static let byteCount = Field.number("bytes", .bytes, 1...15_728_640).shown(key: "size_bytes")
    static let width = Field.number("width", .count, 1...20_000).shown(key: "width_px")
    static let height = Field.number("height", .count, 1...20_000).shown(key: "height_px")
    static let takenAt = Field.instant("taken_at")
    static let caption = Field.text("caption", 0...500)

    static let sharedID = SharedID("photo/{sha256}", for: "a photo")

    /// Reads the stored fields; nothing is required.
    public init(id: Identifier, fields: ValueMap) {
        self.id = id
        self.fields = fields
    }

    /// A photo by its SHA-256, with the id ``Identities/photo(_:)``. Its bytes stay for ever: see ``heldHashes``.
    public init(sha256: [UInt8], type: PhotoType? = nil, bytes: Int64? = nil) {
        id = Identities.photo(sha256)
        fields = ValueMap()
        self.sha256 = sha256
        self.type = type
        byteCount = bytes
    }

    /// The SHA-256 of the bytes, which keeps them on the server even when the photo is deleted.
    public var sha256: [UInt8]? {
        get { fields[Self.sha256] }
        set { fields[Self.sha256] = newValue }
    }

    /// The SHA-256 of the bytes while this photo keeps them on the server; empty where only meals do.
    public var heldHashes: [[UInt8]] {
        get { fields[Self.heldHashes] }
        set { fields[Self.heldHashes] = newValue }
    }

    /// The format.
    public var type: PhotoType? {
        get { fields[Self.type] }
        set { fields[Self.type] = newValue }
    }

    /// Its size in bytes, 1 to 15,728,640.
    public var byteCount: Int64? {
        get { fields[Self.byteCount] }
        set { fields[Self.byteCount] = newValue }
    }

    /// Pixels from left to right, 1 to 20,000.
    public var width: Int64? {
        get { fields[Self.width] }
        set { fields[Self.width] = newValue }
    }

    /// Pixels from top to bottom, 1 to 20,000.
    public var height: Int64? {
        get { fields[Self.height] }
        set { fields[Self.height] = newValue }
    }

    /// When it was taken, in milliseconds since 1970-01-01 UTC.
    public var takenAt: Int64? {
        get { fields[Self.takenAt] }
        set { fields[Self.takenAt] = newValue }
    }

    /// A caption, up to 500 bytes.
    public var caption: String? {
        get { fields[Self.caption] }
        set { fields[Self.caption] = newValue }
    }
}
