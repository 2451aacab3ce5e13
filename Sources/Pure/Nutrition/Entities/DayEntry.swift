/// An entity that belongs to one day, by what it says itself: neither a wish of the person nor
/// another entity can move it.
public protocol DayEntry: Entity {
    /// The day it counts for.
    var day: Day { get }
    /// When it happened, in milliseconds since 1970-01-01 UTC; `nil` when only the day is known.
    var occurredAt: Int64? { get }
}

extension DayEntry {
    /// Whether it comes before another: by day, by time, those without a time first, by id.
    package func precedes(_ other: Self) -> Bool {
        if day != other.day { return day < other.day }
        let (time, otherTime) = (occurredAt ?? .min, other.occurredAt ?? .min)
        return time == otherTime ? id < other.id : time < otherTime
    }
}

/// An entry whose day was decided and written down when it was made.
public protocol DatedEntry: DayEntry {
    /// The day it counts for, with its instant and zone.
    var localDate: LocalDate { get set }
}

extension DatedEntry {
    /// The day it counts for.
    public var day: Day { localDate.day }
    /// When it happened, in milliseconds since 1970-01-01 UTC; `nil` when only the day is known.
    public var occurredAt: Int64? { localDate.occurredAt }
}

extension Water: DatedEntry {}
extension Ketone: DatedEntry {}
extension BodyFat: DatedEntry {}
extension BodyMeasure: DatedEntry {}
extension ActivityEntry: DatedEntry {}
extension PlanEntry: DatedEntry {}

extension EnergyDay: DayEntry {
    /// Nothing: it is a whole day's.
    public var occurredAt: Int64? { nil }
}

extension CheckIn: DayEntry {
    /// Nothing: it is a whole day's.
    public var occurredAt: Int64? { nil }
}

extension Fast: DayEntry {
    /// The local day on which it began; the UTC day when no local day was recorded.
    public var day: Day {
        Day(instant: startedAt, offsetMinutes: offsetMinutes ?? 0) ?? .earliest
    }

    /// When it began, in milliseconds since 1970-01-01 UTC.
    public var occurredAt: Int64? { startedAt }

    /// The person's day on which it began, which a time of the night before the start of the day belongs to.
    package func day(from dayStart: Int64) -> Day {
        Day(
            instant: startedAt, offsetMinutes: offsetMinutes ?? 0, dayStartMinutes: dayStart)
            ?? day
    }
}

/// An entity that belongs to no day and no other entity: there are few, and all are read together.
public protocol ListedEntity: Entity {}

extension Reminder: ListedEntity {}
extension CustomNutrient: ListedEntity {}
extension Recommendation: ListedEntity {}
extension ImportBatch: ListedEntity {}
extension Photo: ListedEntity {}
