/// `/api/v1/weights`, `water`, `ketones` … : what a person measures, drinks and does.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition

enum BodyRoutes {
    static let all =
        weights + water + ketones + bodyFat + measures + activities + steps + fasts + checkIns

    private static let weights = Resource<WeighIn>(
        name: "weights", plural: "weigh-ins", example: ["weight_kg": .number("80.2")],
        change: ["weight_kg": .number("80.4"), "note": "after breakfast"],
        json: { weighIn, _ in weighIn.json }
    ).datedRoutes {
        try $0.weighIns(on: $1)
    } key: {
        PageKey($0.localDate.day, $0.localDate.occurredAt, $0.id)
    }

    private static let water = Resource<Water>(
        name: "water", plural: "drinks", singular: "amount of water",
        example: ["volume_ml": 250, "container": "glass"],
        change: ["volume_ml": 330], json: { drink, _ in drink.json }
    ).datedRoutes()

    private static let ketones = Resource<Ketone>(
        name: "ketones", plural: "levels of ketones", singular: "level of ketones",
        example: ["level_mmol_l": .number("1.2"), "method": "blood"],
        change: ["level_mmol_l": .number("1.4")], json: { level, _ in level.json }
    ).datedRoutes()

    private static let bodyFat = Resource<BodyFat>(
        name: "body-fat", plural: "shares of body fat", singular: "share of body fat",
        example: ["body_fat_percent": .number("18.5")],
        change: ["body_fat_percent": 18], json: { share, _ in share.json }
    ).datedRoutes()

    private static let measures = Resource<BodyMeasure>(
        name: "measures", plural: "measurements", example: ["place": "waist", "length_cm": 84],
        change: ["length_cm": .number("83.5")], json: { measure, _ in measure.json }
    ).datedRoutes()

    private static let activities = Resource<ActivityEntry>(
        name: "activities", plural: "activities",
        example: ["name": "Run", "duration_min": 30, "energy_kcal": 310],
        change: ["energy_kcal": 320], json: { activity, _ in activity.json }
    ).datedRoutes()

    private static let steps = Resource<EnergyDay>(
        name: "steps", plural: "days with steps and energy, as a tracker counted them",
        example: ["day": "2026-11-20", "source": "api", "steps": 8_421], change: ["steps": 9_000],
        sharedID: { day, _ in Identities.energyDay(on: day.day, source: day.source) },
        stays: "on its day, with its source",
        json: { day, _ in FieldJSON.object(day.fields, in: EnergyDay.kind.name).withID(day.id) }
    ).datedRoutes()

    private static let checkIns = Resource<CheckIn>(
        name: "check-ins", plural: "check-ins",
        example: [
            "day": "2026-11-20", "sleep_min": 450, "hrv_ms": .number("62.5"), "resting_bpm": 54,
            "soreness": 2, "energy_level": 4, "stress": 2,
        ], change: ["stress": 3],
        sharedID: { checkIn, _ in Identities.checkIn(on: checkIn.day) }, stays: "on its day",
        json: { checkIn, _ in checkIn.json }
    ).datedRoutes()

    private static let fasts =
        Resource<Fast>(
            name: "fasts", plural: "fasts",
            example: [
                "started_at": "2026-11-19T20:00:00+01:00", "ended_at": "2026-11-20T12:00:00+01:00",
                "target_min": 960,
            ], change: ["note": "easy"],
            check: { fast, old, diary in
                guard fast.isOpen, old?.isOpen != true,
                    let other = try diary.fasting().active(at: diary.now), other.id != fast.id
                else { return }
                throw APIProblem(
                    .conflict,
                    "A fast is in progress, /api/v1/fasts/\(other.id): send an ended_at, or end that one."
                )
            }, json: { fast, diary in fast.json(at: diary.now) }
        ).datedRoutes {
            try $0.fasts(on: $1)
        } key: {
            PageKey($0.day, $0.occurredAt, $0.id)
        } + [
            APIRoute(
                "POST", "/api/v1/fasting/start", "Begins a fast.",
                body: .object([
                    Schema.Member(
                        "target_min", .nullable(.number(60...10_080, scale: 0)), "How long."),
                    Schema.Member("started_at", .nullable(.instant), "When; now if not sent."),
                ]), answers: [.init(201, .shown(.fast))], example: ["target_min": 960],
                .write { diary, call in
                    let id = try diary.create(.fast, call) { diary, id in
                        let fast = try diary.newFast(
                            id, at: call.instant("started_at"),
                            targetMinutes: call.body["target_min"]?.scaled(0))
                        return .add(fast, today: try diary.today())
                    }
                    let fast = try diary.require(Fast.self, id)
                    return .created(fast.json(at: diary.now), at: "/api/v1/fasts/\(id)")
                }),
            APIRoute(
                "POST", "/api/v1/fasting/end", "Ends the fast in progress.",
                body: .object([
                    Schema.Member("ended_at", .nullable(.instant), "When; now if not sent.")
                ]), answers: [.init(200, .shown(.fast))],
                .write { diary, call in
                    .json(try diary.endFast(at: call.instant("ended_at")).fast.json)
                }),
            APIRoute(
                "POST", "/api/v1/fasting/cancel",
                "Ends the fast in progress, and does not count it.",
                answers: [.init(200, .shown(.fast))],
                .write { diary, _ in .json(try diary.cancelFast().json) }),
        ]
}

extension JSON {
    /// The fields of an entity, after its id.
    func withID(_ id: Identifier) -> JSON { .object([Member("id", .id(id))] + (object ?? [])) }
}

extension Fast {
    /// Whether it has no end, and counts.
    fileprivate var isOpen: Bool { endedAt == nil && !isCancelled }
}
