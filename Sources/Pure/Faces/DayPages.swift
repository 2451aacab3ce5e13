import MacrologEvents
public import MacrologNutrition
import MacrologTerminal

/// Days on pages of A4, to be printed: of each the sums, the goal, the weight and the meals.
///
/// A page is handed out when it is full, so that a long period needs no more memory than a short one.
public struct DayPages: Sendable {
    private let title: String
    private let person: String?
    private let energyUnit: EnergyUnit
    private let weightUnit: WeightUnit
    private var page: Picture
    /// Where the last line stands, in tenths of a point.
    private var y: Int64 = 0
    private var isPageEmpty = true
    /// How many pages there are, with the one that is being filled.
    public private(set) var count: Int64 = 1

    /// Pages for a period.
    ///
    /// - Parameter person: Whose days they are.
    public init(_ days: ClosedRange<Day>, of person: String?, in preferences: Preferences) {
        let (first, last) = (days.lowerBound, days.upperBound)
        title = first == last ? "Food diary of \(first)" : "Food diary from \(first) to \(last)"
        self.person = person
        energyUnit = preferences.energyUnit ?? .kilocalories
        weightUnit = preferences.weightUnit ?? .kilograms
        page = Picture(width: Self.width, height: Self.height, title: title)
        begin()
    }

    /// Adds a day after those before it.
    ///
    /// - Parameters:
    ///   - meals: All of the day, by time; those that were not eaten are said to be planned.
    ///   - weighIns: All of the day.
    /// - Returns: The pages that are full.
    public mutating func add(
        _ day: DaySummary, meals: [MealDetail], weighIns: [WeighIn]
    ) -> [Picture] {
        var full: [Picture] = []
        // A heading does not stand alone at the foot of a page.
        let least = Self.gap + 2 * Self.step + (meals.isEmpty ? 0 : Self.step)
        if y + least > Self.bottom { full.append(turn()) }
        addHeading(day)
        addSums(day, weighIns)
        for meal in meals {
            if y + Self.step > Self.bottom {
                full.append(turn())
                addLine("\(day.day.formatted), continued", .quiet, isBold: true)
            }
            add(meal)
        }
        return full
    }

    /// The last page; `nil` if there is nothing on it.
    public func last() -> Picture? { isPageEmpty ? nil : page }

    /// A page without anything on it, of the same size and title.
    public var blank: Picture { Picture(width: Self.width, height: Self.height, title: title) }

    // MARK: A page

    private static let width: Int64 = 5_953
    private static let height: Int64 = 8_419
    private static let margin: Int64 = 550
    private static let right = width - margin
    /// The height of a line, and what is free above a day.
    private static let step: Int64 = 150
    private static let gap: Int64 = 170
    /// No line stands below it.
    private static let bottom: Int64 = 7_700
    private static let textSize: Int64 = 95
    /// The widths of the column at the right, and of the clock.
    private static let amountWidth: Int64 = 1_200
    private static let clockWidth: Int64 = 400

    private mutating func turn() -> Picture {
        let full = page
        count += 1
        page = blank
        begin()
        return full
    }

    /// The head and the foot of a page.
    private mutating func begin() {
        (y, isPageEmpty) = (780, true)
        let room = Self.right - Self.margin
        page.add(
            title, .ink, size: 120, isBold: true, at: Picture.Point(Self.margin, 600),
            widthMax: room * 2 / 3)
        if let person {
            page.add(
                person, .quiet, size: 110, .right, at: Picture.Point(Self.right, 600),
                widthMax: room / 3 - 100)
        }
        rule(at: 680)
        page.add(
            "Page \(count)", .quiet, size: 85, .middle,
            at: Picture.Point(Self.width / 2, 8_050), widthMax: room)
    }

    private mutating func rule(at y: Int64) {
        page.add(
            [Picture.Point(Self.margin, y), Picture.Point(Self.right, y)], width: 8, .grid)
    }

    /// A line, and what stands at its right.
    private mutating func addLine(
        _ text: String, _ color: Picture.Color = .ink, isBold: Bool = false, indented: Int64 = 0,
        right: (text: String, color: Picture.Color)? = nil
    ) {
        y += Self.step
        isPageEmpty = false
        let start = Self.margin + indented
        let end = right == nil ? Self.right : Self.right - Self.amountWidth - 80
        page.add(
            text, color, size: isBold ? 110 : Self.textSize, isBold: isBold,
            at: Picture.Point(start, y), widthMax: end - start)
        guard let right else { return }
        page.add(
            right.text, right.color, size: Self.textSize, .right,
            at: Picture.Point(Self.right, y), widthMax: Self.amountWidth)
    }

    // MARK: A day

    private mutating func addHeading(_ day: DaySummary) {
        if !isPageEmpty {
            y += Self.gap
            rule(at: y - 60)
        }
        let goal: (String, Picture.Color)? =
            switch day.goalStatus {
            case .achieved?: ("goal met", .good)
            case .missed?: ("goal missed", .fair)
            case .inProgress?, .noData?, nil: nil
            }
        addLine(day.day.formatted, isBold: true, right: goal)
    }

    /// `1,980 of 2,000 kcal, protein 98.0 g, carbs ≥ 201.0 g, fat unknown`, and the weight.
    private mutating func addSums(_ day: DaySummary, _ weighIns: [WeighIn]) {
        var text = "Nothing eaten is recorded"
        if day.totals.parts > 0 {
            text = energy(of: day.totals, goal: day.targets?[.energy]?.amount)
            for nutrient in MacroDistribution.nutrients {
                text += ", \(nutrient.formatted) \(mass(of: nutrient, day.totals))"
            }
        }
        var weights: [String] = []
        for weighIn in weighIns { weights.append(Display.weight(weighIn.grams, in: weightUnit)) }
        addLine(
            text, .quiet,
            right: weights.isEmpty ? nil : (weights.joined(separator: ", "), .ink))
    }

    private mutating func add(_ meal: MealDetail) {
        let isEaten = meal.meal.isConsumed
        let color: Picture.Color = isEaten ? .ink : .quiet
        let amount = (isEaten ? "" : "planned, ") + energy(of: meal.totals, goal: nil)
        addLine(meal.title, color, indented: Self.clockWidth, right: (amount, color))
        guard let minute = meal.meal.localDate.minuteOfDay else { return }
        page.add(
            clockText(minute), .quiet, size: Self.textSize, at: Picture.Point(Self.margin, y),
            widthMax: Self.clockWidth - 40)
    }

    private func energy(of totals: NutrientTotals, goal: Int64?) -> String {
        guard let amount = totals[.energy] else { return "energy unknown" }
        let ofGoal = goal.map { " of \(Share.energyText($0, in: energyUnit))" } ?? ""
        let number = Share.energyText(amount, in: energyUnit)
        return "\(bound(.energy, totals))\(number)\(ofGoal) \(energyUnit.symbol)"
    }

    private func mass(of nutrient: Nutrient, _ totals: NutrientTotals) -> String {
        guard let amount = totals[nutrient] else { return "unknown" }
        let number = NumberFormat.grouped.text(amount, scale: 3, decimals: 1)
        return "\(bound(nutrient, totals))\(number) g"
    }

    /// `≥ ` before a sum that some part does not know.
    private func bound(_ nutrient: Nutrient, _ totals: NutrientTotals) -> String {
        totals.coverage(of: nutrient).isComplete ? "" : "≥ "
    }
}
