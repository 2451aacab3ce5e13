import MacrologEvents
public import Macrolog
public import MacrologNutrition

/// Writes meals and weigh-ins as CSV for spreadsheets, exactly: whole numbers become decimals
/// without rounding, and unknown values stay blank.
///
/// Memory is bounded by a few days of data, however long the diary. The output can be imported:
/// into the same log it changes nothing, and into an empty log it restores the entries, so that an
/// export of that log is the same file. Data without a column (photos, analyses, the foods of
/// items) is in the JSON export only.
public struct CSVExport: Sendable {
    /// Between fields: a comma, a semicolon, a tab.
    public var delimiter = UInt8(ascii: ",")
    /// The decimal mark; `auto` is the point.
    public var decimalMark = DecimalMark.auto
    /// Whether every nutrient that the person defined has a column; otherwise those in meals of the days alone.
    public var namesAllNutrients = true

    /// Which entries are written.
    public enum What: Hashable, Sendable, CaseIterable {
        case meals, weights, water
    }

    /// Commas between fields, decimal points.
    public init() {}

    /// Writes one row for each part of a meal: the meal itself if it has its own nutrients or no
    /// items, and each item.
    ///
    /// Numbers are the recorded ones; the day's sum uses their `share_pct`, if `consumed` is true.
    /// A meal's note is in its first row.
    ///
    /// - Parameters:
    ///   - progress: Called with the number of rows written.
    ///   - sink: Receives the text, piece by piece.
    /// - Returns: The number of rows written, without the header.
    @discardableResult
    public func meals(
        of replica: Replica, on days: ClosedRange<Day> = .earliest ... .latest,
        progress: (_ rows: Int) -> Void = { _ in }, to sink: (String) throws -> Void
    ) throws -> Int {
        let writer = CSVWriter(delimiter: delimiter)
        let custom = try customNutrients(of: replica, on: days)
        try sink(
            writer.row(
                (OwnLayout.meals + custom.map { OwnLayout.header($0.nutrient, $0.definition) })
                    .map { .text($0) }))
        var rows = 0
        var brands = Brands(replica: replica)
        try days.forEachSpan(ofDays: Self.spanDays) { span in
            var text = ""
            for detail in try replica.meals(on: span) {
                for cells in try mealRows(detail, &brands, custom.map(\.nutrient)) {
                    text += writer.row(cells)
                    rows += 1
                }
            }
            if !text.isEmpty { try sink(text) }
            progress(rows)
        }
        return rows
    }

    /// Writes one row for each weigh-in, by day and time. See ``meals(of:on:progress:to:)``.
    @discardableResult
    public func weights(
        of replica: Replica, on days: ClosedRange<Day> = .earliest ... .latest,
        progress: (_ rows: Int) -> Void = { _ in }, to sink: (String) throws -> Void
    ) throws -> Int {
        let writer = CSVWriter(delimiter: delimiter)
        try sink(writer.row(OwnLayout.weights.map { .text($0) }))
        var rows = 0
        try days.forEachSpan(ofDays: Self.spanDays) { span in
            var text = ""
            for weighIn in try replica.read({ try $0.weighIns(on: span) }) {
                text += writer.row(
                    moment(weighIn.localDate) + [
                        number(weighIn.grams, places: 3),
                        number(weighIn.bodyFatBasisPoints, places: 2), words(weighIn.note),
                        words(weighIn.source?.name.string), .text(weighIn.id.description),
                    ])
                rows += 1
            }
            if !text.isEmpty { try sink(text) }
            progress(rows)
        }
        return rows
    }

    /// Writes one row for each glass of water, by day and time. See ``meals(of:on:progress:to:)``.
    @discardableResult
    public func water(
        of replica: Replica, on days: ClosedRange<Day> = .earliest ... .latest,
        progress: (_ rows: Int) -> Void = { _ in }, to sink: (String) throws -> Void
    ) throws -> Int {
        let writer = CSVWriter(delimiter: delimiter)
        try sink(writer.row(OwnLayout.water.map { .text($0) }))
        var rows = 0
        try days.forEachSpan(ofDays: Self.spanDays) { span in
            var text = ""
            for water in try replica.entities(Water.self, on: span) {
                text += writer.row(
                    moment(water.localDate) + [
                        number(water.microliters, places: 3), words(water.container),
                        .text(water.id.description),
                    ])
                rows += 1
            }
            if !text.isEmpty { try sink(text) }
            progress(rows)
        }
        return rows
    }

    /// Writes the entries of a kind.
    @discardableResult
    public func write(
        _ what: What, of replica: Replica, on days: ClosedRange<Day> = .earliest ... .latest,
        progress: (_ rows: Int) -> Void = { _ in }, to sink: (String) throws -> Void
    ) throws -> Int {
        switch what {
        case .meals: try meals(of: replica, on: days, progress: progress, to: sink)
        case .weights: try weights(of: replica, on: days, progress: progress, to: sink)
        case .water: try water(of: replica, on: days, progress: progress, to: sink)
        }
    }

