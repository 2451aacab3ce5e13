public import MacrologEvents

/// What a person says about a day's record as a whole. One per day, with the id
/// ``Identities/dayLog(on:)``.
public struct DayLog: Entity {
    /// The kind.
    public static let kind = Kind.dayLog
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the day is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields.day("date") != nil else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A day about which something is to be said.
    public init(on day: Day) {
        id = Identities.dayLog(on: day)
        fields = ["date": .int(day.number)]
    }

    /// The day.
    public var day: Day { fields.day("date") ?? .earliest }

    /// Whether the record is complete, or skipped on purpose; open when not set.
    public var status: DayStatus {
        get { fields.choice("status") ?? .open }
        set { fields.put("status", choice: newValue) }
    }

    /// A note, up to 4,000 bytes.
    public var note: String? {
        get { fields.string("note") }
        set { fields.put("note", newValue) }
    }

    /// The person's own verdict.
    public var goalOverride: GoalOverride? {
        get { fields.choice("goal_override") }
        set { fields.put("goal_override", choice: newValue) }
    }

    /// 1 to 5.
    public var mood: Int64? {
        get { fields.number("mood") }
        set { fields.put("mood", newValue) }
    }
}
