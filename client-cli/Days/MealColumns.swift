import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// The columns of a day: a name, as many numbers as leave room for the name, an id.
struct MealColumns {
    /// The nutrients that have a column.
    let nutrients: ArraySlice<Nutrient>
    /// The columns of the name.
    let name: Int
    private let width: Int
    private let idWidth: Int

    static let all: [Nutrient] = [.energy, .protein, .carbs, .fat]

    init(width: Int, idWidth: Int) {
        (self.width, self.idWidth) = (width, idWidth)
        let room = width - 2 - idWidth
        // A time, and twelve columns of a name.
        let count = Self.all.indices.last { room - Self.columns($0 + 1) >= 24 } ?? 0
        nutrients = Self.all.prefix(count + 1)
        name = room - Self.columns(count + 1)
    }

    /// How many columns the first `count` numbers take.
    private static func columns(_ count: Int) -> Int { count * 9 - 1 }

    func line(
        _ title: String, _ id: String, amounts totals: NutrientTotals, _ shown: Shown,
        paint: (String) -> String
    ) -> String {
        line(title, nutrients.map { shown.amount(totals[$0], of: $0) }, paint)
            + (id.isEmpty ? "" : "  \(id)")
    }

    /// Whether there is room for a score beside the name.
    var hasScore: Bool { name >= 30 }

    /// A title with a score at its right end.
    func title(_ title: String, score: String) -> String {
        padded(title, to: name - 4) + String(repeating: " ", count: max(0, 4 - displayWidth(score)))
            + score
    }

    /// The titles of the numbers.
    ///
    /// - Parameter score: What stands above the scores; nothing without them.
    func titles(_ shown: Shown, score: String) -> String {
        line(
            score.isEmpty ? "" : String(repeating: " ", count: name - displayWidth(score)) + score,
            [shown.energySymbol, "protein", "carbs", "fat"].prefix(nutrients.count).map { $0 }
        ) { $0 }
    }

    func rule(_ style: Style) -> String {
        String(repeating: style.blocks ? "─" : "-", count: width - 2 - idWidth)
    }

    private func line(
        _ title: String, _ numbers: [String], _ paint: (String) -> String
    ) -> String {
        let cells = numbers.enumerated().map { index, text in
            let width = index == 0 ? 8 : 9
            return String(repeating: " ", count: max(1, width - displayWidth(text))) + paint(text)
        }
        return padded(title, to: name) + cells.joined()
    }
}

extension String {
    /// The text with its first letter in capitals.
    var capitalised: String { prefix(1).uppercased() + dropFirst() }
}
