import Commands
import JSON
import Macrolog

/// `chart`: weight, energy and macronutrients over days, in the terminal or as an SVG file.
enum ChartShow {
    static let days = Parameter.option(
        "days", .integer("N", in: 2...366), otherwise: "30", "How many days, up to the day meant.")
    static let svg = Parameter.option(
        "svg", .file, "Write the chart as an SVG file, for light and dark screens.")

    static let weight = verb(
        "weight", "Draw the weigh-ins and their trend.", "chart weight --days 90", Chart.weight)
    static let energy = verb(
        "kcal", "Draw the energy eaten each day, and the goal.", "chart kcal --svg energy.svg",
        Chart.energy)
    static let macros = verb(
        "macros", "Draw the energy from protein, carbs and fat each day.", "chart macros",
        Chart.macros)

    private static func verb(
        _ name: String, _ summary: String, _ example: String,
        _ chart: @escaping @Sendable (ClosedRange<Day>, inout Home) throws -> Chart
    ) -> Verb {
        Verb(
            "chart \(name)", summary, example: example,
            run: { words, home in
                let span = try home.day.lastDays(Int(words[days]))
                try show(try chart(span, &home), words, &home)
            }
        ) {
            days
            svg
            ExportOptions.force
        }
    }

    private static func show(_ chart: Chart, _ words: Words, _ home: inout Home) throws {
        if let path = words[svg] {
            guard !chart.isEmpty else {
                throw Refusal(
                    .noInput, "\(words.command): nothing to draw there. \(chart.hint)")
            }
            var file = try OutputFile.create(path, mayReplace: words[ExportOptions.force], words)
            try file.write(chart.svg)
            try file.complete()
            return try home.show(.object([JSON.Member("file", .string(path))])) { home in
                home.say("Wrote \(chart.title.lowercased()) to \(printable(path)).")
            }
        }
        try home.show(chart.json) { home in
            home.say(chart.lines(home.style, width: home.width))
        }
    }
}

/// What is drawn: series over days, in thousandths of the unit that the person chose.
struct Chart {
    let title: String
    let unit: String
    let days: ClosedRange<Day>
    let plot: Plot
    /// What to type where nothing is there to draw.
    let hint: String

    var isEmpty: Bool {
        plot.series.allSatisfy { $0.values.allSatisfy { $0 == nil } }
    }

    func lines(_ style: Style, width: Int) -> [String] {
        guard !isEmpty else { return ["Nothing to draw there. \(hint)"] }
        let first = plot.marks.map { Numerals.grouped.text($0, scale: 3) }
        let margin = (first.map(displayWidth).max() ?? 0) + 2
        var lines = [style.paint("\(title), \(unit)", .bold), ""]
        lines += plot.lines(width: width, style: style) { Numerals.grouped.text($0, scale: 3) }
        let (from, to) = ("\(days.lowerBound)", "\(days.upperBound)")
        let drawn = plot.drawnWidth(of: width, margin: margin)
        let space = max(1, drawn - margin - from.utf8.count - to.utf8.count)
        lines.append(
            style.paint(
                String(repeating: " ", count: margin) + from + String(repeating: " ", count: space)
                    + to, .dim))
        return lines + ["", String(repeating: " ", count: margin) + legend(style)]
    }

    private func legend(_ style: Style) -> String {
        var parts: [String] = []
        for (layer, one) in plot.series.enumerated() {
            let sign =
                switch one.shape {
                case .line: style.blocks ? "⠒" : "*"
                case .dots: style.blocks ? "∘" : "o"
                case .columns:
                    style.blocks ? ["█", "▒", "░"][layer % 3] : ["#", "=", ":"][layer % 3]
                }
            parts.append("\(style.paint(sign, one.paint)) \(one.name)")
        }
        if let goal = plot.goal {
            parts.append(
                "\(style.paint(style.blocks ? "┄" : "-", .dim)) goal "
                    + Numerals.grouped.text(goal, scale: 3))
        }
        return parts.joined(separator: "   ")
    }

