/// `/api/v1/meals`: what was eaten, with its parts.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition
import MacrologNutritionModels

enum MealRoutes {
    static let all = [
        APIRoute(
            "GET", "/api/v1/meals", "Lists the meals of some days, by day and time.",
            query: [.from, .to, .limit, .cursor], answers: [.init(200, .page(.meal))],
            .read { try list($0, $1) }
        ).with(forOthers: true),
        APIRoute(
            "POST", "/api/v1/meals", "Adds a meal with its parts, eaten unless it says otherwise.",
            body: meal, answers: [.init(201, .meal)], example: example,
            .write { try add(&$0, $1) }),
        APIRoute(
            "GET", "/api/v1/meals/{id}", "Shows a meal with its parts and their sum.",
            answers: [.init(200, .meal)], problems: [.deleted],
            .read { .entity(try json($0, $1.id())) }),
        APIRoute(
            "PATCH", "/api/v1/meals/{id}", "Changes the members that are sent; null clears one.",
            body: Schema.entity(.meal, without: computed).asPatch, answers: [.init(200, .meal)],
            example: ["name": "Lentil soup, warm", "note": nil], .write { try change(&$0, $1) }),
        APIRoute(
            "DELETE", "/api/v1/meals/{id}", "Deletes a meal with its parts.",
            answers: [.init(204)], .write { try delete(&$0, $1) }),
        APIRoute(
            "POST", "/api/v1/meals/{id}/restore", "Restores a deleted meal with its parts.",
            answers: [.init(200, .meal)],
            .write { try restore(&$0, $1) }),
        APIRoute(
            "POST", "/api/v1/meals/{id}/consume",
            "Says that a meal was eaten: now, or a meal of another day at its own time.",
            answers: [.init(200, .meal)],
            .write { try eat(&$0, $1, true) }),
        APIRoute(
            "POST", "/api/v1/meals/{id}/unconsume", "Says that a meal was not eaten.",
            answers: [.init(200, .meal)],
            .write { try eat(&$0, $1, false) }),
        APIRoute(
            "POST", "/api/v1/meals/{id}/items", "Adds a part to a meal.", body: item,
            answers: [.init(201, shownItem)],
            example: ["name": "Bread", "nutrients": ["energy_kcal": 160]],
            .write { try addItem(&$0, $1) }),
        APIRoute(
            "GET", "/api/v1/items/{id}", "Shows a part of a meal.",
            answers: [.init(200, shownItem)], problems: [.deleted],
            .read { .entity(try $0.found(MealItem.self, $1).json) }),
        APIRoute(
            "PATCH", "/api/v1/items/{id}",
            "Changes a part of a meal; a new amount without nutrients scales those it has.",
            body: item.asPatch, answers: [.init(200, shownItem)],
            example: ["nutrients": ["energy_kcal": 170]], .write { try changeItem(&$0, $1) }),
        APIRoute(
            "DELETE", "/api/v1/items/{id}", "Deletes a part of a meal.", answers: [.init(204)],
            .write { try deleteItem(&$0, $1) }),
        APIRoute(
            "POST", "/api/v1/items/{id}/restore", "Restores a deleted part of a meal.",
            answers: [.init(200, shownItem)],
            .write { diary, call in
                try diary.restoreIfDeleted(MealItem.self, call.id())
                let item = try diary.found(MealItem.self, call).json
                try call.requireMatch(item)
                return .entity(item)
            }),
    ]

    /// What a request does not set: photos go another way, and analyses are proposals.
    private static let computed: [UTF8Text] = ["photo_sha256s", "analysis_id", "source"]

    private static let shownItem = Schema.shown(.mealItem)

    private static let item = Schema.entity(.mealItem, without: ["meal_id", "position"])

    private static let meal = Schema.entity(
        .meal, without: computed,
        more: [Schema.Member("items", .list(item, countMax: 100), "Its parts.")])

    private static let example: JSON = [
        "name": "Lentil soup", "slot": "lunch", "occurred_at": "2026-11-20T12:30:00+01:00",
        "items": [
            ["name": "Lentils", "nutrients": ["energy_kcal": 230, "protein_g": 18]],
            ["name": "Carrots", "nutrients": ["energy_kcal": 40, "fiber_g": .number("2.5")]],
        ],
    ]

    // MARK: Meals

    private static func list(_ diary: borrowing Diary, _ call: APICall) throws -> APIAnswer {
        let days = try diary.span(of: call)
        return try Page(call, of: try diary.meals(on: days)) {
            PageKey($0.meal.localDate.day, $0.meal.localDate.occurredAt, $0.meal.id)
        }.answer { try json($0, diary) }
    }

    private static func add(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let id = try diary.create(.meal, call) { diary, id in
            var meal: Meal = try diary.new(Meal.self, id, call.body)
            if call.body["consumed"]?.bool == nil { meal.isConsumed = true }
            if meal.isConsumed, meal.consumedAt == nil {
                meal.consumedAt = meal.localDate.occurredAt
            }
            meal.slot = try meal.slot ?? diary.slot(at: meal.localDate)
            var items: [MealItem] = []
            for (index, part) in (call.body["items"]?.array ?? []).enumerated() {
                let name = call.idempotency?.part(index) ?? diary.newID()
                var item = try diary.item(name, of: id, part, at: "/items/\(index)")
                item.position = ItemPlace.text(index)
                items.append(item)
            }
            return .add(meal, items: items, today: try diary.today())
        }
        return .created(try json(diary, id), at: "/api/v1/meals/\(id)")
    }

