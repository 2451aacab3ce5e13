import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// The diet scores of some days: their mean, their trend, and the best and worst meals.
struct DietTrendView {
    let span: ClosedRange<Day>
    let diet: FollowedDiet
    let trend: DietTrend
    /// Meals that were eaten but could not be scored.
    let unscored: Int
    private let scored: [ScoredMeal]
    private let ids: [Identifier: String]

    init(_ span: ClosedRange<Day>, _ diet: FollowedDiet, _ home: inout Home) throws {
        let scored = try home.replica.read {
            try $0.dietScores(on: span, for: diet.type, shares: diet.shares)
        }
        self.span = span
        self.diet = diet
        trend = DietTrend(scored, during: span)
        unscored = scored.count { $0.score.score == nil }
        let named = (trend.best + trend.worst).map(\.meal.meal.id)
        self.scored = scored
        ids = try home.replica.read { try $0.shortIDs(of: .meal, for: named) }
    }

    var heading: String {
        "\(span.lowerBound) to \(span.upperBound), as \(diet.formatted)"
    }

    func lines(_ style: Style, width: Int) -> [String] {
        guard let mean = trend.meanHundredths else {
            let unjudged = "\(counted(Int64(unscored), "meal")) could not be scored."
            return [unscored == 0 ? "Nothing was eaten." : unjudged]
        }
        let band = DietScore.Band(Int(mean / 100))
        var line = "Mean score \(style.paint(points(mean), .bold, band.paint))"
        if let change = trend.changeHundredths {
            line += ", \(change > 0 ? "+" : "")\(points(change)) in the later half"
        }
        var lines = [line]
        var byDay: [Day: Int64] = [:]
        for day in trend.days { byDay[day.day] = day.hundredths }
        if span.count > 1, span.count <= width - 12 {
            lines.append("Each day   " + sparkline(span.map { byDay[$0] }, style: style))
        }
        for (title, list) in [("Best", trend.best), ("Worst", trend.worst)] where !list.isEmpty {
            lines += ["", style.paint(title, .bold)]
            for meal in list {
                lines += meal.lines(
                    ids[meal.meal.meal.id] ?? "", style, width: width, explains: false)
            }
        }
        if unscored > 0 {
            lines += ["", "\(counted(Int64(unscored), "meal")) could not be scored."]
        }
        return lines
    }

    var json: JSON { DietJSON.trend(scored, trend, during: span, for: diet.type) }
}
