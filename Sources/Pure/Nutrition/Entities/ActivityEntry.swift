public import MacrologEvents

extension Kind {
    /// A workout, or other movement.
    package static let activity = Kind(
        "activity", added: "activity.logged", day: ActivityEntry.localDate.spec
    ) {
        ActivityEntry.localDate
        ActivityEntry.name
        ActivityEntry.type
        ActivityEntry.durationSeconds
        ActivityEntry.energyMillikilocalories
        ActivityEntry.energyKind
        ActivityEntry.steps
        ActivityEntry.metThousandths
        ActivityEntry.source
        ActivityEntry.externalIDs
    }
}

/// A workout, or other movement, on a day.
public struct ActivityEntry: Entity {
    /// `activity` in events: its fields with their units and bounds.
    public static let kind = Kind.activity
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let localDate = SharedFields.localDate
    static let name = Field.text("name", 1...120)
    static let type = Field.word("kind")
    static let durationSeconds = Field.number("duration_s", .seconds, 0...172_800)
    static let energyMillikilocalories = Field.number(
        "energy_mkcal", .millikilocalories, 0...20_000_000, soft: 0...5_000_000)
    static let energyKind = Field<EnergyKind?>.choice("energy_kind").assuming(.active)
        .shown(key: "energy_counts")
    static let steps = Field.number("steps", .count, 0...300_000)
    static let metThousandths = Field.number("met_milli", .thousandths, 0...30_000)
        .shown(key: "intensity_met")
    static let source = Field.word("source")
    static let externalIDs = SharedFields.externalIDs

    /// Reads the stored fields; `nil` when the day is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// Movement on a day; its name has 1 to 120 bytes.
    public init(id: Identifier, on localDate: LocalDate, name: String? = nil) {
        self.id = id
        fields = ValueMap()
        self.localDate = localDate
        self.name = name
    }

    /// The day it counts for, with its instant and zone.
    public var localDate: LocalDate {
        get { fields[Self.localDate] }
        set { fields[Self.localDate] = newValue }
    }

    /// The name, 1 to 120 bytes.
    public var name: String? {
        get { fields[Self.name] }
        set { fields[Self.name] = newValue }
    }

    /// A word such as `running`.
    public var type: UTF8Text? {
        get { fields[Self.type] }
        set { fields[Self.type] = newValue }
    }

    /// How long, in seconds from 0 to 172,800.
    public var durationSeconds: Int64? {
        get { fields[Self.durationSeconds] }
        set { fields[Self.durationSeconds] = newValue }
    }

    /// Energy, in thousandths of a kilocalorie from 0 to 20,000,000.
    public var energyMillikilocalories: Int64? {
        get { fields[Self.energyMillikilocalories] }
        set { fields[Self.energyMillikilocalories] = newValue }
    }

    /// What the energy includes; active when not set.
    public var energyKind: EnergyKind? {
        get { fields[Self.energyKind] }
        set { fields[Self.energyKind] = newValue }
    }

    /// Steps, 0 to 300,000.
    public var steps: Int64? {
        get { fields[Self.steps] }
        set { fields[Self.steps] = newValue }
    }

    /// The metabolic equivalent, in thousandths from 0 to 30,000.
    public var metThousandths: Int64? {
        get { fields[Self.metThousandths] }
        set { fields[Self.metThousandths] = newValue }
    }

    /// Who counted: `manual`, or a tracker's word.
    public var source: UTF8Text? {
        get { fields[Self.source] }
        set { fields[Self.source] = newValue }
    }

    /// Its names in other systems, up to 20 of 120 bytes.
    public var externalIDs: [String] {
        get { fields[Self.externalIDs] }
        set { fields[Self.externalIDs] = newValue }
    }
}
