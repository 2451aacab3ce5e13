import Macrolog
import MacrologArgumentParsing
import MacrologFaces

extension Home {
    /// A frozen copy of what a word means; see ``Home/mealOrDays(_:_:_:)``.
    mutating func share<Value>(
        _ word: String, _ parameter: Parameter<Value>, _ arguments: ParsedArguments
    ) throws -> Share {
        let unit = try preferences.energyUnit ?? .kilocalories
        switch try mealOrDays(word, parameter, arguments) {
        case .meal(let id): return try share(ofMeal: id, unit, arguments)
        case .day(let day):
            let summary = try read { try $0.summary(of: day) }
            try check(summary.consumedMeals, "day show \(day)", arguments)
            return Share(
                summary, meals: try replica.read { try $0.meals(on: day) },
                score: try score(of: day...day),
                in: unit)
        case .range(let days):
            guard days.count <= Share.daysMax else {
                throw arguments.usageError(
                    of: parameter, "has \(days.count) days",
                    instead: "a range of at most \(Share.daysMax) days")
            }
            let report = try read { try $0.statsReport(over: days) }
            let meant = "stats --from \(days.lowerBound) --to \(days.upperBound)"
            try check(report.stats.loggedDays, meant, arguments)
            return Share(report.stats, report.days, score: try score(of: days), in: unit)
        }
    }

    private mutating func share(
        ofMeal id: Identifier, _ unit: EnergyUnit, _ arguments: ParsedArguments
    ) throws -> Share {
        guard let detail = try replica.read({ try $0.meal(id) }) else {
            throw EntryError(.notFound(.meal))
        }
        guard detail.meal.isConsumed else {
            throw CommandError(
                .dataErr,
                "\(arguments.command): that meal is planned; when you have eaten it: "
                    + "macrolog meal consume \(try shortID(.meal, id))")
        }
        let profile = try replica.read { try $0.profile() }
        let scored = try profile.dietType.flatMap { diet in
            try replica.read {
                try $0.dietScore(ofMeal: id, for: diet, shares: profile.customMacroShares)
            }
        }
        let score = scored.flatMap { meal in
            meal.score.score.map { Share.Score(diet: meal.score.diet, points: $0) }
        }
        return Share(detail, score: score, in: unit)
    }

    /// The mean score of the meals of some days, in whole points.
    private mutating func score(of days: ClosedRange<Day>) throws -> Share.Score? {
        let profile = try replica.read { try $0.profile() }
        guard let diet = profile.dietType else { return nil }
        let scored = try replica.read {
            try $0.dietScores(on: days, for: diet, shares: profile.customMacroShares)
        }
        let mean = DietTrend(scored, during: days).meanHundredths
        return mean.map { Share.Score(diet: diet, points: Int(($0 + 50) / 100)) }
    }

    private func check(_ count: Int, _ verb: String, _ arguments: ParsedArguments) throws {
        guard count > 0 else {
            throw CommandError(
                .noInput, "\(arguments.command): nothing was eaten then: macrolog \(verb)")
        }
    }
}
