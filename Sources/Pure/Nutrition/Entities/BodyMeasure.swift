public import MacrologEvents

extension Kind {
    /// A length of the body, such as the waist.
    package static let bodyMeasure = Kind(
        "body_measure", title: "measurement", added: "measure.logged",
        day: BodyMeasure.localDate.spec, sharedIDs: [BodyMeasure.sharedID]
    ) {
        BodyMeasure.localDate
        BodyMeasure.place
        BodyMeasure.millimeters
        BodyMeasure.note
    }
}

/// A length of the body on a day.
public struct BodyMeasure: Entity {
    /// `body_measure` in events: its fields with their units and bounds.
    public static let kind = Kind.bodyMeasure
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let localDate = SharedFields.localDate
    static let place = Field<MeasureKind?>.choice("kind").shown(key: "place").required()
    static let millimeters = Field.number("value_mm", .millimeters, 50...4_000)
        .shown(key: "length_cm").required(else: 0)
    static let note = SharedFields.note

    static let sharedID = SharedID(
        "body_measure/{kind}/{day}",
        for: "the only measure of a place and a day, where a rule allows one")

    /// Reads the stored fields; `nil` when the day, the place or the length is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A length, in millimetres from 50 to 4,000.
    public init(id: Identifier, on localDate: LocalDate, of place: MeasureKind, millimeters: Int64)
    {
        self.id = id
        fields = ValueMap()
        self.localDate = localDate
        self.place = place
        self.millimeters = millimeters
    }

    /// The day it counts for, with its instant and zone.
    public var localDate: LocalDate {
        get { fields[Self.localDate] }
        set { fields[Self.localDate] = newValue }
    }

    /// Where; `nil` for a word this version does not know.
    public var place: MeasureKind? {
        get { fields[Self.place] }
        set { fields[Self.place] = newValue }
    }

    /// The length, in millimetres from 50 to 4,000.
    public var millimeters: Int64 {
        get { fields[Self.millimeters] }
        set { fields[Self.millimeters] = newValue }
    }

    /// A note, up to 4,000 bytes.
    public var note: String? {
        get { fields[Self.note] }
        set { fields[Self.note] = newValue }
    }
}
