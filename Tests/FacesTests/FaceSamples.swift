import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition

// What a device says of itself: each answer once with everything known, and once with nothing.

extension Samples {
    /// 10 March 2024, 06:40 UTC.
    private static let now: Int64 = 1_710_052_800_000

    // MARK: Account

    private static let phone = LoggedInDeviceFace(
        session: id(20), name: "phone \"old\"", created: now, lastSeen: now + 1, isThis: true,
        device: id(10))
    private static let tablet = LoggedInDeviceFace(
        session: id(21), name: "tablet", created: now, lastSeen: now, isThis: false, device: nil)

    static var account: JSON {
        let ana = AccountFace(
            id: "f00d", server: "https://sync.example.org", email: "ana@example.org")
        let log = [
            LogDeviceFace(
                id: id(10), letter: "a", events: 7, lastEvent: now, holds: 9, isThis: true),
            LogDeviceFace(
                id: id(11), letter: "b", events: 0, lastEvent: nil, holds: 0, isThis: false),
        ]
        return [
            AccountJSON.registered(at: "https://sync.example.org"),
            AccountJSON.loggedIn(at: "https://sync.example.org", as: "ana@example.org"),
            AccountJSON.status(ana, hasEnded: false, of: id(10)),
            AccountJSON.status(ana, hasEnded: true, of: id(10)),
            AccountJSON.status(nil, hasEnded: false, of: id(10)),
            AccountJSON.devices(log, [phone, tablet]), AccountJSON.devices(log, nil),
            AccountJSON.renamed(phone), AccountJSON.revoked(tablet),
            AccountJSON.loggedOut(true), AccountJSON.loggedOut(false),
        ]
    }

    // MARK: Sync

    /// The state of syncing of a device that has everything that it knows of.
    static func status(
        unsealed: Int64 = 0, head: Int64 = 12, lacks: [Int64]? = [0, 0]
    ) -> SyncStatusFace {
        SyncStatusFace(
            unsealed: unsealed, cursor: 12, head: head, lastSuccess: now, lastError: nil,
            lastRecovery: nil, lastRepair: nil, sinceSuccess: 61_500, failingFor: nil,
            isOffline: false, receiptsAge: lacks == nil ? nil : 2_000,
            receipts: lacks?.enumerated().map { index, lacks in
                DeviceReceiptFace(
                    session: id(20 + UInt64(index)), name: "device \(index)",
                    device: index == 0 ? id(10) : nil, holds: 12 - lacks, lacks: lacks,
                    lastSeen: 1_234, isThis: index == 0)
            }, clockLead: -1_500, lastRotation: nil)
    }

    private static let failing = SyncStatusFace(
        unsealed: 3, cursor: 12, head: 40, lastSuccess: nil, lastError: "it cannot be reached",
        lastRecovery: SyncRecoveryFace(time: now, givenBack: 12, reissued: 1),
        lastRepair: SyncRepairFace(
            time: now, fetched: 3, first: 5, last: 70_000, rebuilt: 2, lost: 1),
        sinceSuccess: nil, failingFor: 840_000, isOffline: true, receiptsAge: nil, receipts: nil,
        clockLead: nil, lastRotation: now)

    static var sync: JSON {
        [
            SyncJSON.done(
                sent: 1, received: 2, unsealed: 3, cursor: 4, head: 5, photosUnsent: 6),
            SyncJSON.round(
                sent: 1, received: [("meal.added", 2), ("weight.logged", 3)], status()),
            SyncJSON.round(sent: 0, received: [], failing),
            SyncJSON.status(
                status(), isLoggedIn: true, photosUnsent: 0, photoError: "of yesterday"),
            SyncJSON.status(
                failing, isLoggedIn: false, photosUnsent: 2, photoError: "it cannot be reached"),
        ]
    }

    // MARK: Log

    private static let statistics = LogStatisticsFace(
        device: id(10), devices: 2, events: 30, compactedEvents: 4, unsealedEvents: 5, cursor: 26,
        epoch: 4_000_000_000, conflicts: 7, unusedFields: 8, fileBytes: 98_304,
        entities: [("meal", 12), ("of_a_newer_version", 1)])

