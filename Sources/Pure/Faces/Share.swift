import MacrologEvents
import MacrologWire
public import MacrologNutrition
import MacrologTerminal

/// What a person shows to others of a meal, a day or a range of days: a frozen copy of names and sums,
/// without ids, addresses, notes, tags, times of day and photos.
public struct Share: Hashable, Sendable {
    /// What a share shows.
    public enum Kind: String, Sendable { case meal, day, range }

    /// A part with its own line: an item, a meal or a day.
    public struct Part: Hashable, Sendable {
        /// Of at most ``titleBytesMax`` bytes.
        public let title: String
        /// Thousandths of a kilocalorie; `nil` if unknown.
        public let energy: Int64?
    }

    /// How well it fits the diet that the person follows.
    public struct Score: Hashable, Sendable {
        /// The diet.
        public let diet: DietType
        /// 0 to 100.
        public let points: Int

        /// Pairs a diet with its points.
        public init(diet: DietType, points: Int) { (self.diet, self.points) = (diet, points) }
    }

    /// What is shared.
    public let kind: Kind
    /// The first and the last day.
    public let days: ClosedRange<Day>
    /// The meal of the day, such as `lunch`; `nil` for days.
    public let slot: String?
    /// The name of the meal, or the days in words; safe to show.
    public let title: String
    /// Sums of what was eaten; for a range, means of the days with food.
    public let amounts: Nutrients
    /// The nutrients that are unknown for some part, so that their sums are lower bounds.
    public let incomplete: [Nutrient]
    /// The score of the followed diet; `nil` where there is none.
    public let score: Score?
    /// How many days of a range have food.
    public let loggedDays: Int?
    /// What it consists of: items, meals, or days.
    public let parts: [Part]
    /// How many parts are left out, beyond ``partsMax``.
    public let partsLeftOut: Int
    /// The unit in which the person reads energy.
    public let energyUnit: EnergyUnit

    /// The longest title in bytes.
    public static let titleBytesMax = 200
    /// The maximum number of parts.
    public static let partsMax = 50
    /// The longest document in bytes, written without spaces.
    public static let bytesMax = Limits.shareDocumentBytesMax
    /// The longest card in bytes, a PNG file.
    public static let cardBytesMax = Limits.shareCardBytesMax
    /// How often a link can be opened at most, where that is limited.
    public static let opensMax = Limits.shareOpensMax
    /// The longest range in days.
    public static let daysMax = 31

    private init(
        _ kind: Kind, _ days: ClosedRange<Day>, slot: String? = nil, title: String,
        _ amounts: Nutrients, incomplete: [Nutrient] = [], _ score: Score?, loggedDays: Int? = nil,
        _ parts: [Part], in unit: EnergyUnit
    ) {
        (self.kind, self.days, self.slot, energyUnit) = (kind, days, slot.map(Self.safe), unit)
        self.title = Self.safe(title)
        (self.amounts, self.incomplete) = (amounts, incomplete)
        (self.score, self.loggedDays) = (score, loggedDays)
        self.parts = parts.prefix(Self.partsMax).map {
            Part(title: Self.safe($0.title), energy: $0.energy)
        }
        partsLeftOut = max(0, parts.count - Self.partsMax)
    }

    /// A text without control characters, of at most ``titleBytesMax`` bytes.
    private static func safe(_ text: String) -> String {
        var result = ""
        for character in printable(text) {
            guard result.utf8.count + character.utf8.count <= titleBytesMax else { break }
            result.append(character)
        }
        return result
    }
}

extension Share {
    /// A meal that was eaten.
    public init(_ detail: MealDetail, score: Score?, in unit: EnergyUnit) {
        let day = detail.meal.localDate.day
        func part(_ title: String?, _ energy: Int64?) -> Part {
            let eaten = energy.map {
                Rounding.scaled($0, by: detail.meal.consumedShareBasisPoints, over: 10_000)
            }
            return Part(title: title ?? "", energy: eaten)
        }
        var parts = detail.items.map { part($0.name, $0[.energy]) }
        // Its own energy counts besides that of its items, so that the parts add up to the sum.
        if !parts.isEmpty, let own = detail.meal[.energy] {
            parts.insert(part(detail.title, own), at: 0)
        }
        self.init(
            .meal, day...day, slot: detail.meal.slot?.string, title: detail.title,
            Self.amounts { detail.totals[$0] }, incomplete: Self.incomplete(detail.totals), score,
            parts, in: unit)
    }

