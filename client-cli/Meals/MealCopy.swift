import MacrologArgumentParsing
import Macrolog

/// `meal copy`: records the same meal again: whole, a share of it, or the rest.
enum CopyMeal {
    static let id = Parameter.argument("meal", .id, "The meal, by the last digits of its id.")
    static let share = Parameter.option(
        "share", .percent, "The part of the pot that is eaten this time: 50%.")
    static let leftover = Parameter.flag(
        "leftover", "What the meal, of which a share was eaten, left in the pot.")

    static let command = Verb(
        "meal copy", "Record the same meal once more.", example: "meal copy 3f2a",
        "meal copy 3f2a --date yesterday --slot dinner", "meal copy 3f2a --share 50%",
        explanation: """
            The copy is of now, or of --at, --date and --time, and holds what the meal holds today.
            Of a pot of which 40% was eaten (meal edit --share 40%), --leftover records the other 60%.
            """, run: run
    ) {
        id
        Slots.slot
        MealOptions.time
        MealOptions.notConsumed
        share
        leftover
    }

    static func run(words: Words, home: inout Home) throws {
        let source = try home.find(Meal.self, words[id], id, words)
        guard let detail = try home.replica.meal(source) else {
            throw ReplicaError(.notFound(.meal))
        }
        let date = try home.entryDate(time: words[MealOptions.time], MealOptions.time)
        let replica = try home.replica
        let copy = MealCopy(
            of: detail.meal, items: detail.items, on: date, type: try Slots.typed(words, &home),
            shareBasisPoints: try share(of: detail.meal, words, &home),
            isConsumed: !words[MealOptions.notConsumed], newID: { replica.newID() })
        var meal = copy.meal
        if meal.isConsumed { meal.consumedAt = date.occurredAt }
        home.warn(try replica.add(meal, items: copy.items))
        try home.tellMeal("Copied", meal.id)
    }

    private static func share(
        of meal: Meal, _ words: Words, _ home: inout Home
    ) throws -> Int64? {
        let typed = try home.value(share, words)
        guard words[leftover] else { return typed ?? nil }
        if typed != nil {
            throw words.refusal(of: share, "contradicts --leftover", instead: "one of the two")
        }
        let left = Sharing.leftover(after: [meal.consumedShareBasisPoints])
        guard left > 0 else {
            throw Refusal(
                .dataErr,
                "\(words.command): nothing was left of that meal; say which share was eaten: "
                    + "macrolog meal edit ID --share 50%")
        }
        return left
    }
}
