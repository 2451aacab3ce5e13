import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologReadModels
import MacrologSQLite
import Testing

/// Goal: a hub that holds skeletons repairs a device that holds the events whole.
/// Method: one damaged row, and a small hub in which that row was compacted.
@Suite struct SkeletonRepairTests {
    private let meal = Identifier(high: 0x0190_0000_0000_7000, low: 1)

    private func repair(_ device: Device, _ hub: Hub) throws -> Mended {
        var (repairing, hub) = (try device.store.repairing(), hub)
        while true {
            switch repairing.step {
            case .ask(let request): try repairing.learn(hub.digests(request))
            case .fetch(let request): try repairing.learn(try hub.exchange(request))
            case .mend:
                return try device.store.mend(repairing, as: Identifier(high: 0xA, low: 0x1000))
            }
        }
    }

    @Test func `a damaged row of which the hub has a skeleton becomes that`() throws {
        var hub = Hub()
        let (laptop, phone) = (try Device("b"), try Device("a"))
        for energy in [1, 2, 3] as [Int64] {
            try laptop.record("meal.edited", .meal, meal, [.set(["energy": .int(energy)])])
            try laptop.sync(&hub)
        }
        try phone.sync(&hub)
        let sound = try phone.store.stateHash(touches: false)
        // The hub was healed by one who has given up what was written over.
        let first = hub.rows[0].body
        hub.rows[0].body = try first.withUnsafeBufferPointer {
            try Skeleton(of: UnsafeRawBufferPointer($0), through: 2)
        }.encoded()
        try phone.unlock()
        try phone.store.db.run("DELETE FROM event WHERE dot = (SELECT dot FROM seal WHERE n = 1)")
        let mended = try repair(phone, hub)
        #expect(mended.rows == 1 && mended.fork == nil)
        #expect(try phone.store.stateHash(touches: false) == sound)
        try phone.sync(&hub)
    }
}
