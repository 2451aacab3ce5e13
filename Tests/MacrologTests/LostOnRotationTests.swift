import Macrolog
import MacrologEngine
import MacrologEvents
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import Testing

/// Goal: what a device could not reissue when it took another ID is reported by the next exchange,
/// and not only by the next verification of the file, which may be an hour away.
/// Method: a device that syncs all the time with a real server has just verified its file; then an
/// event that waits is altered, and the device takes another ID, both before anything is sent.
@Suite(.timeLimit(.minutes(10))) struct LostOnRotationTests {
    private func draft(_ id: Identifier) -> Draft {
        Draft("meal.edited", [Change(EntityKey("meal", id), [.set(["dish_name": "Oats"])])])
    }

    @Test func `what a device left when it took another ID is reported by the next exchange`()
        async throws
    {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        var reports = phone.sync(every: .seconds(3_600)).makeAsyncIterator()
        #expect(await reports.next()?.lastRepair == nil)
        let (replica, reading) = (phone.replica, phone.replica.clock.read())
        let (first, second, next) = (replica.newID(), replica.newID(), replica.newID())
        try replica.withStore { store in
            let altered = try store.record([draft(first), draft(second)], at: reading)[0]
            try store.beginRotation(to: next)
            try store.db.run("DROP TRIGGER event_refuses_update")
            try store.db.run(
                "UPDATE event SET hash = hash + 1, body = body WHERE dot & 0xFFFFFFFFFF = ?",
                altered.dot.seq)
        }
        try replica.add(
            Meal(
                id: replica.newID(), on: try replica.localDate(), dishName: "Soup", slot: "lunch",
                nutrients: Nutrients(energy: 400_000)))
        while let report = await reports.next(), report.cursor < 2 || report.unsealed > 0 {}
        #expect(try replica.syncStatus().lastRepair?.lost == 1)
    }

    /// The events that the server has are not reissued, so the number of the last event may be the same after
    /// the device has taken another ID.
    @Test func `preferences are read again after a block has taken another device ID`() async throws
    {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let replica = phone.replica
        let (sent, waiting, next) = (
            draft(replica.newID()), draft(replica.newID()), replica.newID()
        )
        _ = try replica.withStore { try $0.record([sent], at: replica.clock.read()) }
        try await phone.sync()
        var preferences = Preferences(id: Identities.preferences, fields: [:])
        preferences.dayStartMinutes = 240
        let today = try replica.localDate().day
        let before = try replica.withStore { store in
            try store.record([waiting], at: replica.clock.read())
            try store.beginRotation(to: next)
            return store.log
        }
        let drafts =
            (1..<before.sealedSeq).map { _ in draft(replica.newID()) }
            + [Draft.add(preferences, today: today)]
        try replica.write { diary in
            #expect(try diary.preferences().dayStartMinutes == nil)
            try diary.record(drafts)
            let after = try diary.withStore { $0.log }
            #expect(after.device == next && after.lastSeq == before.lastSeq)
            #expect(try diary.preferences().dayStartMinutes == 240)
        }
    }
}
