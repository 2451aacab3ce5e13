import Testing

// README
import Macrolog

/// An evening of an app: record offline, show the day as it changes, sync when there is a network.
func logEvening(file: String, server: String, password: String) async throws -> DaySummary {
    let replica = try Replica.open(at: file)
    let now = try replica.read { try $0.localDate() }

    // No network, no account. What is recorded is durable when the call returns.
    let soup = Meal(
        id: replica.newID(), on: now, dishName: "Lentil soup", slot: "dinner",
        nutrients: Nutrients(energy: 420_000, protein: 24_000, carbs: 60_000, fat: 9_000))
    try replica.write { diary in
        try diary.add(soup)
        try diary.logWeight(grams: 80_200, on: now)
    }

    // A view observes: now, and after each change, whether recorded here or on another device.
    let view = Task {
        for try await day in replica.observe({ try $0.summary(of: now.day) }) {
            print(day.day, Display.energy(day.totals[.energy] ?? 0, in: .kilocalories))
        }
    }
    defer { view.cancel() }

    // An account, once on each device; then sync when it suits, or `sync(every: .seconds(60))`.
    let account = Account(of: replica, session: SessionFile(path: file + ".session"))
    try await account.register(email: "ana@example.org", password: password, at: server)
    try await account.logIn(
        email: "ana@example.org", password: password, at: server, deviceName: "phone")
    let done = try await account.sync()
    print("\(done.cursor) of \(done.head) events are here, \(done.unsealed) wait to be sent")
    let (day, open) = try replica.read { (try $0.summary(of: now.day), try $0.conflicts()) }
    for conflict in open { print("two devices wrote", conflict.cell) }
    return day
}
// README

/// Goal: what the README tells an app's author to write compiles, runs, and does what it says.
@Suite struct ExampleTests {
    @Test func `the example of the README records, syncs and sums up the day`() async throws {
        let server = try RealServer()
        let day = try await logEvening(
            file: "\(server.folder)/ana.db", server: server.address,
            password: RealServer.password)
        #expect(day.consumedMeals == 1 && day.totals[.energy] == 420_000)
    }
}
