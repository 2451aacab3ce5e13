public import MacrologEvents

/// Fasts as they stand at a moment. Durations are those of instants, so a change of clocks or a flight
/// makes no hour.
public struct Fasting: Hashable, Sendable {
    /// One fast at a moment.
    public struct Span: Hashable, Sendable {
        /// The id of the fast that was logged.
        public let id: Identifier
        /// When it began, in milliseconds since 1970-01-01 UTC.
        public let startedAt: Int64
        /// When it ended, in milliseconds since 1970-01-01 UTC; `nil` while it is in progress.
        public let endedAt: Int64?
        /// The planned length in minutes; `nil` if there is none.
        public let targetMinutes: Int64?

        /// One fast, alone.
        public init(of fast: Fast) {
            id = fast.id
            startedAt = fast.startedAt
            endedAt = fast.endedAt
            targetMinutes = fast.targetMinutes
        }

        /// How long it has lasted at a moment, or did last, in whole minutes; never negative.
        public func minutes(at now: Int64) -> Int64 {
            let (length, overflow) = (endedAt ?? now).subtractingReportingOverflow(startedAt)
            return overflow ? 0 : max(length / 60_000, 0)
        }

        /// The remaining minutes of the target; zero once it is reached, `nil` without one.
        public func remainingMinutes(at now: Int64) -> Int64? {
            targetMinutes.map { max($0 - minutes(at: now), 0) }
        }

        /// Whether the target is reached; `nil` without one.
        public func hasReachedTarget(at now: Int64) -> Bool? {
            targetMinutes.map { minutes(at: now) >= $0 }
        }

        /// When the target is reached, in milliseconds since 1970-01-01 UTC; `nil` without one.
        public var dueAt: Int64? {
            targetMinutes.map { Rounding.sum(startedAt, Rounding.scaled($0, by: 60_000, over: 1)) }
        }
    }

    /// A length that people choose by name.
    public struct Preset: Hashable, Sendable {
        /// The name by which people know it: `16:8`.
        public let name: String
        /// How long it is, in minutes.
        public let minutes: Int64
    }

    /// The lengths that fasting timers offer: hours without food and hours with food, or only the
    /// hours of the fast.
    public static let presets: [Preset] = [
        Preset(name: "13", minutes: 780), Preset(name: "16:8", minutes: 960),
        Preset(name: "18:6", minutes: 1_080), Preset(name: "20:4", minutes: 1_200),
        Preset(name: "36", minutes: 2_160),
    ]

    /// The preset of a name: `16:8`, or its hours alone, `16`; `nil` for another name.
    public static func preset(_ name: String) -> Preset? {
        let bytes = ASCII.trimmed(Array(name.utf8))
        for preset in presets {
            let hours = preset.name.utf8.prefix { $0 != UInt8(ascii: ":") }
            if bytes.elementsEqual(preset.name.utf8) || bytes.elementsEqual(hours) {
                return preset
            }
        }
        return nil
    }

    /// All fasts that were not cancelled, by start and then by id.
    public let spans: [Span]

    /// Takes fasts in any order; cancelled ones are left out.
    public init(_ fasts: [Fast]) {
        spans = fasts.filter { !$0.isCancelled }.map { Span(of: $0) }.sorted {
            $0.startedAt == $1.startedAt ? $0.id < $1.id : $0.startedAt < $1.startedAt
        }
    }

    /// The fast in progress: of several, begun on devices that had not met, the one that began last.
    /// A fast planned for later is not in progress yet.
    public func active(at now: Int64) -> Span? {
        spans.last { $0.endedAt == nil && $0.startedAt <= now }
    }

    /// Overlapping fasts. All are kept, since it is unknown which one is right.
    public func overlapping(at now: Int64) -> [Span] {
        spans.filter { span in
            spans.contains { other in
                span.id != other.id && span.startedAt < (other.endedAt ?? max(now, other.startedAt))
                    && other.startedAt < (span.endedAt ?? max(now, span.startedAt))
            }
        }
    }

    /// Those to show: of fasts that share time the longest, by id when equally long.
    public func shown(at now: Int64) -> [Span] {
        let crossed = overlapping(at: now)
        return spans.filter { span in
            guard crossed.contains(span) else { return true }
            return !crossed.contains { other in
                guard other.id != span.id,
                    span.startedAt < (other.endedAt ?? max(now, other.startedAt)),
                    other.startedAt < (span.endedAt ?? max(now, span.startedAt))
                else { return false }
                let (mine, theirs) = (span.minutes(at: now), other.minutes(at: now))
                return mine == theirs ? other.id < span.id : theirs > mine
            }
        }
    }

    /// The time from the first to the last of a day's meals, by instants in milliseconds since
    /// 1970-01-01 UTC; `nil` without one.
    package static func eatingWindow(_ instants: [Int64]) -> ClosedRange<Int64>? {
        guard let first = instants.min(), let last = instants.max() else { return nil }
        return first...last
    }
}
