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
            query: [.limit], answers: [.init(200)], .read { try log($0, $1) }
        ).with(types: ["application/x-ndjson"]),
        APIRoute(
            "GET", "/api/v1/history/{kind}/{id}", "The events of anything, oldest first.",
            query: [.limit, .cursor], answers: [.init(200, .events)],
            .read { try history($0, $1, EntityKey(UTF8Text($1.text("kind") ?? ""), $1.id())) }),
        APIRoute(
            "POST", "/api/v1/undo", "Undoes the last thing that was done over this interface.",
            answers: [.init(200, undone)],
            .write { diary, call in
                let once = call.idempotency?.group
                return .json(try once.map { try diary.undo(onceAs: $0) }?.json ?? diary.undo().json)
            }),
        APIRoute(
            "POST", "/api/v1/redo", "Does again what was undone last.",
            answers: [.init(200, undone)],
            .write { diary, call in
                let once = call.idempotency?.group
                return .json(try once.map { try diary.redo(onceAs: $0) }?.json ?? diary.redo().json)
            }),
        APIRoute(
            "GET", "/api/v1/conflicts", "Lists the fields about which devices disagree.",
            query: [.limit, .cursor],
            answers: [
                .init(
                    200,
                    .page(.report("kind: text, id: id, cell: text, shown: side, lost: [side]")))
            ],
            .read { try conflicts($0, $1) }),
        resolving,
    ]

    private static let resolving = {
        var route = APIRoute(
            "POST", "/api/v1/conflicts/resolve",
            "Keeps the value that is shown, or uses one that was lost, on every device.",
            body: .object([
                Schema.Member("kind", .text(1...40), isRequired: true),
                Schema.Member("id", .text(36...36, format: "uuid"), isRequired: true),
                Schema.Member("cell", .text(1...60), "As the list names it.", isRequired: true),
                Schema.Member(
                    "use_lost", .nullable(.number(0...Int64(losersMax - 1), scale: 0)),
                    "Which of the lost values, from 0; the shown one otherwise."),
            ]),
            answers: [
                .init(200, .report("kind: text, id: id, cell: text, resolved_as: object"))
            ], problems: [.notFound],
            .write { try resolve(&$0, $1) })
        route.namesInBody = true
        return route
    }()

    private static let undone = Schema.report(
        "type: text, event_count: count, changed: [key], skipped: [cell], leaves_conflict_resolved: flag"
    )

    private static func resolve(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let (kind, cell) = (call.body["kind"]?.string ?? "", call.body["cell"]?.string ?? "")
        let key = EntityInput.identifier(call.body["id"]).map { EntityKey(UTF8Text(kind), $0) }
        let all = try diary.cellConflicts()
        let place = all.first {
            $0.entity == key && $0.cell.cell.jsonName(in: $0.entity.kind) == cell
        }
        guard let place else {
            throw APIProblem(
                .notFound, "There is no such conflict; GET /api/v1/conflicts lists them.")
        }
        let found = try diary.conflict(of: place.entity, place.cell, losersMax: losersMax)
        let notation = try diary.notation()
        try call.requireMatch(ConflictJSON.json(found, notation), tag: tag(of: all, notation))
        let lost = call.body["use_lost"]?.scaled(0)
        let resolution =
            if let lost { try ConflictResolution.use(loser: Int(lost), of: found) } else {
                ConflictResolution.keep(found)
            }
        try diary.resolve([resolution])
        return .json(ConflictJSON.resolved(found, as: resolution.side))
    }

    /// How many of the values that lost are listed of a conflict.
    private static let losersMax = 100

    private static func conflicts(_ diary: borrowing Diary, _ call: APICall) throws -> APIAnswer {
        let (all, notation) = (try diary.cellConflicts(), try diary.notation())
        var answer = try Page(call, of: all) { found in
            let cell = "\(found.entity.kind) \(found.cell.cell.jsonName(in: found.entity.kind))"
            return PageKey(.earliest, nil, .v5(namespace: found.entity.id, name: cell))
        }.answer { found in
            ConflictJSON.json(
                try diary.conflict(of: found.entity, found.cell, losersMax: losersMax), notation)
        }
        answer.tag = tag(of: all, notation)
        return answer
    }

    /// The version of all conflicts, whichever page shows them: which they are, by which events, under which names.
    private static func tag(
        of all: [(entity: EntityKey, cell: CellConflict)], _ notation: Notation
    ) -> String {
        let conflicts = all.map { entity, found in
            let dots = ([found.winner] + found.losers).map { "\($0.stamp.dot)" }
            return "\(entity.kind) \(entity.id) \(found.cell.jsonName(in: entity.kind)) \(dots)"
        }
        return EntityTag.of(Array("\(notation.devices) \(conflicts.sorted())".utf8))
    }

    static func history(
        _ diary: borrowing Diary, _ call: APICall, _ key: EntityKey
    ) throws -> APIAnswer {
        let notation = try diary.notation()
        return try Page(call, events: try diary.entries(of: key)).answer {
            EventJSON.json(try diary.logged($0), notation)
        }
    }

    private static func log(_ diary: borrowing Diary, _ call: APICall) throws -> APIAnswer {
        let notation = try diary.notation()
        let events = try diary.latestEvents(Int(call.integer("limit") ?? 50))
        let lines = events.map { EventJSON.json($0, notation).compact + "\n" }.joined()
        return APIAnswer(content: .bytes(Array(lines.utf8), type: "application/x-ndjson"))
    }
}
