import Macrolog
import MacrologArgumentParsing
import MacrologTerminal

/// What a word such as `3f2a`, `yesterday` or `2026-11-14..2026-11-20` means.
enum MealOrDays {
    case meal(Identifier)
    case day(Day)
    case range(ClosedRange<Day>)
}

extension Home {
    /// Reads a word that names a meal, by the last digits of its id, or a day.
    ///
    /// Digits that are not a day, such as `3f2a`, identify a meal, but not a date that is none, such as
    /// `2027-13-01`.
    mutating func mealOrDay<Value>(
        _ word: String, _ parameter: Parameter<Value>, _ arguments: ParsedArguments
    ) throws -> MealOrDays {
        if let day = Day.reading(word, today: try today) { return .day(day) }
        if word.isWrittenAsDate { return .day(try typedDay(word, parameter, arguments)) }
        let reference: Reference
        do throws(BadValue) {
            reference = try Form<Reference>.id.read(word)
        } catch {
            throw arguments.usageError(
                of: parameter, "\"\(printable(word))\" is neither a meal nor a day",
                instead: "a meal's last digits as lists show them, today or 2026-11-20")
        }
        return .meal(try find(Meal.self, reference, parameter, arguments))
    }

    /// Reads a word that names a meal, a day, or two days with `..` between them.
    mutating func mealOrDays<Value>(
        _ word: String, _ parameter: Parameter<Value>, _ arguments: ParsedArguments
    ) throws -> MealOrDays {
        guard let dots = word.firstRange(of: "..") else {
            return try mealOrDay(word, parameter, arguments)
        }
        let today = try today
        guard let first = Day.reading(String(word[..<dots.lowerBound]), today: today),
            let last = Day.reading(String(word[dots.upperBound...]), today: today), first <= last
        else {
            throw arguments.usageError(
                of: parameter, "\"\(printable(word))\" is not a range of days",
                instead: "two days, the earlier one first: 2026-11-14..2026-11-20")
        }
        return first == last ? .day(first) : .range(first...last)
    }
}

extension String {
    /// Whether it has the form of a date, `2027-13-01`, in the calendar or not.
    fileprivate var isWrittenAsDate: Bool {
        let parts = utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0].count == 4
            && parts.allSatisfy {
                (1...4).contains($0.count) && $0.allSatisfy { (48...57).contains($0) }
            }
    }
}