    /// The nutrients that a person defined, and other custom nutrients in meals of these days; or only the latter.
    private func customNutrients(
        of replica: Replica, on days: ClosedRange<Day>
    ) throws -> [(nutrient: Nutrient, definition: CustomNutrient?)] {
        var defined: [Nutrient: CustomNutrient?] = [:]
        for definition in try replica.entities(CustomNutrient.self) {
            guard let nutrient = Nutrient(key: definition.key) else { continue }
            defined[nutrient] = .some(definition)
        }
        var found = namesAllNutrients ? defined : [:]
        try days.forEachSpan(ofDays: Self.spanDays) { span in
            for detail in try replica.meals(on: span) {
                let held = [detail.meal.nutrients] + detail.items.map(\.nutrients)
                for entry in held.flatMap(\.entries) where entry.nutrient.unit == .thousandths {
                    if found[entry.nutrient] == nil {
                        found[entry.nutrient] = defined[entry.nutrient] ?? .some(nil)
                    }
                }
            }
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// How many days are in memory at a time.
    private static let spanDays = 100
}

// MARK: Columns

extension CSVExport {
    /// The meaning of an export's columns for an import.
    static let mealMapping: ImportMapping = {
        var mapping: ImportMapping = [
            .date: "local_date", .time: "time", .slot: "meal_type", .name: "item",
            .amount: "amount", .unit: "unit", .share: "share_pct", .consumed: "consumed",
            .estimated: "estimated", .note: "note",
        ]
        for nutrient in Nutrient.known { mapping[.nutrient(nutrient)] = OwnLayout.header(nutrient) }
        return mapping
    }()

    private func mealRows(
        _ detail: MealDetail, _ brands: inout Brands, _ custom: [Nutrient]
    ) throws -> [[CSVWriter.Cell]] {
        let meal = detail.meal
        var rows: [[CSVWriter.Cell]] = []
        func add(
            _ item: MealItem?, name: String?, brand: String?, _ nutrients: Nutrients
        ) {
            let amount = item?.amount
            var row: [CSVWriter.Cell] =
                moment(meal.localDate) + [
                    words(meal.slot?.string), words(meal.dishName), words(name), words(brand),
                    number(amount?.milli, places: 3), words(amount?.unit.string),
                    number(amount?.milligrams, places: 3),
                ]
            for nutrient in Nutrient.known {
                let places = nutrient.unit == .nanograms ? 6 : 3
                row.append(number(nutrients[nutrient], places: places))
            }
            let own = custom.map { number(nutrients[$0], places: 3) }
            rows.append(
                row + [
                    number(meal.consumedShareBasisPoints, places: 2), truth(meal.isConsumed),
                    meal.isEstimated.map(truth) ?? .empty, words(meal.source?.name.string),
                    words(OwnLayout.text(tags: meal.tags)),
                    rows.isEmpty ? words(meal.note) : .empty, .text(meal.id.description),
                    words(item?.id.description),
                ] + own)
        }
        if !meal.nutrients.isEmpty || detail.items.isEmpty {
            add(nil, name: meal.dishName, brand: nil, meal.nutrients)
        }
        for item in detail.items {
            let brand = try item.brand ?? brands.brand(of: item.foodID)
            add(item, name: item.name, brand: brand, item.nutrients)
        }
        return rows
    }

    /// Day, local time, exact instant, and zone.
    private func moment(_ date: LocalDate) -> [CSVWriter.Cell] {
        [
            .text(date.day.description), words(ClockTime.text(date)),
            words(OwnMoment(date).flatMap(\.text)), words(date.zone?.string),
        ]
    }

    private func words(_ text: String?) -> CSVWriter.Cell { text.map { .text($0) } ?? .empty }

    private func truth(_ truth: Bool) -> CSVWriter.Cell { .text(truth ? "true" : "false") }

    private func number(_ number: Int64?, places: Int) -> CSVWriter.Cell {
        let mark = decimalMark == .comma ? "," : "."
        return number.map { .number(Decimal.text($0, places: places, mark: mark)) } ?? .empty
    }
}

/// The brands of foods, each looked up once.
private struct Brands {
    let replica: Replica
    var brandsByFood: [Identifier: String?] = [:]

    init(replica: Replica) { self.replica = replica }

    mutating func brand(of food: Identifier?) throws -> String? {
        guard let food else { return nil }
        if let known = brandsByFood[food] { return known }
        let brand = try replica.entity(Food.self, food)?.brand
        brandsByFood[food] = .some(brand)
        return brand
    }
}
