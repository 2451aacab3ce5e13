public import MacrologEvents

extension Kind {
    /// Something drunk.
    package static let water = Kind("water", added: "water.logged", day: Water.localDate.spec) {
        Water.localDate
        Water.microliters
        Water.container
    }
}

/// Something drunk, as water.
public struct Water: Entity {
    /// `water` in events: its fields with their units and bounds.
    public static let kind = Kind.water
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let localDate = SharedFields.localDate
    static let microliters = Field.number("volume_ul", .microliters, 1_000...10_000_000)
        .required(else: 0)
    static let container = Field.text("container", 0...40)

    /// Reads the stored fields; `nil` when the day or the volume is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A volume, in microlitres from 1,000 to 10,000,000.
    public init(id: Identifier, on localDate: LocalDate, microliters: Int64) {
        self.id = id
        fields = ValueMap()
        self.localDate = localDate
        self.microliters = microliters
    }

    /// The day it counts for, with its instant and zone.
    public var localDate: LocalDate {
        get { fields[Self.localDate] }
        set { fields[Self.localDate] = newValue }
    }

    /// The volume, in microlitres from 1,000 to 10,000,000.
    public var microliters: Int64 {
        get { fields[Self.microliters] }
        set { fields[Self.microliters] = newValue }
    }

    /// What it was drunk from, up to 40 bytes.
    public var container: String? {
        get { fields[Self.container] }
        set { fields[Self.container] = newValue }
    }
}
