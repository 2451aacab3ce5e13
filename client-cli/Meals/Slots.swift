import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// The meal slot: as typed, else by the local time.
enum Slots {
    static let slot = Parameter.option(
        "slot",
        Form<String>(
            "SLOT", completion: .words(CommonSlot.allCases.map { $0.name.string }),
            read: Form.text("SLOT").read),
        "The meal slot: breakfast, lunch, dinner, snack or one of your own.")

    /// The slot typed; `nil` when none was.
    static func typed(_ arguments: ParsedArguments, _ home: inout Home) throws -> UTF8Text? {
        guard let word = arguments[slot] else { return nil }
        guard let key = try named(word, &home) else {
            let keys = try known(&home)
            let near = nearest(to: word.lowercased(), among: keys.map(\.string))
            throw UsageError(
                command: arguments.command, argument: nil,
                problem: "unknown meal slot \"\(printable(word))\"",
                instead: "Type \((near.isEmpty ? keys.map(\.string) : near).formattedList)")
        }
        return key
    }

    /// The slot that a word names, in whichever letters; `nil` for another word.
    static func named(_ word: String?, _ home: inout Home) throws -> UTF8Text? {
        guard let key = word.map({ UTF8Text($0.lowercased()) }) else { return nil }
        return try known(&home).contains(key) ? key : nil
    }

    /// The slot of a local time; `nil` when only the day is known.
    static func fitting(_ date: LocalDate, _ home: inout Home) throws -> UTF8Text? {
        guard let minute = date.minuteOfDay else { return nil }
        return MealSlot.key(
            at: minute, among: try home.preferences.mealSlots ?? MealSlot.standard)
    }

    private static func known(_ home: inout Home) throws -> [UTF8Text] {
        var keys = (try home.preferences.mealSlots ?? []).map(\.key)
        for slot in CommonSlot.allCases where !keys.contains(slot.name) { keys.append(slot.name) }
        return keys
    }
}
