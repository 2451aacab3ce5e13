import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `day show`: one whole day. The most used screen.
enum DayShow {
    static let day = Parameter.optionalArgument(
        "day", .day, "The day: today, yesterday, -3, friday or 2026-11-20. Otherwise --date.")

    static let command = Verb(
        "day show", "Show a day: meals, totals, goals, weight.", example: "day show",
        "day show yesterday", "day show --explain", "day show friday --as-of a17",
        explanation: """
            Totals show for how many items a nutrient is known: unknown is not zero. Marks: ~
            estimated, ! in conflict (see: macrolog conflicts list), + edited by a newer version,
            o planned and not eaten.
            """, run: run
    ) {
        day
        DayExplain.flag
        LookingBack.asOf
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let day = try arguments[day].map { try home.typedDay($0, Self.day, arguments) } ?? home.day
        let notation = try home.replica.notation()
        let device = try home.replica.device
        if let asOf = try LookingBack.asOf(arguments, notation, &home) {
            try home.lookBack(to: asOf)
        }
        let view = try DayView(day, &home)
        let why =
            try arguments[DayExplain.flag]
            ? DayExplain(
                explanations: home.replica.explain(day), notation: notation, device: device) : nil
        let json =
            why.map { DayJSON.explained(view.json, by: $0.explanations, $0.notation) } ?? view.json
        try home.show(json) { home in
            if let heading = LookingBack.heading(arguments) { home.say(heading) }
            home.say(view.lines(home.style, width: home.width))
            if let why {
                home.say("")
                home.say(why.lines(view.shown, home.style, width: home.width))
            }
        }
    }
}

extension Home {
    /// A day typed as an argument.
    mutating func typedDay(
        _ word: String, _ parameter: Parameter<String?>, _ arguments: ParsedArguments
    ) throws -> Day {
        guard let day = Day.reading(word, today: try today) else {
            throw arguments.usageError(
                of: parameter, "\"\(printable(word))\" is not a day from 1900 to 2200",
                instead: "today, yesterday, -3, friday or a date such as 2026-11-20")
        }
        return day
    }
}

/// All data about a day.
struct DayView {
    let today: Day
    let summary: DaySummary
    let meals: [MealDetail]
    let log: DayLog
    /// Whether a newer version wrote data about the day or one of its meals that can't be shown
    /// here.
    let isEditedByNewerVersion: Bool
    let weighIns: [WeighIn]
    let trend: WeightTrend
    let body: DayBody
    let ids: [Identifier: String]
    let shown: Shown
    let tolerance: Int64
    let netCarbs: NetCarbs
    /// Whether the person follows a diet that counts carbohydrate without fibre.
    let countsNetCarbs: Bool
    /// Planned entries that are not done, one line each.
    let plan: [String]
    let planned: [PlanLine]

    init(_ day: Day, _ home: inout Home) throws {
        let replica = try home.replica
        let today = try home.today
        self.today = today
        summary = try replica.withStore { try $0.summary(of: day, today: today) }
        meals = try replica.meals(on: day)
        let log = try replica.dayLog(on: day)
        self.log = log
        isEditedByNewerVersion =
            try replica.newerParts(of: DayLog.self, log.id) != nil
            || meals.contains(where: \.isEditedByNewerVersion)
        var net = NetCarbs()
        for meal in meals where meal.meal.isConsumed { net.add(try replica.netCarbs(of: meal)) }
        netCarbs = net
        let diet = try replica.profile().dietType
        countsNetCarbs = diet == .keto || diet == .lowCarb
        weighIns = try replica.weighIns(on: day...day)
        trend = try replica.weightTrend(through: day)
        body = try DayBody(summary, &home)
        ids = try replica.shortIDs(of: .meal, for: meals.map(\.meal.id))
        shown = try home.shown
        planned = try replica.plan(on: day...day).map { try PlanLine($0, &home) }
        let planIDs = try replica.shortIDs(of: .planEntry, for: planned.map(\.entry.id))
        plan = try planned.filter { !$0.isDone }.map {
            "\(try $0.formatted(&home))  \(home.style.paint(planIDs[$0.entry.id] ?? "", .dim))"
        }
        tolerance = try home.preferences.goalToleranceBasisPoints ?? 500
    }
}

extension DayView {
    /// The day as JSON.
    var json: JSON {
        DayJSON.day(
            summary, log: log, meals: meals, isEditedByNewerVersion: isEditedByNewerVersion,
            netCarbs: netCarbs,
            pinned: shown.preferences.pinnedNutrients.compactMap { Nutrient(key: Text($0)) }
                .sorted(),
            tolerance: tolerance, plan: planned.map(\.json), weighIns: weighIns, trend: trend,
            body: body.members)
    }
}
