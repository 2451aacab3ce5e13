package import MacrologEvents

/// What counts of a meal for its day. Every fold of a meal asks for it, so that its fields are checked and
/// read in one pass.
package struct CountedMeal: Sendable {
    /// The day it counts for.
    package private(set) var day = Day.earliest
    /// The meal of the day; `nil` when not set.
    package private(set) var slot: UTF8Text?
    /// Whether it has been eaten.
    package private(set) var isConsumed = false
    /// The day, if it has been eaten.
    package var consumedDay: Day? { isConsumed ? day : nil }
    /// The part of it that was eaten, from 0 to 100,000.
    package private(set) var consumedShareBasisPoints: Int64 = 10_000
    /// What its own nutrients add, all of them, without those of its items.
    package private(set) var own = NutrientTotals()

    /// Reads a meal's fields.
    ///
    /// - Returns: What counts, without fields that break a hard bound; `nil` where a sound day is missing. And
    ///   what ``Kind/hardFindings(_:)`` finds.
    package static func read(_ fields: ValueMap) -> (meal: CountedMeal?, findings: [Finding]) {
        var (meal, findings) = (CountedMeal(), [Finding]())
        var hasDay = false
        let (entries, kind) = (fields.entries, Kind.meal)
        let table = kind.table
        meal.own.beginPart(of: entries.count)
        // Known nutrients are added at the end, in their order, which is not that of the fields.
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: Nutrient.known.count) { amounts in
            var found: UInt64 = 0
            // By index, because copying an entry retains and releases its name and value.
            for index in entries.indices {
                if case .int(let number) = entries[index].value,
                    let place = table.nutrient(entries[index].name),
                    Nutrient.known[place].bounds.contains(number)
                {
                    amounts[place] = number
                    found |= 1 << UInt64(place)
                    continue
                }
                if case .array = entries[index].value, entries[index].name == localDate,
                    let date = LocalDate(entries[index].value)
                {
                    (meal.day, hasDay) = (date.day, true)
                    continue
                }
                let before = findings.count
                kind.findHard(entries[index], &findings)
                if findings.count == before { meal.add(entries[index]) }
            }
            while found != 0 {
                let place = found.trailingZeroBitCount
                meal.own.add(Nutrient.known[place], amount: amounts[place], known: 1)
                found &= found - 1
            }
        }
        return (hasDay ? meal : nil, findings)
    }

    private mutating func add(_ entry: borrowing ValueMap.Entry) {
        switch entry.value {
        case .int(let number):
            if let nutrient = Nutrient(key: entry.name) {
                own.add(nutrient, amount: number, known: 1)
            } else if entry.name == Self.share {
                consumedShareBasisPoints = number
            }
        case .bool(let flag): if entry.name == Self.consumed { isConsumed = flag }
        case .text(let word): if entry.name == Self.slotName { slot = word }
        default: break
        }
    }

    private static let localDate = Meal.localDate.spec.name
    private static let share = Meal.consumedShareBasisPoints.spec.name
    private static let consumed = Meal.isConsumed.spec.name
    private static let slotName = Meal.slot.spec.name
}
