public import MacrologEvents

extension Kind {
    /// A level of ketones.
    package static let ketone = Kind(
        "ketone", added: "ketone.logged", day: Ketone.localDate.spec, sharedIDs: [Ketone.sharedID]
    ) {
        Ketone.localDate
        Ketone.micromoles
        Ketone.method
        Ketone.note
    }
}

/// A level of ketones at a time.
public struct Ketone: Entity {
    /// `ketone` in events: its fields with their units and bounds.
    public static let kind = Kind.ketone
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let localDate = SharedFields.localDate
    static let micromoles = Field.number("level_umol", .micromoles, 0...30_000, soft: 0...3_000)
        .required(else: 0)
    static let method = Field<KetoneMethod?>.choice("method").assuming(.blood)
    static let note = SharedFields.note

    static let sharedID = SharedID(
        "ketone/{day}", for: "the only level of ketones of a day, where a rule allows one")

    /// Reads the stored fields; `nil` when the day or the level is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A level, in micromoles per litre from 0 to 30,000.
    public init(
        id: Identifier, on localDate: LocalDate, micromoles: Int64, method: KetoneMethod = .blood
    ) {
        self.id = id
        fields = ValueMap()
        self.localDate = localDate
        self.micromoles = micromoles
        self.method = method
    }

    /// The day it counts for, with its instant and zone.
    public var localDate: LocalDate {
        get { fields[Self.localDate] }
        set { fields[Self.localDate] = newValue }
    }

    /// The level, in micromoles per litre from 0 to 30,000.
    public var micromoles: Int64 {
        get { fields[Self.micromoles] }
        set { fields[Self.micromoles] = newValue }
    }

    /// The method; blood when not set.
    public var method: KetoneMethod? {
        get { fields[Self.method] }
        set { fields[Self.method] = newValue }
    }

    /// A note, up to 4,000 bytes.
    public var note: String? {
        get { fields[Self.note] }
        set { fields[Self.note] = newValue }
    }
}
