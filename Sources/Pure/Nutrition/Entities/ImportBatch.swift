package import MacrologEvents

extension Kind {
    /// A file that was imported.
    package static let importBatch = Kind("import_batch", title: "import", added: "import.started")
    {
        ImportBatch.type
        ImportBatch.fileHash
        ImportBatch.newRows
        ImportBatch.sameRows
        ImportBatch.changedRows
        ImportBatch.rejectedRows
        ImportBatch.isUndone
    }
}

/// One import of one file, which can be undone as a whole.
package struct ImportBatch: Entity {
    /// `import_batch` in events: its fields with their units and bounds.
    public static let kind = Kind.importBatch
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let type = Field.word("kind").required(else: "")
    static let fileHash = Field.hash("file_sha256")
    static let newRows = Field.number("rows_new", .count, 0...1_000_000_000)
    static let sameRows = Field.number("rows_same", .count, 0...1_000_000_000)
    static let changedRows = Field.number("rows_changed", .count, 0...1_000_000_000)
    static let rejectedRows = Field.number("rows_rejected", .count, 0...1_000_000_000)
    static let isUndone = Field.flag("undone").otherwise(false)

    /// Reads the stored fields; `nil` when the kind is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// An import of a kind of file, such as `mfp`.
    public init(id: Identifier, of type: UTF8Text) {
        self.id = id
        fields = ValueMap()
        self.type = type
    }

    /// The kind of file: a word such as `mfp`.
    public var type: UTF8Text {
        get { fields[Self.type] }
        set { fields[Self.type] = newValue }
    }

    /// The SHA-256 of the file.
    public var fileHash: [UInt8]? {
        get { fields[Self.fileHash] }
        set { fields[Self.fileHash] = newValue }
    }

    /// Rows that became something.
    public var newRows: Int64? {
        get { fields[Self.newRows] }
        set { fields[Self.newRows] = newValue }
    }

    /// Rows that were there already.
    public var sameRows: Int64? {
        get { fields[Self.sameRows] }
        set { fields[Self.sameRows] = newValue }
    }

    /// Rows that changed something.
    public var changedRows: Int64? {
        get { fields[Self.changedRows] }
        set { fields[Self.changedRows] = newValue }
    }

    /// Rows that were refused.
    public var rejectedRows: Int64? {
        get { fields[Self.rejectedRows] }
        set { fields[Self.rejectedRows] = newValue }
    }

    /// Whether it was undone.
    public var isUndone: Bool {
        get { fields[Self.isUndone] }
        set { fields[Self.isUndone] = newValue }
    }
}
