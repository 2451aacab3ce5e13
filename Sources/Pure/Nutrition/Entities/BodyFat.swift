public import MacrologEvents

extension Kind {
    /// A share of body fat.
    public static let bodyFat = Kind(
        "body_fat", added: "body_fat.logged", day: BodyFat.localDate.spec,
        sharedIDs: [BodyFat.sharedID]
    ) {
        BodyFat.localDate
        BodyFat.basisPoints
        BodyFat.note
        BodyFat.source
        BodyFat.externalIDs
    }
}

/// A share of body fat on a day, measured without a weight.
public struct BodyFat: Entity {
    /// `body_fat` in events: its fields with their units and bounds.
    public static let kind = Kind.bodyFat
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let localDate = SharedFields.localDate
    static let basisPoints = Field.number("body_fat_bp", .basisPoints, 200...7_500)
        .required(else: 0)
    static let note = SharedFields.note
    static let source = Field<WeighSource?>.choice("source")
    static let externalIDs = SharedFields.externalIDs

    static let sharedID = SharedID(
        "body_fat/{day}", for: "the only share of body fat of a day, where a rule allows one")

    /// Reads the stored fields; `nil` when the day or the share is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A share, in basis points from 200 to 7,500.
    public init(id: Identifier, on localDate: LocalDate, basisPoints: Int64) {
        self.id = id
        fields = ValueMap()
        self.localDate = localDate
        self.basisPoints = basisPoints
    }

    /// The day it counts for, with its instant and zone.
    public var localDate: LocalDate {
        get { fields[Self.localDate] }
        set { fields[Self.localDate] = newValue }
    }

    /// The share, in basis points from 200 to 7,500.
    public var basisPoints: Int64 {
        get { fields[Self.basisPoints] }
        set { fields[Self.basisPoints] = newValue }
    }

    /// A note, up to 4,000 bytes.
    public var note: String? {
        get { fields[Self.note] }
        set { fields[Self.note] = newValue }
    }

    /// How it was entered.
    public var source: WeighSource? {
        get { fields[Self.source] }
        set { fields[Self.source] = newValue }
    }

    /// Its names in other systems, up to 20 of 120 bytes.
    public var externalIDs: [String] {
        get { fields[Self.externalIDs] }
        set { fields[Self.externalIDs] = newValue }
    }
}
