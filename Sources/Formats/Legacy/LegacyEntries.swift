import MacrologEvents
import MacrologWire
import MacrologJSON
import MacrologLegacy
import Macrolog
import MacrologNutrition

/// What the rows of an earlier system become: meals with their parts, weigh-ins, levels of ketones, goals
/// and a profile. Ids follow from the ids of the rows, so that a row that was imported is known again.
struct LegacyEntries {
    let replica: Replica
    let weightUnit: WeightUnit

    /// An id for what a row becomes.
    ///
    /// - Parameter ordinal: Which of the row's parts it is, from 1; 0 for the row itself.
    static func id(_ kind: Kind, of cells: LegacyCells, ordinal: Int = 0) -> Identifier? {
        guard let name = cells.row.text("id") else { return nil }
        let hash = SHA256.hash(Array("legacy/\(cells.row.table)/\(name)".utf8))
        return Identities.imported(kind, contentHash: hash, ordinal: ordinal)
    }

    /// The day and, where it is known, the time of a row: in the zone of this device.
    private func localDate(_ cells: inout LegacyCells) throws -> LocalDate? {
        let day = cells.day("date", "localdate", "mealdate", "recordedon")
        let instant = cells.instant(
            "consumedat", "eatenat", "loggedat", "recordedat", "date", "timestamp", "createdat")
        if let instant {
            let date = try replica.localDate(at: instant)
            if day == nil || date.day == day { return date }
        }
        if let day { return LocalDate(day: day) }
        if cells.problems.isEmpty {
            cells.refuse("createdAt", "says nothing", "write a time such as 2026-11-20T07:40:00Z")
        }
        return nil
    }

    /// A meal and its parts; `nil` if the cells have problems.
    func meal(_ cells: inout LegacyCells) throws -> (meal: Meal, items: [MealItem])? {
        guard let id = Self.id(.meal, of: cells) else {
            cells.refuse("id", "says nothing", "give each row an id, so that it is imported once")
            return nil
        }
        let date = try localDate(&cells)
        let total = cells.nutrients()
        let isDiary = cells.row.table.utf8.starts(with: "food".utf8)
        let consumed = cells.truth("isconsumed", "consumed")
        let score = cells.number("healthscore", places: 0)
        let isAnalyzed = cells.truth("aianalyzed") == true
        let parts = parts(&cells, of: id)
        let food = parts.items.isEmpty ? food(cells, of: id, total) : nil
        guard let date, cells.problems.isEmpty else { return nil }
        var meal = Meal(
            id: id, on: date,
            dishName: cells.text("dishname", "foodname", "mealname", "name", "title"),
            slot: cells.text("mealtype", "slot").map { UTF8Text(Cell.lowered($0)) },
            isConsumed: consumed ?? isDiary)
        // What the parts add up to is shown; a total that says otherwise stays visible beside it.
        if !parts.items.isEmpty {
            meal.reportedTotal = total.ifAny
        } else if food == nil {
            meal.nutrients = total
        }
        if let score { meal.healthScore = score }
        if isAnalyzed { meal.isEstimated = true }
        let isServingKept = food?.amount != nil
        meal.note = note(cells, parts.notes, isAnalyzed: isAnalyzed, isServingKept: isServingKept)
        let tags = cells.list("tags").compactMap(\.string)
        if !tags.isEmpty { meal.tags = tags }
        meal.source = .importer
        return (meal, food.map { [$0] } ?? parts.items)
    }

