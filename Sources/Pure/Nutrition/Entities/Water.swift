public import MacrologEvents

/// Something drunk, as water.
public struct Water: Entity {
    /// The kind.
    public static let kind = Kind.water
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the day or the volume is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields["local_date"].flatMap({ LocalDate($0) }) != nil,
            fields.number("volume_ul") != nil
        else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A volume, in microlitres from 1,000 to 10,000,000.
    public init(id: Identifier, on localDate: LocalDate, microliters: Int64) {
        self.id = id
        fields = ["local_date": localDate.value, "volume_ul": .int(microliters)]
    }

    /// The day it counts for, with its instant and zone.
    public var localDate: LocalDate {
        get { fields["local_date"].flatMap { LocalDate($0) } ?? LocalDate(day: .earliest) }
        set { fields["local_date"] = newValue.value }
    }

    /// The volume, in microlitres from 1,000 to 10,000,000.
    public var microliters: Int64 {
        get { fields.number("volume_ul") ?? 0 }
        set { fields.put("volume_ul", newValue) }
    }

    /// What it was drunk from, up to 40 bytes.
    public var container: String? {
        get { fields.string("container") }
        set { fields.put("container", newValue) }
    }
}
