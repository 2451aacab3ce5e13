import MacrologEvents
import MacrologNutrition

/// What is taken of `export.xml`, which Apple's Health app exports, as its bytes arrive.
///
/// A file of many gigabytes becomes sums of each day, weights, body fat and workouts, some hundred bytes each; everything else
/// in it is skipped. The day of a record is that of its own time and offset. iPhone and watch count the same steps and
/// the same sleep, so a day has a sum for each source, and the greatest one counts.
struct HealthFile {
    /// What a day's records add up to.
    struct DaySums {
        /// The first line that counts for the day.
        let line: Int
        /// Thousandths of a step, by source.
        var steps: [Int: Int64] = [:]
        /// Active energy in thousandths of a kilocalorie, by source.
        var energy: [Int: Int64] = [:]
        /// When the person slept before the day, in milliseconds since 1970 UTC, by source.
        var sleep: [Int: [Range<Int64>]] = [:]
        /// The resting heart rate, in thousandths of a beat a minute.
        var heart = Mean()
        /// The variability of the heart rate, in microseconds.
        var variability = Mean()

        /// Whether several sources counted the same.
        var hasSeveralSources: Bool { max(steps.count, energy.count, sleep.count) > 1 }

        /// The night's sleep in minutes, without counting any time twice; `nil` when unknown.
        var sleepMinutes: Int64? {
            sleep.values.map { spans in
                var (total, end) = (Int64(0), Int64.min)
                for span in spans.sorted(by: { $0.lowerBound < $1.lowerBound }) {
                    total += max(0, span.upperBound - max(end, span.lowerBound))
                    end = max(end, span.upperBound)
                }
                return Rounding.scaled(total, by: 1, over: 60_000)
            }.max()
        }
    }

    /// The mean of a day's numbers.
    struct Mean {
        private var sum: Int64 = 0
        private var count: Int64 = 0

        mutating func add(_ number: Int64) { (sum, count) = (Rounding.sum(sum, number), count + 1) }

        /// The mean divided by `divisor`, half to even; `nil` of no number.
        func whole(over divisor: Int64 = 1) -> Int64? {
            count == 0 ? nil : Rounding.scaled(sum, by: 1, over: count * divisor)
        }
    }

    struct Weight {
        let line: Int
        let date: LocalDate
        let grams: Int64
    }

    struct BodyFat {
        let line: Int
        let date: LocalDate
        let basisPoints: Int64
    }

    struct Workout {
        let line: Int
        let date: LocalDate
        /// The word after `HKWorkoutActivityType`: `TraditionalStrengthTraining`.
        let type: String
        let source: String
        let seconds: Int64
        /// Active energy, in thousandths of a kilocalorie.
        var energy: Int64?
    }

    /// What a record that cannot be read would have become.
    enum Part: Int { case days, checkIns, weights, bodyFats, workouts }

    static let hint =
        "take export.xml out of the zip file that the Health app exports, and import that"

    private(set) var days: [Day: DaySums] = [:]
    private(set) var weights: [Weight] = []
    /// By their instants, in milliseconds since 1970 UTC.
    private(set) var bodyFats: [Int64: BodyFat] = [:]
    private(set) var workouts: [Workout] = []
    private(set) var refused: [(part: Part, finding: RowFinding)] = []
    /// Weights, shares of body fat and workouts that stand in the file more than once.
    private(set) var repeatedCount = 0
    /// When the file was made, as it says.
    private(set) var exportDate = ""
    var lineCount: Int { tags.line }

    private let dayStartMinutes: Int64
    private var tags = XMLTags()
    private var sources: [UTF8Text: Int] = [:]
    private var weightTimes: Set<Int64> = []
    private var workoutTimes: [Int64: Set<Int>] = [:]
    /// Whether the last workout was taken, so that the statistics that follow are its own.
    private var isInWorkout = false

    /// How many wrong times make the file one of a phone that writes them otherwise.
    private static let wrongTimesMax = 1_000
    /// How many records that cannot be read make the file one of another kind.
    private static let refusedMax = 100_000
    private var wrongTimes = 0

