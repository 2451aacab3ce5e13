import MacrologEvents
import MacrologNutrition

extension NutritionLabel {
    /// Reads the lines of a label: its columns from the heading, then a row for each nutrient.
    ///
    /// - Parameter lines: The words of each line, from top to bottom.
    public init(reading lines: [[PrintedWord]]) {
        var reading = LabelReading()
        for line in lines { reading.take(line) }
        self = reading.label()
    }
}

/// A label while its lines are read.
struct LabelReading {
    private var heading: [Heading] = []
    private var serving: Amount?
    private var isAmerican = false
    private var rows: [Row] = []
    private var unknown: [String] = []
    /// Rows without a number.
    private var numberless: [Nutrient] = []

    private struct Row {
        let name: RowName
        let numbers: [PrintedNumber]

        var saysKilocalories: Bool {
            name == .nutrient(.energy) && numbers.contains { $0.unit == "kcal" }
        }
    }

    /// What a column of the table is for.
    private struct Heading {
        let basis: FoodBasis
        let serving: Amount?
    }

    mutating func take(_ words: [PrintedWord]) {
        var line = PrintedLine(words)
        let text = line.text
        if rows.isEmpty, takeHeading(text, words) { return }
        let name = line.takeName()
        var numbers: [PrintedNumber] = []
        while let number = line.takeNumber() { numbers.append(number) }
        let isAdded = text.contains("added sugar")
        let meaning: RowName? = isAdded ? .nutrient(.addedSugars) : RowName(Self.withoutUnit(name))
        let shares = numbers.filter { $0.unit != "%" }
        switch meaning {
        case .other?: return
        case nil where shares.isEmpty:
            // Its first words may name a row whose number was not read.
            let words = name.split(separator: 0x20)
            let named = [2, 1].lazy.compactMap {
                RowName(Array(words.prefix($0).joined(separator: [0x20])))
            }
            if case .nutrient(let nutrient)? = named.first { numberless.append(nutrient) }
        case .nutrient(let nutrient)? where shares.isEmpty: numberless.append(nutrient)
        case let meaning? where !shares.isEmpty:
            let unit = Self.unit(of: name)
            if case .nutrient(.energy) = meaning, name == Array("calories".utf8) {
                isAmerican = true
            }
            rows.append(Row(name: meaning, numbers: shares.map { $0.with(unit: unit) }))
        case nil where !shares.isEmpty && shares.allSatisfy { ["kj", "kcal"].contains($0.unit) }:
            // Kilocalories stand below kilojoules.
            rows.append(Row(name: .nutrient(.energy), numbers: shares))
        default:
            guard shares.contains(where: { ["g", "mg", "kcal", "kj"].contains($0.unit) }),
                !rows.isEmpty
            else { return }
            unknown.append(String(text.prefix(60)))
        }
    }

    /// Reads `per 100 g`, `per serving (30 g)` and `Serving size 2/3 cup (55 g)`.
    private mutating func takeHeading(_ text: String, _ words: [PrintedWord]) -> Bool {
        let saysServing = text.contains("serving") || text.contains("portion")
        guard saysServing || text.contains("per ") || text.contains("100") else { return false }
        guard !["energy", "calories", "fat"].contains(where: { text.hasPrefix($0) }) else {
            return false
        }
        var line = PrintedLine(words)
        var amounts: [PrintedNumber] = []
        while let number = line.takeNumber() {
            if ["g", "ml"].contains(number.unit) { amounts.append(number) }
        }
        if text.contains("serving size") {
            isAmerican = true
            serving = amounts.last.flatMap { Self.amount($0) }
            return true
        }
        // Of `per 100 g` and `per serving (100 g)` one is a serving.
        let isHundred =
            saysServing && amounts.count == 2 && amounts.allSatisfy { $0.digits == "100" }
        for (index, number) in amounts.enumerated() {
            if number.digits == "100", !isHundred || index == 0 {
                let basis: FoodBasis = number.unit == "g" ? .per100Grams : .per100Milliliters
                heading.append(Heading(basis: basis, serving: nil))
            } else {
                heading.append(Heading(basis: .perServing, serving: Self.amount(number)))
            }
        }
        let named = heading.contains { $0.basis == .perServing }
        if saysServing, !named, !text.contains("servings") {
            heading.append(Heading(basis: .perServing, serving: nil))
        }
        return true
    }

