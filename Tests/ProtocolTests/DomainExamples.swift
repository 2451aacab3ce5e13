import MacrologEvents
import MacrologWire
import MacrologJSON
import MacrologNutrition

/// A worked meal, its day, and weigh-ins: the bytes of the events, what they fold to, and what is
/// shown.
enum DomainExamples {
    private static let day = Day("2026-11-20") ?? .earliest
    private static let meal = Identifier(high: 0x0190_163D_0000_7000, low: 0x8000_0000_0000_0001)
    private static let plan = Identifier(high: 0x0190_163D_0000_7000, low: 0x8000_0000_0000_0002)

    static func json() -> JSON {
        var log = Log()
        log.record(0, "a", adding())
        log.record(1, "b", [halving()])
        let meal = log.state(of: Kind.meal, Self.meal)
        let totals = totals(meal, in: log)
        var goals = log
        goals.record(2, "a", [(Kind.goalPlan, Self.plan, goal(), .added)])
        return [
            "meal": [
                "events": .array(log.events), "fields": meal.fields.wire,
                "parts": .array(log.items().map { $0.fields.wire }),
                "shown": shown(meal, totals),
            ],
            "day": worked(totals, goals),
            "weigh_ins": weighIns(),
        ]
    }

    // MARK: The meal

    /// Oats with milk; the fibre of the milk is unknown.
    private static func adding() -> [Write] {
        let date = LocalDate(
            day: day, occurredAt: 1_795_159_200_000, zone: "Europe/Zurich", offsetMinutes: 60)
        let meal = Meal(id: Self.meal, on: date, dishName: "Oats with milk", slot: "breakfast")
        var oats = MealItem(
            id: item(1), of: Self.meal, name: "Oats", amount: Amount(milligrams: 60_000))
        oats.nutrients = Nutrients(energy: 228_000, protein: 8_100, carbs: 36_000, fat: 4_200)
        oats[.fiber] = 6_000
        var milk = MealItem(
            id: item(2), of: Self.meal, name: "Milk",
            amount: Amount(milli: 200_000, unit: "ml", milligrams: 206_000))
        milk.nutrients = Nutrients(energy: 130_000, protein: 6_800, carbs: 9_600, fat: 7_200)
        return [
            (Kind.meal, meal.id, meal.operations(), .added),
            (Kind.mealItem, oats.id, oats.operations(), .added),
            (Kind.mealItem, milk.id, milk.operations(), .added),
        ]
    }

    /// Another device, which has seen the meal, says that half of it was eaten.
    private static func halving() -> Write {
        (Kind.meal, meal, [.set(["consumed_share_bp": 5_000])], .edited)
    }

    private static func item(_ index: UInt64) -> Identifier {
        Identifier(high: 0x0190_163D_0000_7000, low: 0x8000_0000_0000_0010 + index)
    }

    private static func totals(_ state: EntityState, in log: Log) -> NutrientTotals {
        let meal = required(Meal(id: Self.meal, fields: state.fields))
        return NutrientTotals(
            own: meal.nutrients,
            items: log.items().map {
                required(MealItem(id: item(1), fields: $0.fields)).nutrients
            }, shareBasisPoints: meal.consumedShareBasisPoints)
    }

    private static func shown(_ state: EntityState, _ totals: NutrientTotals) -> JSON {
        let meal = required(Meal(id: Self.meal, fields: state.fields))
        return [
            "name": .optional(meal.dishName), "slot": .optional(meal.slot?.string),
            "day": .string("\(meal.localDate.day)"), "eaten": .bool(meal.isConsumed),
            "minute_of_day": .integer(meal.localDate.minuteOfDay ?? -1), "totals": sums(totals),
        ]
    }

    /// Each sum in the unit of its nutrient, and of how many parts it is known.
    private static func sums(_ totals: NutrientTotals) -> JSON {
        .object(
            totals.entries.map { entry in
                JSON.Member(
                    entry.nutrient.key.string,
                    [
                        "sum": .integer(entry.amount), "known": .integer(entry.known),
                        "parts": .integer(totals.parts),
                    ])
            })
    }

    // MARK: The day

    private static func goal() -> [MacrologEvents.CellOperation] {
        var plan = GoalPlan(id: Self.plan, startDate: day)
        plan.mode = .fixed
        plan.energyMillikilocalories = 2_000_000
        plan.proteinMilligrams = 120_000
        plan.fiberMilligrams = 30_000
        return plan.operations()
    }

