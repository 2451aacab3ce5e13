import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import Testing

extension RepairTests {
    @Test func `an own event that lost its seal and a bit comes back from the server, and counts`()
        throws
    {
        for sql in [
            "UPDATE event SET body = x'00' WHERE dot = (SELECT dot FROM seal WHERE n = ?)",
            "UPDATE event SET hash = hash + 1 WHERE dot = (SELECT dot FROM seal WHERE n = ?)",
            """
            UPDATE event SET body = CAST(substr(body, 1, length(body) - 1) || x'7E' AS BLOB)
            WHERE dot = (SELECT dot FROM seal WHERE n = ?)
            """,
        ] as [StaticString] {
            for isRotating in [false, true] {
                var server = SyncServer()
                let (sound, phone) = try world(&server)
                try phone.record("meal.added", .meal, meal(3_000), fields(1))
                try phone.sync(&server)
                try sound.record("meal.added", .meal, meal(3_001), fields(1))
                try sound.sync(&server)
                try phone.sync(&server)
                try phone.unlock()
                let n = phone.store.log.cursor - 1
                try phone.store.db.run(sql, n)
                try phone.store.db.run("DELETE FROM seal WHERE n = ?", n)
                try phone.reopen()
                #expect(phone.store.log.unsealedCount == 1)
                if isRotating { try phone.store.beginRotation(to: next) }
                if isRotating { try phone.record("meal.added", .meal, meal(3_002), fields(1)) }
                #expect(try !look(phone).isSound)
                try repair(phone, server)
                #expect(try look(phone).isSound)
                try phone.sync(&server)
                try sound.sync(&server)
                #expect(try phone.store.meal(meal(3_000)) != nil)
                #expect(try sound.store.stateHash() == phone.store.stateHash())
                try phone.store.rebuild()
                #expect(try sound.store.stateHash() == phone.store.stateHash())
            }
        }
    }
}