    private static func change(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        try call.requireMatch(try json(diary, call.id()))
        let old = try diary.found(Meal.self, call)
        var meal = try diary.changed(old, by: call.body)
        if call.body["consumed_at"] == nil {
            let (was, now) = (old.localDate, meal.localDate)
            if old.isConsumed, meal.isConsumed,
                was.occurredAt != now.occurredAt || now.occurredAt == nil && was.day != now.day
            {
                // When it was eaten goes with the move.
                meal.consumedAt = now.occurredAt
            } else if let consumed = call.body["consumed"] {
                meal.consumedAt =
                    consumed == .bool(true) ? try meal.consumedAt ?? diary.whenEaten(meal) : nil
            }
        }
        try diary.save(meal)
        return .entity(try json(diary, meal.id))
    }

    private static func delete(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        try call.requireMatch(try json(diary, call.id()))
        try diary.delete(Meal.self, call.id())
        return .nothing
    }

    private static func restore(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        try diary.restoreIfDeleted(Meal.self, call.id())
        let meal = try json(diary, call.id())
        try call.requireMatch(meal)
        return .entity(meal)
    }

    private static func eat(
        _ diary: inout Diary, _ call: APICall, _ isEaten: Bool
    ) throws -> APIAnswer {
        try call.requireMatch(try json(diary, call.id()))
        if try diary.found(Meal.self, call).isConsumed != isEaten {
            if isEaten { try diary.requireNoProposal(call.id()) }
            try diary.markConsumed(call.id(), isEaten)
        }
        return .entity(try json(diary, call.id()))
    }

    static func json(_ diary: borrowing Diary, _ id: Identifier) throws -> JSON {
        _ = try diary.require(Meal.self, id)
        guard let detail = try diary.meal(id) else { throw EntryError(.notFound(.meal)) }
        return try json(detail, diary)
    }

    private static func json(_ detail: MealDetail, _ diary: borrowing Diary) throws -> JSON {
        detail.json(
            netCarbs: try diary.netCarbs(of: detail),
            score: try diary.dietScore(ofMeal: detail.meal.id)?.score)
    }

    // MARK: Parts

    private static func addItem(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let meal = try diary.found(Meal.self, call).id
        let id = try diary.create(.mealItem, call) { diary, id in
            try call.requireMatch(try json(diary, meal))
            var item = try diary.item(id, of: meal, call.body, at: "")
            item.position = ItemPlace.next(after: try diary.meal(meal)?.items.map(\.position) ?? [])
            return .add(item, today: try diary.today())
        }
        return .created(try diary.require(MealItem.self, id).json, at: "/api/v1/items/\(id)")
    }

    private static func changeItem(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let old = try diary.found(MealItem.self, call)
        try call.requireMatch(old.json)
        var item = try diary.changed(old, by: call.body)
        if call.body["nutrients"] == nil, let amount = item.amount, amount != old.amount {
            guard amount.milli > 0 else {
                throw APIProblem.invalid(
                    "/amount",
                    "An amount of 0 leaves nothing to scale later: delete the part, or send its nutrients, too."
                )
            }
            item.amount = old.amount
            do throws(DiaryError) {
                item = try diary.rescaled(item, to: amount)
            } catch {
                guard case .portion(let cause) = error.cause else { throw error }
                throw APIProblem.invalid(
                    "/amount", "amount cannot be used without nutrients: \(cause).")
            }
        }
        try diary.save(item)
        return .entity(try diary.found(MealItem.self, call).json)
    }

    private static func deleteItem(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        try call.requireMatch(try diary.found(MealItem.self, call).json)
        try diary.delete(MealItem.self, call.id())
        return .nothing
    }
}

extension Diary {
    /// The meal slot of a local time; `nil` when only the day is known.
    func slot(at date: LocalDate) throws -> UTF8Text? {
        guard let minute = date.minuteOfDay else { return nil }
        return MealSlot.key(at: minute, among: try preferences().mealSlots ?? MealSlot.standard)
    }

    /// A part of a meal as a body says; the nutrients of a food, by its amount, where the body has none.
    func item(
        _ id: Identifier, of meal: Identifier, _ body: JSON, at pointer: String
    ) throws -> MealItem {
        var item: MealItem = try new(
            MealItem.self, id, body, at: pointer, with: ["meal_id": .bytes(meal.bytes)])
        guard body["nutrients"] == nil else { return item }
        let sizes: ServingSizes? = if let id = item.foodID { try servingSizes(of: id) } else { nil }
        let dish: RecipeDetail? = if let id = item.recipeID { try recipe(id) } else { nil }
        do throws(PortionError) {
            if let sizes {
                let amount =
                    if let given = item.amount { given } else { try sizes.amount(milli: 1_000) }
                (item.nutrients, item.amount) = try sizes.nutrients(of: amount)
                item.name = item.name ?? sizes.food.name
            } else if let dish {
                let serving = Amount(milli: 1_000, unit: "serving")
                (item.nutrients, item.amount) = try dish.contents.nutrients(
                    of: item.amount ?? serving)
                item.name = item.name ?? dish.recipe.name
            }
        } catch {
            let text = APIProblem(explaining: error).title
            throw APIProblem.invalid("\(pointer)/amount", "amount cannot be used: \(text)")
        }
        return item
    }

    /// Restores an entity; one that is not deleted stays as it is. Only then is there a state that `If-Match` can
    /// name: a refusal after this takes the restoring back, like anything else of a write.
    mutating func restoreIfDeleted<E: Entity>(_ type: E.Type, _ id: Identifier) throws {
        guard try isDeleted(type, id) else {
            _ = try require(type, id)
            return
        }
        try restore(type, id)
    }
}
