/// What the faces of the earlier systems have in common: their numbers, bodies without units, names of members in
/// problems, and days ahead of the server's.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologNutritionModels

extension Schema {
    static let kilocalories = Schema.number(0...20_000_000, scale: 3)
    static let grams = Schema.number(0...2_000_000, scale: 3)
    static let date = Schema.day
    /// A meal slot in any letter case.
    static let slot = Schema.text(1...24, pattern: "^[A-Za-z0-9_-]{1,24}$")
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
    /// The amounts of a body, where the earlier systems' names of them differ.
    init(_ body: JSON, energy: String = "calories", fat: String = "fat") {
        self.init(
            energy: body.milli(energy), protein: body.milli("protein"),
            carbs: body.milli("carbs"), fat: body.milli(fat))
    }
}

extension APIParameter {
    /// `to` of ``MacrologDiary/Diary/span(begunBy:)``.
    static let lastBegun = APIParameter(
        "to", .day, "The last day; otherwise the last that has begun anywhere.",
        example: "2026-11-30")
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

    /// The meal slot of a body's member.
    func bodySlot(_ key: String) -> UTF8Text? {
        body[key]?.string.map { UTF8Text(asciiLowercased($0)) }
    }

    /// Does something, and refuses members by the names that they have in the body.
    ///
    /// - Parameter names: By the names that they have in `/api/v1`.
    func naming<T>(_ names: [String: String], _ body: () throws -> T) throws -> T {
        do { return try body() } catch {
            let refusal = (error as? DiaryError)?.refusal ?? error as? EntryError
            guard case .invalid(let findings)? = refusal?.code else { throw error }
            throw APIProblem(findings, naming: names)
        }
    }
}

extension Diary {
    /// The last day that may have begun somewhere, which people ahead of the server's zone have entries of.
    func lastDay() throws -> Day { try today().advanced(by: 1) }

    /// The days of `from` and `to`: by default the thirty days up to today, and the one that may have begun elsewhere.
    func span(begunBy call: APICall) throws -> ClosedRange<Day> {
        try span(of: call, upTo: try lastDay())
    }

    /// When an entry of a day is: now, if the day is today or not given, and else the day alone.
    func date(on day: Day?) throws -> LocalDate {
        let now = try localDate()
        guard let day, day != now.day else { return now }
        return LocalDate(day: day)
    }
}

extension GoalPlan {
    /// Makes it a plan that states numbers, where its mode would compute them.
    ///
    /// - Parameter macros: Whether protein, carbohydrate or fat is stated, and not only energy.
    mutating func stateNumbers(macros: Bool) {
        switch mode ?? .fixed {
        case .fixed: return
        case .percent where !macros: return
        case .percent, .dynamic, .adaptive: break
        }
        mode = .fixed
        macroShares = nil
        energyAdjustMillikilocalories = nil
        energyAdjustBasisPoints = nil
    }
}
