import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite

/// C: two replicas share meals, change them apart, half of the changes to the same fields, and meet.
enum Concurrent {
    static func run(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        let count = options.isQuick ? 2_000 : 10_000
        let meals = (0..<2 * count).map { SampleMeal($0) }
        let bodies = Recording.encoded(meals)
        defer { for name in ["c-a", "c-b"] { folder.removeDatabase(name) } }
        let server = try prepare(Array(meals.prefix(count)), folder)
        let result = try Rounds.run(
            5,
            ours: { try meet(count, server, folder, "ours", isKept: $0 == 0) { try Device($0) } },
            limit: { _ in
                defer { folder.removeDatabase("c-bare") }
                let bare = BareSQLite(folder.file("c-bare"))
                return seconds {
                    for start in stride(from: 0, to: 2 * count, by: 500) {
                        bare.insert(meals, bodies, start..<start + 500)
                    }
                }
            },
            peer: { try meet(count, server, folder, "peer", isKept: $0 == 0) { try Peer($0) } })
        for name in ["c-a", "c-b"] {
            try Device.compare(
                "C", ours: folder.file("\(name)-ours"), peer: folder.file("\(name)-peer"))
            for side in ["ours", "peer"] { folder.removeDatabase("\(name)-\(side)") }
        }
        report.add(
            "C concurrent", Figures.rate(2 * count, in: result.ours),
            limit: "\(Figures.rate(2 * count, in: result.limit)) bare event + read model",
            ratio: result.ratio, noise: result.noise)
        report.add(peerOf: "C concurrent", 2 * count, result, atLeast: 0.6, moonshot: 1)
        report.count(
            "C", "\(count) meals, \(2 * count) changes, \(count / 2) conflicts on both, one state")
    }

    /// Two files that share the meals, each with changes that the server does not know.
    static func prepare(_ meals: [SampleMeal], _ folder: Folder) throws -> MemoryServer {
        let server = MemoryServer()
        let (a, b) = (
            try Device(folder.file("c-a"), device: 1), try Device(folder.file("c-b"), device: 2)
        )
        _ = try Recording.record(meals[...], each: 1_000, into: a)
        _ = try sync(a, a.store.log.device, server) + sync(b, b.store.log.device, server)
        for start in stride(from: 0, to: meals.count, by: 1_000) {
            let some = start..<min(start + 1_000, meals.count)
            try a.record(some.map { edit(meals[$0], "energy", Int64($0) * 10) })
            try b.record(
                some.map {
                    edit(meals[$0], $0 % 2 == 0 ? "energy" : "protein", Int64($0) * 10 + 1)
                })
        }
        return server
    }

    /// The seconds that two replicas of copies of the files need to exchange their changes, without the
    /// server's time.
    static func meet(
        _ count: Int, _ prepared: MemoryServer, _ folder: Folder, _ side: String, isKept: Bool,
        open: (String) throws -> some Contender
    ) throws -> Double {
        let names = ["c-a", "c-b"].map { "\($0)-\(side)-now" }
        defer { names.forEach(folder.removeDatabase) }
        for (name, copy) in zip(["c-a", "c-b"], names) {
            try folder.copyDatabase(name, to: copy)
        }
        let time = try exchange(
            count, MemoryServer(copying: prepared), try open(folder.file(names[0])),
            try open(folder.file(names[1])))
        guard isKept else { return time }
        let hashes = try names.map { try Device(folder.file($0)).store.stateHash() }
        guard hashes[0] == hashes[1] else {
            throw Wrong(description: "the two replicas of workload C differ")
        }
        for (name, copy) in zip(["c-a", "c-b"], names) {
            try folder.copyDatabase(copy, to: "\(name)-\(side)")
        }
        return time
    }

    private static func exchange(
        _ count: Int, _ server: MemoryServer, _ a: some Contender, _ b: some Contender
    ) throws -> Double {
        let (one, two) = (Device.id(1), Device.id(2))
        var time = try sync(a, one, server) + sync(b, two, server) + sync(a, one, server)
        for conflictCount in [a.conflictCount, b.conflictCount] {
            time += try seconds {
                let conflicts = try conflictCount()
                guard conflicts == count / 2 else {
                    throw Wrong(description: "\(conflicts) conflicts, not \(count / 2)")
                }
            }
        }
        return time
    }

    private static func edit(_ meal: SampleMeal, _ field: UTF8Text, _ value: Int64) -> Draft {
        Draft("meal.edited", [Change(EntityKey("meal", meal.id), [.set([field: .int(value)])])])
    }

    /// Exchanges pages until both sides have everything; the seconds are the device's.
    private static func sync(
        _ replica: some Contender, _ device: Identifier, _ server: MemoryServer
    ) throws -> Double {
        var time = 0.0
        repeat {
            var request: [UInt8] = []
            time += try seconds { request = try replica.requestBytes() }
            let decoded = try SyncRequest.decoded(request)
            try server.admit(decoded)
            let answer = server.page(
                after: Int(decoded.cursor.rawValue), for: device, eventsMax: Limits.pageEventsMax
            ).encoded()
            time += try seconds { try replica.take(answer) }
        } while replica.unsealedCount > 0 || replica.cursor < server.head
        return time
    }
}

/// A result that must not be.
struct Wrong: Error, CustomStringConvertible {
    let description: String
}
