import Events
import HTTP
import Log
import Macrolog
import Nutrition
import Projections
import SQLite
import Sync

/// What was answered instead of what was asked for.
struct PeerError: Error {
    let status: Int
}

/// The hub that a device on a bad disk talks to, on a good one, and other devices of the same person.
final class Peer {
    /// The moment at which everything happens.
    static let now: Int64 = 1_800_000_000_000
    static let email = "someone@example.org"
    static let password = "correct horse battery staple"

    let hub: SimulatedHub
    private let path: String
    private var accessToken: String

    init(in folder: String) throws {
        path = "\(folder)/peer.db"
        hub = try SimulatedHub(path: path)
        // The second time there is such an account already.
        _ = hub.answer(
            AccountExchange.register(email: Self.email, password: Self.password), at: Self.now)
        accessToken = try Self.logIn(hub)
    }

    private static func logIn(_ hub: SimulatedHub) throws -> String {
        let request = AccountExchange.logIn(email: email, password: password, deviceName: "a")
        return try AccountExchange.tokens(.success(hub.answer(request, at: now))).accessToken
    }

    func answer(_ request: SyncRequest) -> HTTPResponse {
        hub.answer(SyncExchange.request(request, accessToken: accessToken), at: Self.now + 60_000)
    }

    func answer(_ request: HealRequest) -> HTTPResponse {
        hub.answer(SyncExchange.request(request, accessToken: accessToken), at: Self.now + 60_000)
    }

    /// Lets another device of the person record meals and push them.
    func news(_ count: Int, _ dice: inout Dice) throws {
        let request = try Self.push(of: count, &dice)
        _ = try SyncExchange.answer(.success(answer(request)))
    }

    /// Keeps a copy of the hub's file.
    func backUp() throws { try hub.backUp(to: "\(path).backup") }

    /// Puts the copy back.
    func restore() throws {
        try hub.restore(from: "\(path).backup", epoch: 8)
        accessToken = try Self.logIn(hub)
    }

    /// What a device that was never seen before pushes.
    static func push(of count: Int, _ dice: inout Dice) throws -> SyncRequest {
        let device = Identifier.v7(milliseconds: now, random: &dice)
        var store = try Store.open(try Connection.open("", mode: .memory), newDevice: device)
        let reading = ClockReading(wall: now, monotonic: 0, boot: device)
        try store.record(drafts(count, &dice), at: reading)
        return try store.syncRequest(eventsMax: count, admitted: 0, now: reading)
    }

    /// So many meals, and some of them edited.
    static func drafts(_ count: Int, _ dice: inout Dice) -> [Draft] {
        (0..<count).flatMap { _ -> [Draft] in
            let day = Day(number: Person.today.number - dice.roll(0...3)) ?? Person.today
            let id = Identifier.v7(milliseconds: now, random: &dice)
            let meal = Meal(
                id: id, on: LocalDate(day: day), dishName: "Dish \(dice.roll(1...99))",
                type: dice.pick(["breakfast", "lunch", "dinner", "snack"]), isConsumed: true,
                nutrients: Nutrients(energy: dice.roll(50...1_199) * 1_000))
            var edited = meal
            edited[.protein] = dice.roll(1...90) * 1_000
            let actions: [Action?] = [
                .add(meal, today: Person.today),
                dice.percent(30) ? .edit(from: meal, to: edited, today: Person.today) : nil,
            ]
            return actions.compactMap(\.self).map { Draft($0.type, $0.changes) }
        }
    }
}
