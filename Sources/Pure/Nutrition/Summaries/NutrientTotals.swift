/// Sums that know what they do not know: each nutrient's known amount, and how many of the parts
/// that were added knew it ("26 g from 3 of 4 items").
///
/// Adding is order-independent: whole numbers, no rounding, held at the limits of 64 bits.
public struct NutrientTotals: Hashable, Sendable {
    /// One nutrient's sum.
    package struct Entry: Hashable, Sendable {
        /// Which nutrient.
        package let nutrient: Nutrient
        /// The sum of the known values, in the nutrient's unit.
        package var amount: Int64
        /// How many parts knew it.
        package var known: Int64

        /// A nutrient's sum over the parts that knew it.
        package init(_ nutrient: Nutrient, amount: Int64, known: Int64) {
            self.nutrient = nutrient
            self.amount = amount
            self.known = known
        }
    }

    /// How many parts were added.
    public private(set) var parts: Int64 = 0
    /// The nutrients that at least one part knew, in the order of display.
    package private(set) var entries: [Entry] = []

    /// The nutrients that at least one part knew, in the order of display.
    public var known: [Nutrient] { entries.map { $0.nutrient } }

    /// Nothing added.
    public init() {}

    /// Sums that were kept elsewhere, in any order, each nutrient once.
    package init(parts: Int64, entries: [Entry]) {
        self.parts = parts
        self.entries = entries.sorted { $0.nutrient < $1.nutrient }
    }

    /// The total of a meal: its own nutrients, if it has any, and those of its items.
    ///
    /// - Parameters:
    ///   - own: The meal's own nutrients.
    ///   - items: Those of each item that is not deleted.
    ///   - shareBasisPoints: The part that was eaten, from 0 to 100,000; each sum is rounded once,
    ///     half to even.
    package init(own: Nutrients, items: [Nutrients], shareBasisPoints: Int64 = 10_000) {
        add(own)
        self = meal(of: items, shareBasisPoints: shareBasisPoints)
    }

    /// The total of a meal of which this is its own part, as ``init(own:items:shareBasisPoints:)`` gives it.
    package func meal(of items: [Nutrients], shareBasisPoints: Int64) -> NutrientTotals {
        // A meal with neither still counts as an entry with unknown nutrients.
        var totals = items.isEmpty || !entries.isEmpty ? self : NutrientTotals()
        for item in items { totals.add(item) }
        guard shareBasisPoints != 10_000 else { return totals }
        for index in totals.entries.indices {
            totals.entries[index].amount = Rounding.scaled(
                totals.entries[index].amount, by: shareBasisPoints, over: 10_000)
        }
        return totals
    }

    /// Makes room for a number of nutrients, and begins with one part.
    mutating func beginPart(of count: Int) {
        parts = 1
        entries.reserveCapacity(count)
    }

    /// Adds one part.
    package mutating func add(_ part: Nutrients) {
        parts = Rounding.sum(parts, 1)
        for entry in part.entries { add(entry.nutrient, amount: entry.amount, known: 1) }
    }

    /// Adds the parts of other totals.
    public mutating func add(_ other: NutrientTotals) {
        parts = Rounding.sum(parts, other.parts)
        for entry in other.entries {
            add(entry.nutrient, amount: entry.amount, known: entry.known)
        }
    }

    mutating func add(_ nutrient: Nutrient, amount: Int64, known: Int64) {
        // They mostly come in their order.
        var end = entries.count
        while end > 0, nutrient < entries[end - 1].nutrient { end -= 1 }
        if end > 0, entries[end - 1].nutrient == nutrient {
            entries[end - 1].amount = Rounding.sum(entries[end - 1].amount, amount)
            entries[end - 1].known = Rounding.sum(entries[end - 1].known, known)
        } else if end == entries.count {
            entries.append(Entry(nutrient, amount: amount, known: known))
        } else {
            entries.insert(Entry(nutrient, amount: amount, known: known), at: end)
        }
    }

    /// The sum of the known values, in the nutrient's unit; `nil` if none is known.
    public subscript(nutrient: Nutrient) -> Int64? {
        entry(nutrient)?.amount
    }

    /// How many of the parts knew a nutrient.
    public func coverage(of nutrient: Nutrient) -> Coverage {
        Coverage(known: entry(nutrient)?.known ?? 0, parts: parts)
    }

    private func entry(_ nutrient: Nutrient) -> Entry? {
        for entry in entries where entry.nutrient == nutrient { return entry }
        return nil
    }
}

/// How many of the parts of a sum knew the nutrient.
public struct Coverage: Hashable, Sendable, CustomStringConvertible {
    /// The parts that knew it.
    public let known: Int64
    /// How many parts were summed.
    public let parts: Int64

    /// Whether every part knew it.
    public var isComplete: Bool { known == parts }

    /// Whether the coverage is high enough to state a share of the whole: four in five.
    public var isEnough: Bool { parts > 0 && Int128(known) * 5 >= Int128(parts) * 4 }

    /// `3 of 4`.
    public var description: String { "\(known) of \(parts)" }
}
