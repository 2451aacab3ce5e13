import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

// A day for a person: what was eaten, the sums, and what is left.

extension DayView {
    /// The lines of the screen.
    func lines(_ style: Style, width: Int) -> [String] {
        var lines = [heading(style, width: width), ""]
        lines += mealLines(style, width: width)
        let targets = targetLines(style, width: width)
        if !targets.isEmpty { lines += [""] + targets }
        let others = otherLines(style, width: width)
        if !others.isEmpty { lines += [""] + others }
        if report.isEditedByNewerVersion {
            lines += [""] + wrapped(NewerVersion.legend, to: width).map { style.paint($0, .dim) }
        }
        return lines
    }

    private func heading(_ style: Style, width: Int) -> String {
        var arguments: [(text: String, paint: Paint)] = []
        switch report.summary.goalStatus {
        case .achieved?: arguments.append(("goal met", .green))
        case .missed?: arguments.append(("goal missed", .yellow))
        case .inProgress?, .noData?, nil: break
        }
        switch report.summary.status {
        case .complete: arguments.append(("complete", .green))
        case .skipped: arguments.append(("skipped", .dim))
        case .open: if report.summary.day == report.today { arguments.append(("today", .dim)) }
        }
        let plain = arguments.map(\.text).joined(separator: ", ")
        let painted = arguments.map { style.paint($0.text, $0.paint) }.joined(separator: ", ")
        let space = max(2, width - displayWidth(report.summary.day.formatted) - displayWidth(plain))
        let line = style.paint(report.summary.day.formatted, .bold)
        return plain.isEmpty ? line : line + String(repeating: " ", count: space) + painted
    }

    // MARK: Meals

    private func columns(width: Int) -> MealColumns {
        MealColumns(width: width, idWidth: ids.values.map(\.utf8.count).max() ?? 4)
    }

    private func mealLines(_ style: Style, width: Int) -> [String] {
        guard !report.meals.isEmpty else {
            let isEmpty = report.weighIns.isEmpty && body.rows(shown, width: width).isEmpty
            let day = report.summary.day
            let date = day == report.today ? "" : " --date \(day)"
            return hint(
                isEmpty ? "Nothing recorded." : "No meals.",
                "macrolog add 'Oat porridge' --kcal 380\(date)", style, width: width)
        }
        let columns = columns(width: width)
        let hasScores = columns.hasScore && !points.isEmpty
        var lines = [style.paint(columns.titles(shown, score: hasScores ? "score" : ""), .dim)]
        for slot in slots {
            let inside = report.meals.filter { $0.meal.isConsumed && ($0.meal.slot ?? "") == slot }
            guard !inside.isEmpty else { continue }
            lines.append(slotLine(slot, inside, columns, style))
            lines += inside.map { mealLine($0, columns, style) }
        }
        let planned = report.meals.filter { !$0.meal.isConsumed }
        if !planned.isEmpty {
            lines.append(
                columns.line(
                    style.paint("Planned", .bold, .dim), "", amounts: report.summary.planned, shown,
                    paint: { style.paint($0, .dim) }))
            lines += planned.map { mealLine($0, columns, style) }
        }
        lines.append(style.paint(columns.rule(style), .dim))
        lines.append(
            columns.line(
                style.paint("Total", .bold), "", amounts: report.summary.totals, shown,
                paint: { style.paint($0, .bold) }))
        return lines
    }

    /// The slots of the day's report.meals, as the report.summary orders them.
    private var slots: [UTF8Text] { report.summary.slots.map(\.key) }

    private func slotLine(
        _ slot: UTF8Text, _ meals: [MealDetail], _ columns: MealColumns, _ style: Style
    ) -> String {
        let totals = report.summary.slots.first { $0.key == slot }?.totals ?? NutrientTotals()
        let name = style.paint(printable(shown.slot(slot)), .bold)
        // With one meal, its sum is shown with the meal already.
        guard meals.count > 1 else { return name }
        return columns.line(name, "", amounts: totals, shown, paint: { style.paint($0, .dim) })
    }

