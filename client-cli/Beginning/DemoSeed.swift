import Macrolog
import MacrologArgumentParsing
import MacrologFaces
import MacrologTerminal

/// `demo seed`: an invented diary, to look at.
enum DemoSeed {
    private static let days = Parameter.option(
        "days", .integer("N", in: 1...366), otherwise: "30", "How many days, up to the day meant.")

    static let command = Verb(
        "demo seed", "Fill an empty log with an invented diary, to look at.",
        example: "demo seed --db demo.db", "demo seed --db demo.db --days 90",
        explanation: """
            A profile, a goal, foods, a recipe, meals, weigh-ins, water, fasts, activities and a plan, the same
            for the same day. What lies later today is planned. All of it is one action, which `undo` takes
            back. A log in which anything was recorded is refused. Nothing is asked of a server.
            """, run: run
    ) { days }

    private static func run(_ arguments: ParsedArguments, _ home: inout Home) throws {
        let isEmpty = try home.replica.read { try $0.latestEvents(1) }.isEmpty
        guard isEmpty else {
            throw CommandError(
                .dataErr,
                "\(arguments.command): \(printable(try home.path)) is a person's log, which an "
                    + "invented diary would spoil; type another file: --db demo.db")
        }
        let (span, now) = (try home.day.lastDays(Int(arguments[days])), try home.now)
        let meals = try home.write { diary, _ in
            let sample = try SampleDiary(span, now: now, &diary)
            return try sample.record(in: &diary)
        }
        try home.show(LogJSON.seeded(span, meals: meals)) { home in
            home.say(
                "Recorded \(counted(meals, "invented meal")) from \(span.lowerBound) to "
                    + "\(span.upperBound); macrolog undo undoes it.")
            let db = arguments[Everywhere.db].map { " --db \($0.quoted)" } ?? ""
            for verb in ["day show", "stats", "chart weight"] { home.say("macrolog \(verb)\(db)") }
        }
    }
}

/// What is recorded of an invented person: a matter of the day alone.
private struct SampleDiary {
    private let span: ClosedRange<Day>
    /// In milliseconds since 1970 UTC.
    private let now: Int64
    private let foods: [String: (id: Identifier, ingredient: SampleDishes.Ingredient)]
    private let recipe: Identifier

    /// - Parameter now: In milliseconds since 1970 UTC; what comes later is not recorded as done.
    init(_ span: ClosedRange<Day>, now: Int64, _ diary: inout Diary) throws {
        (self.span, self.now, recipe) = (span, now, diary.newID())
        var foods: [String: (id: Identifier, ingredient: SampleDishes.Ingredient)] = [:]
        for food in SampleDishes.foods { foods[food.name] = (diary.newID(), food) }
        self.foods = foods
    }

    /// Records the diary.
    ///
    /// - Returns: How many meals it has.
    func record(in diary: inout Diary) throws -> Int64 {
        try addPerson(to: &diary)
        try addFoods(to: &diary)
        var meals: Int64 = 0
        var day = span.lowerBound
        while day <= span.upperBound {
            meals += try addMeals(of: day, to: &diary)
            try addBody(of: day, to: &diary)
            if day == span.upperBound { break }
            day = day.advanced(by: 1)
        }
        var plan = PlanEntry(
            id: diary.newID(), on: LocalDate(day: span.upperBound.advanced(by: 1)), slot: "lunch")
        plan.recipeID = recipe
        try diary.add(plan)
        return meals
    }

    private func addPerson(to diary: inout Diary) throws {
        var profile = try diary.profile()
        profile.displayName = "Sam Sample"
        profile.birthDate = Day(number: 7_441)  // 17 May 1990
        (profile.sex, profile.heightMillimeters) = (.female, 1_680)
        (profile.activityLevel, profile.dietType) = (.light, .mediterranean)
        profile.targetWeightGrams = 64_000
        try diary.save(profile)
        var goal = GoalPlan(id: diary.newID(), startDate: span.lowerBound)
        (goal.mode, goal.energyMillikilocalories) = (.fixed, 2_000_000)
        (goal.proteinMilligrams, goal.carbsMilligrams) = (100_000, 220_000)
        (goal.fatMilligrams, goal.fiberMilligrams) = (75_000, 30_000)
        goal.waterMicroliters = 2_000_000
        try diary.add(goal)
    }

    private func addFoods(to diary: inout Diary) throws {
        for (id, ingredient) in SampleDishes.foods.compactMap({ foods[$0.name] }) {
            var food = Food(
                id: id, name: ingredient.name, nutrients: ingredient.nutrients(grams: 100))
            food.source = .user
            try diary.add(food)
        }
        let dish = SampleDishes.recipe
        try diary.add(Recipe(id: recipe, name: dish.name, servingsMilli: 4_000))
        for (part, index) in zip(dish.parts, 1...) {
            var item = RecipeItem(
                id: diary.newID(), of: recipe, name: part.food, foodID: foods[part.food]?.id,
                amount: Amount(milligrams: part.grams * 1_000))
            item.position = "00\(index)"
            try diary.addIngredient(item)
        }
        if let first = SampleDishes.slots.first?.dishes.first {
            let items = parts(of: first, percent: 100).map { part in
                TemplateItem(
                    name: part.food, foodID: foods[part.food]?.id, amount: part.amount,
                    nutrients: part.nutrients)
            }
            try diary.add(MealTemplate(id: diary.newID(), name: "Usual breakfast", items: items))
        }
    }

