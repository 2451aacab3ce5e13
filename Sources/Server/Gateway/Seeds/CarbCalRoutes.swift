/// The face of CarbCal: `/food-logs`, with whole numbers and `fats`.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition

enum CarbCalRoutes {
    static let all = [
        APIRoute(
            "POST", "/food-logs", "CarbCal: keeps a dish with its ingredients, as eaten.",
            body: .object([
                Schema.Member("dishName", .plain(0...200), isRequired: true),
                Schema.Member("date", .date, isRequired: true),
                Schema.Member("ingredients", .list(ingredient, countMax: 100), isRequired: true),
                Schema.Member("healthScore", .nullable(.number(0...10, scale: 0))),
                Schema.Member("imagePath", .nullable(.text(0...1_000))),
                Schema.Member("total", .nullable(total), "What the client had shown."),
            ]), answers: [.init(201, .dish)], example: example, ignoresUnknown: true,
            .write { try add(&$0, $1) }),
        APIRoute(
            "GET", "/food-logs", "CarbCal: the dishes of a day, and its energy.",
            query: [
                APIParameter(
                    "date", .day, "The day; today otherwise.", example: "2025-05-27")
            ], answers: [.init(200, .report("date: date, totalCalories: count, logs: [dish]"))],
            ignoresUnknown: true, .read { try list($0, $1) }),
    ]

    private static let amounts = [
        Schema.Member("calories", .kilocalories), Schema.Member("carbs", .grams),
        Schema.Member("protein", .grams), Schema.Member("fats", .grams),
    ]

    private static let ingredient = Schema.object(
        [Schema.Member("name", .plain(1...200), isRequired: true)] + amounts, title: "ingredient")

    private static let total = Schema.object(
        amounts + [Schema.Member("healthScore", .nullable(.number(0...10, scale: 0)))],
        title: "total")

    private static let example: JSON = [
        "dishName": "Salad", "date": "2025-05-27",
        "ingredients": [
            ["name": "Tomato", "calories": 22, "carbs": 5, "protein": 1, "fats": 0]
        ], "healthScore": 8, "imagePath": "localPathOrURL",
    ]

    private static func add(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let day = try call.bodyDay("date")
        let id = try diary.create(.meal, call) { diary, id in
            let date = try diary.date(on: day)
            var meal = Meal(
                id: id, on: date, dishName: call.body["dishName"]?.string,
                slot: try diary.slot(at: date))
            meal.consumedAt = date.occurredAt
            let total = call.body["total"]
            meal.healthScore = (call.body["healthScore"] ?? total?["healthScore"])?.scaled(0)
            if let total, total != .null { meal.reportedTotal = Nutrients(total, fat: "fats") }
            var items: [MealItem] = []
            for (index, part) in (call.body["ingredients"]?.array ?? []).enumerated() {
                var item = MealItem(
                    id: call.idempotency?.part(index) ?? diary.newID(), of: id,
                    name: part["name"]?.string ?? "", nutrients: Nutrients(part, fat: "fats"))
                item.position = ItemPlace.text(index)
                items.append(item)
            }
            return .add(meal, items: items, today: try diary.today())
        }
        guard let detail = try diary.meal(id) else { throw APIProblem.failed() }
        return APIAnswer(status: 201, content: .compact(json(detail)))
    }

    private static func list(_ diary: borrowing Diary, _ call: APICall) throws -> APIAnswer {
        let day = if let day = call.day("date") { day } else { try diary.today() }
        let meals = try diary.meals(on: day).filter { $0.meal.isConsumed }
        return APIAnswer(
            content: .compact([
                "date": .day(day),
                "totalCalories": .rounded(try diary.summary(of: day).totals[.energy]),
                "logs": .array(meals.map { json($0) }),
            ]))
    }

    /// A dish; the total is what its ingredients come to, whatever a client had shown.
    private static func json(_ detail: MealDetail) -> JSON {
        let (meal, totals) = (detail.meal, detail.totals)
        let reported = meal.reportedTotal
        let differs = [Nutrient.energy, .protein, .carbs, .fat].contains { nutrient in
            reported?[nutrient].map { $0 != totals[nutrient] ?? 0 } ?? false
        }
        return [
            "id": .id(meal.id), "dishName": .string(meal.dishName ?? ""),
            "date": .day(meal.localDate.day), "imagePath": "",
            "ingredients": .array(
                detail.items.map { item in
                    .object(
                        [JSON.Member("name", .string(item.name ?? ""))]
                            + amounts { item.nutrients[$0] })
                }),
            "total": .object(
                amounts { totals[$0] } + [
                    JSON.Member("healthScore", .optional(meal.healthScore))
                ]),
            "healthScore": .optional(meal.healthScore), "totalMismatch": .bool(differs),
        ]
    }

    private static func amounts(_ amount: (Nutrient) -> Int64?) -> [JSON.Member] {
        [
            JSON.Member("calories", .rounded(amount(.energy))),
            JSON.Member("carbs", .rounded(amount(.carbs))),
            JSON.Member("protein", .rounded(amount(.protein))),
            JSON.Member("fats", .rounded(amount(.fat))),
        ]
    }
}
