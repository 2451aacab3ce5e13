import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog

/// `chart`: weight, energy and macronutrients over days, in the terminal or as a file.
enum ChartShow {
    static let days = Parameter.option(
        "days", .integer("N", in: 2...366), otherwise: "30", "How many days, up to the day meant.")
    static let svg = Parameter.option(
        "svg", .file, "Write the chart as an SVG file, for light and dark screens.")
    static let png = Parameter.option(
        "png", .file, "Write the chart as a PNG file of 1600 by 800 pixels.")
    static let theme = Parameter.option(
        "theme", .choice(ChartTheme.allCases.map { (word: $0.rawValue, value: $0) }),
        "Light or dark colours. Otherwise an SVG file follows the screen; a PNG file is light.")

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
            run: { arguments, home in
                let span = try home.day.lastDays(Int(arguments[days]))
                try show(try chart(span, &home), arguments, &home)
            }
        ) {
            days
            svg
            png
            theme
            ExportOptions.force
        }
    }

    private static func show(_ chart: Chart, _ arguments: ParsedArguments, _ home: inout Home)
        throws
    {
        guard arguments[svg] == nil, arguments[png] == nil else {
            return try write(chart, arguments, &home)
        }
        try home.show(chart.json) { home in
            home.say(chart.lines(home.style, width: home.width))
        }
    }
}

extension ChartShow {
    private static func write(_ chart: Chart, _ arguments: ParsedArguments, _ home: inout Home)
        throws
    {
        guard !chart.isEmpty else {
            throw CommandError(
                .noInput, "\(arguments.command): nothing to draw in this period. \(chart.hint)")
        }
        var written: [(name: String, path: String)] = []
        if let path = arguments[svg] {
            var file = try OutputFile.create(
                path, mayReplace: arguments[ExportOptions.force], arguments)
            try file.write(chart.svg(arguments[theme]))
            try file.complete()
            written.append(("file", path))
        }
        if let path = arguments[png] {
            var file = try OutputFile.create(
                path, mayReplace: arguments[ExportOptions.force], arguments)
            try Rasterizer.draw(chart.svg(arguments[theme] ?? .light), into: &file, arguments)
            try file.complete()
            written.append((written.isEmpty ? "file" : "png_file", path))
        }
        let members = written.map { JSON.Member($0.name, .string($0.path)) }
        try home.show(.object(members)) { home in
            for one in written {
                home.say("Wrote \(chart.title.lowercased()) to \(printable(one.path)).")
            }
        }
    }
}

/// The data of a chart: series over days, in thousandths of the person's unit.
struct Chart {
    let title: String
    let unit: String
    let days: ClosedRange<Day>
    let plot: Plot
    /// What to type if there is nothing to draw.
    let hint: String

    var isEmpty: Bool {
        plot.series.allSatisfy { $0.values.allSatisfy { $0 == nil } }
    }

    func lines(_ style: Style, width: Int) -> [String] {
        guard !isEmpty else { return ["Nothing to draw in this period. \(hint)"] }
        let first = plot.marks.map { NumberFormat.grouped.text($0, scale: 3) }
        let margin = (first.map(displayWidth).max() ?? 0) + 2
        var lines = [style.paint("\(title), \(unit)", .bold), ""]
        lines += plot.lines(width: width, style: style) { NumberFormat.grouped.text($0, scale: 3) }
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
        if let goal = goalText {
            parts.append("\(style.paint(style.blocks ? "┄" : "-", .dim)) \(goal)")
        }
        return parts.joined(separator: "   ")
    }

    /// The goal, or the lowest and the highest of several.
    var goalText: String? {
        let goals = plot.goals.compactMap(\.self)
        guard let low = goals.min(), let high = goals.max() else { return nil }
        let text = NumberFormat.grouped.text(low, scale: 3)
        guard low < high else { return "goal \(text)" }
        return "goal \(text) to \(NumberFormat.grouped.text(high, scale: 3))"
    }

    var json: JSON {
        func amount(_ value: Int64?) -> JSON { value.map { .decimal($0, scale: 3) } ?? .null }
        let suffix = "_" + unit.lowercased()
        let lines = zip(days, 0...).map { day, index -> JSON in
            let goal = plot.goals.isEmpty ? nil : plot.goals[index]
            var members = [
                JSON.Member("day", .day(day)), JSON.Member("goal" + suffix, amount(goal)),
            ]
            for one in plot.series {
                members.append(JSON.Member(one.name + suffix, amount(one.values[index])))
            }
            return .object(members)
        }
        return .object([
            JSON.Member("title", .string(title)), JSON.Member("unit", .string(unit)),
            JSON.Member("days", .array(lines)),
        ])
    }
}

extension Chart {
    /// Weigh-ins and their trend. Stones are drawn as pounds, to have one scale.
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

    /// The energy eaten, and each day's goal.
    static func energy(_ days: ClosedRange<Day>, _ home: inout Home) throws -> Chart {
        let summaries = try summaries(of: days, &home)
        let eaten = eaten(summaries)
        var goals: [Day: Int64] = [:]
        for summary in summaries { goals[summary.day] = summary.goals?[.energy]?.amount }
        let shown = Shown(preferences: try home.preferences)
        let values = days.map { eaten[$0]?[.energy].map { shown.energyUnits($0) } }
        return Chart(
            title: "Energy", unit: shown.energySymbol, days: days,
            plot: Plot(
                [Plot.Series("eaten", .columns, .green, values)],
                goals: days.map { goals[$0].map { shown.energyUnits($0) } }),
            hint: "macrolog add 'Oat porridge' --kcal 380")
    }

    /// The energy in protein, carbohydrate and fat, at 4, 4 and 9 kcal for each gram.
    static func macros(_ days: ClosedRange<Day>, _ home: inout Home) throws -> Chart {
        let eaten = eaten(try summaries(of: days, &home))
        let shown = Shown(preferences: try home.preferences)
        func series(_ nutrient: Nutrient, _ factor: Int64, _ paint: Paint) -> Plot.Series {
            Plot.Series(
                nutrient.formatted, .columns, paint,
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

    private static func summaries(
        of days: ClosedRange<Day>, _ home: inout Home
    ) throws -> [DaySummary] {
        let today = try home.today
        return try home.replica.withStore { try $0.summaries(of: days, today: today) }
    }

    /// What was eaten, on days with food.
    private static func eaten(_ summaries: [DaySummary]) -> [Day: NutrientTotals] {
        var eaten: [Day: NutrientTotals] = [:]
        for summary in summaries where summary.consumedMeals > 0 {
            eaten[summary.day] = summary.totals
        }
        return eaten
    }
}

extension Shown {
    /// Converts thousandths of a kilocalorie to thousandths of the person's unit.
    fileprivate func energyUnits(_ amount: Int64) -> Int64 {
        energySymbol == "kcal" ? amount : Rounded.scaled(amount, by: 4_184, over: 1_000)
    }
}
