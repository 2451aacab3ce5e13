public import MacrologEvents

/// A workout, or other movement, on a day.
public struct Activity: Entity {
    /// The kind.
    public static let kind = Kind.activity
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the day is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields["local_date"].flatMap({ LocalDate($0) }) != nil else { return nil }
        self.id = id
        self.fields = fields
    }

    /// Movement on a day; its name has 1 to 120 bytes.
    public init(id: Identifier, on localDate: LocalDate, name: String? = nil) {
        self.id = id
        fields = ["local_date": localDate.value]
        fields.put("name", name)
    }

    /// The day it counts for, with its instant and zone.
    public var localDate: LocalDate {
        get { fields["local_date"].flatMap { LocalDate($0) } ?? LocalDate(day: .earliest) }
        set { fields["local_date"] = newValue.value }
    }

    /// The name, 1 to 120 bytes.
    public var name: String? {
        get { fields.string("name") }
        set { fields.put("name", newValue) }
    }

    /// A word such as `running`.
    public var type: Text? {
        get { fields["kind"]?.text }
        set { fields["kind"] = newValue.map { .text($0) } }
    }

    /// How long, in seconds from 0 to 172,800.
    public var durationSeconds: Int64? {
        get { fields.number("duration_s") }
        set { fields.put("duration_s", newValue) }
    }

    /// Energy, in thousandths of a kilocalorie from 0 to 20,000,000.
    public var energyMillikilocalories: Int64? {
        get { fields.number("energy_mkcal") }
        set { fields.put("energy_mkcal", newValue) }
    }

    /// What the energy includes; active when not set.
    public var energyKind: EnergyKind? {
        get { fields.choice("energy_kind") }
        set { fields.put("energy_kind", choice: newValue) }
    }

    /// Steps, 0 to 300,000.
    public var steps: Int64? {
        get { fields.number("steps") }
        set { fields.put("steps", newValue) }
    }

    /// The metabolic equivalent, in thousandths from 0 to 30,000.
    public var metThousandths: Int64? {
        get { fields.number("met_milli") }
        set { fields.put("met_milli", newValue) }
    }

    /// Who counted: `manual`, or a tracker's word.
    public var source: Text? {
        get { fields["source"]?.text }
        set { fields["source"] = newValue.map { .text($0) } }
    }

    /// Its names in other systems, up to 20 of 120 bytes.
    public var externalIDs: [String] {
        get { fields.strings("external_ids") }
        set { fields.put("external_ids", newValue) }
    }
}
