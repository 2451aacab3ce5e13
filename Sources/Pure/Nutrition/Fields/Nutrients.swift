package import MacrologEvents

/// The nutrients of one food, meal or item. A nutrient that is absent is unknown, not zero.
public struct Nutrients: Hashable, Sendable {
    /// One nutrient and its stored whole number.
    package struct Entry: Hashable, Sendable {
        /// Which nutrient.
        package let nutrient: Nutrient
        /// How much, in the nutrient's unit.
        package var amount: Int64

        /// Pairs a nutrient and its amount.
        package init(_ nutrient: Nutrient, _ amount: Int64) {
            self.nutrient = nutrient
            self.amount = amount
        }
    }

    /// The known nutrients in the order of display; none occurs twice.
    package private(set) var entries: [Entry] = []

    /// The known nutrients in the order of display.
    public var known: [Nutrient] { entries.map { $0.nutrient } }

    /// Nothing known.
    public init() {}

    /// The common four; `nil` stays unknown.
    ///
    /// - Parameters:
    ///   - energy: Thousandths of a kilocalorie.
    ///   - protein: Milligrams.
    ///   - carbs: Milligrams.
    ///   - fat: Milligrams.
    public init(
        energy: Int64? = nil, protein: Int64? = nil, carbs: Int64? = nil, fat: Int64? = nil
    ) {
        self[.energy] = energy
        self[.protein] = protein
        self[.carbs] = carbs
        self[.fat] = fat
    }

    /// Whether nothing is known.
    public var isEmpty: Bool { entries.isEmpty }

    /// How much of a nutrient, in its unit; `nil` is unknown.
    public subscript(nutrient: Nutrient) -> Int64? {
        get {
            for entry in entries where entry.nutrient == nutrient { return entry.amount }
            return nil
        }
        set {
            var index = 0
            while index < entries.count, entries[index].nutrient < nutrient { index += 1 }
            let exists = index < entries.count && entries[index].nutrient == nutrient
            switch (newValue, exists) {
            case (let amount?, true): entries[index].amount = amount
            case (let amount?, false): entries.insert(Entry(nutrient, amount), at: index)
            case (nil, true): entries.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// Collects the nutrients among an entity's fields.
    package init(fields: ValueMap) {
        reserve(fields.entries.count)
        for field in fields.entries {
            guard let amount = field.value.int, let nutrient = Nutrient(key: field.name) else {
                continue
            }
            add(nutrient, amount)
        }
    }

    mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

    /// Adds a nutrient that is not there yet.
    mutating func add(_ nutrient: Nutrient, _ amount: Int64) {
        entries.append(Entry(nutrient, amount))
        var place = entries.count - 1
        while place > 0, nutrient < entries[place - 1].nutrient {
            entries.swapAt(place, place - 1)
            place -= 1
        }
    }

    /// What a part of this holds: `amount × part / whole`, each nutrient rounded once, half to even.
    ///
    /// - Parameters:
    ///   - part: How much was taken, such as milligrams eaten.
    ///   - whole: What these numbers are for, in the same unit; 100,000 for "per 100 g" and
    ///     milligrams. Must be positive.
    public func scaled(part: Int64, whole: Int64) -> Nutrients {
        var scaled = self
        for index in scaled.entries.indices {
            let amount = scaled.entries[index].amount
            scaled.entries[index].amount = Rounding.scaled(amount, by: part, over: whole)
        }
        return scaled
    }
}

extension Nutrients {
    /// The map that a `reported_total` stores.
    var value: Value {
        var map = ValueMap()
        for entry in entries { map[entry.nutrient.key] = .int(entry.amount) }
        return .map(map)
    }
}
