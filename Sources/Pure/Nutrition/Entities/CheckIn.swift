public import MacrologEvents

extension Kind {
    /// How a person slept and feels on a day.
    package static let checkIn = Kind(
        "check_in", title: "check-in", added: "check_in.logged", day: CheckIn.day.spec,
        sharedIDs: [CheckIn.sharedID]
    ) {
        CheckIn.day
        CheckIn.sleepMinutes
        CheckIn.variabilityMicroseconds
        CheckIn.restingBeats
        CheckIn.soreness
        CheckIn.energyLevel
        CheckIn.stress
        CheckIn.note
    }
}

/// How a person slept and feels on a day. One per day, with the id `Identities.checkIn(on:)`.
public struct CheckIn: Entity {
    /// `check_in` in events: its fields with their units and bounds.
    public static let kind = Kind.checkIn
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let day = Field.day("date").shown(key: "day").required(else: .earliest)
    static let sleepMinutes = Field.number("sleep_min", .minutes, 0...1_440)
    static let variabilityMicroseconds = Field.number(
        "hrv_us", .microseconds, 1_000...400_000
    ).shown(as: "heart rate variability")
    static let restingBeats = Field.number("resting_bpm", .count, 20...250)
        .shown(as: "resting heart rate")
    static let soreness = Field.number("soreness", .count, 1...5)
    static let energyLevel = Field.number("energy_level", .count, 1...5)
    static let stress = Field.number("stress", .count, 1...5)
    static let note = SharedFields.note

    static let sharedID = SharedID("check_in/{day}", for: "the check-in of a day")

    /// Reads the stored fields; `nil` when the day is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A day of which something is to be said.
    public init(on day: Day) {
        id = Identities.checkIn(on: day)
        fields = ValueMap()
        fields[Self.day] = day
    }

    /// The day that it is about.
    public var day: Day { fields[Self.day] }

    /// How long the person slept before the day, in minutes from 0 to 1,440.
    public var sleepMinutes: Int64? {
        get { fields[Self.sleepMinutes] }
        set { fields[Self.sleepMinutes] = newValue }
    }

    /// The variability of the heart rate, in microseconds from 1,000 to 400,000; devices show milliseconds.
    public var variabilityMicroseconds: Int64? {
        get { fields[Self.variabilityMicroseconds] }
        set { fields[Self.variabilityMicroseconds] = newValue }
    }

    /// The heart rate at rest, in beats a minute from 20 to 250.
    public var restingBeats: Int64? {
        get { fields[Self.restingBeats] }
        set { fields[Self.restingBeats] = newValue }
    }

    /// How sore the muscles are, from 1 for not at all to 5.
    public var soreness: Int64? {
        get { fields[Self.soreness] }
        set { fields[Self.soreness] = newValue }
    }

    /// How energetic the person feels, from 1 for exhausted to 5.
    public var energyLevel: Int64? {
        get { fields[Self.energyLevel] }
        set { fields[Self.energyLevel] = newValue }
    }

    /// How stressed the person feels, from 1 for not at all to 5.
    public var stress: Int64? {
        get { fields[Self.stress] }
        set { fields[Self.stress] = newValue }
    }

    /// A note, up to 4,000 bytes.
    public var note: String? {
        get { fields[Self.note] }
        set { fields[Self.note] = newValue }
    }
}
