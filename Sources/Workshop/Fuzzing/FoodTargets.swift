/// Foods and recipes out of files of others.
import MacrologEvents
import MacrologFormats
import Macrolog
import MacrologNutrition

extension FuzzTarget {
    /// The first byte selects the format of the file and how it is cut, the rest is the file.
    static let foods = FuzzTarget("foods", inputBytesMax: 2_048) { input in
        guard let first = input.first else { return }
        let source = FoodImport(FoodImport.File.allCases[Int(first & 3) % 3])
        let bytes = Array(input.dropFirst())
        // A table of portions may follow, after a zero byte.
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
            .map(Array.init)
        let portions = first & 4 != 0 && parts.count == 2 ? parts[1] : nil
        func plan(piece: Int) -> [ImportRow]? {
            var rows: [ImportRow] = []
            let summary = try? source.plan(
                Self.pieces(parts.first ?? [], piece), portions: portions.map { pieces($0, piece) },
                in: Diary.shared.replica
            ) { row, _ in rows.append(row) }
            guard let summary, summary.group == nil else { return nil }
            let total = summary.foods.total + (summary.portions?.total ?? 0)
            return total == rows.count ? rows : nil
        }
        let whole = plan(piece: bytes.count + 1)
        try promise(
            plan(piece: Int(first >> 3) + 1) == whole, "foods do not depend on pieces")
        for row in whole ?? [] {
            if case .rejected(let problems) = row.outcome {
                try promise(!problems.isEmpty, "each rejection has a reason")
                try promise(row.content == nil, "nothing becomes of a rejected row")
            } else if case .food(let food)? = row.content {
                let findings = food.findings(today: .latest)
                try promise(
                    findings.allSatisfy { $0.severity == .soft }, "a food keeps every hard bound")
            } else {
                try promise(row.content != nil, "something becomes of every other row")
            }
        }
    }

    private static func pieces(_ bytes: [UInt8], _ count: Int) -> FoodImport.Pieces {
        var place = 0
        return {
            guard place < bytes.count else { return nil }
            defer { place += count }
            return Array(bytes[place..<min(place + count, bytes.count)])
        }
    }

    static let recipes = FuzzTarget("recipes", inputBytesMax: 2_048) { input in
        guard let source = try? RecipeImport(input) else { return }
        let rows = try source.plan(in: Diary.shared.replica)
        let again = try source.plan(in: Diary.shared.replica)
        try promise(again == rows, "a forecast is the same twice")
        for row in rows {
            for part in row.ingredients {
                let findings = part.item.findings(today: .latest)
                try promise(
                    findings.allSatisfy { $0.severity == .soft },
                    "an ingredient keeps every hard bound")
                guard let amount = part.item.amount else { continue }
                try promise(Amount(amount.value) == amount, "an amount can be stored")
            }
        }
    }
}