    /// The parts of a dish, of a helping in percent.
    private func parts(
        of dish: SampleDishes.Dish, percent: Int64
    ) -> [(food: String, amount: Amount, nutrients: Nutrients)] {
        dish.parts.compactMap { part in
            guard let (_, ingredient) = foods[part.food] else { return nil }
            let grams = part.grams * percent / 100
            let nutrients = ingredient.nutrients(grams: grams)
            return (part.food, Amount(milligrams: grams * 1_000), nutrients)
        }
    }

    /// - Returns: How many meals the day has.
    private func addMeals(of day: Day, to diary: inout Diary) throws -> Int64 {
        let turn = turn(of: day)
        for slot in SampleDishes.slots {
            let dish = slot.dishes[turn % slot.dishes.count]
            let date = try date(day, slot.minute, diary)
            var meal = Meal(
                id: diary.newID(), on: date, dishName: dish.name, slot: slot.name,
                isConsumed: isOver(date))
            meal.consumedAt = meal.isConsumed ? date.occurredAt : nil
            var items = parts(of: dish, percent: 85 + Int64(turn * 7 % 31)).map { part in
                var item = MealItem(
                    id: diary.newID(), of: meal.id, name: part.food, amount: part.amount,
                    nutrients: part.nutrients)
                item.foodID = foods[part.food]?.id
                return item
            }
            if items.isEmpty, let detail = try diary.recipe(recipe) {
                meal.source = .recipe
                var item = MealItem(
                    id: diary.newID(), of: meal.id, name: dish.name,
                    amount: Amount(milli: 1_500, unit: "serving"),
                    nutrients: detail.contents.servings(1_500))
                item.recipeID = recipe
                items = [item]
            }
            // Ids of one millisecond have no order.
            for index in items.indices { items[index].position = "00\(index + 1)" }
            try diary.add(meal, items: items)
        }
        return Int64(SampleDishes.slots.count)
    }

    private func addBody(of day: Day, to diary: inout Diary) throws {
        let (turn, left) = (turn(of: day), Int64(day.distance(to: span.upperBound)))
        let morning = try date(day, 420, diary)
        if isOver(morning), turn % 2 == 0 || left == 0 {
            let wobble: Int64 = [0, 250, -150, 100, -200][turn % 5]
            try diary.add(
                WeighIn(id: diary.newID(), on: morning, grams: 66_000 + left * 35 + wobble))
        }
        if isOver(morning), left % 7 == 0 {
            try diary.add(
                BodyMeasure(
                    id: diary.newID(), on: morning, of: .waist, millimeters: 740 + left / 7 * 2))
            try diary.add(
                BodyFat(id: diary.newID(), on: morning, basisPoints: 2_600 + left / 7 * 8))
            try diary.add(
                Ketone(id: diary.newID(), on: morning, micromoles: 200 + Int64(turn % 5) * 100))
        }
        for (minute, milliliters) in [(600, 500), (840, 500), (1_080, 400 + turn % 4 * 200)] {
            let date = try date(day, Int64(minute), diary)
            guard isOver(date) else { continue }
            var water = Water(
                id: diary.newID(), on: date, microliters: Int64(milliliters) * 1_000)
            water.container = "glass"
            try diary.add(water)
        }
        try addMovement(of: day, to: &diary)
        guard turn % 3 == 0 || left == 0 else { return }
        let (start, end) = (
            try date(day.advanced(by: -1), 1_185, diary), try date(day, 480, diary)
        )
        guard let startedAt = start.occurredAt, isOver(start), isOver(end) else { return }
        var fast = Fast(
            id: diary.newID(), startedAt: startedAt, offsetMinutes: start.offsetMinutes,
            targetMinutes: 720)
        fast.endedAt = end.occurredAt
        try diary.add(fast)
    }

    private func addMovement(of day: Day, to diary: inout Diary) throws {
        let turn = turn(of: day)
        let evening = try date(day, 1_050, diary)
        guard isOver(evening) else { return }
        var walked = EnergyDay(on: day, source: "manual")
        walked.steps = Int64(5_500 + turn * 977 % 6_000)
        try diary.add(walked)
        guard turn % 3 != 2 else { return }
        let isRun = turn % 3 == 0
        var activity = ActivityEntry(
            id: diary.newID(), on: evening, name: isRun ? "Running" : "Walking")
        (activity.durationSeconds, activity.source) = (isRun ? 1_800 : 2_700, "manual")
        activity.energyMillikilocalories = isRun ? 280_000 : 160_000
        try diary.add(activity)
    }

    /// What makes a day differ from its neighbours: the days since 1900.
    private func turn(of day: Day) -> Int { Day.earliest.distance(to: day) }

    /// A time of a day, or the day alone where clocks skip that time.
    private func date(_ day: Day, _ minute: Int64, _ diary: borrowing Diary) throws -> LocalDate {
        guard let instant = LocalZone.system.instant(of: day, minuteOfDay: minute) else {
            return LocalDate(day: day)
        }
        return try diary.localDate(at: instant)
    }

    private func isOver(_ date: LocalDate) -> Bool { date.occurredAt.map { $0 <= now } ?? true }
}
