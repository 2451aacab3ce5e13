import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import Testing

/// Goal: a server that holds skeletons repairs a device that holds the events whole.
/// Method: one damaged row, and a small server in which that row was compacted.
@Suite struct SkeletonRepairTests {
    private let meal = Identifier(high: 0x0190_0000_0000_7000, low: 1)

    @Test func `a damaged row of which the server has a skeleton becomes that`() throws {
        var server = SyncServer()
        let (laptop, phone) = (try Device("b"), try Device("a"))
        for energy in [1, 2, 3] as [Int64] {
            try laptop.record("meal.edited", .meal, meal, [.set(["energy": .int(energy)])])
            try laptop.sync(&server)
        }
        try phone.sync(&server)
        let sound = try phone.store.stateHash(touches: false)
        // The server was recovered by one who has given up what was written over.
        let first = server.rows[0].body
        server.rows[0].body = try first.withUnsafeBufferPointer {
            try Skeleton(of: UnsafeRawBufferPointer($0), through: 2)
        }.encoded()
        try phone.unlock()
        try phone.store.db.run("DELETE FROM event WHERE dot = (SELECT dot FROM seal WHERE n = 1)")
        let repaired = try phone.repair(from: server, as: Identifier(high: 0xA, low: 0x1000))
        #expect(repaired.rows == 1 && repaired.fork == nil)
        #expect(try phone.store.stateHash(touches: false) == sound)
        try phone.sync(&server)
    }
}
