import MacrologEvents
import Macrolog
import MacrologNutrition

/// The results of the rows of a file that this program wrote.
struct OwnImport {
    let kind: Kind
    let options: ImportOptions
    private let names: [String: Int]
    private let custom: [(name: String, nutrient: Nutrient, definition: CustomNutrient?)]

    init(_ kind: Kind, header: [String], _ options: ImportOptions) {
        (self.kind, self.options) = (kind, options)
        var names: [String: Int] = [:]
        for (index, name) in header.enumerated() {
            let isOwn = OwnLayout.custom(name) != nil
            names[isOwn ? name : Cell.lowered(Cell.trimmed(name))] = index
        }
        self.names = names
        custom = header.compactMap { name in
            OwnLayout.custom(name).map { (name, $0.nutrient, $0.definition) }
        }
    }

    /// The rows that belong together, by their indexes, ordered by their first row.
    func groups(_ rows: ArraySlice<CSVRow>) -> [(id: Identifier?, rows: [Int])] {
        guard kind == .meal else { return rows.indices.map { (nil, [$0]) } }
        var groups: [(id: Identifier?, rows: [Int])] = []
        var placeByID: [Identifier: Int] = [:]
        for index in rows.indices {
            guard let id = mealID(rows[index]) else {
                groups.append((nil, [index]))
                continue
            }
            if let place = placeByID[id] {
                groups[place].rows.append(index)
            } else {
                placeByID[id] = groups.count
                groups.append((id, [index]))
            }
        }
        return groups
    }

    private func mealID(_ row: CSVRow) -> Identifier? { id(row, "meal_id") }

    private func id(_ row: CSVRow, _ column: String) -> Identifier? {
        OwnCells(row, names).text(column).flatMap { Identifier(Cell.trimmed($0)) }
    }

    /// The ids that rows state: one without an id is none of them.
    func stated(_ rows: ArraySlice<CSVRow>) -> Set<Identifier> {
        Set(rows.compactMap { id($0, kind == .meal ? "meal_id" : "id") })
    }

    /// Adds the nutrients that the file defines and the log does not.
    func definitions(_ judge: OwnJudge) throws -> [Draft] {
        try custom.compactMap(\.definition).compactMap { definition in
            let known = try judge.known(CustomNutrient.self, definition.id)
            guard known.presence == .absent || known.presence == .undone,
                judge.problems(of: definition, line: 1).isEmpty
            else { return nil }
            return judge.draft(known, definition)
        }
    }

    func verdict(
        _ rows: [CSVRow], _ id: Identifier?, _ judge: OwnJudge, _ ids: inout RowNames
    ) throws -> OwnVerdict {
        let cells = rows.map { OwnCells($0, names) }
        if let problem = width(rows) {
            return OwnVerdict(rows: rows.map { .rejected($0.line, [problem]) })
        }
        let dates = OwnDates(options: options)
        guard kind == .meal else {
            return try OwnEntries(judge: judge, dates: dates, kind: kind).verdict(cells[0]) {
                computed(cells[0], &ids)
            }
        }
        if id == nil, cells[0].text("meal_id") != nil {
            var cells = cells[0]
            cells.refuse(
                "meal_id", "is not an id", "leave it as it was exported, or blank for a new meal")
            return OwnVerdict(rows: [.rejected(rows[0].line, cells.problems)])
        }
        let nutrients =
            Nutrient.known.map { (name: OwnLayout.header($0), nutrient: $0) }
            + custom.map { (name: $0.name, nutrient: $0.nutrient) }
        return try OwnMeals(judge: judge, dates: dates, nutrients: nutrients)
            .verdict(rows, id ?? computed(cells[0], &ids), names)
    }

    /// The id of a row without one, such as a row added by hand.
    private func computed(_ cells: OwnCells, _ ids: inout RowNames) -> Identifier {
        let day = cells.text(kind == .meal ? "local_date" : "date").flatMap {
            Cell.day(Cell.trimmed($0), options.days)
        }
        let name = kind == .meal ? cells.text("item") ?? cells.text("dish") : nil
        let identity = RowIdentity(
            day: day ?? .earliest, seconds: cells.text("time").flatMap { Cell.seconds($0) },
            name: name, person: nil)
        return ids.id(identity, kind)
    }

    /// A row that does not match the header.
    private func width(_ rows: [CSVRow]) -> RowFinding? {
        let row = rows.first { row in
            row.fields.count < names.count
                || row.fields.dropFirst(names.count).contains { !$0.isEmpty }
        }
        return row.map {
            RowFinding(
                line: $0.line, column: nil,
                problem: "the row has \($0.fields.count) cells where \(names.count) are expected",
                hint: "put quotes around cells that hold the delimiter, and fill up the row")
        }
    }
}
