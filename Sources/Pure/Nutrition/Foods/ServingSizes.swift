public import MacrologEvents

/// The nutrients of an amount of a food.
///
/// A mass is a mass. A volume counts where the food is stated per 100 ml. Any other unit is the food's
/// own serving or one of its portions: `2 slices` of a bread whose slice weighs 30 g.
public struct ServingSizes: Hashable, Sendable {
    /// The food.
    package let food: Food
    /// Its household measures, by name.
    public let portions: [FoodPortion]

    /// A food and its household measures, in any order; those of other foods are left out.
    package init(_ food: Food, portions: [FoodPortion] = []) {
        self.food = food
        self.portions = portions.filter { $0.foodID == food.id }
            .sorted { UTF8Text($0.label) < UTF8Text($1.label) }
    }

    /// The nutrients of an amount, each rounded once, half to even, and the amount with its mass
    /// where that is known.
    ///
    /// - Throws: ``PortionError`` for a unit that this food does not have, and for a mass of what is
    ///   stated by volume and the reverse.
    public func nutrients(of amount: Amount) throws(PortionError) -> (Nutrients, Amount) {
        guard let share = share(of: amount) else { throw error(amount) }
        return (food.nutrients.scaled(part: share.part, whole: share.whole), share.weighed)
    }

    /// How much an amount is of what the food's nutrients are stated for; `nil` when its unit does
    /// not determine it.
    func share(of amount: Amount) -> AmountShare? {
        var weighed = amount
        if weighed.milligrams == nil { weighed.milligrams = milligrams(of: amount) }
        func part(_ part: Int64?, of whole: Int64) -> AmountShare? {
            part.map { AmountShare(part: $0, whole: whole, weighed: weighed) }
        }
        switch food.basis ?? .per100Grams {
        case .per100Grams: return part(weighed.milligrams, of: 100_000)
        case .per100Milliliters: return part(microliters(of: amount), of: 100_000)
        case .perServing:
            if ServingSizes.isServing(amount.unit) { return part(amount.milli, of: 1_000) }
            guard let serving = food.serving else { return nil }
            if ServingSizes.isAlike(amount.unit, serving.unit), serving.milli > 0 {
                return part(amount.milli, of: serving.milli)
            }
            guard let whole = serving.milligrams, whole > 0 else { return nil }
            return part(weighed.milligrams, of: whole)
        }
    }

    /// Whether a mass determines how much of the food it is, as that of a portion must.
    private var takesMasses: Bool {
        share(of: Amount(milligrams: 1_000)) != nil
    }

    /// The mass of an amount, in milligrams, half to even; `nil` when its unit does not determine
    /// it.
    package func milligrams(of amount: Amount) -> Int64? {
        if let known = amount.milligrams { return known }
        if let measure = Measure.named(amount.unit.string), measure.dimension == .mass {
            return Rounding.clamped(
                measure.scaled(Int128(amount.milli), over: 1_000, to: .milligram))
        }
        if ServingSizes.isServing(amount.unit), let whole = food.serving?.milligrams {
            return Rounding.scaled(whole, by: amount.milli, over: 1_000)
        }
        if let serving = food.serving, let whole = serving.milligrams, serving.milli > 0,
            ServingSizes.isAlike(amount.unit, serving.unit)
        {
            return Rounding.scaled(whole, by: amount.milli, over: serving.milli)
        }
        let alike = portions.filter { ServingSizes.isAlike(amount.unit, UTF8Text($0.label)) }
        return ServingSizes.exact(amount.unit, among: alike).first.map {
            Rounding.scaled($0.milligrams, by: amount.milli, over: 1_000)
        }
    }

    /// The portion that is called exactly so, of several that only letter case or a plural's s tell apart.
    private static func exact(_ label: UTF8Text, among found: [FoodPortion]) -> [FoodPortion] {
        found.first { UTF8Text($0.label) == label }.map { [$0] } ?? found
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
        if ServingSizes.isServing(amount.unit) {
            return Rounding.clamped(Rounding.halfEven(volume * Int128(amount.milli), over: 1_000))
        }
        // A serving with both volume and mass gives the density of the food.
        guard let mass = milligrams(of: amount), let whole = serving.milligrams, whole > 0 else {
            return nil
        }
        return Rounding.clamped(Rounding.halfEven(volume * Int128(mass), over: Int128(whole)))
    }

