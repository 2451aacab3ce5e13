package import MacrologEvents

extension Kind {
    /// Checks the fields of an entity together, after each was valid alone.
    ///
    /// A hard finding refuses what is recorded here. It never quarantines what comes from a peer:
    /// two good edits of two devices may combine into it, and then people are told, not events
    /// withheld.
    ///
    /// - Parameters:
    ///   - fields: The fields; sets are arrays.
    ///   - today: The local day, against which dates are judged.
    package func crossCheck(_ fields: ValueMap, today: Day) -> [Finding] {
        date(fields, today) + (check?(fields, today) ?? []) + energy(fields) + arrays(fields)
    }

    /// Sets with more elements than they are meant to hold, because devices that never met may put in more
    /// together, and amounts of 0, from which nothing can be scaled. They are kept: a copy or an exported file has
    /// them all.
    private func arrays(_ fields: ValueMap) -> [Finding] {
        var findings: [Finding] = []
        for entry in fields.entries {
            guard case .array(let elements) = entry.value, let spec = field(entry.name) else {
                continue
            }
            let problem: String
            let hint: String
            if let most = spec.elementsMax, Set(elements).count > most {
                problem = "are more than \(most)"
                hint = "remove some; they are kept as they are"
            } else if spec.shape == .amount, Amount(entry.value)?.milli == 0 {
                problem = "is 0"
                hint = "give an amount above 0, or none; it is kept as it is"
            } else {
                continue
            }
            findings.append(
                Finding(.soft, kind: name, field: entry.name, problem: problem, hint: hint))
        }
        return findings
    }

    /// Meals may be planned; everything else has happened.
    private func date(_ fields: ValueMap, _ today: Day) -> [Finding] {
        guard dayField?.shape == .localDate,
            let date = fields["local_date"].flatMap({ LocalDate($0) }), date.day > today
        else { return [] }
        let isPlan = name == Kind.meal.name || name == Kind.planEntry.name
        if isPlan, date.day.number <= today.number + 366 { return [] }
        return [
            Finding(
                .soft, kind: name, field: "local_date",
                problem: isPlan ? "lies more than a year ahead" : "lies in the future",
                hint: "check the \(isPlan ? "year" : "date"); it is kept as it is")
        ]
    }

    private func energy(_ fields: ValueMap) -> [Finding] {
        guard holdsNutrients else { return [] }
        var nutrients = Nutrients()
        for nutrient: Nutrient in [.energy, .protein, .carbs, .fat, .fiber, .alcohol] {
            nutrients[nutrient] = fields[nutrient.key]?.int
        }
        let basis = fields["carb_basis"]?.text.flatMap { CarbBasis(name: $0) } ?? .total
        guard Atwater.isInconsistent(nutrients, carbBasis: basis) == true else { return [] }
        return [
            Finding(
                .soft, kind: name, field: "energy",
                problem: "does not fit protein, carbs and fat",
                hint: "check whether it is in kcal or kJ, and the grams; it is kept as it is")
        ]
    }
}
