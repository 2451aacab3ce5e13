/// What the faces of the earlier systems have in common: their numbers, their meals as one dish with
/// ingredients, and bodies without units.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition

extension Schema {
    static let kilocalories = Schema.number(0...20_000_000, scale: 3)
    static let grams = Schema.number(0...2_000_000, scale: 3)
    static let date = Schema.day
}

extension JSON {
    /// Thousandths as a whole number, half up, as CarbCal's integers are.
    static func rounded(_ thousandths: Int64?) -> JSON {
        .integer(((thousandths ?? 0) + 500) / 1_000)
    }

    /// Thousandths as a decimal; 0 for what is unknown, as FitAI and NutritionAI have it.
    static func orZero(_ thousandths: Int64?) -> JSON { .decimal(thousandths ?? 0, scale: 3) }

    /// Thousandths of a member that is a number.
    func milli(_ key: String) -> Int64? { self[key]?.scaled(3) }
}

extension Nutrients {
    /// The amounts of a body, where the seeds' names of them differ.
    init(_ body: JSON, energy: String = "calories", fat: String = "fat") {
        self.init(
            energy: body.milli(energy), protein: body.milli("protein"),
            carbs: body.milli("carbs"), fat: body.milli(fat))
    }
}

extension APICall {
    /// The day of a body's member, which has the declared form of a date.
    func bodyDay(_ key: String) throws(APIProblem) -> Day? {
        guard let text = body[key]?.string else { return nil }
        guard let day = Day(String(text.prefix(10))) else {
            throw .invalid("/\(key)", "\(key) must be a date such as 2026-11-20.")
        }
        return day
    }
}

extension Diary {
    /// When an entry of a day is: now, if the day is today or not given, and else the day alone.
    func date(on day: Day?) throws -> LocalDate {
        let now = try localDate()
        guard let day, day != now.day else { return now }
        return LocalDate(day: day)
    }
}