    init(dayStartMinutes: Int64) { self.dayStartMinutes = dayStartMinutes }

    mutating func take(_ piece: [UInt8]) throws(ImportError) {
        // The tags are taken out, so that they and what is kept are not written at once.
        var tags = tags
        self.tags = XMLTags()
        defer { self.tags = tags }
        try tags.take(piece) { tag throws(ImportError) in try take(tag) }
    }

    func finish() throws(ImportError) { try tags.finish() }

    private mutating func take(_ tag: XMLTag) throws(ImportError) {
        switch tag.depth {
        case 0:
            guard tag.isNamed("HealthData") else {
                throw ImportError(
                    line: tag.line, "it is not an export of Apple's Health app", hint: Self.hint)
            }
        // What lies deeper, as in a correlation, stands at this depth once more.
        case 1:
            isInWorkout = false
            if tag.isNamed("Record") { try takeRecord(tag) }
            if tag.isNamed("Workout") { try takeWorkout(tag) }
            if tag.isNamed("ExportDate") { exportDate = try tag.value("value")?.string ?? "" }
        case 2:
            guard isInWorkout, tag.isNamed("WorkoutStatistics"),
                try tag.value("type") == "HKQuantityTypeIdentifierActiveEnergyBurned",
                let energy = try tag.energy("sum", "unit"),
                workouts[workouts.count - 1].energy == nil
            else { return }
            workouts[workouts.count - 1].energy = energy
        default: break
        }
    }

    // MARK: Records

    private mutating func takeRecord(_ tag: XMLTag) throws(ImportError) {
        switch try tag.value("type") {
        case "HKQuantityTypeIdentifierStepCount":
            let steps = try tag.number("value", places: 3)
            try add(tag, steps, to: \.steps)
        case "HKQuantityTypeIdentifierActiveEnergyBurned":
            try add(tag, try tag.energy("value", "unit"), to: \.energy)
        case "HKCategoryTypeIdentifierSleepAnalysis": try takeSleep(tag)
        case "HKQuantityTypeIdentifierRestingHeartRate":
            let isKnown = try tag.value("unit") == "count/min"
            let beats = isKnown ? try tag.number("value", places: 3) : nil
            try average(tag, beats, \.heart)
        case "HKQuantityTypeIdentifierHeartRateVariabilitySDNN":
            let isKnown = try tag.value("unit") == "ms"
            let variability = isKnown ? try tag.number("value", places: 3) : nil
            try average(tag, variability, \.variability)
        case "HKQuantityTypeIdentifierBodyMass": try takeWeight(tag)
        case "HKQuantityTypeIdentifierBodyFatPercentage": try takeBodyFat(tag)
        default: break
        }
    }

    private mutating func add(
        _ tag: XMLTag, _ number: Int64?,
        to sums: WritableKeyPath<DaySums, [Int: Int64]>
    ) throws(ImportError) {
        guard let number else { return try refuse(tag, .days, "value") }
        guard let date = try date(tag) else { return try refuse(tag, .days, "startDate") }
        let source = try source(tag)
        let sum = days[date.day]?[keyPath: sums][source] ?? 0
        days[date.day, default: DaySums(line: tag.line)][keyPath: sums][source] =
            Rounding.sum(sum, number)
    }

    private mutating func average(
        _ tag: XMLTag, _ number: Int64?, _ mean: WritableKeyPath<DaySums, Mean>
    ) throws(ImportError) {
        guard let number else { return try refuse(tag, .checkIns, "value") }
        guard let date = try date(tag) else { return try refuse(tag, .checkIns, "startDate") }
        days[date.day, default: DaySums(line: tag.line)][keyPath: mean].add(number)
    }

    /// Time in bed and awake is no sleep. What ends at 18:00 or later is sleep before the next day.
    private mutating func takeSleep(_ tag: XMLTag) throws(ImportError) {
        let value = try tag.value("value")?.string ?? ""
        guard value.utf8.starts(with: "HKCategoryValueSleepAnalysisAsleep".utf8) else { return }
        guard let start = try date(tag)?.occurredAt else {
            return try refuse(tag, .checkIns, "startDate")
        }
        guard let end = try tag.moment("endDate"), let offset = end.offset,
            start <= end.instant, end.instant - start <= 172_800_000,
            let day = Day(instant: end.instant + 6 * 3_600_000, offsetMinutes: offset)
        else { return try refuse(tag, .checkIns, "endDate") }
        let source = try source(tag)
        days[day, default: DaySums(line: tag.line)].sleep[source, default: []]
            .append(start..<end.instant)
    }