    /// The amount for a number of measures: of the food's serving, or of one of its portions.
    ///
    /// The measure may be the beginning of a portion's name, word by word and in the plural too:
    /// `cups` means `cup, chopped` if the food has no other cup.
    ///
    /// - Parameters:
    ///   - milli: Thousandths of the measure.
    ///   - label: The measure; the food's own serving, when not given.
    /// - Throws: ``PortionError`` for a measure that this food does not have, or has several of.
    public func amount(milli: Int64, of label: UTF8Text? = nil) throws(PortionError) -> Amount {
        if let serving = food.serving {
            if label.map(ServingSizes.isServing) ?? true {
                return Amount(
                    milli: Rounding.scaled(serving.milli, by: milli, over: 1_000),
                    unit: serving.unit,
                    milligrams: serving.milligrams.map {
                        Rounding.scaled($0, by: milli, over: 1_000)
                    })
            }
            if let label, ServingSizes.isAlike(label, serving.unit), serving.milli > 0 {
                return Amount(
                    milli: milli, unit: serving.unit,
                    milligrams: serving.milligrams.map {
                        Rounding.scaled($0, by: milli, over: serving.milli)
                    })
            }
        }
        guard let label, !ServingSizes.isServing(label) || !portions.isEmpty else {
            let amount = Amount(milli: milli, unit: "serving")
            guard food.basis == .perServing else { throw error(amount) }
            return amount
        }
        let typed = ServingSizes.words(label.string)
        var found = ServingSizes.exact(
            label, among: portions.filter { ServingSizes.words($0.label) == typed })
        if found.isEmpty {
            found = portions.filter { ServingSizes.words($0.label).starts(with: typed) }
        }
        guard found.count == 1, let portion = found.first, !typed.isEmpty else {
            if found.isEmpty, ServingSizes.isServing(label), food.basis == .perServing {
                return Amount(milli: milli, unit: "serving")
            }
            throw error(
                Amount(milli: milli, unit: label),
                candidates: typed.isEmpty ? [] : found.map { $0.label })
        }
        return Amount(
            milli: milli, unit: ServingSizes.unit(of: portion.label),
            milligrams: Rounding.scaled(portion.milligrams, by: milli, over: 1_000))
    }

    /// The words of a measure, in the singular.
    private static func words(_ label: String) -> [[UInt8]] {
        SearchText(label).words.map { singular($0) }
    }

    /// A portion's name as an amount's unit: text after a comma or in parentheses is dropped if the
    /// whole name is too long for a unit.
    private static func unit(of label: String) -> UTF8Text {
        guard label.utf8.count > Amount.unitBytesMax else { return UTF8Text(label) }
        var kept: [UInt8] = []
        for byte in label.utf8 {
            if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "(") { break }
            kept.append(byte)
        }
        kept = ASCII.trimmed(kept)
        while kept.count > Amount.unitBytesMax {
            guard let space = kept.lastIndex(of: 0x20) else { return "portion" }
            kept.removeSubrange(space...)
        }
        return kept.isEmpty ? "portion" : UTF8Text(String(decoding: kept, as: UTF8.self))
    }

    private func error(_ amount: Amount, candidates: [String] = []) -> PortionError {
        var units = takesMasses ? portions.map { $0.label } : []
        if let serving = food.serving, !ServingSizes.isServing(serving.unit) {
            units.append(serving.unit.string)
        }
        if food.serving != nil || food.basis == .perServing { units.append("serving") }
        switch food.basis ?? .per100Grams {
        case .per100Grams where !units.contains("g"): units.append("g")
        case .per100Milliliters where !units.contains("ml"): units.append("ml")
        default: break
        }
        return PortionError(
            unit: amount.unit, known: units, candidates: candidates, takesPortions: takesMasses)
    }

    static func isServing(_ unit: UTF8Text) -> Bool { isAlike(unit, "serving") }

    /// Whether two units are one word, letter case, spaces and a plural's s aside.
    static func isAlike(_ left: UTF8Text, _ right: UTF8Text) -> Bool {
        singular(left) == singular(right)
    }

    private static func singular(_ unit: UTF8Text) -> [UInt8] {
        // The number reader leaves spaces out: `largeslice` is a `large slice`.
        singular(ASCII.lowered(ASCII.trimmed(Array(unit.string.utf8))).filter { $0 != 0x20 })
    }

    private static func singular(_ word: [UInt8]) -> [UInt8] {
        var bytes = word
        if bytes.count > 2, bytes.last == UInt8(ascii: "s") { bytes.removeLast() }
        return bytes
    }
}

/// A unit that does not determine how much of a food it is.
public struct PortionError: ExplainedError, Hashable, Sendable {
    /// The unit as typed.
    package let unit: UTF8Text
    /// The units that this food has.
    public let known: [String]
    /// The portions that it may mean, if there are several.
    public let candidates: [String]
    /// Whether a portion of that name would determine it.
    var takesPortions = false

    /// The problem, and what to type.
    public var text: ErrorText {
        guard candidates.isEmpty else {
            return ErrorText(
                cannot: "convert the amount", "\"\(unit.string)\" is ambiguous",
                hint: "use " + candidates.joined(separator: " or "))
        }
        return ErrorText(
            cannot: "convert the amount",
            "it is unknown how much one \(unit.string) of this food is",
            hint: "use " + known.joined(separator: " or ")
                + (takesPortions ? ", or add a portion of that name" : ""))
    }
}
