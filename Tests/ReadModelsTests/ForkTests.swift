import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologRecovery
import Testing

/// Goal: after a fork everybody counts the same of what was said under several names.
/// Method: two devices and two small servers, of which the second has lost the first one's log.
@Suite struct ForkTests {
    private func meal(_ index: UInt64) -> Identifier {
        Identifier(high: 0x0190_0000_0000_7000, low: index)
    }

    /// Found by the model simulation, seed 143667.
    @Test(arguments: [false, true])
    func `what a copy had said first, before the server lost it, counts once on every device`(
        isBack: Bool
    ) throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a"), try Device("b"))
        let fields: [CellOperation] = [.set(["dish_name": "Oats", "energy": 300_000])]
        try phone.record("meal.added", .meal, meal(1), fields)
        let first = try #require(try phone.store.latest(1).first?.event)
        // A copy of the phone reissues it, and the server seals that before the phone's own.
        let copied = first.reissued(as: Dot(device: Identifier(high: 0xC, low: 1), seq: 1))
        server.admit(copied, Seal(n: 1, t: server.now << 16))
        try phone.sync(&server)
        #expect(phone.store.log.isDuplicate(first.dot))

        // The server loses all of it; then a request that was long on its way brings the phone's own.
        var other = SyncServer()
        other.epoch = 8
        other.admit(isBack ? first : copied, Seal(n: 1, t: (server.now + 7) << 16))
        try laptop.sync(&other)
        #expect(try phone.recover(from: &other, as: Identifier(high: 0xA, low: 78)).fork == 0)
        #expect(try phone.store.meals(on: Day.earliest...Day.latest).count <= 1)
        for device in [phone, laptop, phone, laptop] { try device.sync(&other) }
        #expect(phone.store.log.digest == laptop.store.log.digest)
        #expect(try phone.store.stateHash() == laptop.store.stateHash())
        try phone.store.rebuild()
        #expect(try phone.store.stateHash() == laptop.store.stateHash())
    }
}
