import MacrologEvents
import MacrologWire
import Macrolog
import MacrologNutrition

/// Meals from files that this program writes: the rows with the same meal id form one meal.
///
/// A row without an item id whose `item` is the dish is the meal itself, with its own nutrients;
/// every other row is an item.
struct OwnMeals {
    let judge: OwnJudge
    let dates: OwnDates
    /// The columns of nutrients.
    let nutrients: [(name: String, nutrient: Nutrient)]

    /// How many items are added in one event, so that it stays within an event's limit.
    private static let partsMax = 20

    /// An item, as read from its row.
    private struct Part {
        let row: Int
        let known: OwnJudge.Known<MealItem>
        var item: MealItem
    }

    /// Decides the results of all rows of one meal.
    ///
    /// - Parameter id: The meal's id, which all of them have.
    func verdict(_ rows: [CSVRow], _ id: Identifier, _ names: [String: Int]) throws -> OwnVerdict {
        let known = try judge.known(Meal.self, id)
        guard known.presence != .deleted else {
            return OwnVerdict(rows: rows.map { .deleted($0.line) })
        }
        var cells = rows.map { OwnCells($0, names) }
        guard var meal = meal(&cells[0], id, known.entity) else {
            return refused(rows, cells[0].problems)
        }
        // It is in one row only, which a sorted file may not have first.
        if let note = cells.lazy.compactMap({ $0.text("note") }).first { meal.note = note }
        var parts: [Part] = []
        var ownRow: Int?
        var ids: Set<Identifier> = []
        // A row without an id is none of the items that others state.
        let stated = Set(
            cells.compactMap { $0.text("item_id").flatMap { Identifier(Cell.trimmed($0)) } })
        for index in cells.indices {
            requireAlike(cells[0], &cells[index])
            if isOwn(cells[index]) {
                readOwn(&cells[index], &meal, isFirst: ownRow == nil)
                ownRow = ownRow ?? index
            } else if let part = try part(&cells[index], index, id, &ids, stated) {
                parts.append(part)
            }
        }
        if ownRow == nil, let old = known.entity, holdsNutrients(old) {
            parts.removeAll { refuseRenamed(&cells[$0.row], $0, old) }
        }
        let problems = judge.problems(of: meal, line: rows[0].line)
        guard problems.isEmpty else { return refused(rows, problems) }
        return verdict(rows, known, meal, parts, cells)
    }

    private func refused(_ rows: [CSVRow], _ problems: [RowFinding]) -> OwnVerdict {
        let first = rows[0].line
        let others = rows.dropFirst().map { row in
            ImportRow.rejected(
                row.line,
                [
                    RowFinding(
                        line: row.line, column: nil,
                        problem: "belongs to the meal of line \(first), which is refused",
                        hint: "correct line \(first)")
                ])
        }
        return OwnVerdict(rows: [.rejected(first, problems)] + others)
    }
}

// MARK: The meal

extension OwnMeals {
    /// The columns that are equal in every row of a meal.
    private static let common = [
        "local_date", "time", "at", "tz", "meal_type", "dish", "share_pct", "consumed",
        "estimated", "source", "tags",
    ]

    private func meal(_ cells: inout OwnCells, _ id: Identifier, _ old: Meal?) -> Meal? {
        let date = dates.date("local_date", &cells, old: old?.localDate)
        let share = cells.whole("share_pct", .basisPoint, unitless: .percent)
        let consumed = cells.truth("consumed")
        let estimated = cells.truth("estimated")
        guard let date, cells.problems.isEmpty else { return nil }
        var meal = old ?? Meal(id: id, on: date)
        meal.localDate = date
        if let dish = cells.text("dish") { meal.dishName = dish }
        if let slot = cells.text("meal_type") { meal.slot = UTF8Text(slot) }
        // An unset share means the whole, which a file states as 100.
        if let share, share != meal.consumedShareBasisPoints {
            meal.consumedShareBasisPoints = share
        }
        if let consumed, consumed != meal.isConsumed { meal.isConsumed = consumed }
        if let estimated { meal.isEstimated = estimated }
        if let source = cells.text("source").flatMap({ MealSource(name: UTF8Text($0)) }) {
            meal.source = source
        }
        if let tags = cells.text("tags").map(OwnLayout.tags), Set(tags) != Set(meal.tags) {
            meal.tags = tags
        }
        return meal
    }

