public import MacrologEvents

/// A day's energy and steps as one source counts them. Of several sources one is shown; they are never
/// summed, see ``DayEnergy``.
public struct EnergyDay: Entity {
    /// The kind.
    public static let kind = Kind.energyDay
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the day or the source is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields.day("date") != nil, fields["source"]?.text != nil else { return nil }
        self.id = id
        self.fields = fields
    }

    /// The total of a source for a day, with the id ``Identities/energyDay(on:source:)``.
    ///
    /// - Parameter source: A word of 1 to 24 of `a`–`z`, `0`–`9`, `_` and `-`.
    public init(on day: Day, source: Text) {
        id = Identities.energyDay(on: day, source: source)
        fields = ["date": .int(day.number), "source": .text(source)]
    }

    /// The day.
    public var day: Day { fields.day("date") ?? .earliest }

    /// Who counted.
    public var source: Text {
        get { fields["source"]?.text ?? "" }
        set { fields["source"] = .text(newValue) }
    }

    /// Active energy, in thousandths of a kilocalorie from 0 to 15,000,000.
    public var activeMillikilocalories: Int64? {
        get { fields.number("active_mkcal") }
        set { fields.put("active_mkcal", newValue) }
    }

    /// Energy at rest, in thousandths of a kilocalorie from 0 to 15,000,000.
    public var basalMillikilocalories: Int64? {
        get { fields.number("basal_mkcal") }
        set { fields.put("basal_mkcal", newValue) }
    }

    /// Both together, in thousandths of a kilocalorie from 0 to 30,000,000, where a source counts
    /// no more than that.
    public var totalMillikilocalories: Int64? {
        get { fields.number("total_mkcal") }
        set { fields.put("total_mkcal", newValue) }
    }

    /// Steps, 0 to 300,000.
    public var steps: Int64? {
        get { fields.number("steps") }
        set { fields.put("steps", newValue) }
    }

    /// The distance walked, in metres from 0 to 1,000,000.
    public var distanceMeters: Int64? {
        get { fields.number("distance_m") }
        set { fields.put("distance_m", newValue) }
    }
}
