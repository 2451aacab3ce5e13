/// `GET /api/v1/export`: everything that is recorded, in the formats that the command line writes.
import Macrolog
import MacrologFormats
import MacrologHTTP
import MacrologNutrition

enum ExportRoutes {
    static let all = [
        APIRoute(
            "GET", "/api/v1/export/json", "The whole log: every event, and what it comes to.",
            answers: [.init(200)],
            .person(isWrite: false) { person, _ in
                let spool = try person.spool()
                try JSONExport.write(person.replica) { try spool.write($0) }
                return file(spool, "application/json", "macrolog.json")
            }),
        csv("meals", .meals, "Meals, one row for each part."),
        csv("weights", .weights, "Weigh-ins, one row each."),
        csv("water", .water, "Drinks, one row each."),
    ].map { route in
        var route = route
        route.isFile = true
        return route
    }

    private static func csv(
        _ name: String, _ what: CSVExport.What, _ summary: String
    ) -> APIRoute {
        APIRoute(
            "GET", PathPattern("/api/v1/export/\(name).csv"), summary, answers: [.init(200)],
            .person(isWrite: false) { person, call in
                let spool = try person.spool()
                let days = (call.firstDay ?? .earliest)...Day.latest
                var export = CSVExport()
                // Who sees some days sees no word of the others.
                export.namesAllNutrients = call.firstDay == nil
                try export.write(what, of: person.replica, on: days) { try spool.write($0) }
                return file(spool, "text/csv; charset=utf-8", "\(name).csv")
            }
        ).with(types: ["text/csv"], forOthers: true)
    }

    private static func file(_ spool: Spool, _ type: String, _ name: String) -> APIAnswer {
        APIAnswer(
            content: .spool(spool, type: type),
            fields: [HTTPField("content-disposition", "attachment; filename=\"\(name)\"")])
    }
}
