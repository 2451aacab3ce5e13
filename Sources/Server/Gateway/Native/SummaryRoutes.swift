/// `/api/v1/home`, `calendar`, `stats`, `trends`, `coach`: what many days come to.
import MacrologAnalysis
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition

enum SummaryRoutes {
    static let all = [
        APIRoute(
            "GET", "/api/v1/home", "Today at a glance: the day, advice, what comes next.",
            answers: [.init(200, .home)],
            .read { diary, _ in .json(try diary.homeReport(of: try diary.today()).json) }),
        APIRoute(
            "GET", "/api/v1/calendar/{month}", "The days of a month, and whether goals were met.",
            answers: [.init(200, .report("from: date, to: date, days: [calendar_day]"))],
            .read { try calendar($0, $1) }),
        APIRoute(
            "GET", "/api/v1/stats", "Averages, rates and shares of some days.",
            query: [.from, .to], answers: [.init(200, stats)],
            .read { diary, call in
                let report = try diary.statsReport(over: try diary.span(of: call))
                return .entity(call.kept(report.json, of: report.days))
            }
        ).with(forOthers: true),
        APIRoute(
            "GET", "/api/v1/trends", "The last days, compared with those before.", query: [days],
            answers: [
                .init(
                    200,
                    .report(
                        """
                        from: date, to: date, logged_days: count, earlier_logged_days: count, averages: [object],
                        energy_shares: shares?, entry_count: count, diet_scores: object?
                        """))
            ],
            .read { diary, call in
                let today = try diary.today()
                let shown = call.firstDay.map { $0.distance(to: today) + 1 } ?? .max
                let count = call.integer("days").map { Int($0) } ?? max(1, min(7, shown / 2))
                try call.require(today.advanced(by: 1 - 2 * count))
                let trends = try trends(diary, count)
                guard call.firstDay != nil else { return .entity(trends) }
                let report = try diary.statsReport(over: today.advanced(by: 1 - count)...today)
                return .entity(call.kept(trends, of: report.days))
            }
        ).with(forOthers: true),
        APIRoute(
            "GET", "/api/v1/streak", "How many days in a row were logged.",
            answers: [
                .init(200, .report("streak_days: count, longest_streak_days: count"))
            ],
            .read { diary, _ in .entity(try diary.streak().json) }),
        APIRoute(
            "GET", "/api/v1/weight-trend", "The smoothed line through the weigh-ins of some days.",
            query: [.from, .to],
            answers: [
                .init(
                    200,
                    .report(
                        """
                        from: date, to: date, slope_kg_per_week: number?, trend_slope_kg_per_week: number?,
                        projection: projection?, days: [weight_of_day]
                        """))
            ],
            .read { .entity(try weightTrend($0, try $0.span(of: $1))) }),
        APIRoute(
            "GET", "/api/v1/fasting", "The fast in progress, and when was eaten today.",
            answers: [
                .init(
                    200,
                    .report(
                        """
                        active: fast?, eating_window_starts_at: time?, eating_window_ends_at: time?,
                        overlapping_ids: [id]
                        """))
            ],
            .read { diary, _ in .json(try fasting(diary)) }),
        APIRoute(
            "GET", "/api/v1/movement/{date}", "The energy and the steps of a day.",
            answers: [.init(200, .movement)],
            .read { diary, call in
                let day = call.day("date") ?? .earliest
                return .entity(BodyJSON.movement(try diary.movement(on: day), on: day))
            }),
        APIRoute(
            "GET", "/api/v1/coach/context", "The facts that advice is made of.",
            answers: [.init(200, .coachContext)],
            .read { diary, _ in .json(CoachContext(try diary.coachFacts()).factsJSON) }),
        APIRoute(
            "GET", "/api/v1/coach/wide-context", "The wider facts, which also describe the person.",
            answers: [.init(200, .wideCoachContext)],
            .read { diary, _ in
                .json(CoachContext(wide: try diary.coachFacts(withBackground: true)).factsJSON)
            }),
        APIRoute(
            "GET", "/api/v1/coach/messages", "Advice by rules, most urgent first.",
            answers: [.init(200, .page(.advice))],
            .read { diary, _ in
                .json(
                    .array(
                        CoachMessage.all(try diary.coachFacts(withPatterns: true)).map { $0.json }))
            }),
        APIRoute(
            "POST", "/api/v1/coach/accept",
            "Makes what a model advised last for a day the goal of that day.",
            body: .object([Schema.Member("day", .nullable(.day), "The day; otherwise today.")]),
            answers: [.init(200, .goalsOfDay)], .write { try accept(&$0, $1) }),
    ]

    private static func accept(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let day = if let day = try call.bodyDay("day") { day } else { try diary.today() }
        do { try diary.acceptAdvice(on: day) } catch let error as AdviceError {
            throw APIProblem(explaining: error)
        }
        return try GoalRoutes.goal(of: day, diary)
    }

    private static let stats = Schema.report(
        """
        from: date, to: date, span_days: count, logged_days: count, complete_days: count,
        skipped_days: count, includes_today: flag, achieved_days: count?, missed_days: count?,
        achievement_rate_percent: number?, averages: [object], energy_shares: shares?, entry_count: count,
        streak_days: count?, longest_streak_days: count?, energy_by_day: [energy_of_day]
        """)

    private static let days = APIParameter(
        "days", .integer(1...366), "How many days, up to today; 7 otherwise.", example: "30")

    private static func calendar(_ diary: borrowing Diary, _ call: APICall) throws -> APIAnswer {
        guard let first = call.text("month").flatMap({ Day($0 + "-01") }) else {
            throw APIProblem.parameter("month", "month must be written as 2026-11.")
        }
        let month = first.calendarMonth
        let found = try diary.statsReport(over: month).days
        return .entity(
            DayJSON.calendar(
                month, Dictionary(found.map { ($0.day, $0) }, uniquingKeysWith: { $1 })))
    }

    /// The trends of some days up to today, and the scores of the diet that is followed.
    static func trends(_ diary: borrowing Diary, _ count: Int) throws -> JSON {
        let today = try diary.today()
        let span = today.advanced(by: 1 - count)...today
        let before = span.lowerBound.advanced(by: -count)...span.lowerBound.advanced(by: -1)
        return StatsJSON.trends(
            try diary.stats(over: span), earlier: try diary.stats(over: before),
            dietScores: try scores(diary, span))
    }

    private static func scores(_ diary: borrowing Diary, _ span: ClosedRange<Day>) throws -> JSON {
        let profile = try diary.profile()
        guard let diet = profile.dietType else { return .null }
        let scored = try diary.dietScores(on: span, for: diet, shares: profile.customMacroShares)
        let trend = DietTrend(scored, during: span)
        return DietJSON.trend(scored, trend, during: span, for: diet)
    }

    private static func weightTrend(
        _ diary: borrowing Diary, _ span: ClosedRange<Day>
    ) throws -> JSON {
        BodyJSON.trend(
            try diary.weightTrend(through: span.upperBound).during(span), during: span,
            outlook: try diary.weightOutlook(on: span.upperBound),
            target: try diary.profile().targetWeightGrams)
    }

    private static func fasting(_ diary: borrowing Diary) throws -> JSON {
        let (fasting, now) = (try diary.fasting(), diary.now)
        let active = try fasting.active(at: now).flatMap { try diary.entity(Fast.self, $0.id) }
        return BodyJSON.fasting(
            active, window: try diary.eatingWindow(on: try diary.today()),
            overlapping: fasting.overlapping(at: now).map { $0.id }, at: now)
    }
}
