/// The food entries of FitAI's face: each is a meal with one part, its name, its sums and its size.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition

enum FitAIEntries {
    private static let form = Schema.report(
        """
        id: id, date: date, meal_type: text, food_name: text, calories: number, protein: number,
        carbs: number, fat: number, serving_size: text?, photo_url: text?, ai_analyzed: flag,
        ai_confidence: number?, notes: text?, created_at: time?, updated_at: time?
        """)

    private static let entry = Schema.object([
        Schema.Member("food_name", .plain(1...200), isRequired: true),
        Schema.Member("calories", .kilocalories, isRequired: true),
        Schema.Member("protein", .grams), Schema.Member("carbs", .grams),
        Schema.Member("fat", .grams),
        Schema.Member("date", .nullable(.date)),
        Schema.Member("meal_type", .nullable(.slot)),
        Schema.Member("serving_size", .nullable(.plain(0...1_000))),
        Schema.Member("ai_analyzed", .nullable(.flag), "Of a new one."),
        Schema.Member(
            "ai_confidence", .nullable(.number(0...10_000, scale: 4)), "Of a new one, 0 to 1."),
        Schema.Member("notes", .nullable(.plain(0...4_000, lines: true))),
    ])

    /// What the members are elsewhere.
    private static let names = [
        "name": "food_name", "slot": "meal_type", "day": "date", "note": "notes",
        "amount": "serving_size", "nutrients/energy_kcal": "calories",
        "nutrients/protein_g": "protein", "nutrients/carbs_g": "carbs", "nutrients/fat_g": "fat",
    ]

    static let all = [
        APIRoute(
            "GET", "/food-entries", "FitAI: the foods of a day, or of some days.",
            query: [
                APIParameter(
                    "date", .day, "The day; today without from and to.", example: "2026-11-20"),
                .from, .lastBegun,
            ], answers: [.init(200, .every(form))], ignoresUnknown: true,
            .person(isWrite: false) { try list($0, $1) }),
        APIRoute(
            "POST", "/food-entries", "FitAI: keeps one food, as eaten.", body: entry,
            answers: [.init(201, form)],
            example: [
                "food_name": "Apple", "calories": 95, "protein": .number("0.5"), "carbs": 25,
                "fat": .number("0.3"), "date": "2026-11-20", "meal_type": "snack",
                "serving_size": "1 piece",
            ], ignoresUnknown: true,
            .person(isWrite: true) { person, call in
                let id = try call.naming(names) { try person.write { try add(&$0, call) } }
                return try one(id, status: 201, person, call)
            }),
        APIRoute(
            "PUT", "/food-entries/{id}", "FitAI: changes a food that was kept.",
            body: entry.asPatch, answers: [.init(200, form)],
            problems: [.deleted], example: ["notes": "a large one"], ignoresUnknown: true,
            .person(isWrite: true) { person, call in
                try call.naming(names) { try person.write { try change(&$0, call) } }
                return try one(call.id(), status: 200, person, call)
            }),
        APIRoute(
            "DELETE", "/food-entries/{id}", "FitAI: deletes a food that was kept.",
            answers: [.init(204)], ignoresUnknown: true,
            .write { diary, call in
                try diary.delete(Meal.self, call.id())
                return .nothing
            }),
    ]

    // MARK: Recording

    private static func add(_ diary: inout Diary, _ call: APICall) throws -> Identifier {
        let day = try call.bodyDay("date")
        return try diary.create(.meal, call) { diary, id in
            let date = try diary.date(on: day)
            let name = call.body["food_name"]?.string ?? ""
            let slot =
                if let slot = call.bodySlot("meal_type") { slot } else { try diary.slot(at: date) }
            var meal = Meal(id: id, on: date, dishName: name, slot: slot)
            meal.consumedAt = date.occurredAt
            var item = MealItem(
                id: call.idempotency?.part(0) ?? diary.newID(), of: id, name: name,
                nutrients: Nutrients(call.body))
            var note = ServingNote(text: call.body["notes"]?.string)
            (item.amount, note.servingSize) = split(
                call.body["serving_size"]?.string, hasPart: true)
            meal.note = note.note
            let today = try diary.today()
            guard call.body["ai_analyzed"] == true else {
                return .add(meal, items: [item], today: today)
            }
            var analysis = Analysis(
                id: call.idempotency?.part(1) ?? diary.newID(), status: .ok)
            analysis.confidenceBasisPoints = call.body["ai_confidence"]?.scaled(4)
            meal.analysisID = analysis.id
            meal.isEstimated = true
            var draft = Draft.add(meal, items: [item], today: today)
            draft.changes += Draft.add(analysis, today: today).changes
            return draft
        }
    }

