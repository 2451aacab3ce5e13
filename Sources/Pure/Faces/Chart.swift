public import MacrologJSON
public import MacrologNutrition
public import MacrologTerminal

/// The data of a chart: series over days, in thousandths of the person's unit.
public struct Chart {
    /// What is drawn: `Weight`.
    public let title: String
    /// `kg`, `lb`, `kcal`, `kJ`
    public let unit: String
    /// The first and the last day.
    public let days: ClosedRange<Day>
    /// What is plotted, a column for each day.
    public let plot: Plot

    /// Whether no day has a value.
    public var isEmpty: Bool {
        plot.series.allSatisfy { $0.values.allSatisfy { $0 == nil } }
    }

    /// The target, or the lowest and the highest of several, in whole units.
    public var targetText: String? {
        let targets = plot.targets.compactMap { $0 }
        guard let low = targets.min(), let high = targets.max() else { return nil }
        let text = NumberFormat.grouped.text(low, scale: 3, decimals: 0)
        let highest = NumberFormat.grouped.text(high, scale: 3, decimals: 0)
        return "goal \(text)" + (text == highest ? "" : " to \(highest)")
    }

    /// The values of each day.
    public var json: JSON {
        func amount(_ value: Int64?) -> JSON { value.map { .decimal($0, scale: 3) } ?? .null }
        let suffix = "_" + unit.lowercased()
        let lines = zip(days, 0...).map { day, index -> JSON in
            let target = plot.targets.isEmpty ? nil : plot.targets[index]
            var members = [
                JSON.Member("day", .day(day)), JSON.Member("goal" + suffix, amount(target)),
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
    ///
    /// - Parameter trend: The trend during these days.
    public static func weight(
        _ days: ClosedRange<Day>, _ trend: WeightTrend, in unit: WeightUnit
    ) -> Chart {
        let isMetric = unit == .kilograms
        func number(_ grams: Int64) -> Int64 {
            isMetric ? grams : Rounding.scaled(grams, by: 100_000_000, over: 45_359_237)
        }
        var (weights, smooth): ([Day: Int64], [Day: Int64]) = ([:], [:])
        for point in trend.points {
            weights[point.day] = number(point.grams)
            smooth[point.day] = number(point.trendGrams)
        }
        return Chart(
            title: "Weight", unit: isMetric ? "kg" : "lb", days: days,
            plot: Plot([
                Plot.Series("weight", .dots, .dim, days.map { weights[$0] }),
                Plot.Series("trend", .line, .cyan, days.map { smooth[$0] }),
            ]))
    }

    /// The energy eaten, and each day's target.
    ///
    /// - Parameter summaries: The days that have one.
    public static func energy(
        _ days: ClosedRange<Day>, _ summaries: [DaySummary], in unit: EnergyUnit
    ) -> Chart {
        let eaten = StatsJSON.energies(summaries, over: days)
        var targets: [Day: Int64] = [:]
        for summary in summaries { targets[summary.day] = summary.targets?[.energy]?.amount }
        return Chart(
            title: "Energy", unit: unit.symbol, days: days,
            plot: Plot(
                [Plot.Series("eaten", .columns, .green, eaten.map { $0.map { unit.number($0) } })],
                targets: days.map { targets[$0].map { unit.number($0) } }))
    }

    /// The energy in protein, carbohydrate and fat, at 4, 4 and 9 kcal for each gram.
    ///
    /// - Parameter summaries: The days that have one.
    public static func macros(
        _ days: ClosedRange<Day>, _ summaries: [DaySummary], in unit: EnergyUnit
    ) -> Chart {
        var eaten: [Day: NutrientTotals] = [:]
        for summary in summaries where summary.consumedMeals > 0 {
            eaten[summary.day] = summary.totals
        }
        func series(_ nutrient: Nutrient, _ factor: Int64, _ paint: Paint) -> Plot.Series {
            Plot.Series(
                nutrient.formatted, .columns, paint,
                days.map { day in
                    eaten[day]?[nutrient].map {
                        unit.number(Rounding.scaled($0, by: factor, over: 1))
                    }
                })
        }
        return Chart(
            title: "Energy from macronutrients", unit: unit.symbol, days: days,
            plot: Plot([
                series(.protein, 4, .green), series(.carbs, 4, .yellow), series(.fat, 9, .magenta),
            ]))
    }
}

extension EnergyUnit {
    /// `kcal` or `kJ`.
    public var symbol: String { self == .kilocalories ? "kcal" : "kJ" }

    /// Converts thousandths of a kilocalorie to thousandths of this unit.
    func number(_ millikilocalories: Int64) -> Int64 {
        self == .kilocalories
            ? millikilocalories : Rounding.scaled(millikilocalories, by: 4_184, over: 1_000)
    }
}