    private func mealLine(_ meal: MealDetail, _ columns: MealColumns, _ style: Style) -> String {
        var marks = ""
        if meal.meal.isEstimated == true { marks += style.paint("~", .yellow) }
        if meal.hasConflict { marks += style.paint("!", .red) }
        if meal.isEditedByNewerVersion { marks += style.paint(NewerVersion.mark, .magenta) }
        if !meal.meal.isConsumed { marks += style.paint("o", .blue) }
        let clock = padded(meal.meal.localDate.clock, to: 5)
        let score = columns.hasScore ? points[meal.meal.id] : nil
        let room = columns.name - 10 - displayWidth(marks) - (score == nil ? 0 : 5)
        let name = truncated(printable(meal.title), to: room, style: style)
        var title = "  \(style.paint(clock, .dim))  \(name)\(marks.isEmpty ? "" : " " + marks)"
        if let score {
            title = columns.title(
                title, score: style.paint("\(score)", DietScore.Band(score).paint))
        }
        return columns.line(
            title, style.paint(ids[meal.meal.id] ?? "", .dim), amounts: meal.totals, shown,
            paint: { $0 })
    }

    /// What is missing, and what to type: in one line if there is room, because the command is not broken.
    private func hint(
        _ missing: String, _ command: String, _ style: Style, width: Int
    ) -> [String] {
        let line = "\(missing) \(command)"
        let lines = displayWidth(line) <= width ? [line] : [missing, command]
        return lines.map { style.paint($0, .dim) }
    }

    // MARK: Targets

    func targetLines(_ style: Style, width: Int) -> [String] {
        guard let targets = report.summary.targets else {
            guard report.summary.totals.parts > 0 else { return [] }
            return hint("No goal.", "macrolog goal set --kcal 2100 --p 120", style, width: width)
        }
        var lines = targets.all.flatMap { targetLines($0, style, width: width) }
        lines += waterLines(style, width: width)
        lines += movementLines(style, width: width)
        if let computed = targets.computed, computed.energy > 0 {
            lines.append(style.paint("Target   \(shown.explanation(of: computed))", .dim))
        }
        return lines
    }

    private func targetLines(_ target: Target, _ style: Style, width: Int) -> [String] {
        let known = report.summary.totals[target.nutrient]
        let amount = known ?? 0
        let coverage = report.summary.totals.coverage(of: target.nutrient)
        // Unknown is not zero: a limit is kept, and has something left, only where all is known; what is to be
        // reached has something left where a part is known.
        let isOpen = !coverage.isComplete && (target.direction == .max || known == nil)
        let isMet = target.isMet(by: amount, toleranceBasisPoints: report.toleranceBasisPoints)
        let isOver = target.direction != .min && amount > target.amount && !isMet
        let paint: Paint = isMet && !isOpen ? .green : isOver ? .red : .cyan
        let left = target.remaining(after: amount)
        let difference = shown.amount(abs(left), of: target.nutrient)
        let rests: [String] =
            if !isOpen {
                [left >= 0 ? "\(difference) left" : "\(difference) over"]
            } else if known == nil {
                ["unknown"]
            } else if left < 0 {
                ["at least \(difference) over", "\(difference) over"]
            } else {
                ["from \(coverage) items", "from \(coverage)"]
            }
        let numbers =
            "\(shown.amount(isOpen ? known : amount, of: target.nutrient)) of "
            + shown.amountWithUnit(target.amount, of: target.nutrient)
        return meterLines(
            target.nutrient.formatted.capitalised, amount, target: target.amount, paint: paint,
            numbers, rests, style, width: width)
    }

