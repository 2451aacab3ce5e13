public import Events

/// What an amount of a food holds.
///
/// A mass is a mass. A volume counts where the food is stated per 100 ml. Any other unit is the food's
/// own serving or one of its portions: `2 slices` of a bread whose slice weighs 30 g.
public struct Portioning: Hashable, Sendable {
    /// The food.
    public let food: Food
    /// Its household measures.
    public let portions: [FoodPortion]

    /// A food and its household measures, in any order; those of other foods are left out.
    public init(_ food: Food, portions: [FoodPortion] = []) {
        self.food = food
        self.portions = portions.filter { $0.foodID == food.id }
    }

    /// The nutrients of an amount, each rounded once, half to even, and the amount with its mass
    /// where that is known.
    ///
    /// - Throws: ``PortionError`` for a unit that this food does not have, and for a mass of what is
    ///   stated by volume and the reverse.
    public func nutrients(of amount: Amount) throws(PortionError) -> (Nutrients, Amount) {
        var weighed = amount
        if weighed.milligrams == nil { weighed.milligrams = milligrams(of: amount) }
        switch food.basis ?? .per100Grams {
        case .per100Grams:
            guard let mass = weighed.milligrams else { throw error(amount) }
            return (food.nutrients.scaled(part: mass, whole: 100_000), weighed)
        case .per100Milliliters:
            guard let volume = microliters(of: amount) else { throw error(amount) }
            return (food.nutrients.scaled(part: volume, whole: 100_000), weighed)
        case .perServing:
            if Portioning.isServing(amount.unit) {
                return (food.nutrients.scaled(part: amount.milli, whole: 1_000), weighed)
            }
            guard let serving = food.serving else { throw error(amount) }
            if Portioning.isAlike(amount.unit, serving.unit), serving.milli > 0 {
                return (food.nutrients.scaled(part: amount.milli, whole: serving.milli), weighed)
            }
            if let mass = weighed.milligrams, let whole = serving.milligrams, whole > 0 {
                return (food.nutrients.scaled(part: mass, whole: whole), weighed)
            }
            throw error(amount)
        }
    }

    /// The mass of an amount, in milligrams, half to even; `nil` when its unit says nothing of mass.
    public func milligrams(of amount: Amount) -> Int64? {
        if let known = amount.milligrams { return known }
        if let measure = Measure.named(amount.unit.string), measure.dimension == .mass {
            return Rounding.clamped(
                measure.scaled(Int128(amount.milli), over: 1_000, to: .milligram))
        }
        if Portioning.isServing(amount.unit), let whole = food.serving?.milligrams {
            return Rounding.scaled(whole, by: amount.milli, over: 1_000)
        }
        if let serving = food.serving, let whole = serving.milligrams, serving.milli > 0,
            Portioning.isAlike(amount.unit, serving.unit)
        {
            return Rounding.scaled(whole, by: amount.milli, over: serving.milli)
        }
        for portion in portions
        where Portioning.isAlike(amount.unit, Text(portion.label)) {
            return Rounding.scaled(portion.milligrams, by: amount.milli, over: 1_000)
        }
        return nil
    }

    /// The volume of an amount, in microlitres, half to even; `nil` when its unit is none.
    private func microliters(of amount: Amount) -> Int64? {
        if let measure = Measure.named(amount.unit.string), measure.dimension == .volume {
            return Rounding.clamped(
                measure.scaled(Int128(amount.milli), over: 1_000, to: .microliter))
        }
        guard let serving = food.serving,
            let measure = Measure.named(serving.unit.string), measure.dimension == .volume
        else { return nil }
        let volume = measure.scaled(Int128(serving.milli), over: 1_000, to: .microliter)
        if Portioning.isServing(amount.unit) {
            return Rounding.clamped(Rounding.halfEven(volume * Int128(amount.milli), over: 1_000))
        }
        // A serving that says both its volume and its mass says how dense the food is.
        guard let mass = milligrams(of: amount), let whole = serving.milligrams, whole > 0 else {
            return nil
        }
        return Rounding.clamped(Rounding.halfEven(volume * Int128(mass), over: Int128(whole)))
    }

    private func error(_ amount: Amount) -> PortionError {
        var units = portions.map { $0.label }
        if let serving = food.serving, !Portioning.isServing(serving.unit) {
            units.append(serving.unit.string)
        }
        if food.serving != nil || food.basis == .perServing { units.append("serving") }
        switch food.basis ?? .per100Grams {
        case .per100Grams: units.append("g")
        case .per100Milliliters: units.append("ml")
        case .perServing: break
        }
        return PortionError(unit: amount.unit, known: units)
    }

    static func isServing(_ unit: Text) -> Bool { isAlike(unit, "serving") }

    /// Whether two units are one word, letter case and a plural's s aside.
    static func isAlike(_ left: Text, _ right: Text) -> Bool {
        singular(left) == singular(right)
    }

    private static func singular(_ unit: Text) -> [UInt8] {
        var bytes = ASCII.lowered(ASCII.trimmed(Array(unit.string.utf8)))
        if bytes.count > 2, bytes.last == UInt8(ascii: "s") { bytes.removeLast() }
        return bytes
    }
}

/// A unit that says nothing about how much of a food it is.
public struct PortionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The unit as typed.
    public let unit: Text
    /// The units that this food has.
    public let known: [String]

    /// What is wrong and what to type.
    public var description: String {
        "nobody knows how much one \(unit.string) of this food is: use "
            + known.joined(separator: " or ") + ", or add a portion of that name"
    }
}