    /// Rejects a row that contradicts the meal's first row.
    private func requireAlike(_ first: OwnCells, _ cells: inout OwnCells) {
        for name in Self.common where cells.text(name) != nil {
            guard cells.text(name).map({ UTF8Text($0) }) != first.text(name).map({ UTF8Text($0) })
            else {
                continue
            }
            cells.refuse(
                name, "is not what line \(first.row.line) says of the same meal",
                "write the same in both rows")
        }
    }

    /// Whether the row is the meal itself.
    private func isOwn(_ cells: OwnCells) -> Bool {
        guard cells.text("item_id") == nil else { return false }
        guard let item = cells.text("item") else { return true }
        return cells.text("dish").map { UTF8Text($0) } == UTF8Text(item)
            || cells.text("meal_id") == nil
    }

    private func holdsNutrients(_ meal: Meal) -> Bool {
        nutrients.contains { meal[$0.nutrient] != nil }
    }

    /// Refuses a new item where the row of the meal's own numbers is missing: that row, with another name,
    /// would count twice.
    private func refuseRenamed(_ cells: inout OwnCells, _ part: Part, _ old: Meal) -> Bool {
        guard part.known.presence == .absent, cells.text("item_id") == nil else { return false }
        let dish = old.dishName ?? ""
        cells.refuse(
            "item", "is not the dish, \"\(dish)\", whose own row is missing",
            "to rename the meal, write the new name as dish and as item; to add an item, keep the row of "
                + "the dish")
        return true
    }

    private func readOwn(_ cells: inout OwnCells, _ meal: inout Meal, isFirst: Bool) {
        guard isFirst else {
            return cells.refuse(
                nil, "repeats the meal's own numbers", "take one of the rows out")
        }
        if meal.dishName == nil, let name = cells.text("item") { meal.dishName = name }
        let read = nutrients(&cells)
        guard cells.problems.isEmpty else { return }
        for entry in read { meal[entry.nutrient] = entry.amount }
    }

    private func nutrients(_ cells: inout OwnCells) -> [Nutrients.Entry] {
        var entries: [Nutrients.Entry] = []
        for (name, nutrient) in nutrients {
            guard let amount = cells.nutrient(nutrient, in: name) else { continue }
            entries.append(Nutrients.Entry(nutrient, amount))
        }
        return entries
    }
}

// MARK: Parts

extension OwnMeals {
    /// - Parameters:
    ///   - ids: The ids of the earlier rows.
    ///   - stated: Those that all rows state.
    private func part(
        _ cells: inout OwnCells, _ row: Int, _ meal: Identifier, _ ids: inout Set<Identifier>,
        _ stated: Set<Identifier>
    ) throws -> Part? {
        let name = cells.text("item")
        let typed = cells.parse("item_id", "leave it as it was exported, or blank") {
            Identifier($0)
        }
        let amount = amount(&cells)
        let read = nutrients(&cells)
        guard cells.problems.isEmpty else { return nil }
        let id = typed ?? computed(meal, name ?? "", ids.union(stated))
        guard ids.insert(id).inserted else {
            cells.refuse("item_id", "is already in an earlier row", "take one of the rows out")
            return nil
        }
        let known = try judge.known(MealItem.self, id)
        if let amount, amount != known.entity?.amount, amount.isTwoMasses {
            cells.refuse(
                "grams", "is another mass than the amount",
                "correct one of the two, or leave grams blank")
            return nil
        }
        var item = known.entity ?? MealItem(id: id, of: meal, name: name ?? "")
        if known.entity == nil, name == nil { item.name = nil }
        item.mealID = meal
        if let name { item.name = name }
        if let amount { item.amount = amount }
        for entry in read { item[entry.nutrient] = entry.amount }
        let brand = cells.text("brand")
        if let brand, try brand != judge.replica.brand(of: item) { item.brand = brand }
        for problem in judge.problems(of: item, line: cells.row.line) {
            cells.refuse(problem.column, problem.problem, problem.hint)
        }
        return cells.problems.isEmpty ? Part(row: row, known: known, item: item) : nil
    }

    /// The id of an item that was added by hand.
    private func computed(
        _ meal: Identifier, _ name: String, _ ids: Set<Identifier>
    ) -> Identifier {
        let hash = SHA256.hash(meal.bytes + Array(name.utf8))
        var ordinal = 0
        while true {
            let id = Identities.imported(.mealItem, contentHash: hash, ordinal: ordinal)
            if !ids.contains(id) { return id }
            ordinal += 1
        }
    }