    /// Water against its target; nothing without one.
    private func waterLines(_ style: Style, width: Int) -> [String] {
        let water = report.water
        guard let target = water.targetMicroliters, let left = water.remainingMicroliters else {
            return []
        }
        let total = water.totalMicroliters
        let share = Int128(10_000 - report.toleranceBasisPoints)
        let isMet = Int128(total) * 10_000 >= Int128(target) * share
        return meterLines(
            "Water", total, target: target, paint: isMet ? .green : .cyan,
            "\(shown.volumeNumber(total)) of \(shown.volume(target))",
            [shown.volumeNumber(abs(left)) + (left >= 0 ? " left" : " over")], style, width: width)
    }

    /// Energy burned and steps against their targets; nothing without one.
    private func movementLines(_ style: Style, width: Int) -> [String] {
        let goals: [(title: String, goal: MovementGoal?, unit: String, number: (Int64) -> String)] =
            [
                ("Burned", report.burnedGoal, " " + shown.energySymbol, shown.energy),
                ("Steps", report.stepsGoal, "", { NumberFormat.grouped.text($0) }),
            ]
        return goals.flatMap { title, goal, unit, number -> [String] in
            guard let goal else { return [] }
            let rest = number(abs(goal.remaining)) + (goal.remaining >= 0 ? " left" : " over")
            return meterLines(
                title, goal.done ?? 0, target: goal.target, paint: goal.isMet ? .green : .cyan,
                "\(goal.done.map(number) ?? "–") of \(number(goal.target))\(unit)",
                [goal.done == nil ? "unknown" : rest], style, width: width)
        }
    }

    /// A meter and its numbers: in one line, or in two of a narrow terminal.
    ///
    /// - Parameter rests: What stands after the numbers: the first of these that fits, else the last.
    private func meterLines(
        _ title: String, _ amount: Int64, target: Int64, paint: Paint, _ numbers: String,
        _ rests: [String], _ style: Style, width: Int
    ) -> [String] {
        let name = style.paint(padded(title, to: 9), .bold)
        func meter(_ width: Int) -> String {
            MacrologTerminal.meter(
                amount, target: target, width: width, style: style, paint: paint)
        }
        let room = (width < 62 ? width - 9 : 36) - numbers.count - 2
        let rest = rests.first { $0.count <= room } ?? rests.last ?? ""
        guard width >= 62 else {
            return [
                name + meter(max(10, width - 9 - 5)), padded("", to: 9) + "\(numbers), \(rest)",
            ]
        }
        let space = String(repeating: " ", count: max(2, 36 - numbers.count - rest.count))
        return [name + meter(width - 9 - 5 - 38) + "  \(numbers)\(space)\(rest)"]
    }

    // MARK: The rest

    private func otherLines(_ style: Style, width: Int) -> [String] {
        var rows: [(name: String, text: String)] = []
        rows += titled("Also", sumsWithoutColumn(width: width))
        rows += titled("Known", coverageLines(width: width - 9))
        let unknown = unknownNutrients
        if !unknown.isEmpty {
            rows += titled("Unknown:", wrapped(unknown.joined(separator: ", "), to: width - 9))
        }
        if report.countsNetCarbs, report.netCarbs.coverage.parts > 0 {
            let net = shown.netCarbs(report.netCarbs)
            rows += titled("Carbs", wrapped("net \(net)", to: width - 9))
        }
        if let pinned { rows += titled("Pinned", wrapped(pinned, to: width - 9)) }
        rows += titled("Plan", plan(style))
        if let weight { rows += titled("Weight", wrapped(weight, to: width - 9)) }
        rows += body.rows(shown, width: width - 9)
        if let note = report.log.note, !note.isEmpty {
            rows += noteRows(note, style, width: width - 9)
        }
        if report.meals.contains(where: \.hasConflict) {
            rows.append(("", style.paint("! conflict: macrolog conflicts list", .red)))
        }
        return rows.map { style.paint(padded($0.name, to: 9), .bold) + $0.text }
    }

    /// The sums for which the terminal is too narrow to give them a column.
    private func sumsWithoutColumn(width: Int) -> [String] {
        let totals = report.summary.totals
        let hidden = MealColumns.all.dropFirst(columns(width: width).nutrients.count)
        let sums = hidden.filter { totals[$0] != nil }.map {
            "\($0.formatted) \(shown.amountWithUnit(totals[$0], of: $0))"
        }
        return sums.isEmpty ? [] : wrapped(sums.joined(separator: ", "), to: width - 9)
    }