    /// What was eaten on a day.
    ///
    /// - Parameter meals: Of the day, also those that were not eaten.
    public init(
        _ summary: DaySummary, meals: [MealDetail], score: Score?, in unit: EnergyUnit
    ) {
        let eaten = meals.filter { $0.meal.isConsumed }
        self.init(
            .day, summary.day...summary.day, title: summary.day.formatted,
            Self.amounts { summary.totals[$0] }, incomplete: Self.incomplete(summary.totals), score,
            eaten.map { Part(title: $0.title, energy: $0.totals[.energy]) }, in: unit)
    }

    /// The means of the days of a range that have food.
    ///
    /// - Parameter summaries: The days that have one.
    public init(
        _ stats: PeriodStats, _ summaries: [DaySummary], score: Score?, in unit: EnergyUnit
    ) {
        let logged = summaries.filter { $0.consumedMeals > 0 && stats.days.contains($0.day) }
        self.init(
            .range, stats.days, title: Self.words(stats.days),
            Self.amounts { stats.averages(of: $0).logged?.amount },
            // A mean of lower bounds is one.
            incomplete: Nutrient.main.filter { nutrient in
                logged.contains { Self.incomplete($0.totals).contains(nutrient) }
            }, score,
            loggedDays: stats.loggedDays,
            logged.map { Part(title: $0.day.short, energy: $0.totals[.energy]) }, in: unit)
    }

    /// `14 – 20 November 2026`, `28 Oct – 3 Nov 2026`, `29 Dec 2026 – 4 Jan 2027`
    private static func words(_ days: ClosedRange<Day>) -> String {
        let (first, last) = (days.lowerBound, days.upperBound)
        let end = "\(last.short.dropFirst(4)) \(last.year)"
        guard first.year == last.year else {
            return "\(first.short.dropFirst(4)) \(first.year) – \(end)"
        }
        guard first.month == last.month else { return "\(first.short.dropFirst(4)) – \(end)" }
        return "\(first.dayOfMonth) – \(last.dayOfMonth) \(last.formattedMonth)"
    }

    private static func amounts(_ amount: (Nutrient) -> Int64?) -> Nutrients {
        var amounts = Nutrients()
        for nutrient in Nutrient.main { amounts[nutrient] = amount(nutrient) }
        return amounts
    }

    private static func incomplete(_ totals: NutrientTotals) -> [Nutrient] {
        Nutrient.main.filter { totals[$0] != nil && !totals.coverage(of: $0).isComplete }
    }
}

extension Share {
    /// `I had Lentil soup with 460 calories!`
    ///
    /// - Parameter link: Where others can see it.
    public func text(link: String? = nil) -> String {
        let energy = amounts[.energy].map { spoken($0) }
        let sentence =
            switch kind {
            case .meal: "I had \(title)" + (energy.map { " with \($0)" } ?? "")
            case .day: "I had \(mealsText) on \(title)" + (energy.map { " with \($0)" } ?? "")
            case .range: "I had \(energy ?? "meals") a day, \(title)"
            }
        return "\(sentence)!" + (link.map { " \($0)" } ?? "")
    }

    var mealsText: String {
        let count = parts.count + partsLeftOut
        return count == 1 ? "1 meal" : "\(count) meals"
    }

    /// `460 calories`; kilojoules for who counts in them.
    private func spoken(_ energy: Int64) -> String {
        let text = Share.energyText(energy, in: energyUnit)
        guard energyUnit == .kilocalories else { return "\(text) kJ" }
        return text.isSame(as: "1") ? "1 calorie" : "\(text) calories"
    }

    /// Thousandths of a kilocalorie as a whole number: `1,905`.
    static func energyText(_ energy: Int64, in unit: EnergyUnit) -> String {
        NumberFormat.grouped.text(unit.number(energy), scale: 3, decimals: 0)
    }
}
