import MacrologEvents
import MacrologWire
import Foundation
import MacrologGzip
import MacrologLog
import Macrolog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import MacrologService
import Testing

/// What a released version leaves on a disk, and the figures that say what is in it.
///
/// `Golden/<version>` holds a device's database and a server's, each compressed, and `figures.json`.
struct Golden {
    /// What the databases hold, as the version that wrote them had it.
    struct Figures: Codable, Equatable {
        /// One day as the device shows it.
        struct DayTotals: Codable, Equatable {
            var energy: Int64?
            var protein: Int64?
            var meals: Int64
        }
        /// The device: its own id, its last number, and how many events wait.
        var device = ""
        var lastSeq: Int64 = 0
        var unsealed: Int64 = 0
        /// The server's log as the device holds it.
        var cursor: Int64 = 0
        var epoch: UInt32 = 0
        var digest = ""
        /// SHA-256 over the merged state of every entity.
        var entities = ""
        /// What people see.
        var days: [String: DayTotals] = [:]
        var conflicts: [String] = []
        var quarantine: [String] = []
        var voids: Int64 = 0
        /// The server: the head and digest of each space, as `12 0123…`.
        var heads: [String] = []
    }

    let version: String
    var folder: String { Self.root + "/" + version }
    static let root = String(#filePath.dropLast("GoldenScenario.swift".count)) + "Golden"
    static let days: ClosedRange<Int> = 17...20

    /// The versions kept, oldest first.
    static var versions: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return names.filter { $0.first?.isNumber == true }.sorted {
            $0.compare($1, options: .numeric) == .orderedAscending
        }
    }

    /// The bytes of `device` or `server`.
    func database(_ name: String) throws -> [UInt8] {
        let data = try Data(contentsOf: URL(filePath: "\(folder)/\(name).db.gz"))
        return try gunzip([UInt8](data), limit: 16 << 20)
    }

    func figures() throws -> Figures {
        try JSONDecoder().decode(
            Figures.self, from: Data(contentsOf: URL(filePath: "\(folder)/figures.json")))
    }

    /// Writes what the running code leaves.
    func write(device: String, server: String, _ figures: Figures) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        for (name, path) in [("device", device), ("server", server)] {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
            let packed = gzip(bytes, level: 9)
            #expect(packed.count < 100_000, "\(name): \(packed.count) bytes")
            try Data(packed).write(to: URL(filePath: "\(folder)/\(name).db.gz"))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(figures).write(to: URL(filePath: "\(folder)/figures.json"))
    }
}

extension Golden.Figures {
    /// What a device's database holds. Opening it brings it up to date.
    init(device store: inout Store) throws {
        device = "\(store.log.device)"
        (lastSeq, unsealed) = (store.log.lastSeq, store.log.unsealedCount)
        (cursor, epoch) = (store.log.cursor, store.log.epoch)
        digest = Self.hex(store.log.digest.bytes)
        var states: [UInt8] = []
        try store.db.forEach("SELECT id, kind, state FROM entity ORDER BY id, kind") { row in
            states += row.bytes(0) + Array(row.text(1).utf8) + row.bytes(2)
        }
        entities = Self.hex(SHA256.hash(states))
        let today = Day(year: 2026, month: 11, day: 20) ?? .earliest
        for number in Golden.days {
            let day = Day(year: 2026, month: 11, day: number) ?? .earliest
            let summary = try store.summary(of: day, today: today)
            days["\(day)"] = DayTotals(
                energy: summary.totals[.energy], protein: summary.totals[.protein],
                meals: Int64(try store.meals(on: day...day).count))
        }
        conflicts = try store.conflicts().flatMap { found in
            found.conflicts.map { "\(found.entity.kind) \(found.entity.id) \($0.cell)" }
        }
        quarantine = try store.quarantine().map { "\($0.entity.id) \($0.field)" }
        voids = try store.db.first("SELECT count(*) FROM void") { $0.int(0) } ?? 0
    }

    /// The logs of a server's file, which it brings up to date.
    static func heads(ofServer path: String) throws -> [String] {
        let store = try SQLiteServerStore.open(path, newEpoch: 1) { fatalError($0) }
        defer { store.close() }
        return try [Int64(1), 2].map { space in
            let head = try store.head(of: space)
            return "\(head.n) \(hex(head.digest.bytes))"
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }
}

/// A few days of two people: everything that a log can hold, in some forty events. A new kind of
/// thing goes to the end, for the versions to come.
struct GoldenScenario {
    let httpServer: RealServer
    let phone: Macrolog.Account
    let laptop: Macrolog.Account

    static let meals = (1...9).map { Identifier(high: 0x0190_0000_0000_7000, low: UInt64($0)) }

    private static func day(_ number: Int) -> LocalDate {
        LocalDate(day: Day(year: 2026, month: 11, day: number) ?? .earliest)
    }

    private static func meal(_ index: Int, _ day: Int, _ name: String) -> Meal {
        Meal(
            id: meals[index], on: Self.day(day), dishName: name, slot: "lunch",
            nutrients: Nutrients(energy: 400_000 + Int64(index), protein: 20_000))
    }

