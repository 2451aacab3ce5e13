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
            "consumedat", "eatenat", "recordedat", "date", "timestamp", "createdat")
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
        let (items, names) = items(&cells, of: id)
        guard let date, cells.problems.isEmpty else { return nil }
        var meal = Meal(
            id: id, on: date,
            dishName: cells.text("dishname", "foodname", "mealname", "name", "title"),
            slot: cells.text("mealtype", "slot").map { UTF8Text(Cell.lowered($0)) },
            isConsumed: consumed ?? isDiary)
        // What the parts add up to is shown; a total that says otherwise stays visible beside it.
        if items.isEmpty { meal.nutrients = total } else { meal.reportedTotal = total.ifAny }
        if let score { meal.healthScore = score }
        meal.note = note(cells, names)
        let tags = cells.list("tags").compactMap(\.string)
        if !tags.isEmpty { meal.tags = tags }
        meal.source = .importer
        return (meal, items)
    }

    private func note(_ cells: LegacyCells, _ names: [String]) -> String? {
        var lines: [String] = []
        if let note = cells.text("customnotes", "notes", "note") { lines.append(note) }
        if let serving = cells.text("servingsize") { lines.append("Serving: \(serving)") }
        if !names.isEmpty { lines.append("Ingredients: \(names.joined(separator: ", "))") }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    /// The parts of a meal if at least one has a number, otherwise their names.
    private func items(
        _ cells: inout LegacyCells, of meal: Identifier
    ) -> (items: [MealItem], names: [String]) {
        var (items, names, knows) = ([MealItem](), [String](), false)
        for (index, part) in cells.list("ingredients", "items", "fooditems", "foods").enumerated() {
            if let name = part.string {
                names.append(name)
                continue
            }
            var part = LegacyCells(part, of: cells.row)
            let name = part.text("name", "foodname", "title") ?? "?"
            let nutrients = part.nutrients()
            let grams = part.number("grams", "weightg", "amountg", places: 3)
            for problem in part.problems {
                cells.refuse(
                    "\(name): \(problem.column ?? "")", problem.problem, problem.hint)
            }
            knows = knows || nutrients.ifAny != nil
            names.append(name)
            guard let id = Self.id(.mealItem, of: cells, ordinal: index + 1) else { continue }
            var item = MealItem(
                id: id, of: meal, name: name, amount: grams.map { Amount(milligrams: $0) },
                nutrients: nutrients)
            item.position = String(String(10_001 + index).dropFirst())
            items.append(item)
        }
        return knows ? (items, []) : ([], names)
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
    func goal(_ cells: inout LegacyCells) throws -> GoalPlan? {
        let energy = cells.number("dailycaloriegoal", places: 3)
        let protein = cells.number("dailyproteingoal", places: 3)
        let carbs = cells.number("dailycarbgoal", "dailycarbsgoal", places: 3)
        let fat = cells.number("dailyfatgoal", places: 3)
        guard [energy, protein, carbs, fat].contains(where: { $0 != nil }),
            let id = Self.id(.goalPlan, of: cells), let date = try localDate(&cells),
            cells.problems.isEmpty
        else { return nil }
        var goal = GoalPlan(id: id, startDate: date.day)
        goal.mode = .fixed
        (goal.energyMillikilocalories, goal.proteinMilligrams) = (energy, protein)
        (goal.carbsMilligrams, goal.fatMilligrams) = (carbs, fat)
        goal.source = .importer
        return goal
    }

    /// A profile in which what is not set yet is as the rows say.
    func profile(_ old: Profile, _ cells: inout LegacyCells) -> Profile {
        var profile = old
        if old.displayName == nil { profile.displayName = cells.text("displayname", "name") }
        if old.birthDate == nil { profile.birthDate = cells.day("dateofbirth", "birthdate") }
        if old.heightMillimeters == nil {
            profile.heightMillimeters = cells.number("height", "heightcm", places: 1)
        }
        if old.targetWeightGrams == nil {
            profile.targetWeightGrams = cells.number("targetweight", places: 3)
        }
        if old.dietType == nil, let word = cells.text("dietpreference", "diettype") {
            profile.dietType = DietType.allCases.first {
                LegacyFile.key($0.name.string).utf8.elementsEqual(LegacyFile.key(word).utf8)
            }
        }
        if old.activityLevel == nil, let word = cells.text("activitylevel") {
            profile.activityLevel = ActivityLevel.allCases.first {
                LegacyFile.key(word).utf8.starts(with: $0.name.string.utf8)
            }
        }
        return profile
    }
}

extension Nutrients {
    /// These, if at least one is known.
    fileprivate var ifAny: Nutrients? { self == Nutrients() ? nil : self }
}
