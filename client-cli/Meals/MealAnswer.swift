import MacrologTerminal
import Macrolog
import MacrologFaces

extension Home {
    /// Reports a meal.
    mutating func tellMeal(_ verb: String, _ id: Identifier) throws {
        try tell(verb, try read { try $0.answer(on: id) })
    }

    /// Reports a meal as the block that recorded it has read it.
    mutating func tell(_ verb: String, _ answer: MealAnswer) throws {
        guard let detail = answer.detail else { return }
        let shown = Shown(preferences: try preferences)
        let today = try formattedToday
        try show(detail.json) { home in
            let line = detail.line(shown, today: today, style: home.style)
            home.say("\(verb) \(line)  \(answer.short)")
        }
    }
}

/// What is reported of a meal, from one state of the log.
struct MealAnswer: Sendable {
    let id: Identifier
    /// `nil` for a deleted meal.
    let detail: MealDetail?
    /// The end of its id, as lists show it.
    let short: String
}

extension Diary {
    /// What is reported of a meal.
    func answer(on meal: Identifier) throws(DiaryError) -> MealAnswer {
        MealAnswer(id: meal, detail: try self.meal(meal), short: try shortID(.meal, meal))
    }

    /// The end of an id, as lists show it.
    func shortID(_ kind: Kind, _ id: Identifier) throws(DiaryError) -> String {
        try shortIDs(of: kind, for: [id])[id] ?? id.lastDigits(Identifier.shortDigitsMin)
    }
}

extension MealDetail {
    /// The meal in one line: `Oat porridge, 380 kcal, breakfast, today 07:40`.
    ///
    /// - Parameter today: The day that is shown as `today`.
    func line(_ shown: Shown, today: Day?, style: Style) -> String {
        var parts = [style.paint(printable(title), .bold)]
        if let energy = totals[.energy] { parts.append(shown.energyWithUnit(energy)) }
        if let slot = meal.slot { parts.append(printable(shown.slot(slot)).lowercased()) }
        let date = meal.localDate
        let day = date.day == today ? "today" : "\(date.day)"
        parts.append(date.clock.isEmpty ? day : "\(day) \(date.clock)")
        if !meal.isConsumed { parts.append("planned") }
        return parts.joined(separator: ", ")
    }
}
