import MacrologNutrition

extension NutritionLabel {
    /// The label that several looks at one picture give: of each number what two of them read, or one
    /// whose columns prove it. Everything else is in doubt.
    ///
    /// - Parameter looks: At least one.
    public init(looks: [NutritionLabel]) {
        self = looks.max { $0.count < $1.count } ?? NutritionLabel(reading: [])
        let bases = columns.map(\.basis)
        let alike = looks.filter { $0.columns.map(\.basis) == bases }
        doubts = doubts.filter { $0 == .basis }
        let servings = alike.compactMap(\.serving)
        serving = servings.first { one in servings.count { $0 == one } > 1 } ?? serving
        if alike.count < 2 || serving != nil && servings.count(where: { $0 == serving }) < 2 {
            doubt(.basis)
        }
        let names = Set(
            looks.flatMap { $0.columns.flatMap { $0.nutrients.entries.map(\.nutrient) } })
        for nutrient in names.sorted() {
            if !choosePair(nutrient, alike) {
                for index in columns.indices { choose(nutrient, index, alike) }
            }
            let known = columns.count { $0.nutrients[nutrient] != nil }
            if known > 0, known < columns.count { doubt(.uneven(nutrient)) }
        }
        for case .missing(let nutrient) in looks.flatMap(\.doubts) where !names.contains(nutrient) {
            doubt(.missing(nutrient))
        }
        if looks.allSatisfy({ !$0.unknownLines.isEmpty }) {
            for line in looks[0].unknownLines { doubt(line) }
        }
        let joules = alike.map(\.kilojoules).filter { $0.count == columns.count }
        kilojoules = joules.first { fits($0) } ?? joules.first ?? kilojoules
        check()
    }

    /// How many numbers were read.
    private var count: Int { columns.reduce(0) { $0 + $1.nutrients.entries.count } }

    private var unknownLines: [LabelDoubt] {
        doubts.filter { if case .unknownLine = $0 { true } else { false } }
    }

    /// A number that was read, and how much speaks for it.
    private struct Candidate {
        let amount: Int64
        let step: Int64
        var weight = 0
        /// Whether a look has read where it begins, its unit, and as many numbers as there are columns.
        var isClear = false
    }

    /// The numbers of a nutrient that looks have read in a column, what most have read first.
    private static func candidates(
        _ nutrient: Nutrient, _ index: Int, _ looks: [NutritionLabel]
    ) -> [Candidate] {
        var found: [Int64: Candidate] = [:]
        for look in looks {
            guard let amount = look.columns[index].nutrients[nutrient] else { continue }
            let step = look.columns[index].steps[nutrient] ?? 0
            var candidate = found[amount] ?? Candidate(amount: amount, step: step)
            candidate.weight += look.isDoubtful(nutrient) ? 2 : 3
            if !look.isCut(nutrient) { candidate.isClear = true }
            found[amount] = candidate
        }
        return found.values.sorted { ($0.weight, $1.amount) > ($1.weight, $0.amount) }
    }

    /// Takes the numbers of both columns that prove each other: that of a serving follows from that of 100 g
    /// or 100 ml, within what rounding leaves. A misread digit does not; a mark or a unit that was overlooked in
    /// both columns does, so one of them must have been read clearly, with as many decimals as the other.
    ///
    /// - Returns: Whether there are such numbers, and no others that are nearly as likely.
    private mutating func choosePair(_ nutrient: Nutrient, _ looks: [NutritionLabel]) -> Bool {
        guard columns.count == 2,
            let hundred = columns.firstIndex(where: { $0.basis != .perServing }),
            let one = columns.firstIndex(where: { $0.basis == .perServing }), let serving
        else { return false }
        var pairs: [(first: Candidate, second: Candidate, weight: Int)] = []
        for first in Self.candidates(nutrient, hundred, looks) where first.amount > 0 {
            for second in Self.candidates(nutrient, one, looks) where second.amount > 0 {
                let isProof =
                    first.step == second.step && (first.isClear || second.isClear)
                    && Self.follows(
                        second.amount, second.step, from: first.amount, first.step, serving)
                if isProof { pairs.append((first, second, first.weight + second.weight)) }
            }
        }
        pairs.sort { $0.weight > $1.weight }
        guard let best = pairs.first else { return false }
        if pairs.count > 1, pairs[1].weight * 2 > best.weight { return false }
        columns[hundred].nutrients[nutrient] = best.first.amount
        columns[hundred].steps[nutrient] = best.first.step
        columns[one].nutrients[nutrient] = best.second.amount
        columns[one].steps[nutrient] = best.second.step
        return true
    }

    /// Takes the number of a column that most looks have read.
    private mutating func choose(_ nutrient: Nutrient, _ index: Int, _ looks: [NutritionLabel]) {
        let candidates = Self.candidates(nutrient, index, looks)
        guard let best = candidates.first else { return }
        columns[index].nutrients[nutrient] = best.amount
        columns[index].steps[nutrient] = best.step
        // Two looks that agree, one of them without a doubt, and hardly any that reads something else.
        let rival = candidates.dropFirst().first?.weight ?? 0
        if best.weight < 5 || !best.isClear || rival * 2 > best.weight {
            doubt(.unsteady(nutrient))
        }
    }

    /// Whether the number itself was in doubt.
    private func isDoubtful(_ nutrient: Nutrient) -> Bool {
        doubts.contains(.unclear(nutrient)) || isCut(nutrient)
    }

    /// Whether a digit may be missing, or a unit, or a number one of another column.
    private func isCut(_ nutrient: Nutrient) -> Bool {
        doubts.contains {
            $0 == .touched(nutrient) || $0 == .withoutUnit(nutrient) || $0 == .uneven(nutrient)
        }
    }
}
