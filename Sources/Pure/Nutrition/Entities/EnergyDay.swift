public import MacrologEvents

extension Kind {
    /// A day's energy and steps, as a tracker counts them.
    package static let energyDay = Kind(
        "energy_day", added: "energy_day.imported", day: EnergyDay.day.spec,
        sharedIDs: [EnergyDay.sharedID]
    ) {
        EnergyDay.day
        EnergyDay.source
        EnergyDay.activeMillikilocalories
        EnergyDay.basalMillikilocalories
        EnergyDay.totalMillikilocalories
        EnergyDay.steps
        EnergyDay.distanceMeters
    }
}

/// A day's energy and steps as one source counts them. Of several sources one is shown; they are never
/// summed, see ``DayEnergy``.
public struct EnergyDay: Entity {
    /// `energy_day` in events: its fields with their units and bounds.
    public static let kind = Kind.energyDay
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let day = Field.day("date").shown(key: "day").required(else: .earliest)
    static let source = Field.word("source").required(else: "")
    static let activeMillikilocalories = Field.number(
        "active_mkcal", .millikilocalories, 0...15_000_000)
    static let basalMillikilocalories = Field.number(
        "basal_mkcal", .millikilocalories, 0...15_000_000)
    static let totalMillikilocalories = Field.number(
        "total_mkcal", .millikilocalories, 0...30_000_000)
    static let steps = Field.number("steps", .count, 0...300_000)
    static let distanceMeters = Field.number("distance_m", .meters, 0...1_000_000)

    static let sharedID = SharedID(
        "energy_day/{day}/{source}", for: "what a source counts for a day")

    /// Reads the stored fields; `nil` when the day or the source is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// The total of a source for a day, with the id `Identities.energyDay(on:source:)`.
    ///
    /// - Parameter source: A word of 1 to 24 of `a`–`z`, `0`–`9`, `_` and `-`.
    public init(on day: Day, source: UTF8Text) {
        id = Identities.energyDay(on: day, source: source)
        fields = ValueMap()
        fields[Self.day] = day
        self.source = source
    }

    /// The day that was counted.
    public var day: Day { fields[Self.day] }

    /// Who counted: a watch, a phone, another app.
    public var source: UTF8Text {
        get { fields[Self.source] }
        set { fields[Self.source] = newValue }
    }

    /// Active energy, in thousandths of a kilocalorie from 0 to 15,000,000.
    public var activeMillikilocalories: Int64? {
        get { fields[Self.activeMillikilocalories] }
        set { fields[Self.activeMillikilocalories] = newValue }
    }

    /// Energy at rest, in thousandths of a kilocalorie from 0 to 15,000,000.
    public var basalMillikilocalories: Int64? {
        get { fields[Self.basalMillikilocalories] }
        set { fields[Self.basalMillikilocalories] = newValue }
    }

    /// Both together, in thousandths of a kilocalorie from 0 to 30,000,000, where a source counts
    /// no more than that.
    public var totalMillikilocalories: Int64? {
        get { fields[Self.totalMillikilocalories] }
        set { fields[Self.totalMillikilocalories] = newValue }
    }

    /// Steps, 0 to 300,000.
    public var steps: Int64? {
        get { fields[Self.steps] }
        set { fields[Self.steps] = newValue }
    }

    /// The distance walked, in metres from 0 to 1,000,000.
    public var distanceMeters: Int64? {
        get { fields[Self.distanceMeters] }
        set { fields[Self.distanceMeters] = newValue }
    }
}
