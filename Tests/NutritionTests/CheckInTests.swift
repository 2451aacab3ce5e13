import MacrologEvents
import MacrologNutrition
import Testing

/// Goal: a check-in keeps what was said of a day, and nothing else.
/// Method: fields written and read back, and the types of its events.
@Suite struct CheckInTests {
    static let day = Day("2026-11-20") ?? .earliest

    static var whole: CheckIn {
        var checkIn = CheckIn(on: day)
        checkIn.sleepMinutes = 450
        checkIn.variabilityMicroseconds = 62_500
        checkIn.restingBeats = 54
        checkIn.soreness = 2
        checkIn.energyLevel = 4
        checkIn.stress = 1
        checkIn.note = "Slept at the sea."
        return checkIn
    }

    @Test func `a day has one check-in, whose fields are read back`() {
        let whole = Self.whole
        #expect(whole.id == Identities.checkIn(on: Self.day) && whole.day == Self.day)
        #expect(
            whole.id == .v5(namespace: Identities.namespace, name: "check_in/2026-11-20"))
        #expect(whole.findings(today: Self.day) == [])
        #expect(CheckIn(id: whole.id, fields: whole.fields) == whole)
        #expect(CheckIn.kind.fields.filter { whole.fields[$0.name] == nil }.isEmpty)
        #expect(whole.fields.entries.filter { CheckIn.kind.field($0.name) == nil }.isEmpty)
        #expect(CheckIn(id: whole.id, fields: ["sleep_min": 450]) == nil)
    }

    @Test func `its events are named as those of other kinds`() {
        #expect(
            CheckIn.kind.types == [
                "check_in.logged", "check_in.edited", "check_in.deleted", "check_in.restored",
            ])
    }
}
