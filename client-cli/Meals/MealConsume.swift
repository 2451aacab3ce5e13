import MacrologArgumentParsing
import Macrolog
import MacrologAnalysis

/// `meal consume` and `meal unconsume`: marks meals as eaten, or as not eaten.
enum MealConsume {
    static let ids = Parameter.arguments(
        "meals", .id, "The meals, by the last digits of their ids.", atLeastOne: true)

    static let note = Parameter.option("note", .anyText, "A note about the meal; '' for none.")

    static let command = Verb(
        "meal consume", "Mark planned meals as eaten.", example: "meal consume 3f2a",
        "meal consume 3f2a --note 'with less rice'",
        explanation: """
            Eaten now, or at --at. A meal of another day counts on that day, and was eaten at its own
            time: `meal move` moves it first.
            """, run: run
    ) {
        ids
        note
    }

    static let opposite = Verb(
        "meal unconsume", "Mark meals as planned, not eaten.", example: "meal unconsume 3f2a",
        explanation: "They remain as planned meals and do not count.", run: runOpposite
    ) { ids }

    static func run(words: ParsedArguments, home: inout Home) throws {
        try mark(true, words, &home)
    }

    static func runOpposite(words: ParsedArguments, home: inout Home) throws {
        try mark(false, words, &home)
    }

    /// A meal that has a proposal or a question, and neither parts nor values, counts as nothing.
    private static func doubt(about id: Identifier, _ home: inout Home) throws -> String? {
        let (isProposed, isWaiting) = try home.replica.read { diary in
            guard let detail = try diary.meal(id), detail.items.isEmpty,
                detail.meal.nutrients.isEmpty
            else { return (false, false) }
            return (
                try diary.proposals(for: id).contains { $0.outcome == .ok }, try diary.isWaiting(id)
            )
        }
        let short = try home.shortID(.meal, id)
        if isProposed {
            return "nothing of it counts, because its proposal is not confirmed: "
                + "macrolog meal unconsume \(short), then macrolog meal confirm \(short)"
        }
        guard isWaiting else { return nil }
        return "nothing of it counts, because its question is not answered yet: "
            + "macrolog item add \(short) NAME adds its parts"
    }

    /// When a meal was eaten: as typed, on its own day; else now, or for a meal of another day at its own
    /// time.
    static func instant(
        of meal: Meal, _ now: LocalDate, _ words: ParsedArguments, _ home: inout Home
    ) throws -> Int64? {
        let (at, date) = (Everywhere.at, Everywhere.date)
        let day = words.has(date) ? try home.day : nil
        guard words.has(at) || day != nil && day != meal.localDate.day else {
            return meal.localDate.day == now.day ? now.occurredAt : meal.localDate.occurredAt
        }
        let eaten = try home.movedDate(meal.localDate, to: day, at: words[at], at)
        guard eaten.day == meal.localDate.day else {
            let short = try home.shortID(.meal, meal.id)
            let problem = "is another day than that of the meal, \(meal.localDate.day)"
            let instead = "a time of that day, or first: macrolog meal move \(short) \(eaten.day)"
            throw words.has(date)
                ? words.usageError(of: date, problem, instead: instead)
                : words.usageError(of: at, problem, instead: instead)
        }
        return eaten.occurredAt
    }

    private static func mark(_ isConsumed: Bool, _ words: ParsedArguments, _ home: inout Home)
        throws
    {
        let now = try home.localDate()
        var changed: [(old: Meal, new: Meal)] = []
        var doubts: [Identifier: String] = [:]
        for reference in words[ids] {
            let id = try home.find(Meal.self, reference, ids, words)
            let old = try home.replica.read { try $0.require(Meal.self, id) }
            var meal = old
            if let note = isConsumed ? words[note] : nil { meal.note = note.isEmpty ? nil : note }
            if old.isConsumed != isConsumed {
                meal.isConsumed = isConsumed
                meal.consumedAt = isConsumed ? try instant(of: old, now, words, &home) : nil
            }
            guard meal.isChanged(since: old) else { continue }
            changed.append((old, meal))
            if isConsumed { doubts[id] = try doubt(about: id, &home) }
            if isConsumed, old.localDate.day > now.day, doubts[id] == nil {
                let short = try home.shortID(.meal, id)
                doubts[id] =
                    "it counts on \(old.localDate.day), which has not come: "
                    + "macrolog meal move \(short) today"
            }
        }
        guard !changed.isEmpty else { return home.sayUnchanged() }
        home.warn(
            try home.replica.write { diary in
                try changed.reduce(into: []) { $0 += try diary.save($1.new, since: $1.old) }
            })
        for id in changed.map(\.new.id) {
            try home.tellMeal(isConsumed ? "Eaten:" : "Not eaten:", id)
            if let doubt = doubts[id] { home.warn(doubt) }
        }
    }
}
