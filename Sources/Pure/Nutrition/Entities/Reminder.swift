public import MacrologEvents

extension Kind {
    /// Something to be reminded of.
    public static let reminder = Kind("reminder", added: "reminder.added") {
        Reminder.subject
        Reminder.minute
        Reminder.weekdays
        Reminder.slot
        Reminder.onlyIfMissing
        Reminder.isEnabled
    }
}

/// Something to be reminded of at a time of day; see ``DueReminders``.
public struct Reminder: Entity {
    /// `reminder` in events: its fields with their units and bounds.
    public static let kind = Kind.reminder
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let subject = Field<ReminderKind?>.choice("kind").required()
    static let minute = Field.number("time_min", .minutes, 0...1_439).shown(key: "time", .clock)
        .required(else: 0)
    static let weekdays = Field.number("weekdays", .count, 1...127).shown(.weekdays).otherwise(127)
    static let slot = Field.word("slot", .slot)
    static let onlyIfMissing = Field.flag("only_if_missing").otherwise(true)
    static let isEnabled = Field.flag("enabled").otherwise(true)

    /// Reads the stored fields; `nil` when the kind or the time is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A reminder of something at a minute of the day, 0 to 1,439.
    public init(id: Identifier, of subject: ReminderKind, atMinute minute: Int64) {
        self.id = id
        fields = ValueMap()
        self.subject = subject
        self.minute = minute
    }

    /// Its kind; `nil` for a word this version does not know.
    public var subject: ReminderKind? {
        get { fields[Self.subject] }
        set { fields[Self.subject] = newValue }
    }

    /// When, in minutes after local midnight from 0 to 1,439.
    public var minute: Int64 {
        get { fields[Self.minute] }
        set { fields[Self.minute] = newValue }
    }

    /// On which weekdays: 1 for Monday, 2 for Tuesday, 4 … 64 for Sunday, added up; 127, every
    /// day, when not set.
    public var weekdays: Int64 {
        get { fields[Self.weekdays] }
        set { fields[Self.weekdays] = newValue }
    }

    /// Which meal slot; any, when not set.
    public var slot: UTF8Text? {
        get { fields[Self.slot] }
        set { fields[Self.slot] = newValue }
    }

    /// Whether it keeps quiet once the thing is logged; true when not set.
    public var onlyIfMissing: Bool {
        get { fields[Self.onlyIfMissing] }
        set { fields[Self.onlyIfMissing] = newValue }
    }

    /// Whether it is on; true when not set.
    public var isEnabled: Bool {
        get { fields[Self.isEnabled] }
        set { fields[Self.isEnabled] = newValue }
    }
}
