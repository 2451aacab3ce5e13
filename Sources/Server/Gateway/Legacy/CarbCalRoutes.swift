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
                Schema.Member("dishName", .plain(1...200), isRequired: true),
                Schema.Member("date", .date, isRequired: true),
                Schema.Member("ingredients", .list(ingredient, countMax: 100), isRequired: true),
                Schema.Member("healthScore", .nullable(.number(0...10, scale: 0))),
                Schema.Member(
                    "imagePath", .nullable(.text(0...1_000)),
                    "Ignored: POST /photos keeps the photo itself."),
                Schema.Member("total", .nullable(total), "What the client had shown."),
            ]), answers: [.init(201, .dish)], example: example, ignoresUnknown: true,
            .person(isWrite: true) { try add($0, $1) }),
        APIRoute(
            "GET", "/food-logs", "CarbCal: the dishes of a day, and its energy.",
            query: [
                APIParameter(
                    "date", .day, "The day; today otherwise.", example: "2025-05-27")
            ], answers: [.init(200, .report("date: date, totalCalories: count, logs: [dish]"))],
            ignoresUnknown: true, .person(isWrite: false) { try list($0, $1) }),
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

    private static func add(_ person: Person, _ call: APICall) throws -> APIAnswer {
        let dish = try person.write { diary in
            let id = try create(&diary, call)
            // What a repeated request made may have been deleted since.
            _ = try diary.require(Meal.self, id)
            guard let detail = try diary.meal(id) else { throw APIProblem.failed() }
            return detail
        }
        return APIAnswer(status: 201, content: .compact(try json(dish, person, call)))
    }

    private static func create(_ diary: inout Diary, _ call: APICall) throws -> Identifier {
        let day = try call.bodyDay("date")
        return try diary.create(.meal, call) { diary, id in
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
    }

    private static func list(_ person: Person, _ call: APICall) throws -> APIAnswer {
        let (day, dishes) = try person.read { diary in
            let day = if let day = call.day("date") { day } else { try diary.today() }
            return (day, try diary.meals(on: day).filter { $0.meal.isConsumed })
        }
        let calories = dishes.map { CarbCalDish($0).calories }.reduce(0, Rounding.sum)
        return APIAnswer(
            content: .compact([
                "date": .day(day), "totalCalories": .integer(calories),
                "logs": .array(try dishes.map { try json($0, person, call) }),
            ]))
    }

    /// A dish; the total is what its ingredients come to, whatever a client had shown.
    private static func json(
        _ detail: MealDetail, _ person: Person, _ call: APICall
    ) throws -> JSON {
        let (meal, totals, dish) = (detail.meal, detail.totals, CarbCalDish(detail))
        let reported = meal.reportedTotal
        let differs = [Nutrient.energy, .protein, .carbs, .fat].contains { nutrient in
            reported?[nutrient].map { $0 != totals[nutrient] ?? 0 } ?? false
        }
        let score = JSON.Member("healthScore", .integer(meal.healthScore ?? 0))
        let photo = try meal.photoHashes.first.flatMap { try person.shownPhoto($0, for: call) }
        return [
            "id": .id(meal.id), "dishName": .string(meal.dishName ?? ""),
            "date": .day(meal.localDate.day), "imagePath": .string(photo?.address ?? ""),
            "ingredients": dish.ingredients, "total": .object(dish.total + [score]),
            "healthScore": score.value, "totalMismatch": .bool(differs),
        ]
    }
}
