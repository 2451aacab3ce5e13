public import MacrologEvents
import MacrologWire
public import Macrolog
import MacrologNutrition

/// Imports the foods of an official table or of Open Food Facts into a replica.
///
///     let table = FoodImport(.usda)
///     let result = try table.run(chunks, portions: others, in: replica)
///
/// A file is read in pieces and never held whole, except a product or a search result, which is one
/// JSON text. Every row ends as exactly one of new, same, changed, deleted and rejected. Ids are computed
/// from the source's identifiers (``Identities/food(_:reference:)``), or from barcodes, so that
/// importing a file again changes nothing and devices that import the same file agree. An empty
/// cell means unknown. Foods that the person typed are not changed, nor are fields that they
/// changed on an imported food; what they deleted stays deleted.
public struct FoodImport: Sendable {
    /// The kind of file.
    public enum File: Hashable, Sendable, CaseIterable {
        /// USDA National Nutrient Database SR28 as one table, 28 columns; carbohydrate with fibre.
        case usda
        /// The Swiss Food Composition Database, 43 columns; carbohydrate without fibre.
        case swiss
        /// Products of Open Food Facts: one, a search result, or one on each line (JSONL);
        /// carbohydrate without fibre, as EU labels state it, except for products sold in the
        /// United States and Canada only.
        case openFoodFacts

        /// The kind of import, as the log notes it.
        var word: UTF8Text {
            switch self {
            case .usda: "foods_usda"
            case .swiss: "foods_swiss"
            case .openFoodFacts: "foods_off"
            }
        }
    }

    /// The bytes of a file, piece by piece; `nil` at its end.
    public typealias Pieces = () throws -> [UInt8]?

    /// The results of the rows.
    public struct Result: Hashable, Sendable {
        /// Of the foods.
        public let foods: ImportSummary
        /// Of their household measures; `nil` without any.
        public let portions: ImportSummary?
        /// The group that everything was recorded under; `nil` when nothing was recorded.
        public var group: Identifier? { foods.group ?? portions?.group }
    }

    /// The kind of file.
    public let file: File

    /// The maximum number of foods in one transaction.
    private static let batchMax = 1_000

    /// An import of a kind of file.
    public init(_ file: File) {
        self.file = file
    }

    /// The result that an import would have. Nothing is written.
    ///
    /// - Parameters:
    ///   - portions: The table of household measures, which only ``File/usda`` has.
    ///   - each: Called with the result of every row, in the order of its file.
    ///   - progress: Called with the number of bytes read.
    /// - Throws: ``ImportError`` for a file that is not of this kind.
    @discardableResult
    public func plan(
        _ pieces: Pieces, portions: Pieces? = nil, in replica: Replica,
        each: (ImportRow, _ isPortion: Bool) throws -> Void = { _, _ in },
        progress: (Int) -> Void = { _ in }
    ) throws -> Result {
        var group = ImportGroup.none(replica)
        return try go(pieces, portions, replica, &group, each, progress)
    }

    /// Imports: new entries are added, changed ones are edited field by field, all in one group.
    ///
    /// Each transaction is durable and has up to 1,000 rows. If a later one fails, the earlier ones
    /// stay; running the import again completes it, in the same group.
    @discardableResult
    public func run(
        _ pieces: Pieces, portions: Pieces? = nil, in replica: Replica, group: Identifier? = nil,
        each: (ImportRow, _ isPortion: Bool) throws -> Void = { _, _ in },
        progress: (Int) -> Void = { _ in }
    ) throws -> Result {
        // A long file is never held whole: its beginning identifies it.
        var first = try pieces()
        let hash = SHA256.hash(Array((first ?? []).prefix(4_096)))
        var action =
            try group.map { ImportGroup(replica, $0) }
            ?? ImportGroup(replica, importing: file.word, hash: hash)
        let all: Pieces = {
            defer { first = nil }
            return try first ?? pieces()
        }
        return try go(all, portions, replica, &action, each, progress)
    }

