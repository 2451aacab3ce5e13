import MacrologEvents
import MacrologNutrition

/// An amount as earlier systems wrote it into a text.
enum LegacyAmount {
    /// `2 slices`, `150 g`, `1 1/2 cups`; `nil` for words such as `a handful`, and for a number without a unit.
    static func read(_ text: String) -> Amount? {
        let number = text.prefix { !$0.isLetter }
        let unit = Cell.trimmed(String(text[number.endIndex...]))
        guard let quantity = quantity(String(number)), quantity.milli > 0, !unit.isEmpty,
            !unit.contains(where: \.isNumber), unit.utf8.count <= 24
        else { return nil }
        let measure = Measure.named(unit)
        guard let measure, [.mass, .volume].contains(measure.dimension) else {
            return Amount(milli: quantity.milli, unit: UTF8Text(unit))
        }
        guard let whole = self.quantity(text) else { return nil }
        do throws(NumberError) {
            return measure.dimension == .mass
                ? Amount(milligrams: try whole.whole(.milligram))
                : Amount(milli: try whole.whole(.microliter), unit: "ml")
        } catch {
            return nil
        }
    }

    private static func quantity(_ text: String) -> Quantity? {
        do throws(NumberError) { return try NumberReader().read(text) } catch { return nil }
    }
}
