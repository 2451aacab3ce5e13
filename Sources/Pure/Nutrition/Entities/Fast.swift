public import MacrologEvents

extension Kind {
    /// A time without food.
    public static let fast = Kind(
        "fast", added: "fast.started", otherTypes: Fast.eventRules, day: Fast.startedAt.spec,
        check: Fast.check
    ) {
        Fast.startedAt
        Fast.endedAt
        Fast.offsetMinutes
        Fast.targetMinutes
        Fast.preset
        Fast.note
        Fast.isCancelled
    }
}

/// A time without food. It is in progress until it ends or is cancelled.
public struct Fast: Entity {
    /// `fast` in events: its fields with their units and bounds.
    public static let kind = Kind.fast
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let startedAt = Field.instant("started_at").shown(as: "start").required(else: 0)
    static let endedAt = Field.instant("ended_at").shown(as: "end")
    static let offsetMinutes = Field.number("offset_min", .minutes, -840...840)
        .shown(key: "utc_offset_min", .stored)
    static let targetMinutes = Field.number("target_min", .minutes, 60...10_080)
    static let preset = Field.text("preset", 0...20)
    static let note = SharedFields.note
    static let isCancelled = Field.flag("cancelled").shown(key: "canceled").otherwise(false)

    static let eventRules = [
        EventRule("fast.ended") {
            $0.old != nil && $0.changed.contains("ended_at") && $0.new[endedAt] != nil
        },
        EventRule("fast.cancelled") {
            $0.old != nil && $0.changed.contains("cancelled") && $0.new[isCancelled]
        },
    ]

    /// An end cannot come before the start; and either may lie more than a year ahead, which is unusual.
    static func check(_ fields: ValueMap, _ today: Day) -> [Finding] {
        let (start, end) = (fields["started_at"]?.int, fields[endedAt])
        var findings: [Finding] = []
        if let start, let end, end < start {
            findings.append(
                Finding(
                    .hard, kind: "fast", field: "ended_at", problem: "is before the start",
                    hint: "type a time after the fast began"))
        }
        for (field, instant) in [("started_at", start), ("ended_at", end)] as [(UTF8Text, Int64?)] {
            guard let instant, instant / 86_400_000 > today.number + 366 else { continue }
            findings.append(
                Finding(
                    .soft, kind: "fast", field: field, problem: "lies more than a year ahead",
                    hint: "check the year; it is kept as it is"))
        }
        return findings
    }

    /// Reads the stored fields; `nil` when the start is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
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
        fields = ValueMap()
        self.startedAt = startedAt
        self.offsetMinutes = offsetMinutes
        self.targetMinutes = targetMinutes
        self.preset = preset
    }

    /// When it began, in milliseconds since 1970-01-01 UTC.
    public var startedAt: Int64 {
        get { fields[Self.startedAt] }
        set { fields[Self.startedAt] = newValue }
    }

    /// What the local clock was ahead of UTC when it began, in minutes from -840 to 840: it decides on
    /// which day it is listed. `nil` when unknown.
    public var offsetMinutes: Int64? {
        get { fields[Self.offsetMinutes] }
        set { fields[Self.offsetMinutes] = newValue }
    }

    /// When it ended, in milliseconds since 1970-01-01 UTC; `nil` while it is in progress.
    public var endedAt: Int64? {
        get { fields[Self.endedAt] }
        set { fields[Self.endedAt] = newValue }
    }

    /// How long it is meant to be, in minutes from 60 to 10,080.
    public var targetMinutes: Int64? {
        get { fields[Self.targetMinutes] }
        set { fields[Self.targetMinutes] = newValue }
    }

    /// The name of the plan, up to 20 bytes: `16:8`.
    public var preset: String? {
        get { fields[Self.preset] }
        set { fields[Self.preset] = newValue }
    }

    /// A note, up to 4,000 bytes.
    public var note: String? {
        get { fields[Self.note] }
        set { fields[Self.note] = newValue }
    }

    /// Whether it does not count.
    public var isCancelled: Bool {
        get { fields[Self.isCancelled] }
        set { fields[Self.isCancelled] = newValue }
    }
}
