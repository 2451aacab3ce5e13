/// `/api/v1/day`, the days of a month, averages over days: what a person looks at most.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologHTTP
import MacrologJSON
import MacrologNutrition

enum DayRoutes {
    static let all = [
        live(
            APIRoute(
                "GET", "/api/v1/day", "Shows today.",
                query: [explain], answers: [.init(200, .wholeDay)],
                .read { try show($0, try $0.today(), $1) })
        ) { diary, call in
            let today = try diary.today()
            try call.require(today)
            let report = try diary.dayReport(of: today)
            return call.kept(report.json, of: [report.summary])
        },
        live(
            APIRoute(
                "GET", "/api/v1/day/{date}", "Shows a day: meals, totals, goals, body.",
                query: [explain], answers: [.init(200, .wholeDay)],
                .read { try show($0, day($1), $1) })
        ) { diary, call in
            try call.require(day(call))
            let report = try diary.dayReport(of: day(call))
            return call.kept(report.json, of: [report.summary])
        },
        APIRoute(
            "PATCH", "/api/v1/day/{date}", "Changes a day's status, note or mood.",
            body: Schema.entity(.dayLog, without: ["date"]).asPatch,
            answers: [.init(200, .wholeDay)],
            example: ["status": "complete", "note": "Birthday"], .write { try change(&$0, $1) }),
    ]

    /// A route that also sends what it shows whenever that changes.
    private static func live(
        _ route: APIRoute, _ json: @escaping @Sendable (borrowing Diary, APICall) throws -> JSON
    ) -> APIRoute {
        var route = route.with(forOthers: true)
        route.live = json
        return route
    }

    /// How many counters the clocks of an explanation may have together: some megabytes of text.
    private static let countersMax = 50_000

    private static func explanations(
        of day: Day, _ diary: borrowing Diary
    ) throws -> [Explanation] {
        let all = try diary.explain(day)
        var counters = 0
        for part in all.flatMap(\.parts) {
            for event in part.events { counters += event.clock.counters.count }
        }
        guard counters <= countersMax else {
            throw APIProblem(
                .tooLarge,
                "Too many events of too many devices explain that day: leave explain out.")
        }
        return all
    }

    private static let explain = APIParameter(
        "explain", .flag, "Adds the events that each total comes from.", example: "true")

    private static func day(_ call: APICall) -> Day { call.day("date") ?? .earliest }

    private static func show(
        _ diary: borrowing Diary, _ day: Day, _ call: APICall
    ) throws -> APIAnswer {
        try call.require(day)
        // An event says what it changed on any day, and what was there before.
        if call.flag("explain"), call.firstDay != nil {
            throw APIProblem(.notAllowed, "This token shows no events; leave explain out.")
        }
        let report = try diary.dayReport(of: day)
        let json =
            call.flag("explain")
            ? report.json(explainedBy: try explanations(of: day, diary), try diary.notation())
            : report.json
        return answer(call.kept(json, of: [report.summary]))
    }

    private static func change(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let day = day(call)
        try call.requireMatch(lasting(try diary.dayReport(of: day).json))
        let old = try diary.dayLog(on: day)
        try diary.saveChange(try diary.changed(old, by: call.body), of: old)
        let json = try diary.dayReport(of: day).json
        return answer(json)
    }

    private static func answer(_ day: JSON) -> APIAnswer {
        var answer = APIAnswer.json(day)
        if day["fasts"]?.array?.isEmpty == true, case .json(let bytes) = answer.content {
            answer.tag = EntityTag.of(bytes)
        } else {
            answer.tag = EntityTag.of(APIAnswer.printed(lasting(day)))
        }
        return answer
    }

    /// The day without what changes by itself: how long a fast has lasted.
    private static func lasting(_ day: JSON) -> JSON {
        guard day["fasts"]?.array?.isEmpty == false else { return day }
        return .object((day.object ?? []).filter { $0.key != "fasts" })
    }
}