    private static func amount(_ number: PrintedNumber) -> Amount? {
        if let mass = number.whole(.milligram, unitless: "g") { return Amount(milligrams: mass) }
        return number.whole(.microliter, unitless: "ml").map { Amount(milli: $0, unit: "ml") }
    }

    /// `fat g`, of `Fat (g)`, says the unit of the row.
    private static func unit(of name: [UInt8]) -> String {
        let last = name.split(separator: 0x20).last.map { String(decoding: $0, as: UTF8.self) }
        return last.flatMap { ["g", "mg", "kj", "kcal"].contains($0) ? $0 : nil } ?? ""
    }

    private static func withoutUnit(_ name: [UInt8]) -> [UInt8] {
        let unit = unit(of: name)
        guard !unit.isEmpty, name.count > unit.utf8.count else { return name }
        return Array(name.dropLast(unit.utf8.count + 1))
    }
}

extension LabelReading {
    func label() -> NutritionLabel {
        var doubts: [LabelDoubt] = []
        var columns: [NutritionLabel.Column] = []
        var serving = serving
        for heading in heading where !columns.contains(where: { $0.basis == heading.basis }) {
            columns.append(NutritionLabel.Column(basis: heading.basis))
            if let amount = heading.serving { serving = serving ?? amount }
        }
        if columns.isEmpty {
            columns = [NutritionLabel.Column(basis: isAmerican ? .perServing : .per100Grams)]
            if !isAmerican || serving == nil { doubts.append(.basis) }
        }
        var label = NutritionLabel(
            columns: columns, serving: serving,
            carbBasis: isAmerican ? .total : .available, doubts: doubts)
        for row in rows { fill(row.name, row.numbers, &label) }
        label.doubts += unknown.map { .unknownLine($0) }
        for nutrient in numberless where label.columns[0].nutrients[nutrient] == nil {
            label.doubt(.missing(nutrient))
        }
        label.check()
        return label
    }

    private func fill(
        _ name: RowName, _ numbers: [PrintedNumber], _ label: inout NutritionLabel
    ) {
        let nutrient: Nutrient =
            switch name {
            case .nutrient(let nutrient): nutrient
            case .salt, .other: .sodium
            }
        var numbers = numbers
        if nutrient == .energy {
            label.kilojoules += numbers.filter { $0.unit == "kj" }
            let others = numbers.filter { $0.unit != "kj" }
            guard !others.isEmpty || !rows.contains(where: { $0.saysKilocalories }) else { return }
            // Kilocalories that are computed are not those that are printed.
            if others.isEmpty { label.doubts.append(.unclear(.energy)) } else { numbers = others }
        }
        guard label.columns[0].nutrients[nutrient] == nil else {
            return label.doubts.append(.uneven(nutrient))
        }
        if numbers.count != label.columns.count { label.doubts.append(.uneven(nutrient)) }
        let usualUnit = name == .salt ? "g" : nutrient.usualUnit
        for (index, number) in zip(label.columns.indices, numbers) {
            guard var amount = number.whole(nutrient.measure, unitless: usualUnit) else {
                label.doubts.append(.withoutUnit(nutrient))
                continue
            }
            if number.unit.isEmpty, nutrient != .energy || !isAmerican {
                label.doubts.append(.withoutUnit(nutrient))
            }
            if number.isTouched { label.doubts.append(.touched(nutrient)) }
            if number.certainty < Self.certaintyMin { label.doubts.append(.unclear(nutrient)) }
            if name == .salt { amount = Rounding.scaled(amount, by: 2, over: 5) }
            label.columns[index].nutrients[nutrient] = amount
            let step = number.step(nutrient.measure, unitless: usualUnit)
            label.columns[index].steps[nutrient] =
                name == .salt ? Rounding.scaled(step, by: 2, over: 5) : step
        }
    }

    /// Words below it were wrong too often.
    private static let certaintyMin = 60
}
