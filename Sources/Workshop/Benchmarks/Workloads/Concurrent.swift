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
        let result = try Rounds.run(
            5, ours: { _ in try meet(Array(meals.prefix(count)), folder) },
            limit: { _ in
                defer { folder.removeDatabase("c-bare") }
                let bare = BareSQLite(folder.file("c-bare"))
                return seconds {
                    for start in stride(from: 0, to: 2 * count, by: 500) {
                        bare.insert(meals, bodies, start..<start + 500)
                    }
                }
            })
        let rate = Double(2 * count) / result.ours
        report.add(
            "C concurrent", Figures.rate(2 * count, in: result.ours),
            limit: "\(Figures.rate(2 * count, in: result.limit)) bare event + read model",
            ratio: result.ratio, budget: "≥ 150,000/s", isMet: rate >= 150_000)
        report.count(
            "C", "\(count) meals, \(2 * count) changes, \(count / 2) conflicts on both, one state")
    }

    /// The seconds that both devices need to exchange their changes, without the server's time.
    private static func meet(_ meals: [SampleMeal], _ folder: Folder) throws -> Double {
        defer { for name in ["c-a", "c-b"] { folder.removeDatabase(name) } }
        let server = MemoryServer()
        let (a, b) = (
            try Device(folder.file("c-a"), device: 1), try Device(folder.file("c-b"), device: 2)
        )
        for start in stride(from: 0, to: meals.count, by: 1_000) {
            try a.record(meals[start..<start + 1_000].map(\.draft))
        }
        _ = try sync(a, server) + sync(b, server)
        for start in stride(from: 0, to: meals.count, by: 1_000) {
            try a.record(
                (start..<start + 1_000).map { edit(meals[$0], "energy", Int64($0) * 10) })
            try b.record(
                (start..<start + 1_000).map {
                    edit(meals[$0], $0 % 2 == 0 ? "energy" : "protein", Int64($0) * 10 + 1)
                })
        }
        var time = try sync(a, server) + sync(b, server) + sync(a, server)
        for device in [a, b] {
            time += try seconds {
                let conflicts = try device.store.conflicts().count
                guard conflicts == meals.count / 2 else {
                    throw Wrong(description: "\(conflicts) conflicts, not \(meals.count / 2)")
                }
            }
        }
        guard try a.store.stateHash() == b.store.stateHash() else {
            throw Wrong(description: "the two replicas of workload C differ")
        }
        return time
    }

    private static func edit(_ meal: SampleMeal, _ field: UTF8Text, _ value: Int64) -> Draft {
        Draft("meal.edited", [Change(EntityKey("meal", meal.id), [.set([field: .int(value)])])])
    }

    /// Exchanges pages until both sides have everything; the seconds are the device's.
    private static func sync(_ device: Device, _ server: MemoryServer) throws -> Double {
        var time = 0.0
        repeat {
            var request: SyncRequest?
            time += try seconds {
                request = try device.request()
                _ = request?.encoded()
            }
            guard let request else { continue }
            try server.admit(request)
            let answer = server.page(
                after: Int(request.cursor.rawValue), for: request.device,
                eventsMax: Limits.pageEventsMax
            ).encoded()
            time += try seconds { try device.store.apply(try SyncAnswer.decoded(answer)) }
        } while device.store.log.unsealedCount > 0 || device.store.log.cursor < server.head
        return time
    }
}

/// A result that must not be.
struct Wrong: Error, CustomStringConvertible {
    let description: String
}
