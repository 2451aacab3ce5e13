public import MacrologEvents

/// A time without food. It is on until it ends or is cancelled.
public struct Fast: Entity {
    /// The kind.
    public static let kind = Kind.fast
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the start is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields.number("started_at") != nil else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A fast from an instant on.
    ///
    /// - Parameters:
    ///   - startedAt: Milliseconds since 1970-01-01 UTC.
    ///   - offsetMinutes: The UTC offset of local time, -840 to 840.
    ///   - targetMinutes: 60 to 10,080.
    public init(
        id: Identifier, startedAt: Int64, offsetMinutes: Int64? = nil,
        targetMinutes: Int64? = nil, preset: String? = nil
    ) {
        self.id = id
        fields = ["started_at": .int(startedAt)]
        fields.put("offset_min", offsetMinutes)
        fields.put("target_min", targetMinutes)
        fields.put("preset", preset)
    }

    /// When it began, in milliseconds since 1970-01-01 UTC.
    public var startedAt: Int64 {
        get { fields.number("started_at") ?? 0 }
        set { fields.put("started_at", newValue) }
    }

    /// What the local clock was ahead of UTC when it began, in minutes from -840 to 840: it decides on
    /// which day it is listed. `nil` when unknown.
    public var offsetMinutes: Int64? {
        get { fields.number("offset_min") }
        set { fields.put("offset_min", newValue) }
    }

    /// When it ended, in milliseconds since 1970-01-01 UTC; `nil` while it is on.
    public var endedAt: Int64? {
        get { fields.number("ended_at") }
        set { fields.put("ended_at", newValue) }
    }

    /// How long it is meant to be, in minutes from 60 to 10,080.
    public var targetMinutes: Int64? {
        get { fields.number("target_min") }
        set { fields.put("target_min", newValue) }
    }

    /// The name of the plan, up to 20 bytes: `16:8`.
    public var preset: String? {
        get { fields.string("preset") }
        set { fields.put("preset", newValue) }
    }

    /// A note, up to 4,000 bytes.
    public var note: String? {
        get { fields.string("note") }
        set { fields.put("note", newValue) }
    }

    /// Whether it does not count.
    public var isCancelled: Bool {
        get { fields.flag("cancelled") ?? false }
        set { fields.put("cancelled", newValue) }
    }
}
