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
                query: [explain], .read { try show($0, try $0.today(), $1) })
        ) { diary, _ in
            try diary.dayReport(of: try diary.today()).json
        },
        live(
            APIRoute(
                "GET", "/api/v1/day/{date}", "Shows a day: meals, totals, goals, body.",
                query: [explain], .read { try show($0, day($1), $1) })
        ) {
            try $0.dayReport(of: day($1)).json
        },
        APIRoute(
            "PATCH", "/api/v1/day/{date}", "Changes a day's status, note or mood.",
            body: Schema.entity(.dayLog, without: ["date"]).asPatch,
            example: ["status": "complete", "note": "Birthday"], .write { try change(&$0, $1) }),
    ]

    /// A route that also sends what it shows whenever that changes.
    private static func live(
        _ route: APIRoute, _ json: @escaping @Sendable (borrowing Diary, APICall) throws -> JSON
    ) -> APIRoute {
        var route = route
        route.live = json
        return route
    }

    private static let explain = APIParameter(
        "explain", .flag, "Adds the events that each total comes from.", example: "true")

    private static func day(_ call: APICall) -> Day { call.day("date") ?? .earliest }

    private static func show(
        _ diary: borrowing Diary, _ day: Day, _ call: APICall
    ) throws -> APIAnswer {
        let report = try diary.dayReport(of: day)
        let json =
            call.flag("explain")
            ? report.json(explainedBy: try diary.explain(day), try diary.notation()) : report.json
        return APIAnswer(content: .json(json), tag: tag(json))
    }

    private static func change(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let day = day(call)
        try call.requireMatch(lasting(try diary.dayReport(of: day).json))
        try diary.save(try diary.changed(try diary.dayLog(on: day), by: call.body))
        let json = try diary.dayReport(of: day).json
        return APIAnswer(content: .json(json), tag: tag(json))
    }

    private static func tag(_ day: JSON) -> String { EntityTag.of(lasting(day)) }

    /// The day without what changes by itself: how long a fast has lasted.
    private static func lasting(_ day: JSON) -> JSON {
        .object((day.object ?? []).filter { $0.key != "fasts" })
    }
}
