public import MacrologEvents

/// One import of one file, which can be undone as a whole.
public struct ImportBatch: Entity {
    /// The kind.
    public static let kind = Kind.importBatch
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the kind is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields["kind"]?.text != nil else { return nil }
        self.id = id
        self.fields = fields
    }

    /// An import of a kind of file, such as `mfp`.
    public init(id: Identifier, of type: Text) {
        self.id = id
        fields = ["kind": .text(type)]
    }

    /// The kind of file: a word such as `mfp`.
    public var type: Text {
        get { fields["kind"]?.text ?? "" }
        set { fields["kind"] = .text(newValue) }
    }

    /// The SHA-256 of the file.
    public var fileHash: [UInt8]? {
        get { fields["file_sha256"]?.bytes }
        set { fields["file_sha256"] = newValue.map { .bytes($0) } }
    }

    /// Rows that became something.
    public var newRows: Int64? {
        get { fields.number("rows_new") }
        set { fields.put("rows_new", newValue) }
    }

    /// Rows that were there already.
    public var sameRows: Int64? {
        get { fields.number("rows_same") }
        set { fields.put("rows_same", newValue) }
    }

    /// Rows that changed something.
    public var changedRows: Int64? {
        get { fields.number("rows_changed") }
        set { fields.put("rows_changed", newValue) }
    }

    /// Rows that were refused.
    public var rejectedRows: Int64? {
        get { fields.number("rows_rejected") }
        set { fields.put("rows_rejected", newValue) }
    }

    /// Whether it was undone.
    public var isUndone: Bool {
        get { fields.flag("undone") ?? false }
        set { fields.put("undone", newValue) }
    }
}