    private mutating func takeWeight(_ tag: XMLTag) throws(ImportError) {
        guard let grams = try tag.grams("value", "unit") else {
            return try refuse(tag, .weights, "value")
        }
        guard let date = try date(tag), let instant = date.occurredAt else {
            return try refuse(tag, .weights, "startDate")
        }
        guard weightTimes.insert(instant).inserted else { return repeatedCount += 1 }
        weights.append(Weight(line: tag.line, date: date, grams: grams))
    }

    /// The Health app writes 22.5 % as `0.225`, with the unit `%`.
    private mutating func takeBodyFat(_ tag: XMLTag) throws(ImportError) {
        let isKnown = try tag.value("unit") == "%"
        guard isKnown, let share = try tag.number("value", places: 4) else {
            return try refuse(tag, .bodyFats, "value")
        }
        guard let date = try date(tag), let instant = date.occurredAt else {
            return try refuse(tag, .bodyFats, "startDate")
        }
        guard bodyFats[instant] == nil else { return repeatedCount += 1 }
        bodyFats[instant] = BodyFat(line: tag.line, date: date, basisPoints: share)
    }

    private mutating func takeWorkout(_ tag: XMLTag) throws(ImportError) {
        guard let date = try date(tag), let start = date.occurredAt else {
            return try refuse(tag, .workouts, "startDate")
        }
        guard let end = try tag.moment("endDate")?.instant, start <= end else {
            return try refuse(tag, .workouts, "endDate")
        }
        let source = try source(tag)
        guard workoutTimes[start, default: []].insert(source).inserted else {
            return repeatedCount += 1
        }
        let prefix = "HKWorkoutActivityType"
        let type = try tag.value("workoutActivityType")?.string ?? ""
        let isKnown = type.utf8.starts(with: prefix.utf8)
        let seconds =
            try tag.seconds("duration", "durationUnit")
            ?? Rounding.scaled(end - start, by: 1, over: 1_000)
        workouts.append(
            Workout(
                line: tag.line, date: date,
                type: isKnown ? String(type.utf8.dropFirst(prefix.utf8.count)) ?? "" : type,
                source: try tag.value("sourceName")?.string ?? "", seconds: seconds,
                energy: try tag.energy("totalEnergyBurned", "totalEnergyBurnedUnit")))
        isInWorkout = true
    }

    private mutating func refuse(
        _ tag: XMLTag, _ part: Part, _ attribute: String
    ) throws(ImportError) {
        let finding = RowFinding(
            line: tag.line, column: attribute, problem: "is not as the Health app writes it",
            hint: "correct it in the Health app, and export again")
        refused.append((part, finding))
        let isTime = attribute == "startDate" || attribute == "endDate"
        if isTime { wrongTimes += 1 }
        guard wrongTimes > Self.wrongTimesMax || refused.count > Self.refusedMax else { return }
        throw ImportError(
            line: refused[0].finding.line,
            "\(refused[0].finding.column ?? "") is not as the Health app writes it, and so are "
                + "\(refused.count - 1) others",
            hint: isTime ? "set the phone to a 24-hour clock, and export again" : Self.hint)
    }

    private mutating func source(_ tag: XMLTag) throws(ImportError) -> Int {
        let name = try tag.value("sourceName") ?? ""
        if let known = sources[name] { return known }
        sources[name] = sources.count
        return sources.count - 1
    }

    private func date(_ tag: XMLTag) throws(ImportError) -> LocalDate? {
        guard let moment = try tag.moment("startDate"), let offset = moment.offset else {
            return nil
        }
        return LocalDate(
            instant: moment.instant, zone: nil, offsetMinutes: offset,
            dayStartMinutes: dayStartMinutes)
    }
}
