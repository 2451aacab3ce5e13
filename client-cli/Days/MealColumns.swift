import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// The columns of a day: a name, four numbers, an id.
struct MealColumns {
    let width: Int
    let idWidth: Int

    /// The columns of the name.
    var name: Int { width - 8 - 9 - 9 - 9 - 2 - idWidth }

    func line(
        _ title: String, _ id: String, amounts totals: NutrientTotals, _ shown: Shown,
        paint: (String) -> String
    ) -> String {
        func cell(_ nutrient: Nutrient, _ width: Int) -> String {
            let text = shown.amount(totals[nutrient], of: nutrient)
            return String(repeating: " ", count: max(1, width - displayWidth(text))) + paint(text)
        }
        let columns: [(Nutrient, Int)] = [(.energy, 8), (.protein, 9), (.carbs, 9), (.fat, 9)]
        let numbers = columns.map { cell($0, $1) }.joined()
        return "\(padded(title, to: name))\(numbers)\(id.isEmpty ? "" : "  \(id)")"
    }

    func line(
        _ title: String, _ clock: String, _ energy: String, _ protein: String, _ carbs: String,
        _ fat: String, _ id: String
    ) -> String {
        func cell(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(1, width - displayWidth(text))) + text
        }
        return padded(title, to: name) + cell(energy, 8) + cell(protein, 9) + cell(carbs, 9)
            + cell(fat, 9)
    }

    func rule(_ style: Style) -> String {
        String(repeating: style.blocks ? "─" : "-", count: width - 2 - idWidth)
    }
}

extension String {
    /// The text with its first letter in capitals.
    var capitalised: String { prefix(1).uppercased() + dropFirst() }
}
