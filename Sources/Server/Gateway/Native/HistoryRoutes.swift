/// `/api/v1/log`, `undo`, `conflicts`: what was recorded, by which device, and what it disagrees about.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologHTTP
import MacrologJSON
import MacrologNutrition

enum HistoryRoutes {
    static let all = [
        APIRoute(
            "GET", "/api/v1/log", "The last events, newest first, one on each line.",
            query: [.limit], answers: [.init(200)], .read { try log($0, $1) }),
        APIRoute(
            "GET", "/api/v1/history/{kind}/{id}", "The events of anything, oldest first.",
            answers: [.init(200, .anyList)],
            .read { try history($0, EntityKey(UTF8Text($1.text("kind") ?? ""), $1.id())) }),
        APIRoute(
            "POST", "/api/v1/undo", "Undoes the last thing that was done over this interface.",
            .write { diary, _ in .json(try diary.undo().json) }),
        APIRoute(
            "POST", "/api/v1/redo", "Does again what was undone last.",
            .write { diary, _ in .json(try diary.redo().json) }),
        APIRoute(
            "GET", "/api/v1/conflicts", "Lists the fields about which devices disagree.",
            answers: [.init(200, .anyList)],
            .read { diary, _ in
                let notation = try diary.notation()
                return .entity(
                    .array(try diary.conflicts().map { ConflictJSON.json($0, notation) }))
            }),
    ]

    static func history(_ diary: borrowing Diary, _ key: EntityKey) throws -> APIAnswer {
        let notation = try diary.notation()
        return .entity(
            .array(try diary.history(of: key).map { EventJSON.json($0, notation) }))
    }

    private static func log(_ diary: borrowing Diary, _ call: APICall) throws -> APIAnswer {
        let notation = try diary.notation()
        let events = try diary.latestEvents(Int(call.integer("limit") ?? 50))
        let lines = events.map { EventJSON.json($0, notation).compact + "\n" }.joined()
        return APIAnswer(content: .bytes(Array(lines.utf8), type: "application/x-ndjson"))
    }
}
