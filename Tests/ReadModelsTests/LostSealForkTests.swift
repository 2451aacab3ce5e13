import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import Testing

/// Goal: a device whose last rows are missing follows a server that lost its end and continues
/// otherwise; what the device still holds is lost nowhere, and all devices agree.
/// Method: every choice of rows that are missing here and of rows that the server has lost, with the
/// file open as before and opened again, and with other damage further up.
///
/// Found by simulated worlds, seed 10000340: a running program that had lost its last row refused the
/// server's log for ever.
@Suite struct LostSealForkTests {
    struct Case: CustomStringConvertible {
        let missing: [Int64]
        let kept: Int
        let isReopened: Bool
        var description: String {
            "without \(missing), server keeps \(kept), reopened \(isReopened)"
        }

        /// The phone recorded 3, 6, 9 and 12, the laptop the others.
        static let all = [[12], [11, 12], [9, 12], [10, 11, 12], [3, 12], [11]].flatMap { missing in
            [8, 9, 10, 11].flatMap { kept in
                [false, true].map { Case(missing: missing, kept: kept, isReopened: $0) }
            }
        }
    }

    private func meal(_ index: UInt64) -> Identifier {
        Identifier(high: 0x0190_0000_0000_7000, low: index)
    }

    @Test(arguments: Case.all)
    func `a device whose last rows are missing follows a server that continues otherwise`(
        _ world: Case
    ) throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("b", isOnDisk: true), try Device("a"))
        for index in 1...UInt64(world.missing.last ?? 0) {
            let author = index % 3 == 0 ? phone : laptop
            try author.record(
                "meal.added", .meal, meal(index), [.set(["energy": .int(Int64(index) * 1_000)])])
            for device in [author, phone, laptop] { try device.sync(&server) }
        }
        // It overwrites what the laptop recorded last, before the server hears of that.
        try phone.record("meal.edited", .meal, meal(11), [.set(["energy": 7_000])])
        try phone.unlock()
        for n in world.missing { try phone.store.db.run("DELETE FROM seal WHERE n = ?", n) }
        if world.isReopened { try phone.reopen() }

        var other = server.restored(to: world.kept, epoch: 8)
        let tablet = try Device("c")
        for index in [21, 12, 11, 22, 12, 11] as [UInt64] {
            try tablet.record("meal.edited", .meal, meal(index), [.set(["energy": 5_000])])
            try tablet.sync(&other)
        }

        var names: UInt64 = 100
        func name() -> Identifier {
            names += 1
            return Identifier(high: 0xB, low: names)
        }
        for device in [phone, laptop, phone, laptop, tablet, phone, laptop, tablet] {
            try device.recoverAndSync(&other, next: name)
        }
        for device in [phone, laptop, tablet] {
            #expect(device.store.log.digest == other.prefixes.last)
            #expect(try device.store.stateHash() == tablet.store.stateHash())
            try device.store.rebuild()
            #expect(try device.store.stateHash() == tablet.store.stateHash())
        }
        for index in 1...UInt64(world.missing.last ?? 0) {
            let key = EntityKey(Kind.meal.name, meal(index))
            #expect(try phone.store.state(of: key)?.cells.isEmpty == false, "meal \(index)")
        }
    }
}
