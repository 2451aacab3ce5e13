import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition

/// Invented values, and the documents that are made of them.
enum Samples {
    static let documents: [String: @Sendable () -> String] = [
        "account.json": { account.pretty + "\n" },
        "conflict.json": { ConflictJSON.json(conflict, Notation([id(10), id(11)])).pretty + "\n" },
        "day.json": { day.pretty + "\n" },
        "energy.svg": { Chart.energy(span, summaries, in: .kilojoules).picture.svg(nil) },
        "files.json": { files.pretty + "\n" },
        "imports.json": { imports.pretty + "\n" },
        "log.json": { log.pretty + "\n" },
        "macros.svg": { Chart.macros(span, summaries, in: .kilocalories).picture.svg(.dark) },
        "meal.json": { meal.json.pretty + "\n" },
        "past.json": {
            EventJSON.history(
                [conflict.winner.logged], Notation([id(10), id(11)]), meal: nil
            ).pretty + "\n"
        },
        "settings.json": { settings.pretty + "\n" },
        "stats.json": {
            StatsReport(
                stats: PeriodStats(span, summaries: summaries, today: span.upperBound),
                days: summaries,
                streak: Streak(logged: summaries.map(\.day), skipped: [], today: span.upperBound),
                trend: trend
            ).json.pretty + "\n"
        },
        "share.json": { mealShare.json.pretty + "\n" },
        "share.svg": { mealShare.card.svg(nil) },
        "share-days.json": { daysShare.json.pretty + "\n" },
        "share-days.svg": { daysShare.card.svg(.dark) },
        "sync.json": { sync.pretty + "\n" },
        "weight.svg": { Chart.weight(span, trend, in: .pounds).picture.svg(.light) },
    ]

    static func id(_ number: UInt64) -> Identifier { Identifier(high: 0x7000, low: number) }

    static let span = first...first.advanced(by: 3)
    private static let first = Day(year: 2024, month: 3, day: 10) ?? .earliest
    /// 10 March 2024, 06:40 UTC.
    private static let morning: Int64 = 1_710_052_800_000

    // MARK: Days

    private static let oats = MealItem(
        id: id(3), of: id(2), name: "Oats", amount: Amount(milligrams: 60_000),
        nutrients: Nutrients(energy: 228_000, protein: 7_800, carbs: 35_220, fat: 4_200))

    private static var meal: MealDetail {
        var porridge = Meal(
            id: id(2),
            on: LocalDate(
                day: first, occurredAt: morning, zone: "Europe/Zurich", offsetMinutes: 60),
            dishName: "Porridge", slot: "breakfast",
            nutrients: Nutrients(energy: 300_000, fat: 0))
        porridge.tags = ["warm"]
        return MealDetail(
            meal: porridge, items: [oats],
            totals: NutrientTotals(own: porridge.nutrients, items: [oats.nutrients]),
            hasConflict: false, isEditedByNewerVersion: true)
    }

    static var mealShare: Share {
        Share(meal, score: Share.Score(diet: .balanced, points: 84), in: .kilocalories)
    }

    private static var daysShare: Share {
        Share(
            PeriodStats(span, summaries: summaries, today: span.upperBound), summaries, score: nil,
            in: .kilojoules)
    }

    private static func summary(_ day: Day, _ nutrients: Nutrients) -> DaySummary {
        DaySummary(
            day: day,
            meals: [
                DaySummary.Contribution(
                    slot: "breakfast", isConsumed: true,
                    totals: NutrientTotals(own: nutrients, items: [oats.nutrients])),
                DaySummary.Contribution(
                    slot: "dinner", isConsumed: false,
                    totals: NutrientTotals(own: oats.nutrients, items: [])),
            ], today: span.upperBound)
    }

    /// The second day has no record.
    private static let summaries = [0, 2, 3].map { offset in
        summary(
            first.advanced(by: offset), Nutrients(energy: 300_000 + Int64(offset) * 100_000, fat: 0)
        )
    }

    private static let trend = WeightTrend(points: [
        WeightTrend.Point(day: first, grams: 80_200, trendNanograms: 80_200_000_000_000),
        WeightTrend.Point(
            day: span.upperBound, grams: 79_800, trendNanograms: 80_123_456_789_012),
    ])

    private static var day: JSON {
        var report = DayReport(summaries[0], today: span.upperBound, at: morning)
        report.log.note = "a \"quiet\" day"
        report.meals = [meal]
        report.isEditedByNewerVersion = true
        report.netCarbs.add(oats.nutrients, .total)
        report.preferences.pinnedNutrients = ["sodium", "fiber"]
        var weighIn = WeighIn(
            id: id(4),
            on: LocalDate(
                day: first, occurredAt: morning, zone: "Europe/Zurich", offsetMinutes: 60),
            grams: 80_200)
        weighIn.bodyFatBasisPoints = 1_850
        report.weighIns = [weighIn]
        report.trend = trend
        report.water = Hydration(volumes: [250_000, 330_500], target: 2_000_000)
        return report.json
    }

    // MARK: Conflicts

    private static var conflict: Conflict {
        let food = EntityKey(Kind.food.name, id(5))
        func side(_ device: UInt64, _ milligrams: Int64, seal: Seal?) -> Conflict.Side {
            let dot = Dot(device: id(device), seq: 7)
            let fields: ValueMap = ["protein": .int(milligrams)]
            let event = Event(
                dot: dot, base: Base(epoch: 1, n: 3), wall: morning, type: "food.edited",
                changes: [Change(food, [.set(fields)])])
            return Conflict.Side(
                value: .int(milligrams),
                logged: LoggedEvent(
                    event: event, seal: seal, clock: VectorClock([dot]), isCompacted: false))
        }
        return Conflict(
            entity: food, cell: .field("protein"),
            winner: side(10, 12_500, seal: Seal(n: 4, t: 5)), losers: [side(11, 13_000, seal: nil)])
    }
}
