public import MacrologEvents

/// A share of body fat on a day, measured without a weight.
public struct BodyFat: Entity {
    /// The kind.
    public static let kind = Kind.bodyFat
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the day or the share is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields["local_date"].flatMap({ LocalDate($0) }) != nil,
            fields.number("body_fat_bp") != nil
        else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A share, in basis points from 200 to 7,500.
    public init(id: Identifier, on localDate: LocalDate, basisPoints: Int64) {
        self.id = id
        fields = ["local_date": localDate.value, "body_fat_bp": .int(basisPoints)]
    }

    /// The day it counts for, with its instant and zone.
    public var localDate: LocalDate {
        get { fields["local_date"].flatMap { LocalDate($0) } ?? LocalDate(day: .earliest) }
        set { fields["local_date"] = newValue.value }
    }

    /// The share, in basis points from 200 to 7,500.
    public var basisPoints: Int64 {
        get { fields.number("body_fat_bp") ?? 0 }
        set { fields.put("body_fat_bp", newValue) }
    }

    /// A note, up to 4,000 bytes.
    public var note: String? {
        get { fields.string("note") }
        set { fields.put("note", newValue) }
    }

    /// How it was entered.
    public var source: WeighSource? {
        get { fields.choice("source") }
        set { fields.put("source", choice: newValue) }
    }

    /// Its names in other systems, up to 20 of 120 bytes.
    public var externalIDs: [String] {
        get { fields.strings("external_ids") }
        set { fields.put("external_ids", newValue) }
    }
}
