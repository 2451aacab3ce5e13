import MacrologEvents
import MacrologNutrition

/// The meaning of an official table's columns.
struct FoodLayout {
    /// A column of amounts.
    struct Column {
        let name: String
        let nutrient: Nutrient
        /// One of the column's unit is 10^places stored units.
        let places: Int

        init(_ name: String, _ nutrient: Nutrient, _ places: Int) {
            (self.name, self.nutrient, self.places) = (name, nutrient, places)
        }
    }

    let title: String
    let source: FoodSource
    let carbBasis: CarbBasis
    /// The column of the table's own name for a food.
    let reference: String
    let amounts: [Column]
    /// The column of energy in kJ, for rows that state none in kcal.
    var kilojoules: String?

    /// SR28's food descriptions and nutrients in one table. Its carbohydrate is "by difference".
    static let usda = FoodLayout(
        title: "USDA table of foods", source: .usda, carbBasis: .total, reference: "ndb_no",
        amounts: [
            Column("energy_kcal", .energy, 3), Column("protein_g", .protein, 3),
            Column("carbs_g", .carbs, 3), Column("fat_g", .fat, 3), Column("fiber_g", .fiber, 3),
            Column("sugars_g", .sugars, 3), Column("sat_fat_g", .saturatedFat, 3),
            Column("trans_fat_g", .transFat, 3), Column("alcohol_g", .alcohol, 3),
            Column("water_g", .water, 3), Column("cholesterol_mg", .cholesterol, 6),
            Column("sodium_mg", .sodium, 6), Column("potassium_mg", .potassium, 6),
            Column("calcium_mg", .calcium, 6), Column("iron_mg", .iron, 6),
            Column("magnesium_mg", .magnesium, 6), Column("vitamin_c_mg", .vitaminC, 6),
            Column("vitamin_d_ug", .vitaminD, 3), Column("vitamin_b12_ug", .vitaminB12, 3),
            Column("caffeine_mg", .caffeine, 6),
        ], kilojoules: "energy_kj")

    /// Vitamins and minerals in grams, unless the column's name says otherwise. The database
    /// identifies columns only by their headings, so each language needs its own table.
    static let swiss = FoodLayout(
        title: "Swiss Food Composition Database", source: .swiss, carbBasis: .available,
        reference: "name",
        amounts: [
            Column("energy", .energy, 3), Column("proteins", .protein, 3),
            Column("carbohydrates", .carbs, 3), Column("fats", .fat, 3),
            Column("dietary_fiber", .fiber, 3), Column("sugars", .sugars, 3),
            Column("saturated_fats", .saturatedFat, 3),
            Column("monounsaturated_fats", .monounsaturatedFat, 3),
            Column("polyunsaturated_fats", .polyunsaturatedFat, 3),
            Column("cholesterol", .cholesterol, 9), Column("sodium", .sodium, 9),
            Column("potassium", .potassium, 9), Column("calcium", .calcium, 9),
            Column("iron", .iron, 9), Column("magnesium", .magnesium, 9),
            Column("zinc", .zinc, 9), Column("vitamin_a", .vitaminA, 9),
            Column("vitamin_c", .vitaminC, 9), Column("vitamin_d", .vitaminD, 9),
            Column("vitamin_b12", .vitaminB12, 9), Column("caffeine_milli", .caffeine, 6),
        ])
}

/// Reads the rows of an official table as foods.
struct FoodTableReader: FoodReader {
    private let layout: FoodLayout
    private var csv = CSVReader()
    private var header: [String: Int]?
    private var width = 0

    init(_ layout: FoodLayout) {
        self.layout = layout
    }

    mutating func foods(from bytes: [UInt8]) throws(ImportError) -> [ReadFood] {
        let rows: [CSVRow]
        do throws(CSVError) { rows = try csv.rows(from: bytes) } catch {
            throw ImportError(csv: error)
        }
        return try foods(rows)
    }

    mutating func finish() throws(ImportError) -> [ReadFood] {
        let last: CSVRow?
        do throws(CSVError) { last = try csv.finish() } catch { throw ImportError(csv: error) }
        let foods = try foods(last.map { [$0] } ?? [])
        guard header != nil else {
            throw ImportError(
                line: 1, "the file is empty", hint: "choose the \(layout.title) as CSV")
        }
        return foods
    }

    private mutating func foods(_ rows: [CSVRow]) throws(ImportError) -> [ReadFood] {
        var foods: [ReadFood] = []
        for row in rows {
            if header == nil { try begin(row) } else { foods.append(food(row)) }
        }
        return foods
    }

    private mutating func begin(_ row: CSVRow) throws(ImportError) {
        var indexes: [String: Int] = [:]
        for (index, name) in row.fields.enumerated() {
            indexes[Cell.lowered(Cell.trimmed(name))] = index
        }
        let wanted = [layout.reference, "name"] + layout.amounts.prefix(4).map(\.name)
        if let missing = wanted.first(where: { indexes[$0] == nil }) {
            throw ImportError(
                line: row.line, "this is not the \(layout.title): it has no column \"\(missing)\"",
                hint: "choose another file, or say what it is: usda, swiss or off")
        }
        header = indexes
        width = row.fields.count
    }

    private func food(_ row: CSVRow) -> ReadFood {
        var read = ReadRow(line: row.line)
        guard row.fields.count == width else {
            read.refuse(
                nil, "the row has \(row.fields.count) cells where \(width) are expected",
                "put quotes around cells that hold a comma")
            return ReadFood(read: read)
        }
        func cell(_ column: String) -> String? {
            guard let index = header?[column] else { return nil }
            let text = Cell.trimmed(row.fields[index])
            return Cell.isUnknown(text) ? nil : text
        }
        guard let name = cell("name"), let reference = cell(layout.reference) else {
            read.refuse(
                cell("name") == nil ? "name" : layout.reference, "says nothing",
                "fill it in, or take the row out")
            return ReadFood(read: read)
        }
        read.stated["name"] = .text(UTF8Text(name))
        read.stated["source_ref"] = .text(UTF8Text(reference))
        read.stated["source"] = .text(layout.source.name)
        read.stated["basis"] = .text(FoodBasis.per100Grams.name)
        read.stated["carb_basis"] = .text(layout.carbBasis.name)
        for column in layout.amounts {
            guard let text = cell(column.name) else { continue }
            guard let amount = ExactDecimal(text)?.whole(places: column.places) else {
                read.refuse(
                    column.name, "\"\(text)\" is not a number", "correct the cell, or empty it")
                continue
            }
            read.stated[column.nutrient.key] = .int(amount)
        }
        if read.stated["energy"] == nil, let column = layout.kilojoules, let text = cell(column),
            let energy = Energy.millikilocalories(kilojoules: text)
        {
            read.stated["energy"] = .int(energy)
        }
        return ReadFood(read: read, id: Identities.food(layout.source, reference: reference))
    }
}

/// Energy as tables and labels state it.
enum Energy {
    /// Kilojoules as thousandths of a kilocalorie (1 kcal = 4.184 kJ), half to even.
    static func millikilocalories(kilojoules text: String) -> Int64? {
        ExactDecimal(text)?.whole(places: 6).map { Rounding.scaled($0, by: 1, over: 4_184) }
    }
}

extension ImportError {
    init(csv error: CSVError) {
        self.init(
            line: error.line, error.problem,
            hint: "correct the line, save the file as CSV in UTF-8, and import it again")
    }
}