    private static func worked(_ totals: NutrientTotals, _ log: Log) -> JSON {
        let fields = log.state(of: Kind.goalPlan, Self.plan).fields
        let plan = required(GoalPlan(id: Self.plan, fields: fields))
        func summary(_ status: DayStatus) -> DaySummary {
            DaySummary(
                day: day,
                meals: [.init(slot: "breakfast", isConsumed: true, totals: totals)],
                status: status, targets: plan.targets(on: day), today: day)
        }
        let open = summary(.open)
        let targets = open.targets?.all ?? []
        return [
            "goal_event": log.events[2], "goal_fields": fields.wire, "day": .string("\(day)"),
            "totals": sums(open.totals),
            "goals": .array(
                targets.map { target in
                    [
                        "nutrient": .string(target.nutrient.key.string),
                        "amount": .integer(target.amount),
                        "direction": .string(target.direction.name.string),
                        "remaining": .integer(open.remaining(target.nutrient) ?? 0),
                        "met": .bool(target.isMet(by: open.totals[target.nutrient] ?? 0)),
                    ]
                }),
            "status_while_open": .string(required(open.goalStatus).name.string),
            "status_when_complete": .string(required(summary(.complete).goalStatus).name.string),
        ]
    }

    // MARK: Weigh-ins

    private static func weighIns() -> JSON {
        var log = Log()
        var readings: [WeightTrend.Sample] = []
        for (index, (days, grams)) in [(0, 80_200), (1, 79_800), (4, 80_000)].enumerated() {
            let date = LocalDate(day: day.advanced(by: days))
            let weighIn = WeighIn(
                id: Identities.weighIn(on: date.day), on: date, grams: Int64(grams))
            log.record(
                index, "a", [(Kind.weighIn, weighIn.id, weighIn.operations(), .added)])
            let fields = log.state(of: Kind.weighIn, weighIn.id).fields
            let folded = required(WeighIn(id: weighIn.id, fields: fields))
            readings.append(.init(id: folded.id, day: folded.localDate.day, grams: folded.grams))
        }
        let trend = WeightTrend(readings)
        return [
            "events": .array(log.events),
            "trend": .array(
                trend.points.map {
                    [
                        "day": .string("\($0.day)"), "weight_g": .integer($0.grams),
                        "trend_ng": .integer($0.trendNanograms), "shown_g": .integer($0.trendGrams),
                    ]
                }),
            "slope_ug_per_week": trend.slopeMicrogramsPerWeek.map { .integer($0) } ?? nil,
        ]
    }
}

/// What an event writes about one entity.
private typealias Write = (
    kind: Kind, id: Identifier, operations: [MacrologEvents.CellOperation], verb: Kind.Verb
)

/// A server's log of two devices, `a` and `b`, each of which has seen all of it whenever it records.
private struct Log {
    private(set) var events: [JSON] = []
    private var folded: [EntityKey: EntityState] = [:]
    private var keys: [EntityKey] = []
    private var counts: [String: Int64] = [:]
    private var clock = VectorClock()
    private var notation = Notation(
        [Identifier(high: 0xA, low: 0), Identifier(high: 0xB, low: 0)])

    /// Records and seals an event, and folds what its bytes say.
    mutating func record(_ index: Int, _ device: String, _ writes: [Write]) {
        let n = Int64(index) + 1
        counts[device, default: 0] += 1
        let id = notation.devices[device == "a" ? 0 : 1]
        let dot = Dot(device: id, seq: counts[device] ?? 1)
        clock.see(dot)
        let event = Event(
            dot: dot, base: index == 0 ? .none : Base(epoch: 7, n: n - 1),
            wall: 1_795_159_200_000 + n * 60_000, type: writes[0].kind.type(writes[0].verb),
            changes: writes.map { Change(EntityKey($0.kind.name, $0.id), $0.operations) })
        let bytes = event.encoded()
        let seal = Seal(n: n, t: (event.wall + 1_000) << 16)
        events.append([
            "event": .string(notation.write(dot)), "clock": .string(notation.write(clock)),
            "type": .string(event.type.string), "base_n": .integer(event.base.n.rawValue),
            "n": .integer(n),
            "t": .integer(seal.t.rawValue), "cbor": .string(bytes.hexadecimal),
        ])
        let stamp = Stamp(dot: dot, base: event.base, seal: seal)
        guard let read = try? Event.decoded(bytes) else {
            preconditionFailure("an example cannot be read")
        }
        for change in read.changes {
            if folded[change.entity] == nil { keys.append(change.entity) }
            folded[change.entity, default: EntityState()].fold(change, stamp: stamp)
        }
    }

    func state(of kind: Kind, _ id: Identifier) -> EntityState {
        required(folded[EntityKey(kind.name, id)])
    }

    /// The parts of the meal.
    func items() -> [EntityState] {
        keys.filter { $0.kind == Kind.mealItem.name }.compactMap { folded[$0] }
    }
}

private func required<Wanted>(_ value: Wanted?) -> Wanted {
    guard let value else { preconditionFailure("an example lacks what it should hold") }
    return value
}