    static var log: JSON {
        [
            LogJSON.checks([
                DoctorCheck(name: "lock", isGood: true, message: "no other process uses the log"),
                DoctorCheck(name: "disk", isGood: false, message: "only 3 MB free in \"/\""),
            ]),
            LogJSON.problems([], unused: []),
            LogJSON.problems(
                ["event a3 cannot be read"],
                unused: [
                    (EntityKey(Kind.food.name, id(5)), "protein", "protein is negative"),
                    (EntityKey("of_a_newer_version", id(6)), "aura", "aura is too long"),
                ]),
            LogJSON.digests(of: [0, 171], to: 26, days: [(span.lowerBound, [255, 1])]),
            LogJSON.rebuilt(events: 30, from: [1], to: [1]),
            LogJSON.rebuilt(events: 30, from: [1], to: [2]),
            LogJSON.compacted(olderThanDays: 730, examined: 26, events: 4, bytes: 900, freed: nil),
            LogJSON.compacted(olderThanDays: 730, examined: 26, events: 4, bytes: 900, freed: -1),
            LogJSON.neverCompacted,
            statistics.json(of: "macrolog.db"),
            .object(
                LogJSON.facts(program: "0.1.0", statistics, status(lacks: [0, 5]))),
            .object(LogJSON.facts(program: "0.1.0", statistics, failing)),
        ]
    }

    // MARK: Files

    static var files: JSON {
        [
            FileJSON.written("all.json", [.events(30), .entities(12)]),
            FileJSON.written("meals.csv", [.rows(0)]),
            FileJSON.pictures([("svg", "a.svg")]), FileJSON.pictures([("png", "a.png")]),
            FileJSON.pictures([("svg", "a.svg"), ("png", "a.png"), ("pdf", "a.pdf")]),
            PhotoFace(name: [0, 171], bytes: 940, mediaType: "image/png", width: 4, height: 3).json,
            PhotoFace(name: [0, 171], bytes: 940).json,
            PhotoFace(name: [0, 171], bytes: nil).json,
            PhotoJSON.saved([0, 171], bytes: 940, to: "soup.png"), PhotoJSON.removed([0, 171]),
        ]
    }

    static var imports: JSON {
        let foods = ImportFace(
            of: Kind.food.name, isDry: false,
            rows: (new: 1, changed: 2, same: 3, deleted: 4, rejected: 5, excluded: 6),
            lines: (new: [2], same: [4], changed: [3], deleted: [5], rejected: [6, 7]),
            group: id(7), notices: ["of another version"], problems: ["line 6: no name"],
            warnings: ["line 2: 9,000 kcal is unusual"])
        let portions = ImportFace(
            of: Kind.foodPortion.name, isDry: true,
            rows: (new: 0, changed: 0, same: 0, deleted: 0, rejected: 0, excluded: 0),
            lines: (new: [], same: [], changed: [], deleted: [], rejected: []), group: nil,
            notices: [], problems: [], warnings: [])
        let oats = RecipeItem(
            id: id(9), of: id(8), name: "Oats", amount: Amount(milligrams: 60_000))
        let recipe = RecipeImportFace(
            id: id(8), name: "Porridge", outcome: "new",
            ingredients: [
                ("60 g oats", "Oats", oats), ("salt", nil, RecipeItem(id: id(10), of: id(8))),
            ], notices: ["a picture was left out"])
        return [
            foods.json, foods.json(portions: portions), portions.json(portions: nil),
            recipe.json(isDry: false), recipe.json(isDry: true),
        ]
    }

    // MARK: Settings

    static var settings: JSON {
        var profile = Profile(id: id(1), fields: ValueMap())
        profile.displayName = "Ana"
        profile.heightMillimeters = 1_685
        var preferences = Preferences(id: id(2), fields: ["aura": .text("blue")])
        preferences.energyUnit = .kilojoules
        let names: [UTF8Text] = ["display_name", "height_mm", "sex"]
        let day = span.lowerBound
        let body = Body(weightGrams: 64_200, age: 33)
        var plan = GoalPlan(id: id(3), startDate: day)
        plan.energyMillikilocalories = 2_100_000
        return [
            SettingJSON.list(["energy_unit", "weight_unit"], of: preferences),
            SettingJSON.one(
                "energy_unit", of: preferences, named: "energy-unit", text: "kj"),
            SettingJSON.one("weight_unit", of: preferences, named: "weight-unit", text: "kg"),
            SettingJSON.one("sex", of: profile, named: "sex", text: nil),
            SettingJSON.profile(profile, names, of: body, resting: 1_400_500, ketone: nil),
            SettingJSON.profile(profile, [], of: Body(), resting: nil, ketone: nil),
            SettingJSON.begun("macrolog.db", profile, preferences),
            SettingJSON.answered(
                profile, preferences, grams: 64_200,
                goal: GoalJSON.targets(
                    plan.targets(on: day), of: plan, on: day, in: preferences),
                TargetExplanation(of: plan, on: day), open: []),
            SettingJSON.answered(
                Profile(id: id(1), fields: ValueMap()),
                Preferences(id: id(2), fields: ValueMap()), grams: nil, goal: .null, nil,
                open: ["--height", "--weight"]),
            BodyJSON.height(millimeters: 1_685), .unchanged,
        ]
    }
}
