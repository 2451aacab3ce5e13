import MacrologEvents
import Macrolog
import MacrologNutrition

/// Weigh-ins and water from files that this program writes: one entry for each row.
struct OwnEntries {
    let judge: OwnJudge
    let dates: OwnDates
    let kind: Kind

    /// - Parameter computed: The id of a row without one, such as a row added by hand.
    func verdict(_ cells: OwnCells, computed: () -> Identifier) throws -> OwnVerdict {
        var cells = cells
        let typed = cells.parse("id", "leave it as it was exported, or blank") { Identifier($0) }
        let id = typed ?? computed()
        return kind == .water
            ? try verdict(Water.self, id, &cells, Self.water) { .water($0) }
            : try verdict(WeighIn.self, id, &cells, Self.weighIn) { .weighIn($0) }
    }

    private func verdict<E: DatedOwn>(
        _ type: E.Type, _ id: Identifier, _ cells: inout OwnCells,
        _ read: (inout OwnCells, Identifier, LocalDate, E?) -> E?,
        _ content: (E) -> ImportRow.Content
    ) throws -> OwnVerdict {
        let line = cells.row.line
        let known = try judge.known(type, id)
        guard known.presence != .deleted else {
            return OwnVerdict(rows: [.deleted(line)])
        }
        let date = dates.date("date", &cells, old: known.entity?.localDate)
        let entity = date.flatMap { read(&cells, id, $0, known.entity) }
        let problems = cells.problems + (entity.map { judge.problems(of: $0, line: line) } ?? [])
        guard let entity, problems.isEmpty else {
            return OwnVerdict(rows: [.rejected(line, problems)])
        }
        let outcome = judge.outcome(known, entity)
        return OwnVerdict(
            rows: [
                ImportRow(
                    line: line, outcome: outcome, content: content(entity),
                    warnings: outcome == .same ? [] : judge.warnings(about: entity))
            ], drafts: [judge.draft(known, entity)].compactMap(\.self))
    }

    private static func weighIn(
        _ cells: inout OwnCells, _ id: Identifier, _ date: LocalDate, _ old: WeighIn?
    ) -> WeighIn? {
        let grams = cells.whole("kg", .gram, unitless: .kilogram)
        if grams == nil, old == nil, cells.problems.isEmpty {
            cells.refuse("kg", "says nothing", "type the weight, or take the row out")
        }
        guard let grams = grams ?? old?.grams else { return nil }
        var weighIn = old ?? WeighIn(id: id, on: date, grams: grams)
        (weighIn.localDate, weighIn.grams) = (date, grams)
        if let fat = cells.whole("bodyfat_pct", .basisPoint, unitless: .percent) {
            weighIn.bodyFatBasisPoints = fat
        }
        if let note = cells.text("note") { weighIn.note = note }
        if let source = cells.text("source").flatMap({ WeighSource(name: UTF8Text($0)) }) {
            weighIn.source = source
        }
        return weighIn
    }

    private static func water(
        _ cells: inout OwnCells, _ id: Identifier, _ date: LocalDate, _ old: Water?
    ) -> Water? {
        let volume = cells.whole("ml", .microliter, unitless: .milliliter)
        if volume == nil, old == nil, cells.problems.isEmpty {
            cells.refuse("ml", "says nothing", "type the volume, or take the row out")
        }
        guard let volume = volume ?? old?.microliters else { return nil }
        var water = old ?? Water(id: id, on: date, microliters: volume)
        (water.localDate, water.microliters) = (date, volume)
        if let container = cells.text("container") { water.container = container }
        return water
    }
}

/// An entry with a day and a time.
protocol DatedOwn: Entity {
    var localDate: LocalDate { get set }
}

extension WeighIn: DatedOwn {}
extension Water: DatedOwn {}

extension ImportRow {
    /// A row whose entry a person has deleted here.
    static func deleted(_ line: Int) -> ImportRow {
        ImportRow(line: line, outcome: .deleted, content: nil, warnings: [])
    }

    static func rejected(_ line: Int, _ problems: [RowFinding]) -> ImportRow {
        ImportRow(line: line, outcome: .rejected(problems), content: nil, warnings: [])
    }
}