    private func note(
        _ cells: LegacyCells, _ parts: [String], isAnalyzed: Bool, isServingKept: Bool
    ) -> String? {
        var lines: [String] = []
        if let note = cells.text("customnotes", "notes", "note") { lines.append(note) }
        if let serving = cells.text("servingsize"), !isServingKept {
            lines.append("Serving: \(serving)")
        }
        lines += parts
        let confidence = cells.text("aiconfidence")
        if isAnalyzed {
            lines.append("Analysed by a model" + (confidence.map { ", confidence \($0)" } ?? ""))
        }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    /// The one part of a food that a diary names, so that it can be changed like one that is recorded here.
    private func food(
        _ cells: LegacyCells, of meal: Identifier, _ nutrients: Nutrients
    ) -> MealItem? {
        guard let name = cells.text("foodname"),
            let id = Self.id(.mealItem, of: cells, ordinal: 1)
        else { return nil }
        var item = MealItem(
            id: id, of: meal, name: name,
            amount: cells.text("servingsize").flatMap { LegacyAmount.read($0) },
            nutrients: nutrients)
        item.position = Self.position(0)
        return item
    }

    /// The parts of a meal if at least one has a number, otherwise their names as a line of the note, to which also
    /// belong portions that are no amounts.
    private func parts(
        _ cells: inout LegacyCells, of meal: Identifier
    ) -> (items: [MealItem], notes: [String]) {
        var (items, names, knows) = ([MealItem](), [String](), false)
        var portions: [String] = []
        for (index, part) in cells.list("ingredients", "items", "fooditems", "foods").enumerated() {
            if let name = part.string {
                names.append(name)
                continue
            }
            var part = LegacyCells(part, of: cells)
            let name = part.text("name", "foodname", "title") ?? "?"
            let nutrients = part.nutrients()
            let grams = part.number("grams", "weightg", "amountg", places: 3)
            let portion = part.text("portion", "servingsize", "amount")
            for problem in part.problems {
                cells.refuse(
                    "\(name): \(problem.column ?? "")", problem.problem, problem.hint)
            }
            knows = knows || nutrients.ifAny != nil
            names.append(portion.map { "\(name) (\($0))" } ?? name)
            guard let id = Self.id(.mealItem, of: cells, ordinal: index + 1) else { continue }
            let amount =
                grams.map { Amount(milligrams: $0) } ?? portion.flatMap { LegacyAmount.read($0) }
            if amount == nil, let portion { portions.append("\(name): \(portion)") }
            var item = MealItem(
                id: id, of: meal, name: name, amount: amount, nutrients: nutrients)
            item.position = Self.position(index)
            items.append(item)
        }
        guard !knows else { return (items, portions) }
        return ([], names.isEmpty ? [] : ["Ingredients: \(names.joined(separator: ", "))"])
    }

    private static func position(_ index: Int) -> String {
        String(String(10_001 + index).dropFirst())
    }

    func weighIn(_ cells: inout LegacyCells) throws -> WeighIn? {
        guard let weight = cells.number("weight", "weightkg", "bodyweight", places: 3) else {
            return nil
        }
        let grams =
            switch weightUnit {
            case .kilograms: weight
            case .pounds: Rounding.scaled(weight, by: 45_359_237, over: 100_000_000)
            case .stones: Rounding.scaled(weight, by: 635_029_318, over: 100_000_000)
            }
        guard let id = Self.id(.weighIn, of: cells), let date = try localDate(&cells),
            cells.problems.isEmpty
        else { return nil }
        var weighIn = WeighIn(id: id, on: date, grams: grams)
        weighIn.note = cells.text("notes", "note")
        weighIn.source = .importer
        return weighIn
    }

    func ketone(_ cells: inout LegacyCells) throws -> Ketone? {
        let level = cells.number("ketonelevel", "ketones", "ketone", places: 3)
        guard let level, let id = Self.id(.ketone, of: cells),
            let date = try localDate(&cells), cells.problems.isEmpty
        else { return nil }
        return Ketone(id: id, on: date, micromoles: level)
    }

    /// What a person aims at, from a row of goals or of a profile.
    ///
    /// - Parameter last: The day on which the last of the goals began that are no longer active. The active one is in
    ///   force after them: it begins when it was changed last, or else with the last of them.
    func goal(_ cells: inout LegacyCells, after last: Day? = nil) throws -> GoalPlan? {
        let energy = cells.number("dailycaloriegoal", "calorietarget", places: 3)
        let protein = cells.number("dailyproteingoal", "proteintarget", places: 3)
        let carbs = cells.number("dailycarbgoal", "dailycarbsgoal", "carbtarget", places: 3)
        let fat = cells.number("dailyfatgoal", "fattarget", places: 3)
        let deficit = cells.number("caloriedeficitgoal", places: 3) ?? 0
        let surplus = cells.number("caloriesurplusgoal", places: 3) ?? 0
        let isActive = cells.truth("isactive") == true
        if deficit > 0, surplus > 0 {
            cells.refuse(
                "calorie_surplus_goal", "is there beside a deficit", "take one of them out")
        }
        guard [energy, protein, carbs, fat].contains(where: { $0 != nil }),
            let id = Self.id(.goalPlan, of: cells), let date = try localDate(&cells),
            cells.problems.isEmpty
        else { return nil }
        var goal = GoalPlan(id: id, startDate: date.day)
        if isActive, let last, last > date.day {
            let changed = try cells.instant("updatedat").map { try replica.localDate(at: $0).day }
            goal.startDate = max(last, changed ?? last)
        }
        goal.mode = .fixed
        (goal.energyMillikilocalories, goal.proteinMilligrams) = (energy, protein)
        (goal.carbsMilligrams, goal.fatMilligrams) = (carbs, fat)
        // With a deficit the energy is met by at most that much, with a surplus by at least that much.
        if deficit != surplus { goal.energyAdjustMillikilocalories = surplus - deficit }
        goal.source = .importer
        return goal
    }

    /// A profile in which what is not set yet is as the rows say.
    func profile(_ old: Profile, _ cells: inout LegacyCells) throws -> Profile {
        var profile = old
        /// What is set already stays, whatever is wrong with the cell.
        func fill<T>(
            _ field: WritableKeyPath<Profile, T?>, _ read: (inout LegacyCells) throws -> T?
        ) throws {
            var tried = cells
            let value = try read(&tried)
            guard old[keyPath: field] == nil else { return }
            cells = tried
            if let value { profile[keyPath: field] = value }
        }
        try fill(\.displayName) { $0.text("displayname", "name") }
        try fill(\.birthDate) {
            try $0.birthDay("dateofbirth", "birthdate") {
                try replica.localDate(at: $0).offsetMinutes ?? 0
            }
        }
        try fill(\.heightMillimeters) { $0.number("height", "heightcm", places: 1) }
        try fill(\.targetWeightGrams) { $0.number("targetweight", places: 3) }
        try fill(\.proteinMilligramsPerPound) { $0.number("proteingramsperpound", places: 3) }
        // A share up to 1, or percent.
        try fill(\.fatBasisPoints) {
            $0.number("fatpercentage", places: 4).map { $0 <= 10_000 ? $0 : $0 / 100 }
        }
        try fill(\.dietType) { $0.choice("dietpreference", "diettype") { $0 == $1 } }
        try fill(\.activityLevel) { $0.choice("activitylevel") { $0.hasPrefix($1) } }
        try fill(\.sex) {
            $0.choice("biologicalsex", "sex", "gender") {
                $0 == $1 || $0.utf8.count == 1 && $1.hasPrefix($0)
            }
        }
        try fill(\.macroFlexibility) { $0.choice("macroflexibility") { $0 == $1 } }
        return profile
    }
}

extension Nutrients {
    /// These, if at least one is known.
    fileprivate var ifAny: Nutrients? { self == Nutrients() ? nil : self }
}