    private func go(
        _ pieces: Pieces, _ portions: Pieces?, _ replica: Replica, _ group: inout ImportGroup,
        _ each: (ImportRow, Bool) throws -> Void, _ progress: (Int) -> Void
    ) throws -> Result {
        let today = try replica.today()
        let judge = RowJudge(
            today: today, column: { _ in nil }, stating: Self.stated,
            origin: "source_ref", belongs: Self.belongs)
        let portionJudge = RowJudge(
            today: today, column: { _ in nil }, origin: "food_id")
        var foods = Recorder(ImportSummary(kind: .food), today)
        var linesByID: [Identifier: Int] = [:]
        var bytes = 0
        var batch: [ReadFood] = []
        func flush(isLast: Bool = false) throws {
            let rows = try batch.map { food -> (read: ReadRow, id: Identifier?) in
                guard let id = try food.id(in: replica) else { return (food.read, nil) }
                if let line = linesByID[id] { return (food.read.repeating(line), nil) }
                linesByID[id] = food.read.line
                return (food.read, id)
            }
            let verdicts = try judge.verdicts(Food.self, rows, in: replica) { .food($0) }
            try foods.take(verdicts, &group, isLast: isLast) { try each($0, false) }
            batch.removeAll(keepingCapacity: true)
        }
        try read(pieces) { read, count in
            for food in read {
                batch.append(food)
                if batch.count == Self.batchMax { try flush() }
            }
            bytes += count
            progress(bytes)
        }
        try flush(isLast: portions == nil)
        guard let portions else {
            foods.summary.notices = group.notices
            return Result(foods: foods.summary, portions: nil)
        }
        var measures = Recorder(ImportSummary(kind: .foodPortion), today)
        var table = PortionTable()
        while let piece = try portions() {
            try table.take(piece)
            bytes += piece.count
            progress(bytes)
        }
        var rest = try table.rows(ofFoods: linesByID)[...]
        measures.summary.notices = table.notices
        repeat {
            let part = rest.prefix(Self.batchMax).map { (read: $0.read, id: $0.id) }
            rest = rest.dropFirst(Self.batchMax)
            let verdicts = try portionJudge.verdicts(FoodPortion.self, part, in: replica) {
                .portion($0)
            }
            try measures.take(verdicts, &group, isLast: rest.isEmpty) { try each($0, true) }
        } while !rest.isEmpty
        foods.summary.notices = group.notices
        return Result(foods: foods.summary, portions: measures.summary)
    }

    /// Passes on the foods of each piece, and its size in bytes.
    private func read(
        _ pieces: Pieces, _ take: ([ReadFood], Int) throws -> Void
    ) throws {
        switch file {
        case .usda: try Self.read(pieces, FoodTableReader(.usda), take)
        case .swiss: try Self.read(pieces, FoodTableReader(.swiss), take)
        case .openFoodFacts: try Self.read(pieces, ProductReader(), take)
        }
    }

    private static func read(
        _ pieces: Pieces, _ reader: some FoodReader, _ take: ([ReadFood], Int) throws -> Void
    ) throws {
        var reader = reader
        while let piece = try pieces() { try take(try reader.foods(from: piece), piece.count) }
        try take(try reader.finish(), 0)
    }

    /// A food that the person typed is never changed.
    private static func stated(_ old: ValueMap, _ stated: ValueMap) -> ValueMap {
        guard stated["name"] != nil,
            old["source"]?.text ?? FoodSource.user.name
                == FoodSource.user.name
        else { return stated }
        return ValueMap()
    }

    /// Numbers are meaningless without their reference amount.
    private static func belongs(_ field: UTF8Text, _ own: [UTF8Text]) -> Bool {
        if own.contains("basis") { return Nutrient(key: field) != nil }
        return own.contains("carb_basis") && field == Nutrient.carbs.key
    }
}

/// Records a batch of verdicts and counts them.
private struct Recorder {
    var summary: ImportSummary
    let today: Day

    init(_ summary: ImportSummary, _ today: Day) {
        (self.summary, self.today) = (summary, today)
    }

    mutating func take(
        _ verdicts: [RowJudge.Verdict], _ group: inout ImportGroup, isLast: Bool,
        _ each: (ImportRow) throws -> Void
    ) throws {
        for verdict in verdicts { summary.count(verdict.row.outcome) }
        let (drafts, rows) = (verdicts.compactMap(\.draft), verdicts.map(\.row))
        if try group.record(drafts, of: rows, isLast: isLast, today: today) {
            summary.group = group.id
        }
        for verdict in verdicts { try each(verdict.row) }
    }
}

/// A food as its row states it, with the id that every import of it computes.
struct ReadFood {
    var read: ReadRow
    /// `nil` when the row does not say which food it is.
    var id: Identifier?

    /// The id of the food that has its barcode, or gets it; without one ``id``.
    func id(in replica: Replica) throws -> Identifier? {
        guard let barcode = read.stated["gtin"]?.text.flatMap({ Barcode($0.string) }) else {
            return id
        }
        return try replica.read { try $0.foodID(of: barcode) }
    }
}

/// Reads foods from bytes as they arrive.
protocol FoodReader {
    /// The foods completed by these bytes.
    mutating func foods(from bytes: [UInt8]) throws(ImportError) -> [ReadFood]
    /// The remaining foods, at the end of the bytes.
    mutating func finish() throws(ImportError) -> [ReadFood]
}

extension ReadRow {
    /// The row rejected, because another line is the same food.
    func repeating(_ other: Int) -> ReadRow {
        var row = self
        row.refuse(
            nil, "is already on line \(other)", "take one of the two rows out of the file")
        return row
    }

    mutating func refuse(_ column: String?, _ problem: String, _ hint: String) {
        problems.append(RowFinding(line: line, column: column, problem: problem, hint: hint))
    }
}
