import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologLog
import Macrolog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import MacrologEngine
import MacrologTestSupport

/// An unexpected answer.
struct PeerError: Error {
    let status: Int
}

/// The server that a device on a faulty disk syncs with, on a sound disk, and other devices of the
/// same person.
final class Peer {
    /// The moment of all requests.
    static let now: Int64 = 1_800_000_000_000
    static let email = "someone@example.org"
    static let password = "correct horse battery staple"

    let server: SimulatedServer
    private let path: String
    private(set) var accessToken: String

    init(in folder: String) throws {
        // In its own folder, which the device on the faulty disk does not flush.
        try FileManager.default.createDirectory(
            atPath: "\(folder)/peer", withIntermediateDirectories: true)
        path = "\(folder)/peer/peer.db"
        server = try SimulatedServer(path: path)
        // The second time the account exists already.
        _ = server.answer(
            AccountExchange.register(email: Self.email, password: Self.password), at: Self.now)
        accessToken = try Self.logIn(server)
    }

    private static func logIn(_ server: SimulatedServer) throws -> String {
        let request = AccountExchange.logIn(email: email, password: password, deviceName: "a")
        return try AccountExchange.tokens(.success(server.answer(request, at: now))).accessToken
    }

    func send(_ request: HTTPRequest) -> HTTPResponse {
        FaultMemory.sparing { server.answer(request, at: Self.now + 60_000) }
    }

    func answer(_ request: SyncRequest) -> HTTPResponse {
        send(SyncExchange.request(request, accessToken: accessToken))
    }

    /// Makes another device of the person record meals and push them.
    func news(_ count: Int, _ dice: inout Dice) throws {
        let request = Self.push(of: count, &dice)
        _ = try SyncExchange.answer(.success(answer(request)))
    }

    /// Makes a backup of the server's file.
    func backUp() throws {
        try FaultMemory.sparing { try server.backUp(to: "\(path).backup") }
    }

    /// Restores the backup.
    func restore() throws {
        try FaultMemory.sparing {
            try server.restore(from: "\(path).backup", epoch: 8)
            accessToken = try Self.logIn(server)
        }
    }

    /// The push of a new device.
    static func push(of count: Int, _ dice: inout Dice) -> SyncRequest {
        push(of: count, &dice) { drafts($0, &$1) }
    }

    /// The push of a new device after it has recorded an event.
    static func push(
        of count: Int, _ dice: inout Dice, _ drafts: (Int, inout Dice) -> [Draft]
    ) -> SyncRequest {
        let device = Identifier.v7(milliseconds: now, random: &dice)
        let pushed = drafts(count, &dice).prefix(count).enumerated().map { index, draft in
            let event = Event(
                dot: Dot(device: device, seq: Int64(index) + 1), base: .none, wall: now,
                type: draft.type, version: draft.version, changes: draft.changes,
                group: draft.group)
            return SyncRequest.Pushed(age: 0, body: event.encoded())
        }
        return SyncRequest(
            device: device, epoch: 0, cursor: 0, digest: .empty, pushed: pushed,
            eventsMax: Int64(count))
    }

    /// Some meal.
    static func meal(_ dice: inout Dice) -> Meal {
        let day = Day(number: Person.today.number - dice.roll(0...3)) ?? Person.today
        return Meal(
            id: Identifier.v7(milliseconds: now, random: &dice), on: LocalDate(day: day),
            dishName: "Dish \(dice.roll(1...99))",
            slot: dice.pick(["breakfast", "lunch", "dinner", "snack"]), isConsumed: true,
            nutrients: Nutrients(energy: dice.roll(50...1_199) * 1_000))
    }

    /// The drafts that adding a meal records.
    static func drafts(adding meal: Meal) -> [Draft] {
        [Draft.add(meal, today: Person.today)]
    }

    /// Drafts of `count` meals, and edits of some of them.
    static func drafts(_ count: Int, _ dice: inout Dice) -> [Draft] {
        (0..<count).flatMap { _ -> [Draft] in
            let meal = meal(&dice)
            var edited = meal
            edited[.protein] = dice.roll(1...90) * 1_000
            let edit =
                dice.percent(30) ? Draft.edit(from: meal, to: edited, today: Person.today) : nil
            return drafts(adding: meal) + [edit].compactMap(\.self)
        }
    }
}
