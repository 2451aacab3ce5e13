import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `chart`: weight, energy and macronutrients over days, in the terminal or as a file.
enum ChartShow {
    static let days = Parameter.option(
        "days", .integer("N", in: 2...366), otherwise: "30", "How many days, up to the day meant.")
    static let svg = Parameter.option(
        "svg", .file, "Write the chart as an SVG file, for light and dark screens.")
    static let png = Parameter.option(
        "png", .file, "Write the chart as a PNG file of 1600 by 800 pixels.")
    static let pdf = Parameter.option("pdf", .file, "Write the chart as a PDF file.")
    static let theme = Parameter.option(
        "theme", .theme,
        "Light or dark colours. Otherwise an SVG file follows the screen; others are light.")

    static let weight = verb(
        "weight", "Draw the weigh-ins and their trend.", "chart weight --days 90",
        hint: "macrolog weight log 80.2kg"
    ) { days, home in
        let trend = try home.replica.read { try $0.weightTrend(through: days.upperBound) }.during(
            days)
        return .weight(days, trend, in: try home.preferences.weightUnit ?? .kilograms)
    }
    static let energy = verb(
        "kcal", "Draw the energy eaten each day, and the goal.", "chart kcal --svg energy.svg",
        hint: "macrolog add 'Oat porridge' --kcal 380"
    ) { days, home in
        .energy(days, try summaries(of: days, &home), in: try unit(&home))
    }
    static let macros = verb(
        "macros", "Draw the energy from protein, carbs and fat each day.", "chart macros",
        hint: "macrolog add 'Oat porridge' --kcal 380 --p 13 --c 60 --f 9"
    ) { days, home in
        .macros(days, try summaries(of: days, &home), in: try unit(&home))
    }

    private static func summaries(
        of days: ClosedRange<Day>, _ home: inout Home
    ) throws -> [DaySummary] {
        try home.read { try $0.statsReport(over: days).days }
    }

    private static func unit(_ home: inout Home) throws -> EnergyUnit {
        try home.preferences.energyUnit ?? .kilocalories
    }

    private static func verb(
        _ name: String, _ summary: String, _ example: String, hint: String,
        _ chart: @escaping @Sendable (ClosedRange<Day>, inout Home) throws -> Chart
    ) -> Verb {
        Verb(
            "chart \(name)", summary, example: example,
            run: { arguments, home in
                let span = try home.day.lastDays(Int(arguments[days]))
                try show(try chart(span, &home), hint: hint, arguments, &home)
            }
        ) {
            days
            svg
            png
            pdf
            theme
            ExportOptions.force
        }
    }

    private static func show(
        _ chart: Chart, hint: String, _ arguments: ParsedArguments, _ home: inout Home
    ) throws {
        let files = [
            PictureFile(.svg, arguments[svg]), PictureFile(.png, arguments[png]),
            PictureFile(.pdf, arguments[pdf]),
        ].compactMap(\.self)
        guard files.isEmpty else {
            return try write(chart, to: files, hint: hint, arguments, &home)
        }
        try home.show(chart.json) { home in
            home.say(chart.lines(home.style, width: home.width, hint: hint))
        }
    }

    private static func write(
        _ chart: Chart, to files: [PictureFile], hint: String, _ arguments: ParsedArguments,
        _ home: inout Home
    ) throws {
        guard !chart.isEmpty else {
            throw CommandError(
                .noInput, "\(arguments.command): nothing to draw in this period. \(hint)")
        }
        try home.write(
            chart.picture, named: chart.title.lowercased(), to: files, arguments[theme], scale: 2,
            mayReplace: arguments[ExportOptions.force], arguments)
    }
}

extension Chart {
    /// The lines of the screen.
    ///
    /// - Parameter hint: What to type if there is nothing to draw.
    func lines(_ style: Style, width: Int, hint: String) -> [String] {
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
        if let target = targetText {
            parts.append("\(style.paint(style.blocks ? "┄" : "-", .dim)) \(target)")
        }
        return parts.joined(separator: "   ")
    }
}
