import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import Testing

/// Goal: no reader of the log uses an unsealed event that is not what was recorded.
/// Method: one bit of its row is flipped by hand, so that it still can be decoded; each reader is asked.
@Suite struct AlteredEventTests {
    private let meal = Identifier(high: 0x0190_0000_0000_7000, low: 1)

    /// A device that has recorded one event, which no one else has.
    private func recorded() throws -> (phone: Device, event: Event) {
        let phone = try Device("b")
        try phone.record(
            "meal.added", .meal, meal, [.set(["dish_name": "Oats", "energy": 300_000])])
        let event = try #require(try phone.store.latest(1).first?.event)
        try phone.unlock()
        return (phone, event)
    }

    private func flipBit(of phone: Device) throws {
        let body = try #require(try phone.store.db.first("SELECT body FROM event") { $0.bytes(0) })
        let name = try #require(body.firstRange(of: Array("Oats".utf8)))
        var altered = body
        altered[name.lowerBound] ^= 1
        _ = try StoredEvent.decoded(altered)
        try phone.store.db.run("UPDATE event SET body = ?", altered)
    }

    @Test
    func `the last events, an entity's history and one event leave it out, and it is reported`()
        throws
    {
        let (phone, event) = try recorded()
        let entity = EntityKey(Kind.meal.name, meal)
        let log = phone.store.log
        #expect(try log.history(of: entity, in: &phone.store.db).count == 1)
        #expect(try log.entry(event.dot, in: &phone.store.db)?.event == event)
        try flipBit(of: phone)
        #expect(try log.latest(10, in: &phone.store.db).isEmpty)
        #expect(try log.history(of: entity, in: &phone.store.db).isEmpty)
        #expect(try log.entry(event.dot, in: &phone.store.db) == nil)
        #expect(try log.verifyUnsealed(in: &phone.store.db).unreadableCount == 1)
    }

    @Test(arguments: [false, true])
    func `it is a duplicate of a sealed event only if it is what was recorded`(
        isAltered: Bool
    ) throws {
        var server = SyncServer()
        let (phone, event) = try recorded()
        if isAltered { try phone.store.db.run("UPDATE event SET hash = hash + 1") }
        let copied = event.reissued(as: Dot(device: Identifier(high: 0xC, low: 1), seq: 1))
        server.admit(copied, Seal(n: 1, t: server.now << 16))
        // Only a page: what would be pushed is verified on its own.
        let request = try phone.store.syncRequest(
            eventsMax: 10, pushMax: 0, admitted: 0, now: phone.reading)
        try phone.store.apply(try server.exchange(request))
        #expect(phone.store.log.isDuplicate(event.dot) == !isAltered)
        let found = try phone.store.log.verifyUnsealed(in: &phone.store.db)
        #expect(found.unreadableCount == (isAltered ? 1 : 0))
    }
}
