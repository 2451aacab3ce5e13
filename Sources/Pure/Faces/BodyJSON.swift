public import MacrologJSON
public import MacrologEvents
public import MacrologNutrition

extension WeighIn {
    /// The weight, and the share of fat that was measured with it.
    public var json: JSON {
        .object(
            [JSON.Member("id", .id(id))] + localDate.members + [
                JSON.Member("weight_kg", .decimal(grams, scale: 3)),
                JSON.Member(
                    "body_fat_percent", bodyFatBasisPoints.map { .decimal($0, scale: 2) } ?? .null),
                JSON.Member("note", .optional(note)),
            ])
    }
}

extension BodyFat {
    /// The share of fat.
    public var json: JSON {
        .object(
            [JSON.Member("id", .id(id))] + localDate.members + [
                JSON.Member("body_fat_percent", .decimal(basisPoints, scale: 2)),
                JSON.Member("note", .optional(note)),
            ])
    }
}

extension BodyMeasure {
    /// The body site, even if this version does not know it.
    public var placeName: String {
        place?.name.string ?? fields["kind"]?.text?.string ?? ""
    }

    /// The place and its length.
    public var json: JSON {
        .object(
            [JSON.Member("id", .id(id))] + localDate.members + [
                JSON.Member("place", .string(placeName)),
                JSON.Member("length_cm", .decimal(millimeters, scale: 1)),
                JSON.Member("note", .optional(note)),
            ])
    }
}

extension Ketone {
    /// The range of the level; `nil` for urine and breath.
    public var zone: KetoneZone? {
        Ketosis.zone(micromoles: micromoles, method: method ?? .blood)
    }

    /// Whether the level is one of ketosis; `nil` for urine and breath.
    public var isInKetosis: Bool? {
        Ketosis.isInKetosis(micromoles: micromoles, method: method ?? .blood)
    }

    /// The level and what it means.
    public var json: JSON {
        .object(
            [JSON.Member("id", .id(id))] + localDate.members + [
                JSON.Member("level_mmol_l", .decimal(micromoles, scale: 3)),
                JSON.Member("method", .text((method ?? .blood).name)),
                JSON.Member("in_ketosis", isInKetosis.map { .bool($0) } ?? .null),
                JSON.Member("ketosis_zone", .optional(zone?.name)),
                JSON.Member("warning", .optional(zone?.warning)),
                JSON.Member("note", .optional(note)),
            ])
    }
}

extension Hydration {
    /// What was drunk, what is aimed at, and what is left.
    public var json: JSON {
        func volume(_ microliters: Int64?) -> JSON {
            microliters.map { .decimal($0, scale: 3) } ?? .null
        }
        return .object([
            JSON.Member("drunk_ml", volume(drunkMicroliters)),
            JSON.Member("drink_count", .integer(Int64(servings))),
            JSON.Member("counted_from_food_ml", volume(eatenMicroliters)),
            JSON.Member("total_ml", volume(totalMicroliters)),
            JSON.Member("target_ml", volume(targetMicroliters)),
            JSON.Member("remaining_ml", volume(remainingMicroliters)),
        ])
    }
}

extension Water {
    /// The volume of a drink.
    public var json: JSON {
        .object(
            [JSON.Member("id", .id(id))] + localDate.members + [
                JSON.Member("volume_ml", .decimal(microliters, scale: 3)),
                JSON.Member("container", .optional(container)),
            ])
    }
}

extension ActivityEntry {
    /// The activity with its energy.
    public var json: JSON {
        .object(
            [JSON.Member("id", .id(id))] + localDate.members + [
                JSON.Member("name", .optional(name)),
                JSON.Member(
                    "duration_min",
                    durationSeconds.map {
                        .decimal(Rounding.scaled($0, by: 10, over: 60), scale: 1)
                    } ?? .null),
                JSON.Member("energy_kcal", .amount(energyMillikilocalories, of: .energy)),
                JSON.Member("energy_counts", .text((energyKind ?? .active).name)),
                JSON.Member("steps", .optional(steps)),
                JSON.Member(
                    "intensity_met", metThousandths.map { .decimal($0, scale: 3) } ?? .null),
                JSON.Member("source", .optional(source?.string)),
            ])
    }

    /// What a list adds: the active energy in thousandths of a kilocalorie, which may be computed.
    public static func computed(active energy: Int64?) -> [JSON.Member] {
        [JSON.Member("active_kcal", .amount(energy, of: .energy))]
    }
}

extension DayEnergy {
    /// The energy and the steps of a day, and the activities that do not count.
    public var members: [JSON.Member] {
        [
            JSON.Member("active_kcal", .amount(known, of: .energy)),
            JSON.Member("workouts_kcal", .amount(workoutMillikilocalories, of: .energy)),
            JSON.Member("active_source", .optional(source?.string)),
            JSON.Member("steps", .optional(steps)),
            JSON.Member("steps_source", .optional(stepsSource?.string)),
            JSON.Member("duplicate_ids", .array(duplicates.map { .id($0) })),
            JSON.Member("unknown_energy_ids", .array(unknown.map { .id($0) })),
        ]
    }
}

