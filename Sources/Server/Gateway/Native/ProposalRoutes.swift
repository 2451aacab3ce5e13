/// `/api/v1/proposals`, and what a person makes of one: what models proposed for meals counts only once it is
/// confirmed.
import MacrologAnalysis
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition
import MacrologNutritionModels

enum ProposalRoutes {
    static let all = [
        APIRoute(
            "GET", "/api/v1/proposals",
            "Lists meals of some days that wait for an answer of a model, or for yours.",
            query: [.from, .to, .limit, .cursor], answers: [.init(200, .page(waiting))],
            .read { diary, call in
                let days = try diary.span(of: call)
                let meals = try diary.meals(on: days).filter {
                    try !$0.meal.isConsumed && diary.isProposed($0.meal.id)
                }
                return try Page(call, of: meals) {
                    PageKey($0.meal.localDate.day, $0.meal.localDate.occurredAt, $0.meal.id)
                }.answer { try json(of: $0.meal.id, diary) }
            }),
        APIRoute(
            "GET", "/api/v1/meals/{id}/proposals",
            "Shows what models proposed for a meal, the surest first, also once it is confirmed.",
            answers: [.init(200, waiting)], problems: [.deleted],
            .read { .entity(try json(of: $1.id(), $0)) }),
        APIRoute(
            "POST", "/api/v1/meals/{id}/confirm",
            "Takes the surest proposal, as it is or corrected: the meal counts as eaten.",
            body: corrections, answers: [.init(200, .meal)],
            example: ["name": "Pancakes", "parts": [["part": 1, "grams": 80]], "without": [3]],
            .write { try confirm(&$0, $1) }),
        APIRoute(
            "POST", "/api/v1/meals/{id}/reject",
            "Removes what models proposed for a meal, and what is still asked; the meal stays.",
            answers: [.init(200, .meal)],
            .write { diary, call in
                try call.requireMatch(try MealRoutes.json(diary, call.id()))
                try refusing { try diary.reject(call.id()) }
                return .entity(try MealRoutes.json(diary, call.id()))
            }),
    ]

    private static let waiting = Schema.report(
        "meal_id: id, asked: flag, counts: flag, proposals: [object], earlier_meal_id: id?")

    private static let part = Schema.number(1...100, scale: 0)
    private static let corrections = Schema.object([
        Schema.Member("name", .plain(0...200), "Another name."),
        Schema.Member("without", .list(part, countMax: 100), "Parts to leave out, from 1 on."),
        Schema.Member(
            "parts",
            .list(
                .object([
                    Schema.Member("part", part, isRequired: true),
                    Schema.Member("grams", .number(0...10_000_000, scale: 3), isRequired: true),
                ]), countMax: 100), "The mass of parts; their nutrients follow."),
        Schema.Member(
            "as_before", .flag, "Take the parts of earlier_meal_id instead, as you corrected them."),
    ])

    private static func json(of id: Identifier, _ diary: borrowing Diary) throws -> JSON {
        let meal = try diary.require(Meal.self, id)
        let proposals = try diary.proposals(for: id)
        let dish = proposals.first?.dish
        let earlier = try dish.flatMap { try diary.correctedMeal(of: $0, except: id) }
        return [
            "meal_id": .id(id), "asked": .bool(try diary.isWaiting(id)),
            "counts": .bool(meal.isConsumed), "proposals": .array(proposals.map(\.json)),
            "earlier_meal_id": .optional(earlier?.meal.id),
        ]
    }

    private static func confirm(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        try call.requireMatch(try MealRoutes.json(diary, call.id()))
        var changes = ProposalChanges()
        changes.name = call.body["name"]?.string
        changes.without = Set(
            (call.body["without"]?.array ?? []).compactMap { $0.scaled(0) }.map { Int($0) })
        for (index, part) in (call.body["parts"]?.array ?? []).enumerated() {
            let number = Int(part["part"]?.scaled(0) ?? 0)
            guard changes.masses.updateValue(part["grams"]?.scaled(3) ?? 0, forKey: number) == nil
            else { throw APIProblem.invalid("/parts/\(index)/part", "Name part \(number) once.") }
        }
        changes.takesEarlier = call.body["as_before"] == .bool(true)
        guard !changes.takesEarlier || changes.without.isEmpty && changes.masses.isEmpty else {
            throw APIProblem.invalid(
                "/as_before", "as_before takes whole parts: send it without parts and without.")
        }
        try refusing { try diary.confirm(call.id(), changes) }
        return .entity(try MealRoutes.json(diary, call.id()))
    }

    private static func refusing(_ body: () throws -> Void) throws {
        do { try body() } catch let error as ProposalError {
            switch error {
            case .noSuchPart, .unknownMass:
                throw APIProblem.invalid("/parts", APIProblem(explaining: error).title)
            case .hasValues:
                throw APIProblem(
                    .conflict,
                    "The meal has values of its own, and both they and its parts would count: PATCH "
                        + "/api/v1/meals/{id} makes its nutrients null, then confirm it; or keep them, and "
                        + "POST /api/v1/meals/{id}/consume.")
            case .noPartLeft:
                throw APIProblem(
                    .conflict,
                    "No part would be left, and the meal would count as nothing: keep one, or POST "
                        + "/api/v1/meals/{id}/reject.")
            default: throw APIProblem(explaining: error)
            }
        }
    }
}

extension Diary {
    /// Refuses to count a meal that has neither parts nor values, but a proposal, or a question that is not
    /// answered: it would count as nothing.
    func requireNoProposal(_ id: Identifier) throws {
        guard let detail = try meal(id), detail.items.isEmpty, detail.meal.nutrients.isEmpty else {
            return
        }
        let isAnswered = try proposals(for: id).contains { $0.outcome == .ok }
        guard try isAnswered || isWaiting(id) else { return }
        throw APIProblem(
            .conflict,
            isAnswered
                ? "Nothing that a model proposed counts before it is confirmed: POST "
                    + "/api/v1/meals/\(id)/confirm, or …/reject and add its parts."
                : "The model has not answered yet: try again later, or POST "
                    + "/api/v1/meals/\(id)/reject and add its parts.")
    }
}
