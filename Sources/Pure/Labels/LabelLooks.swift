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
            for index in columns.indices { choose(nutrient, index, alike) }
            let known = columns.count { $0.nutrients[nutrient] != nil }
            if known > 0, known < columns.count { doubt(.uneven(nutrient)) }
        }
        for case .missing(let nutrient) in looks.flatMap(\.doubts) where !names.contains(nutrient) {
            doubt(.missing(nutrient))
        }
        if looks.allSatisfy({ !$0.unknownLines.isEmpty }) {
            for line in looks[0].unknownLines { doubt(line) }
        }
        kilojoules = alike.map(\.kilojoules).first { $0.count == columns.count } ?? kilojoules
        check()
    }

    /// How many numbers were read.
    private var count: Int { columns.reduce(0) { $0 + $1.nutrients.entries.count } }

    private var unknownLines: [LabelDoubt] {
        doubts.filter { if case .unknownLine = $0 { true } else { false } }
    }

    /// Takes the number of a column that most looks have read.
    private mutating func choose(_ nutrient: Nutrient, _ index: Int, _ looks: [NutritionLabel]) {
        let read = looks.compactMap { look in
            look.columns[index].nutrients[nutrient].map {
                (amount: $0, step: look.columns[index].steps[nutrient], look: look)
            }
        }
        func weight(_ amount: Int64) -> Int {
            read.reduce(0) {
                $1.amount != amount
                    ? $0
                    : $0 + ($1.look.isDoubtful(nutrient) ? 2 : 3)
                        + ($1.look.proves(nutrient) ? 4 : 0)
            }
        }
        guard let best = read.max(by: { weight($0.amount) < weight($1.amount) }) else { return }
        columns[index].nutrients[nutrient] = best.amount
        columns[index].steps[nutrient] = best.step
        // Two looks that agree, one of them without a doubt; or two columns.
        if weight(best.amount) < 5 { doubt(.unsteady(nutrient)) }
    }

    /// Whether the number itself was in doubt.
    private func isDoubtful(_ nutrient: Nutrient) -> Bool {
        doubts.contains(.unclear(nutrient)) || doubts.contains(.withoutUnit(nutrient))
            || doubts.contains(.uneven(nutrient))
    }

    /// Whether two columns say the same of a nutrient.
    private func proves(_ nutrient: Nutrient) -> Bool {
        columns.count > 1 && serving != nil && !doubts.contains { $0.nutrient == nutrient }
            && columns.allSatisfy { ($0.nutrients[nutrient] ?? 0) != 0 }
    }
}