    var json: JSON {
        .object([
            JSON.Member("title", .string(title)), JSON.Member("unit", .string(unit)),
            JSON.Member("goal", plot.goal.map { .decimal($0, scale: 3) } ?? .null),
            JSON.Member(
                "days",
                .array(
                    zip(days, 0...).map { day, index in
                        .object(
                            [JSON.Member("day", .day(day))]
                                + plot.series.map {
                                    JSON.Member(
                                        $0.name,
                                        $0.values[index].map { .decimal($0, scale: 3) } ?? .null)
                                })
                    })),
        ])
    }
}

extension Chart {
    /// Weigh-ins and their trend. Stones are drawn as pounds, which have one scale.
    static func weight(_ days: ClosedRange<Day>, _ home: inout Home) throws -> Chart {
        let trend = try home.replica.weightTrend(through: days.upperBound).during(days)
        let isMetric = try home.preferences.weightUnit ?? .kilograms == .kilograms
        func unit(_ grams: Int64) -> Int64 {
            isMetric ? grams : Rounded.scaled(grams, by: 100_000_000, over: 45_359_237)
        }
        var (weights, smooth): ([Day: Int64], [Day: Int64]) = ([:], [:])
        for point in trend.points {
            weights[point.day] = unit(point.grams)
            smooth[point.day] = unit(point.trendGrams)
        }
        return Chart(
            title: "Weight", unit: isMetric ? "kg" : "lb", days: days,
            plot: Plot([
                Plot.Series("weight", .dots, .dim, days.map { weights[$0] }),
                Plot.Series("trend", .line, .cyan, days.map { smooth[$0] }),
            ]), hint: "macrolog weight log 80.2kg")
    }

    /// The energy eaten, and the goal of the last day.
    static func energy(_ days: ClosedRange<Day>, _ home: inout Home) throws -> Chart {
        let eaten = try eaten(days, &home)
        let shown = Shown(preferences: try home.preferences)
        let goal = try home.replica.summary(of: days.upperBound).goals?[.energy]?.amount
        let values = days.map { eaten[$0]?[.energy].map { shown.energyUnits($0) } }
        return Chart(
            title: "Energy", unit: shown.energySymbol, days: days,
            plot: Plot(
                [Plot.Series("eaten", .columns, .green, values)],
                goal: goal.map { shown.energyUnits($0) }),
            hint: "macrolog add 'Oat porridge' --kcal 380")
    }

    /// The energy in protein, carbohydrate and fat, at 4, 4 and 9 kcal for each gram.
    static func macros(_ days: ClosedRange<Day>, _ home: inout Home) throws -> Chart {
        let eaten = try eaten(days, &home)
        let shown = Shown(preferences: try home.preferences)
        func series(_ nutrient: Nutrient, _ factor: Int64, _ paint: Paint) -> Plot.Series {
            Plot.Series(
                nutrient.spoken, .columns, paint,
                days.map { day in
                    eaten[day]?[nutrient].map {
                        shown.energyUnits($0.multipliedReportingOverflow(by: factor).partialValue)
                    }
                })
        }
        return Chart(
            title: "Energy from macronutrients", unit: shown.energySymbol, days: days,
            plot: Plot([
                series(.protein, 4, .green), series(.carbs, 4, .yellow), series(.fat, 9, .magenta),
            ]), hint: "macrolog add 'Oat porridge' --kcal 380 --p 13 --c 60 --f 9")
    }

    private static func eaten(
        _ days: ClosedRange<Day>, _ home: inout Home
    ) throws -> [Day: NutrientTotals] {
        let today = try home.today
        let summaries = try home.replica.withStore { try $0.summaries(of: days, today: today) }
        var eaten: [Day: NutrientTotals] = [:]
        for summary in summaries where summary.consumedMeals > 0 {
            eaten[summary.day] = summary.totals
        }
        return eaten
    }
}

extension Shown {
    /// Thousandths of a kilocalorie in thousandths of the unit that the person chose.
    fileprivate func energyUnits(_ amount: Int64) -> Int64 {
        energySymbol == "kcal" ? amount : Rounded.scaled(amount, by: 4_184, over: 1_000)
    }
}
