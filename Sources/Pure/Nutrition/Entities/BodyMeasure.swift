public import MacrologEvents

/// A length of the body on a day.
public struct BodyMeasure: Entity {
    /// The kind.
    public static let kind = Kind.bodyMeasure
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the day, the place or the length is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields["local_date"].flatMap({ LocalDate($0) }) != nil, fields["kind"]?.text != nil,
            fields.number("value_mm") != nil
        else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A length, in millimetres from 50 to 4,000.
    public init(id: Identifier, on localDate: LocalDate, of place: MeasureKind, millimeters: Int64)
    {
        self.id = id
        fields = [
            "local_date": localDate.value, "kind": .text(place.name), "value_mm": .int(millimeters),
        ]
    }

    /// The day it counts for, with its instant and zone.
    public var localDate: LocalDate {
        get { fields["local_date"].flatMap { LocalDate($0) } ?? LocalDate(day: .earliest) }
        set { fields["local_date"] = newValue.value }
    }

    /// Where; `nil` for a word this version does not know.
    public var place: MeasureKind? {
        get { fields.choice("kind") }
        set { fields.put("kind", choice: newValue) }
    }

    /// The length, in millimetres from 50 to 4,000.
    public var millimeters: Int64 {
        get { fields.number("value_mm") ?? 0 }
        set { fields.put("value_mm", newValue) }
    }

    /// A note, up to 4,000 bytes.
    public var note: String? {
        get { fields.string("note") }
        set { fields.put("note", newValue) }
    }
}
