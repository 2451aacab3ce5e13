/// `POST /api/v1/quick`: one line, as a shortcut of a phone or a script sends it: `300 kcal lunch`,
/// `weight 80.2`, `water 250 ml`.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologService

enum QuickRoute {
    static let all = [
        APIRoute(
            "POST", "/api/v1/quick", "Records one line: 300 kcal lunch, weight 80.2, water 250 ml.",
            body: .object([Schema.Member("line", .text(1...200), isRequired: true)]),
            answers: [.init(201, .recorded)], example: ["line": "300 kcal lunch"],
            takesForm: true, .write { try record(&$0, $1) })
    ]

    private static func record(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let words = (call.body["line"]?.string ?? "").split(separator: " ").map(String.init)
        switch words.first.map({ asciiLowercased($0) }) {
        case "weight": return try weight(&diary, Array(words.dropFirst()), call)
        case "water": return try water(&diary, Array(words.dropFirst()), call)
        default: return try meal(&diary, words, call)
        }
    }

    private static func weight(
        _ diary: inout Diary, _ words: [String], _ call: APICall
    ) throws -> APIAnswer {
        let unit = try diary.preferences().weightUnit ?? .kilograms
        let measure = [WeightUnit.pounds: Measure.pound, .stones: .stone][unit] ?? .kilogram
        let grams = try amount(
            words, in: .gram, otherwise: measure, "weight 80.2 or weight 176.8 lb")
        let id = try diary.create(.weighIn, call) { diary, id in
            let weighIn = WeighIn(id: id, on: try diary.localDate(), grams: grams)
            return .add(weighIn, today: try diary.today())
        }
        return try recorded(id, at: "/api/v1/weights/\(id)", call) {
            try diary.require(WeighIn.self, id).json
        }
    }

    private static func water(
        _ diary: inout Diary, _ words: [String], _ call: APICall
    ) throws -> APIAnswer {
        let microliters = try amount(words, in: .microliter, otherwise: .milliliter, "water 250 ml")
        let id = try diary.create(.water, call) { diary, id in
            let drink = Water(id: id, on: try diary.localDate(), microliters: microliters)
            return .add(drink, today: try diary.today())
        }
        return try recorded(id, at: "/api/v1/water/\(id)", call) {
            try diary.require(Water.self, id).json
        }
    }

    private static func meal(
        _ diary: inout Diary, _ words: [String], _ call: APICall
    ) throws -> APIAnswer {
        let (energy, count) = try energy(words)
        var rest = Array(words.dropFirst(count))
        let slots =
            CommonSlot.allCases.map { $0.name }
            + (try diary.preferences().mealSlots ?? []).map { $0.key }
        // Keyboards of phones begin words with a capital letter.
        let typed = rest.firstIndex { slots.contains(UTF8Text(asciiLowercased($0))) }
            .map { asciiLowercased(rest.remove(at: $0)) }
        let id = try diary.create(.meal, call) { diary, id in
            let date = try diary.localDate()
            let slot = if let typed { UTF8Text(typed) } else { try diary.slot(at: date) }
            var meal = Meal(
                id: id, on: date,
                dishName: rest.isEmpty ? "Quick entry" : rest.joined(separator: " "),
                slot: slot, nutrients: Nutrients(energy: energy))
            meal.consumedAt = date.occurredAt
            return .add(meal, today: try diary.today())
        }
        return try recorded(id, at: "/api/v1/meals/\(id)", call) {
            try MealRoutes.json(diary, id)
        }
    }

    /// What was recorded; its id alone for a token that reads nothing, as a repeated request comes after what the
    /// person has changed since.
    private static func recorded(
        _ id: Identifier, at path: String, _ call: APICall, _ json: () throws -> JSON
    ) throws -> APIAnswer {
        let readsNothing = call.caller?.right?.scope == .quick
        return .created(readsNothing ? ["id": .id(id)] : try json(), at: path)
    }

    /// The energy at the beginning of a line, and how many words it has.
    private static func energy(_ words: [String]) throws -> (millikilocalories: Int64, words: Int) {
        for count in [2, 1] where words.count >= count {
            let text = words.prefix(count).joined(separator: " ")
            if let read = whole(text, in: .millikilocalorie, otherwise: .kilocalorie) {
                return (read, count)
            }
        }
        throw wrong("300 kcal lunch, weight 80.2 or water 250 ml")
    }

    private static func amount(
        _ words: [String], in unit: Measure, otherwise measure: Measure, _ example: String
    ) throws -> Int64 {
        guard let read = whole(words.joined(separator: " "), in: unit, otherwise: measure) else {
            throw wrong(example)
        }
        return read
    }

    /// A typed number in a unit; `nil` for what is none.
    private static func whole(
        _ text: String, in unit: Measure, otherwise measure: Measure
    ) -> Int64? {
        guard let quantity = try? NumberReader().read(text) else { return nil }
        return try? quantity.whole(unit, unitless: measure)
    }

    private static func wrong(_ example: String) -> APIProblem {
        .invalid("/line", "line must be written as \(example).")
    }
}
