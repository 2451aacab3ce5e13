import MacrologPlatform
import MacrologSystem
import Testing

/// Goal: a program that runs through a journey uses the zone in which it is, not that in which it
/// began. Method: a process of its own, whose zone is changed twice.
@Suite struct SystemZoneTests {
    @Test func `a new zone counts at once, with its name`() async {
        await #expect(processExitsWith: .success) {
            let noon: Int64 = 1_767_268_800_000
            for (zone, offset) in [("Europe/Berlin", 60), ("America/New_York", -300), ("UTC", 0)] {
                setenv("TZ", zone, 1)
                precondition(SystemZone.offsetMinutes(at: noon) == Int64(offset), zone)
                precondition(SystemZone.name == zone, zone)
            }
        }
    }
}
