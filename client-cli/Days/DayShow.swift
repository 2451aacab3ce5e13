import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `day show`: one whole day. The most used screen.
enum DayShow {
    static let day = Parameter.optionalArgument(
        "day", .day,
        "The day: today, yesterday, -3, friday (the last one) or 2026-11-20. "
            + "Otherwise --date.")

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
        guard arguments[DayExplain.flag] || arguments.has(LookingBack.asOf) else {
            return try home.read { diary, home in
                let report = try diary.dayReport(of: try typedDay(arguments, &home))
                try home.show(report.json) { home in
                    home.say(try DayView(report, diary).lines(home.style, width: home.width))
                }
            }
        }
        let day = try typedDay(arguments, &home)
        let notation = try home.replica.read { try $0.notation() }
        let device = try home.replica.device
        if let asOf = try LookingBack.asOf(arguments, notation, &home) {
            try home.lookBack(to: asOf)
        }
        try home.read { diary, home in
            let report = try diary.dayReport(of: day)
            let why =
                arguments[DayExplain.flag]
                ? DayExplain(
                    explanations: try diary.explain(day), notation: notation, device: device) : nil
            let json =
                why.map { report.json(explainedBy: $0.explanations, $0.notation) } ?? report.json
            try home.show(json) { home in
                if let heading = LookingBack.heading(arguments) { home.say(heading) }
                let view = try DayView(report, diary)
                home.say(view.lines(home.style, width: home.width))
                if let why {
                    home.say("")
                    home.say(why.lines(view.shown, home.style, width: home.width))
                }
            }
        }
    }

    private static func typedDay(_ arguments: ParsedArguments, _ home: inout Home) throws -> Day {
        try arguments[day].map { try home.typedDay($0, day, arguments) } ?? home.day
    }
}

extension Home {
    /// A day typed as an argument.
    ///
    /// - Parameter isPast: Whether a weekday is the last one also in a command about days to come.
    mutating func typedDay<Value>(
        _ word: String, _ parameter: Parameter<Value>, _ arguments: ParsedArguments,
        isPast: Bool = false
    ) throws -> Day {
        let today = try today
        let found = isPast ? Day.reading(word, today: today) : named(word, today: today)
        guard let day = found else {
            throw arguments.usageError(
                of: parameter, "\"\(printable(word))\" is not a day from 1900 to 2200",
                instead: "today, yesterday, -3, friday or a date such as 2026-11-20")
        }
        return day
    }

    /// The day that a word names. A weekday is the last one, or in commands about days to come the next
    /// one; today is both.
    func named(_ word: String, today: Day) -> Day? {
        guard let day = Day.reading(word, today: today) else { return nil }
        let isNext =
            day < today && arguments.looksAhead
            && Weekdays.number(String(word.trimmingSpaces)) != nil
        return isNext ? day.advanced(by: 7) : day
    }
}

extension ParsedArguments {
    /// Whether the command is about days to come.
    fileprivate var looksAhead: Bool {
        let words = command.split(separator: " ")
        return words.count > 1
            && ["plan", "goal", "targets", "macro", "reminders"].contains(words[1])
    }
}

/// A day for a person.
struct DayView {
    let report: DayReport
    let shown: Shown
    let ids: [Identifier: String]
    let planIDs: [Identifier: String]
    /// The points of meals for the diet that the person follows; empty without one.
    let points: [Identifier: Int]
    private let checkIn: CheckIn?

    init(_ report: DayReport, _ diary: borrowing Diary) throws {
        self.report = report
        shown = Shown(report)
        ids = try diary.shortIDs(of: .meal, for: report.meals.map(\.meal.id))
        points = report.points
        checkIn = try diary.checkIn(on: report.day)
        planIDs = try diary.shortIDs(of: .planEntry, for: report.plan.map(\.entry.id))
    }

    var body: DayBody { DayBody(report: report, checkIn: checkIn) }
}
