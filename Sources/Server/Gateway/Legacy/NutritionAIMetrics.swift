/// The daily metrics of NutritionAI's face, `/api/metrics`: one weight and one level of ketones a day.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition

enum NutritionAIMetrics {
    private static let level = Schema.number(0...30_000, scale: 3)

    private static let days = APIParameter(
        "days", .integer(1...3_660), "How many days, up to today; 30 otherwise.", example: "30")

    static let all = [
        APIRoute(
            "POST", "/api/metrics/weight", "NutritionAI: the weight of a day, one for each day.",
            body: .object([
                Schema.Member("weight", .number(4_410...650_000, scale: 3), isRequired: true),
                Schema.Member("unit", .nullable(.choice(["kg", "lb", "lbs"]))),
                Schema.Member("ketoneLevel", .nullable(level), "The ketones of that day."),
                Schema.Member("date", .nullable(.date)),
                Schema.Member("notes", .nullable(.plain(0...4_000, lines: true))),
            ]), answers: [.init(201, .weightEntry)],
            example: ["weight": .number("80.2"), "unit": "kg", "date": "2026-11-20"],
            ignoresUnknown: true, .write { try addWeight(&$0, $1) }),
        APIRoute(
            "GET", "/api/metrics/weight", "NutritionAI: the weights of the last days.",
            query: [days], answers: [.init(200, .report("entries: [weight_entry]"))],
            ignoresUnknown: true,
            .read { diary, call in
                let days = try span(diary, call)
                let ketones = lastOfDays(try diary.entities(Ketone.self, on: days), \.localDate)
                let all = try diary.dayWeights(on: days).map { weighIn in
                    json(weighIn, ketones.first { $0.localDate.day == weighIn.localDate.day })
                }
                return APIAnswer(content: .compact(["entries": .array(all)]))
            }),
        APIRoute(
            "POST", "/api/metrics/ketones", "NutritionAI: the ketones of a day, one for each day.",
            body: .object([
                Schema.Member("ketoneLevel", level, isRequired: true),
                Schema.Member("date", .nullable(.date)),
                Schema.Member("notes", .nullable(.plain(0...4_000, lines: true))),
            ]), answers: [.init(201, .ketoneEntry)],
            example: ["ketoneLevel": .number("0.6"), "date": "2026-11-20"], ignoresUnknown: true,
            .write { try addKetone(&$0, $1) }),
        APIRoute(
            "GET", "/api/metrics/ketones", "NutritionAI: the ketones of the last days.",
            query: [days], answers: [.init(200, .report("entries: [ketone_entry]"))],
            ignoresUnknown: true,
            .read { diary, call in
                let all = lastOfDays(
                    try diary.entities(Ketone.self, on: try span(diary, call)), \.localDate)
                return APIAnswer(content: .compact(["entries": .array(all.map { json($0) })]))
            }),
    ]

    private static func span(_ diary: borrowing Diary, _ call: APICall) throws -> ClosedRange<Day> {
        let days = Int(call.integer("days") ?? 30)
        return try diary.today().advanced(by: 1 - days)...diary.lastDay()
    }

    /// One entry a day, whichever device wrote it: the last of each.
    private static func lastOfDays<E: Entity>(
        _ entries: [E], _ date: KeyPath<E, LocalDate>
    ) -> [E] {
        entries.reduce(into: []) { kept, entry in
            if kept.last?[keyPath: date].day == entry[keyPath: date].day { kept.removeLast() }
            kept.append(entry)
        }
    }

    private static func addWeight(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let number = call.body.milli("weight") ?? 0
        let isPounds = ["lb", "lbs"].contains(call.body["unit"]?.string ?? "kg")
        let grams = isPounds ? Rounding.scaled(number, by: 45_359_237, over: 100_000_000) : number
        let day = try call.bodyDay("date")
        let weighIn = try diary.keepWeight(grams, on: day, note: call.body["notes"])
        var ketone: Ketone?
        if let level = call.body.milli("ketoneLevel") {
            ketone = try diary.keepKetones(level, on: day, note: nil)
        }
        return APIAnswer(status: 201, content: .compact(json(weighIn, ketone)))
    }

    private static func json(_ weighIn: WeighIn, _ ketone: Ketone?) -> JSON {
        [
            "id": .id(weighIn.id), "date": .day(weighIn.localDate.day),
            "weight": .decimal(weighIn.grams, scale: 3), "unit": "kg",
            "ketoneLevel": ketone.map { .decimal($0.micromoles, scale: 3) } ?? .null,
            "notes": .optional(weighIn.note),
        ]
    }

    private static func addKetone(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let level = call.body.milli("ketoneLevel") ?? 0
        let ketone = try diary.keepKetones(
            level, on: try call.bodyDay("date"), note: call.body["notes"])
        return APIAnswer(status: 201, content: .compact(json(ketone)))
    }

    private static func json(_ ketone: Ketone) -> JSON {
        [
            "id": .id(ketone.id), "date": .day(ketone.localDate.day),
            "ketoneLevel": .decimal(ketone.micromoles, scale: 3),
            "inKetosis": .bool(ketone.isInKetosis ?? false), "notes": .optional(ketone.note),
        ]
    }
}

extension Diary {
    /// One weigh-in for each day that has some: the one that counts by the person's policy; for a mean the last one, with
    /// the mean as its weight.
    func dayWeights(on days: ClosedRange<Day>) throws -> [WeighIn] {
        let isFirst = try preferences().weighPolicy ?? .first == .first
        let points = try weightTrend(through: days.upperBound).during(days).points
        let all = Dictionary(grouping: try weighIns(on: days)) { $0.localDate.day }
        return points.compactMap { point in
            guard let own = all[point.day] else { return nil }
            let equal = own.last { $0.grams == point.grams } ?? own.last
            var counting = isFirst ? own.first : equal
            counting?.grams = point.grams
            return counting
        }
    }

    /// The weight of the last day that has one, also of a day that has begun elsewhere, as ``dayWeights(on:)``.
    func currentWeight() throws -> WeighIn? {
        guard let last = try weighIn(onOrBefore: try lastDay()) else { return nil }
        return try dayWeights(on: last.localDate.day...last.localDate.day).first
    }

    /// Keeps one weight of a day: changes the one that counts, whichever device wrote it. Where the policy takes the mean or
    /// the lowest of several, what counts afterwards may be another weight than the given one.
    ///
    /// - Parameters:
    ///   - day: Today, when not given.
    ///   - note: What was sent as one; `nil` keeps that which is there.
    @discardableResult
    mutating func keepWeight(_ grams: Int64, on day: Day?, note: JSON?) throws -> WeighIn {
        let date = try date(on: day)
        var weighIn =
            try dayWeights(on: date.day...date.day).first
            ?? WeighIn(id: Identities.weighIn(on: date.day), on: date, grams: grams)
        weighIn.grams = grams
        if let note { weighIn.note = note.string }
        try put(weighIn)
        return try dayWeights(on: date.day...date.day).first ?? weighIn
    }

    /// Keeps one level of ketones of a day: changes the last that is there, whichever device wrote it.
    fileprivate mutating func keepKetones(
        _ micromoles: Int64, on day: Day?, note: JSON?
    ) throws -> Ketone {
        let date = try date(on: day)
        var ketone =
            try entities(Ketone.self, on: date.day...date.day).last
            ?? Ketone(id: Identities.ketone(on: date.day), on: date, micromoles: micromoles)
        ketone.micromoles = micromoles
        if let note { ketone.note = note.string }
        try put(ketone)
        return ketone
    }
}
