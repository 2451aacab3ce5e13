/// How the earlier systems show a meal, and what becomes of numbers and sizes that their apps send back.
import MacrologDiary
import MacrologEvents
import MacrologFormats
import MacrologJSON
import MacrologNutrition

extension Amount {
    /// Reads a size: `200 g`, `2 slices`, `1.5 cups`. Other text is the unit of one; `nil` for blank text, and where it
    /// has no room.
    init?(servingSize text: String) {
        let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let amount = Self.counted(text) ?? Amount(milli: 1_000, unit: UTF8Text(text))
        self.init(amount.value)
    }

    /// As the earlier systems write it: `60 g`; the unit alone where the number does not tell more.
    var servingSize: String {
        let text = "\(JSON.decimal(milli, scale: 3).compact) \(unit.string)"
        let isCounted = unit.string.first?.isNumber == false && Self.counted(text) != nil
        return milli != 1_000 || isCounted ? text : unit.string
    }

    /// A number of something; `nil` for other text.
    private static func counted(_ text: String) -> Amount? {
        guard text.contains(where: \.isLetter) else { return nil }
        // An amount is read in front of a name.
        let read = ReadIngredient("\(text) x")
        guard let amount = read.amount else { return nil }
        if read.name == "x" { return amount }
        // Of a word that is no unit, as in `2 large eggs`, one alone would read as if it were two numbers.
        let rest = String(read.name.dropLast(2))
        guard amount.milli != 1_000, read.name.hasSuffix(" x"), text.hasSuffix(rest),
            !text.dropLast(rest.count).contains(where: \.isLetter)
        else { return nil }
        return Amount(Amount(milli: amount.milli, unit: UTF8Text(rest)).value)
    }
}

/// A note, and the size of a serving in a line of it, as the import of an earlier system writes it.
struct ServingNote: Equatable {
    /// What people wrote.
    var text: String?
    /// The size, where it is no amount of a part.
    var servingSize: String?

    private static let mark = "Serving: "

    /// A note without a size.
    init(text: String?) { self.text = text }

    /// The two parts of a note.
    init(_ note: String?) {
        text = note
        guard var lines = note?.split(separator: "\n", omittingEmptySubsequences: false),
            let index = lines.firstIndex(where: { $0.hasPrefix(Self.mark) })
        else { return }
        servingSize = String(lines.remove(at: index).dropFirst(Self.mark.count))
        text = lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    /// Both together.
    var note: String? {
        guard let servingSize else { return text }
        let lines = [text, Self.mark + servingSize].compactMap { $0 }.filter { !$0.isEmpty }
        return lines.joined(separator: "\n")
    }
}

extension Diary {
    /// The meal slot that is shown: where none is named the one that the time suggests, else `snack`.
    func shownSlot(of meal: Meal) throws -> UTF8Text {
        if let slot = meal.slot { return slot }
        return try slot(at: meal.localDate) ?? "snack"
    }

    /// Writes sums of a meal that an app sends. A sum as it is shown changes nothing: its 0 may stand for what is
    /// unknown. Another one is that of the only part, or of a meal without parts, and reads back as it was sent.
    ///
    /// - Parameter problem: Refuses another sum of several parts, as it does not say which of them has changed.
    mutating func saveSums(
        _ sent: Nutrients, of detail: MealDetail, orRefuse problem: APIProblem
    ) throws {
        let changed = sent.entries.filter { $0.amount != detail.totals[$0.nutrient] ?? 0 }
        guard !changed.isEmpty else { return }
        guard detail.items.count <= 1 else { throw problem }
        var (meal, item) = (detail.meal, detail.items.first)
        let share = meal.consumedShareBasisPoints
        let whole = changed.compactMap { Self.whole($0, ofShare: share) }
        let isExact = whole.count == changed.count
        if !isExact {
            meal.take(share: share)
            item?.take(share: share)
            if let amount = item?.amount { item?.amount = amount.scaled(to: share) }
            meal.consumedShareBasisPoints = 10_000
        }
        for entry in isExact ? whole : changed {
            guard item != nil else {
                meal[entry.nutrient] = entry.amount
                continue
            }
            meal[entry.nutrient] = nil
            item?[entry.nutrient] = entry.amount
        }
        try saveChange(meal, of: detail.meal)
        guard var item, let old = detail.items.first else { return }
        if meal.analysisID != nil { item.isEditedByUser = true }
        try saveChange(item, of: old)
    }

    /// What has to be stored so that a share of it comes to an amount; `nil` where nothing does exactly.
    private static func whole(
        _ entry: Nutrients.Entry, ofShare share: Int64
    ) -> Nutrients.Entry? {
        guard share > 0 else { return nil }
        let whole = Rounding.scaled(entry.amount, by: 10_000, over: share)
        guard entry.nutrient.bounds.contains(whole),
            Rounding.scaled(whole, by: share, over: 10_000) == entry.amount
        else { return nil }
        return Nutrients.Entry(entry.nutrient, whole)
    }
}

extension NutrientHolder {
    /// Makes all nutrients those of a share, in basis points.
    fileprivate mutating func take(share: Int64) {
        for entry in nutrients.entries {
            self[entry.nutrient] = Rounding.scaled(entry.amount, by: share, over: 10_000)
        }
    }
}

extension Amount {
    /// A share of it, in basis points; all of it where the share is none, or has no room.
    fileprivate func scaled(to share: Int64) -> Amount {
        guard share > 0 else { return self }
        let part = Amount(
            milli: Rounding.scaled(milli, by: share, over: 10_000), unit: unit,
            milligrams: milligrams.map { Rounding.scaled($0, by: share, over: 10_000) })
        return Amount(part.value) ?? self
    }
}