    /// Planned entries that are not done, one line each.
    private func plan(_ style: Style) -> [String] {
        report.plan.filter { !$0.isDone }.map {
            "\($0.formatted(shown, style))  \(style.paint(planIDs[$0.entry.id] ?? "", .dim))"
        }
    }

    /// Lines with a label on the first.
    private func titled(_ name: String, _ lines: [String]) -> [(name: String, text: String)] {
        lines.enumerated().map { (name: $0 == 0 ? name : "", text: $1) }
    }

    /// The amount of a pinned nutrient: `sodium 1,240 mg from 3 of 4 items`.
    private var pinned: String? {
        let nutrients = shown.preferences.pinnedNutrients.compactMap { Nutrient(key: UTF8Text($0)) }
        let phrases = nutrients.sorted().map { nutrient -> String in
            let coverage = report.summary.totals.coverage(of: nutrient)
            let text =
                "\(printable(shown.name(of: nutrient))) "
                + shown.amountWithUnit(report.summary.totals[nutrient], of: nutrient)
            return report.summary.totals.parts == 0 || coverage.isComplete || coverage.known == 0
                ? text : "\(text) from \(coverage) items"
        }
        return phrases.isEmpty ? nil : phrases.joined(separator: ", ")
    }

    private func noteRows(
        _ note: String, _ style: Style, width: Int
    ) -> [(name: String, text: String)] {
        var rows = note.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { wrapped(printable(String($0)), to: width) }.map { (name: "", text: $0) }
        if !rows.isEmpty { rows[0].name = "Note" }
        return rows
    }

    /// The main nutrients that no entry of the day has a value for.
    private var unknownNutrients: [String] {
        let totals = report.summary.totals
        guard totals.parts > 0 else { return [] }
        return Nutrient.main.filter { totals[$0] == nil }.map(\.formatted)
    }

    /// The main nutrients with incomplete coverage: `fibre 26.0 g from 3 of 4 items`.
    private func coverageLines(width: Int) -> [String] {
        let totals = report.summary.totals
        guard totals.parts > 0 else { return [] }
        let partial = Nutrient.main.filter { !totals.coverage(of: $0).isComplete }
        var phrases: [String] = partial.filter { totals[$0] != nil }.map { nutrient in
            let amount = shown.amountWithUnit(totals[nutrient], of: nutrient)
            return "\(nutrient.formatted) \(amount) from \(totals.coverage(of: nutrient))"
        }
        if let last = phrases.last {
            phrases[phrases.count - 1] = last + (totals.parts == 1 ? " item" : " items")
        }
        var lines: [String] = []
        for (index, phrase) in phrases.enumerated() {
            let text = phrase + (index + 1 < phrases.count ? "," : "")
            if let line = lines.last, displayWidth(line) + 1 + displayWidth(text) <= width {
                lines[lines.count - 1] = "\(line) \(text)"
            } else {
                lines.append(text)
            }
        }
        return lines
    }

    var weight: String? {
        let trendText = report.trend.points.last.map { point -> String in
            var text = "trend \(shown.weight(point.trendGrams))"
            let days = point.day.lastDays(28)
            if let slope = report.trend.during(days).trendSlopeMicrogramsPerWeek {
                text += ", \(shown.weightChange(micrograms: slope)) a week"
            }
            return text
        }
        let here = report.weighIns.map { shown.weight($0.grams) }.joined(separator: ", ")
        if here.isEmpty {
            // A weight from months ago says nothing about this day.
            guard let last = report.trend.points.last, let trendText,
                last.day.distance(to: report.summary.day) <= 28
            else { return nil }
            return "\(shown.weight(last.grams)) on \(last.day.short), \(trendText)"
        }
        return [here, trendText].compactMap(\.self).joined(separator: ", ")
    }
}