    private func amount(_ cells: inout OwnCells) -> Amount? {
        let milli = cells.thousandths("amount")
        let grams = cells.whole("grams", .milligram, unitless: .gram)
        let unit = cells.text("unit").map { UTF8Text($0) }
        guard let milli else { return grams.map { Amount(milligrams: $0) } }
        guard let unit else {
            if cells.problems.isEmpty {
                cells.refuse("unit", "is blank beside an amount", "type a unit such as g")
            }
            return nil
        }
        return Amount(milli: milli, unit: unit, milligrams: grams)
    }
}

// MARK: What becomes of them

extension OwnMeals {
    private func verdict(
        _ rows: [CSVRow], _ known: OwnJudge.Known<Meal>, _ meal: Meal, _ parts: [Part],
        _ cells: [OwnCells]
    ) -> OwnVerdict {
        let isNew = known.presence != .here
        let parts = ordered(parts)
        let kept = parts.filter { $0.known.presence != .deleted }
        var verdict = OwnVerdict()
        let ofMeal = judge.outcome(known, meal)
        for (index, row) in rows.enumerated() {
            guard cells[index].problems.isEmpty else {
                verdict.rows.append(.rejected(row.line, cells[index].problems))
                continue
            }
            let part = parts.first { $0.row == index }
            var outcome = part.map { judge.outcome($0.known, $0.item) } ?? ofMeal
            if part?.known.presence == .deleted { outcome = .deleted }
            if index == 0, part != nil { outcome = outcome.with(ofMeal) }
            verdict.rows.append(
                ImportRow(
                    line: row.line, outcome: outcome,
                    content: outcome == .deleted ? nil : .meal(meal),
                    warnings: outcome == .same || outcome == .deleted
                        ? []
                        : (part.map { judge.warnings(about: $0.item) } ?? [])
                            + (index == 0 ? judge.warnings(about: meal) : [])))
        }
        let isRefused = cells.allSatisfy { !$0.problems.isEmpty }
        guard !isRefused else { return verdict }
        let first = isNew ? kept.prefix(Self.partsMax) : []
        verdict.drafts =
            isNew
            ? [
                .add(
                    meal, items: first.map(\.item),
                    replacing: known.isDeleted ? known.entity : nil,
                    deletedItems: first.filter(\.known.isDeleted).compactMap(\.known.entity),
                    today: judge.today)
            ] : [judge.draft(known, meal)].compactMap(\.self)
        verdict.drafts += kept.dropFirst(first.count).compactMap {
            judge.draft($0.known, $0.item)
        }
        return verdict
    }

    /// Gives new items explicit positions if the order of their ids is not that of the file.
    private func ordered(_ parts: [Part]) -> [Part] {
        let ids = parts.map(\.item.id)
        guard zip(ids, ids.dropFirst()).contains(where: { $0 > $1 }) else { return parts }
        return parts.enumerated().map { index, part in
            var part = part
            if part.known.entity == nil {
                part.item.position = String(String(10_001 + index).dropFirst())
            }
            return part
        }
    }
}

extension ImportRow.Outcome {
    /// The result of a meal's first item together with that of the meal.
    fileprivate func with(_ meal: ImportRow.Outcome) -> ImportRow.Outcome {
        switch (self, meal) {
        case (.same, .changed), (.same, .new), (.deleted, .changed): meal
        case (.changed(let own), .changed(let others)): .changed(others + own)
        default: self
        }
    }
}

extension Amount {
    /// Whether its number, in a unit of mass, and its milligrams are different masses. What rounding explains, and
    /// a hundredth, is no difference.
    fileprivate var isTwoMasses: Bool {
        guard let milligrams, let measure = Measure.named(unit.string),
            let mass = measure.convert(milli, to: .milligram),
            let rounding = measure.convert(2, to: .milligram)
        else { return false }
        let usual = max(milligrams / 100, rounding / 1_000) + 1
        return (mass / 1_000 - milligrams).magnitude > usual.magnitude
    }
}

extension Replica {
    /// An item's brand in an export: its own, or its food's.
    func brand(of item: MealItem) throws -> String? {
        if let brand = item.brand { return brand }
        return try item.foodID.flatMap { try entity(Food.self, $0)?.brand }
    }
}