    /// Records as it comes, what only a newer or a careless version would.
    private static func record(
        _ type: UTF8Text, _ kind: UTF8Text, _ id: Identifier,
        _ operations: [MacrologEvents.CellOperation],
        on account: Macrolog.Account
    ) throws {
        let draft = Draft(type, [Change(EntityKey(kind, id), operations)])
        _ = try account.replica.withStore {
            try $0.record([draft], at: DeviceClock.system.read())
        }
    }

    /// Plays it, and leaves the phone with events that no one has sealed.
    static func play() async throws -> GoldenScenario {
        let httpServer = try RealServer()
        let ana = "ana@example.org"
        let phone = try await httpServer.device("phone", of: ana)
        let laptop = try await httpServer.device("laptop", of: ana)
        let other = try await httpServer.device("ben", of: "ben@example.org")
        try addEverything(to: phone.replica)
        for account in [phone, laptop] { try await account.sync() }
        try disagree(phone, laptop)
        for account in [laptop, phone, laptop] { try await account.sync() }
        if let resolved = try phone.replica.conflicts().first(where: { $0.cell != .life }) {
            try phone.replica.resolve([.keep(resolved)])
        }
        try beNewerAndCareless(laptop)
        for account in [laptop, phone] { try await account.sync() }
        try await restore(phone, httpServer)
        for index in 0..<2 { try other.replica.add(meal(index, 20, "Ben's \(index)")) }
        try await other.sync()

        // Not sent any more.
        try phone.replica.add(meal(8, 20, "Unsealed soup"))
        var bowl = try phone.replica.require(Meal.self, meals[0])
        bowl.note = "written on a train"
        try phone.replica.save(bowl)
        return GoldenScenario(httpServer: httpServer, phone: phone, laptop: laptop)
    }

    private static func addEverything(to replica: Replica) throws {
        var profile = try replica.profile()
        (profile.displayName, profile.heightMillimeters) = ("Ana", 1_700)
        try replica.save(profile)
        var preferences = try replica.preferences()
        (preferences.weekStart, preferences.pinnedNutrients) = (1, ["fiber", "sodium"])
        try replica.save(preferences)
        var plan = GoalPlan(id: replica.newID(), startDate: day(1).day)
        plan.energyMillikilocalories = 2_000_000
        try replica.add(plan)
        var oats = Food(
            id: replica.newID(), name: "Oats", nutrients: Nutrients(energy: 372_000))
        oats.gtin = "04006381333931"
        try replica.add(oats)
        oats.isFavourite = true
        try replica.save(oats)
        for index in 0..<8 { try replica.add(meal(index, 17 + index % 4, "Dish \(index)")) }
        let item = MealItem(
            id: replica.newID(), of: meals[0], name: "Milk",
            nutrients: Nutrients(energy: 120_000))
        try replica.add(item)
        var tagged = try replica.require(Meal.self, meals[0])
        tagged.tags = ["quick", "work"]
        try replica.save(tagged)
        try replica.logWeight(grams: 70_500, on: day(18))
        var log = DayLog(on: day(17).day)
        log.status = .complete
        try replica.save(log)
        try replica.delete(Meal.self, meals[1])
        try replica.delete(Meal.self, meals[2])
        try replica.write { try $0.restore(Meal.self, meals[2]) }
        try replica.add(meal(8, 19, "Mistake"))
        try replica.undo()
    }

    /// One field, one set, one life, and one field more that will be resolved.
    private static func disagree(_ phone: Macrolog.Account, _ laptop: Macrolog.Account) throws {
        for (account, name) in [(phone, "phone"), (laptop, "laptop")] {
            for index in [3, 4] {
                var meal = try account.replica.require(Meal.self, meals[index])
                meal.dishName = "Named on the \(name) \(index)"
                try account.replica.save(meal)
            }
            var tagged = try account.replica.require(Meal.self, meals[0])
            tagged.tags = name == "phone" ? ["quick"] : ["quick", "work", "late"]
            try account.replica.save(tagged)
        }
        try laptop.replica.delete(Meal.self, meals[5])
        var kept = try phone.replica.require(Meal.self, meals[5])
        kept.note = "not to be deleted"
        try phone.replica.save(kept)
    }

    private static func beNewerAndCareless(_ account: Macrolog.Account) throws {
        try record(
            "hydration.logged", "hydration", Identifier(high: 7, low: 1),
            [.set(["volume_ul": 250_000])], on: account)
        try record(
            "meal.scanned", "meal", meals[6],
            [.set(["aura": "green"]), .unknown(verb: 9, arguments: ["a", 1])], on: account)
        try record("meal.edited", "meal", meals[7], [.set(["energy": 99_000_000])], on: account)
    }

    /// The phone's file is copied; the copy continues as a device of its own, and both issue what was
    /// unsealed.
    private static func restore(_ phone: Macrolog.Account, _ httpServer: RealServer) async throws {
        try record("meal.edited", "meal", meals[2], [.set(["note": "said twice"])], on: phone)
        phone.replica.releaseFile()
        let folder = httpServer.folder + "/copy"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        for part in ["", ".instance", ".session"] {
            try FileManager.default.copyItem(
                atPath: phone.replica.path + part, toPath: folder + "/phone.db" + part)
        }
        let copy = try await httpServer.logIn(
            try Replica.open(at: folder + "/phone.db"), "copy", of: "ana@example.org")
        try record("meal.edited", "meal", meals[3], [.set(["note": "on the copy"])], on: copy)
        for account in [copy, phone, copy, phone] { try await account.sync() }
    }
}