extension CheckIn {
    /// How the person slept and feels.
    public var json: JSON {
        .object([
            JSON.Member("id", .id(id)), JSON.Member("day", .day(day)),
            JSON.Member("sleep_min", .optional(sleepMinutes)),
            JSON.Member(
                "hrv_ms", variabilityMicroseconds.map { .decimal($0, scale: 3) } ?? .null),
            JSON.Member("resting_bpm", .optional(restingBeats)),
            JSON.Member("soreness", .optional(soreness)),
            JSON.Member("energy_level", .optional(energyLevel)),
            JSON.Member("stress", .optional(stress)), JSON.Member("note", .optional(note)),
        ])
    }
}

extension Fast {
    /// The fast at its end, or at its start while it has no end.
    public var json: JSON { json(at: endedAt ?? startedAt) }

    /// The fast with its length at an instant.
    ///
    /// - Parameter now: Milliseconds since 1970 UTC.
    public func json(at now: Int64) -> JSON {
        let span = Fasting.Span(of: self)
        let now = isCancelled ? endedAt ?? startedAt : now
        return .object([
            JSON.Member("id", .id(id)), JSON.Member("day", .day(day)),
            JSON.Member("started_at", .instant(startedAt)),
            JSON.Member("ended_at", .instant(endedAt)),
            JSON.Member("duration_min", .integer(span.minutes(at: now))),
            JSON.Member("target_min", .optional(targetMinutes)),
            JSON.Member("remaining_min", .optional(span.remainingMinutes(at: now))),
            JSON.Member(
                "target_reached", span.hasReachedTarget(at: now).map { .bool($0) } ?? .null),
            JSON.Member("preset", .optional(preset)),
            JSON.Member("canceled", .bool(isCancelled)), JSON.Member("note", .optional(note)),
        ])
    }
}

/// A body over days as JSON.
public enum BodyJSON {
    /// Weigh-ins and their trend.
    ///
    /// - Parameters:
    ///   - trend: The trend during the span.
    ///   - outlook: The slope of the last four weeks; `nil` with too few weigh-ins.
    ///   - target: The weight that a person aims at, in grams.
    public static func trend(
        _ trend: WeightTrend, during span: ClosedRange<Day>, outlook: WeightOutlook?,
        target: Int64?
    ) -> JSON {
        func perWeek(_ micrograms: Int64?) -> JSON {
            micrograms.map { .decimal($0, scale: 9) } ?? .null
        }
        return .object([
            JSON.Member("from", .day(span.lowerBound)), JSON.Member("to", .day(span.upperBound)),
            JSON.Member("slope_kg_per_week", perWeek(trend.slopeMicrogramsPerWeek)),
            JSON.Member("trend_slope_kg_per_week", perWeek(trend.trendSlopeMicrogramsPerWeek)),
            JSON.Member("projection", projection(outlook, target: target)),
            JSON.Member(
                "days",
                .array(
                    trend.points.map {
                        .object([
                            JSON.Member("day", .day($0.day)),
                            JSON.Member("weight_kg", .decimal($0.grams, scale: 3)),
                            JSON.Member("trend_kg", .decimal($0.trendNanograms, scale: 12)),
                        ])
                    })),
        ])
    }

    /// When the weight reaches the target, in grams; null without one.
    public static func projection(_ outlook: WeightOutlook?, target: Int64?) -> JSON {
        guard let target else { return .null }
        let arrival = outlook?.arrival(at: target)
        let span = outlook?.arrivalSpan(at: target)
        var day: Day?
        if case .on(let found)? = arrival { day = found }
        return .object([
            JSON.Member("target_kg", .decimal(target, scale: 3)),
            JSON.Member("arrival", .string(arrival?.word ?? "unknown")),
            JSON.Member("day", day.map { .day($0) } ?? .null),
            JSON.Member("earliest", span.map { .day($0.earliest) } ?? .null),
            JSON.Member("latest", span?.latest.map { .day($0) } ?? .null),
            JSON.Member(
                "slope_kg_per_week",
                outlook.map { .decimal($0.slopeMicrogramsPerWeek, scale: 9) } ?? .null),
            JSON.Member(
                "plus_minus_kg_per_week",
                outlook.map { .decimal($0.plusMinusMicrogramsPerWeek, scale: 9) } ?? .null),
        ])
    }

    /// The fast in progress, and when was eaten on a day.
    ///
    /// - Parameters:
    ///   - active: The fast in progress.
    ///   - window: From the first meal to the last, in milliseconds since 1970 UTC.
    ///   - overlapping: The fasts that overlap others.
    ///   - now: Milliseconds since 1970 UTC.
    public static func fasting(
        _ active: Fast?, window: ClosedRange<Int64>?, overlapping: [Identifier], at now: Int64
    ) -> JSON {
        .object([
            JSON.Member("active", active.map { $0.json(at: now) } ?? .null),
            JSON.Member("eating_window_starts_at", .instant(window?.lowerBound)),
            JSON.Member("eating_window_ends_at", .instant(window?.upperBound)),
            JSON.Member("overlapping_ids", .array(overlapping.map { .id($0) })),
        ])
    }

    /// The height of a person.
    public static func height(millimeters: Int64) -> JSON {
        ["height_cm": .decimal(millimeters, scale: 1)]
    }

    /// The energy and the steps of a day.
    public static func movement(_ movement: DayEnergy, on day: Day) -> JSON {
        .object([JSON.Member("day", .day(day))] + movement.members)
    }
}

extension WeightOutlook.Arrival {
    fileprivate var word: String {
        switch self {
        case .reached: "reached"
        case .on: "on_day"
        case .beyondTwoYears: "beyond_two_years"
        case .level: "level"
        case .movingAway: "moving_away"
        }
    }
}
