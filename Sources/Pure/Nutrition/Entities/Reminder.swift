public import MacrologEvents

/// Something to be reminded of at a time of day; see ``DueReminders``.
public struct Reminder: Entity {
    /// The kind.
    public static let kind = Kind.reminder
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the kind or the time is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields["kind"]?.text != nil, fields.number("time_min") != nil else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A reminder of something at a minute of the day, 0 to 1,439.
    public init(id: Identifier, of subject: ReminderKind, atMinute minute: Int64) {
        self.id = id
        fields = ["kind": .text(subject.name), "time_min": .int(minute)]
    }

    /// Its kind; `nil` for a word this version does not know.
    public var subject: ReminderKind? {
        get { fields.choice("kind") }
        set { fields.put("kind", choice: newValue) }
    }

    /// When, in minutes after local midnight from 0 to 1,439.
    public var minute: Int64 {
        get { fields.number("time_min") ?? 0 }
        set { fields.put("time_min", newValue) }
    }

    /// On which weekdays: 1 for Monday, 2 for Tuesday, 4 … 64 for Sunday, added up; 127, every
    /// day, when not set.
    public var weekdays: Int64 {
        get { fields.number("weekdays") ?? 127 }
        set { fields.put("weekdays", newValue) }
    }

    /// Which meal of the day; any, when not set.
    public var slot: Text? {
        get { fields["slot"]?.text }
        set { fields["slot"] = newValue.map { .text($0) } }
    }

    /// Whether it keeps quiet once the thing is logged; true when not set.
    public var onlyIfMissing: Bool {
        get { fields.flag("only_if_missing") ?? true }
        set { fields.put("only_if_missing", newValue) }
    }

    /// Whether it is on; true when not set.
    public var isEnabled: Bool {
        get { fields.flag("enabled") ?? true }
        set { fields.put("enabled", newValue) }
    }
}
