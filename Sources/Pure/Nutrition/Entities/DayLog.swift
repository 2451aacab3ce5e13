public import MacrologEvents

extension Kind {
    /// A person's statement about a day.
    public static let dayLog = Kind(
        "day_log", title: "day", added: "day.noted", otherTypes: DayLog.eventRules,
        day: DayLog.day.spec, sharedIDs: [DayLog.sharedID], hasDefaults: true
    ) {
        DayLog.day
        DayLog.status
        DayLog.note
        DayLog.goalOverride
        DayLog.mood
    }
}

/// What a person says about a day's record as a whole. One per day, with the id
/// `Identities.dayLog(on:)`.
public struct DayLog: Entity {
    /// `day_log` in events: its fields with their units and bounds.
    public static let kind = Kind.dayLog
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let day = Field.day("date").shown(key: "day").required(else: .earliest)
    static let status = Field<DayStatus?>.choice("status").otherwise(.open)
    static let note = SharedFields.note
    static let goalOverride = Field<GoalOverride?>.choice("goal_override")
    static let mood = Field.number("mood", .count, 1...5)

    static let sharedID = SharedID("day_log/{day}", for: "what is said about a day")

    static let eventRules = [
        EventRule("day.completed") { says(.complete, $0) },
        EventRule("day.skipped") { says(.skipped, $0) },
        EventRule("day.reopened") { says(.open, $0) },
        EventRule("day.noted") { _ in true },
    ]

    private static func says(_ status: DayStatus, _ edit: Edit) -> Bool {
        edit.changed.contains("status") && edit.new["status"] != nil
            && edit.new[Self.status] == status
    }

    /// Reads the stored fields; `nil` when the day is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A day about which something is to be said.
    public init(on day: Day) {
        id = Identities.dayLog(on: day)
        fields = ValueMap()
        fields[Self.day] = day
    }

    /// The day that it is about.
    public var day: Day { fields[Self.day] }

    /// Whether the record is complete, or skipped on purpose; open when not set.
    public var status: DayStatus {
        get { fields[Self.status] }
        set { fields[Self.status] = newValue }
    }

    /// A note, up to 4,000 bytes.
    public var note: String? {
        get { fields[Self.note] }
        set { fields[Self.note] = newValue }
    }

    /// The person's own verdict.
    public var goalOverride: GoalOverride? {
        get { fields[Self.goalOverride] }
        set { fields[Self.goalOverride] = newValue }
    }

    /// 1 to 5.
    public var mood: Int64? {
        get { fields[Self.mood] }
        set { fields[Self.mood] = newValue }
    }
}
