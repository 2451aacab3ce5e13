public import MacrologEvents

/// The energy and the steps of a day's movement, from workouts and from trackers, each counted once.
///
/// - A tracker's active energy already holds its workouts: the greater of both counts, not their sum.
/// - Two trackers see the same steps: of several sources the greatest counts, and none is summed.
/// - Two records of one workout, by their times, count once.
/// - Energy that includes rest is reduced by it: the base of a day's targets already holds rest.
public struct DayEnergy: Hashable, Sendable {
    /// Active energy of the day, in thousandths of a kilocalorie.
    public let activeMillikilocalories: Int64
    /// Active energy of the day, in thousandths of a kilocalorie; `nil` where neither a tracker nor a workout says any.
    package var known: Int64? { source != nil || !workouts.isEmpty ? activeMillikilocalories : nil }
    /// The part of it from workouts, in thousandths of a kilocalorie.
    package let workoutMillikilocalories: Int64
    /// The source whose day counts; `nil` when workouts do.
    public let source: UTF8Text?
    /// The workouts that count.
    package let workouts: [Identifier]
    /// The workouts left out because another record of the same time counts.
    public let duplicates: [Identifier]
    /// The workouts with unknown energy.
    public let unknown: [Identifier]
    /// Steps of the day; `nil` when unknown.
    public let steps: Int64?
    /// The source of the steps; `nil` when workouts give them.
    public let stepsSource: UTF8Text?

    /// Sums up a day.
    ///
    /// - Parameters:
    ///   - activities: The day's, in any order.
    ///   - days: The total of each source for the day, in any order.
    ///   - weightGrams: For workouts with only a metabolic equivalent.
    ///   - resting: Resting energy of a whole day, in thousandths of a kilocalorie: to take rest out
    ///     of energy that includes it. Without it one kilocalorie per kilogram and hour is taken.
    package init(
        activities: [ActivityEntry], days: [EnergyDay], weightGrams: Int64? = nil,
        resting: Int64? = nil
    ) {
        var known: [(activity: ActivityEntry, energy: Int64)] = []
        var unknown: [Identifier] = []
        for activity in activities {
            if let energy = activity.activeEnergy(weightGrams: weightGrams, resting: resting) {
                known.append((activity, energy))
            } else {
                unknown.append(activity.id)
            }
        }
        known.sort {
            $0.energy == $1.energy ? $0.activity.id < $1.activity.id : $0.energy > $1.energy
        }
        var kept: [(activity: ActivityEntry, energy: Int64)] = []
        var duplicates: [Identifier] = []
        for entry in known {
            if kept.contains(where: { $0.activity.isSameTime(as: entry.activity) }) {
                duplicates.append(entry.activity.id)
            } else {
                kept.append(entry)
            }
        }
        let workouts = kept.reduce(Int64(0)) { Rounding.sum($0, $1.energy) }
        var best: (source: UTF8Text, energy: Int64)?
        var bestSteps: (source: UTF8Text?, steps: Int64)?
        for day in days.sorted(by: { $0.source < $1.source }) {
            if let energy = day.active(resting: resting), energy > best?.energy ?? -1 {
                best = (day.source, energy)
            }
            if let steps = day.steps, steps > bestSteps?.steps ?? -1 {
                bestSteps = (day.source, steps)
            }
        }
        // A walk of which only the steps are known has them all the same; of two records of it the higher counts.
        var walks = kept.map { $0.activity }.filter { $0.steps != nil }
        let others = activities.filter { unknown.contains($0.id) && $0.steps != nil }
        for other in others.sorted(by: { ($0.steps ?? 0, $1.id) > ($1.steps ?? 0, $0.id) })
        where !walks.contains(where: { $0.isSameTime(as: other) }) {
            walks.append(other)
        }
        if !walks.isEmpty {
            let steps = walks.reduce(0) { Rounding.sum($0, $1.steps ?? 0) }
            if steps > bestSteps?.steps ?? -1 { bestSteps = (nil, steps) }
        }
        workoutMillikilocalories = workouts
        if let best, best.energy >= workouts {
            activeMillikilocalories = best.energy
            source = best.source
        } else {
            activeMillikilocalories = workouts
            source = nil
        }
        self.workouts = kept.map { $0.activity.id }
        self.duplicates = duplicates
        self.unknown = unknown
        steps = bestSteps?.steps
        stepsSource = bestSteps?.source
    }

    /// The energy of a movement, rest included, in thousandths of a kilocalorie, half to even:
    /// metabolic equivalent × kilograms × hours. Running at 8.3, 70 kg, half an hour: 290.5 kcal.
    ///
    /// Source: Ainsworth et al., Medicine and Science in Sports and Exercise 43 (2011) 1575
    /// (the Compendium of Physical Activities).
    ///
    /// - Parameter met: The metabolic equivalent, in thousandths.
    package static func gross(met: Int64, grams: Int64, seconds: Int64) -> Int64 {
        Rounding.clamped(
            Rounding.halfEven(Int128(met) * Int128(grams) * Int128(seconds), over: 3_600_000))
    }
}

extension ActivityEntry {
    /// What it added to the rest of the day, in thousandths of a kilocalorie; `nil` when neither its
    /// energy nor its metabolic equivalent, duration and the weight are known.
    ///
    /// - Parameters:
    ///   - weightGrams: Body mass, in grams.
    ///   - resting: Resting energy of a whole day, in thousandths of a kilocalorie.
    public func activeEnergy(weightGrams: Int64?, resting: Int64?) -> Int64? {
        if let energy = energyMillikilocalories {
            guard energyKind == .gross else { return energy }
            let seconds = durationSeconds ?? 0
            let rest: Int64
            if let resting {
                rest = Rounding.scaled(resting, by: seconds, over: 86_400)
            } else {
                rest = DayEnergy.gross(met: 1_000, grams: weightGrams ?? 0, seconds: seconds)
            }
            return max(Rounding.sum(energy, -max(rest, 0)), 0)
        }
        guard let met = metThousandths, let seconds = durationSeconds, let grams = weightGrams
        else { return nil }
        return DayEnergy.gross(met: max(met - 1_000, 0), grams: grams, seconds: seconds)
    }

    /// Whether two sources recorded something at one time, which is then one workout. One source
    /// knows what it counts, and without times nothing is known.
    fileprivate func isSameTime(as other: ActivityEntry) -> Bool {
        guard source != other.source, let start = localDate.occurredAt,
            let otherStart = other.localDate.occurredAt, let length = durationSeconds,
            let otherLength = other.durationSeconds
        else { return false }
        let end = Rounding.sum(start, Rounding.scaled(length, by: 1_000, over: 1))
        let otherEnd = Rounding.sum(otherStart, Rounding.scaled(otherLength, by: 1_000, over: 1))
        return start < otherEnd && otherStart < end
    }
}

extension EnergyDay {
    /// Active energy: as counted, or all energy less that of rest; in thousandths of a kilocalorie.
    fileprivate func active(resting: Int64?) -> Int64? {
        if let active = activeMillikilocalories { return active }
        guard let total = totalMillikilocalories, let rest = basalMillikilocalories ?? resting
        else { return nil }
        return max(Rounding.sum(total, -max(rest, 0)), 0)
    }
}