    private static func change(_ diary: inout Diary, _ call: APICall) throws {
        let old = try diary.found(Meal.self, call)
        guard let detail = try diary.meal(old.id) else { throw APIProblem.failed() }
        var (meal, part) = (old, detail.items.count == 1 ? detail.items[0] : nil)
        if let name = call.body["food_name"]?.string, name != detail.title {
            meal.dishName = name
            if part?.name == detail.title || part?.name == nil { part?.name = name }
        }
        if let slot = call.bodySlot("meal_type"), slot != (try diary.shownSlot(of: old)) {
            meal.slot = slot
        }
        if let day = try call.bodyDay("date"), day != old.localDate.day {
            meal.localDate = try diary.moved(old.localDate, to: day)
            if meal.isConsumed { meal.consumedAt = meal.localDate.occurredAt }
        }
        var note = ServingNote(of: detail)
        if let notes = call.body["notes"] { note.text = notes.string }
        if let size = call.body["serving_size"], size.string != servingSize(detail) {
            let (amount, text) = split(size.string, hasPart: part != nil)
            part?.amount = amount
            note.servingSize = text
        }
        if note != ServingNote(of: detail) { meal.note = note.note }
        try diary.saveChange(meal, of: old)
        if let part { try diary.saveChange(part, of: detail.items[0]) }
        guard let now = try diary.meal(meal.id) else { throw APIProblem.failed() }
        try diary.saveSums(
            Nutrients(call.body), of: now,
            orRefuse: .invalid(
                "", "This food has several parts; change one by PATCH /api/v1/items/{id}."))
    }

    /// A size as the amount of a part, or as text for the note.
    private static func split(
        _ size: String?, hasPart: Bool
    ) -> (amount: Amount?, note: String?) {
        guard let size, !size.allSatisfy(\.isWhitespace) else { return (nil, nil) }
        let amount = hasPart ? Amount(servingSize: size) : nil
        return (amount, amount == nil ? size : nil)
    }

    // MARK: Showing

    /// Each row has its photo and the times of its events.
    private static let daysMax = 92

    private static func list(_ person: Person, _ call: APICall) throws -> APIAnswer {
        try person.read { diary in
            let days: ClosedRange<Day>
            if let day = call.day("date") {
                days = day...day
            } else if call.day("from") != nil || call.day("to") != nil {
                days = try diary.span(begunBy: call)
                // Without `to` the day after today is among them.
                guard days.count <= (call.day("to") == nil ? daysMax + 1 : daysMax) else {
                    throw APIProblem.parameter("from", "Ask for at most \(daysMax) days at once.")
                }
            } else {
                days = try diary.today()...diary.today()
            }
            let meals = try diary.meals(on: days).filter { $0.meal.isConsumed }
            let all = try meals.map { try json($0, diary, person, call) }
            return APIAnswer(content: .compact(.array(all)))
        }
    }

    private static func one(
        _ id: Identifier, status: Int, _ person: Person, _ call: APICall
    ) throws -> APIAnswer {
        try person.read { diary in
            // What a repeated request made may have been deleted since.
            _ = try diary.require(Meal.self, id)
            guard let detail = try diary.meal(id) else { throw APIProblem.failed() }
            return APIAnswer(
                status: status, content: .compact(try json(detail, diary, person, call)))
        }
    }

    /// The size of the only part; or what the note says.
    private static func servingSize(_ detail: MealDetail) -> String? {
        let amount = detail.items.count == 1 ? detail.items[0].amount : nil
        return amount?.servingSize ?? ServingNote(detail.meal.note).servingSize
    }

    private static func json(
        _ detail: MealDetail, _ diary: borrowing Diary, _ person: Person, _ call: APICall
    ) throws -> JSON {
        let (meal, totals) = (detail.meal, detail.totals)
        let photo = try meal.photoHashes.first.flatMap {
            try person.shownPhoto($0, for: call)
        }
        let analysis = try meal.analysisID.flatMap { try diary.entity(Analysis.self, $0) }
        let times = try diary.recordedTimes(
            of: [EntityKey(Kind.meal.name, meal.id)]
                + detail.items.map { EntityKey(Kind.mealItem.name, $0.id) })
        return [
            "id": .id(meal.id), "date": .day(meal.localDate.day),
            "meal_type": .string(try diary.shownSlot(of: meal).string),
            "food_name": .string(detail.title),
            "calories": .orZero(totals[.energy]), "protein": .orZero(totals[.protein]),
            "carbs": .orZero(totals[.carbs]), "fat": .orZero(totals[.fat]),
            "serving_size": .optional(servingSize(detail)), "photo_url": .optional(photo?.address),
            "ai_analyzed": .bool(meal.analysisID != nil),
            "ai_confidence": analysis?.confidenceBasisPoints.map { .decimal($0, scale: 4) }
                ?? .null,
            "notes": .optional(ServingNote(of: detail).text),
            "created_at": .instant(times?.lowerBound), "updated_at": .instant(times?.upperBound),
        ]
    }
}

extension ServingNote {
    /// What the note of a meal says beside the amount of its only part.
    fileprivate init(of detail: MealDetail) {
        let hasAmount = detail.items.count == 1 && detail.items[0].amount != nil
        self = hasAmount ? ServingNote(text: detail.meal.note) : ServingNote(detail.meal.note)
    }
}

extension Diary {
    /// The same time of another day, where a time is known and that day has it.
    fileprivate func moved(_ date: LocalDate, to day: Day) throws -> LocalDate {
        guard let minute = date.minuteOfDay else { return LocalDate(day: day) }
        // What is eaten after midnight may count for the day before.
        for night in [day, day.advanced(by: 1)] {
            guard let instant = clock.instant(of: night, minuteOfDay: minute) else { continue }
            let moved = try localDate(at: instant)
            if moved.day == day { return moved }
        }
        return LocalDate(day: day)
    }
}
