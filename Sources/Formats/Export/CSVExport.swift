import Events
public import Macrolog
public import Nutrition

/// Writes meals and weigh-ins as CSV for spreadsheets, exactly: whole numbers become decimals
/// without rounding, and what is unknown stays blank.
///
/// Memory stays within some days, however long the diary. Nutrients that a person defined are in
/// the JSON export only.
public struct CSVExport: Sendable {
    /// Between fields: a comma, a semicolon, a tab.
    public var delimiter = UInt8(ascii: ",")
    /// The decimal mark; `auto` is the point.
    public var decimalMark = DecimalMark.auto

    /// Commas between fields, decimal points.
    public init() {}

    /// Writes one row for each part of a meal: the meal itself where it has nutrients of its own or
    /// no items, and each item.
    ///
    /// Numbers are those recorded; what counts for the day is their `share_pct`, where `consumed`
    /// is true. A meal's note stands in its first row.
    ///
    /// - Parameters:
    ///   - progress: Told how many rows are written.
    ///   - sink: Takes the text, piece by piece.
    /// - Returns: How many rows were written, without the header.
    @discardableResult
    public func meals(
        of replica: Replica, on days: ClosedRange<Day> = .earliest ... .latest,
        progress: (_ rows: Int) -> Void = { _ in }, to sink: (String) throws -> Void
    ) throws -> Int {
        let writer = CSVWriter(delimiter: delimiter)
        try sink(writer.row(Self.mealHeader.map { .text($0) }))
        var rows = 0
        var brands = Brands(replica: replica)
        try forEachSpan(of: days) { span in
            var text = ""
            for detail in try replica.meals(on: span) {
                for cells in try mealRows(detail, &brands) {
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
        try sink(writer.row(Self.weightHeader.map { .text($0) }))
        var rows = 0
        try forEachSpan(of: days) { span in
            var text = ""
            for weighIn in try replica.weighIns(on: span) {
                text += writer.row([
                    .text(weighIn.localDate.day.description), clock(weighIn.localDate),
                    number(weighIn.grams, places: 3), number(weighIn.bodyFatBasisPoints, places: 2),
                    words(weighIn.note), .text(weighIn.id.description),
                ])
                rows += 1
            }
            if !text.isEmpty { try sink(text) }
            progress(rows)
        }
        return rows
    }

    /// Spans of days, so that one span at a time is in memory.
    private func forEachSpan(
        of days: ClosedRange<Day>, _ body: (ClosedRange<Day>) throws -> Void
    ) throws {
        var first = days.lowerBound
        while true {
            let last = min(first.advanced(by: 99), days.upperBound)
            try body(first...last)
            guard last < days.upperBound else { return }
            first = last.advanced(by: 1)
        }
    }
}

// MARK: Columns

extension CSVExport {
    static let mealHeader =
        [
            "local_date", "time", "tz", "meal_type", "dish", "item", "brand", "amount", "unit",
            "grams",
        ] + Nutrient.known.map(header)
        + ["share_pct", "consumed", "estimated", "source", "note", "meal_id", "item_id"]

    static let weightHeader = ["date", "time", "kg", "bodyfat_pct", "note", "id"]

    /// What the columns of an export mean to an import.
    static let mealMapping: ImportMapping = {
        var mapping: ImportMapping = [
            .date: "local_date", .time: "time", .slot: "meal_type", .name: "item",
            .amount: "amount", .unit: "unit", .share: "share_pct", .consumed: "consumed",
            .estimated: "estimated", .note: "note",
        ]
        for nutrient in Nutrient.known { mapping[.nutrient(nutrient)] = header(nutrient) }
        return mapping
    }()

    /// `kcal`, `protein_g`, `sodium_mg`.
    private static func header(_ nutrient: Nutrient) -> String {
        switch nutrient.unit {
        case .millikilocalories: "kcal"
        case .milligrams: nutrient.key.string + "_g"
        default: nutrient.key.string + "_mg"
        }
    }

    private func mealRows(
        _ detail: MealDetail, _ brands: inout Brands
    ) throws -> [[CSVWriter.Cell]] {
        let meal = detail.meal
        var rows: [[CSVWriter.Cell]] = []
        func add(
            _ item: MealItem?, name: String?, brand: String?, _ nutrients: Nutrients
        ) {
            let amount = item?.amount
            var row: [CSVWriter.Cell] = [
                .text(meal.localDate.day.description), clock(meal.localDate),
                words(meal.localDate.zone?.string), words(meal.type?.string),
                words(meal.dishName), words(name), words(brand),
                number(amount?.milli, places: 3), words(amount?.unit.string),
                number(amount?.milligrams, places: 3),
            ]
            for nutrient in Nutrient.known {
                let places = nutrient.unit == .nanograms ? 6 : 3
                row.append(number(nutrients[nutrient], places: places))
            }
            rows.append(
                row + [
                    number(meal.consumedShareBasisPoints, places: 2), truth(meal.isConsumed),
                    meal.isEstimated.map(truth) ?? .empty, words(meal.source?.name.string),
                    rows.isEmpty ? words(meal.note) : .empty, .text(meal.id.description),
                    words(item?.id.description),
                ])
        }
        if !meal.nutrients.isEmpty || detail.items.isEmpty {
            add(nil, name: meal.dishName, brand: nil, meal.nutrients)
        }
        for item in detail.items {
            add(item, name: item.name, brand: try brands.brand(of: item.foodID), item.nutrients)
        }
        return rows
    }

    private func clock(_ date: LocalDate) -> CSVWriter.Cell { words(ClockTime.text(date)) }

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
