public import MacrologEvents

/// A level of ketones at a time.
public struct Ketone: Entity {
    /// The kind.
    public static let kind = Kind.ketone
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the day or the level is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields["local_date"].flatMap({ LocalDate($0) }) != nil,
            fields.number("level_umol") != nil
        else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A level, in micromoles per litre from 0 to 30,000.
    public init(
        id: Identifier, on localDate: LocalDate, micromoles: Int64, method: KetoneMethod = .blood
    ) {
        self.id = id
        fields = [
            "local_date": localDate.value, "level_umol": .int(micromoles),
            "method": .text(method.name),
        ]
    }

    /// The day it counts for, with its instant and zone.
    public var localDate: LocalDate {
        get { fields["local_date"].flatMap { LocalDate($0) } ?? LocalDate(day: .earliest) }
        set { fields["local_date"] = newValue.value }
    }

    /// The level, in micromoles per litre from 0 to 30,000.
    public var micromoles: Int64 {
        get { fields.number("level_umol") ?? 0 }
        set { fields.put("level_umol", newValue) }
    }

    /// The method; blood when not set.
    public var method: KetoneMethod? {
        get { fields.choice("method") }
        set { fields.put("method", choice: newValue) }
    }

    /// A note, up to 4,000 bytes.
    public var note: String? {
        get { fields.string("note") }
        set { fields.put("note", newValue) }
    }
}
