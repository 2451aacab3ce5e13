import Foundation
import MacrologSystem
import Testing

/// Goal: the days of a person on the server are those of the person's zone, whatever the zone of the server.
/// Method: offsets of zones with every kind of rule, through two centuries, are compared with those of
/// Foundation; names that are no zones are refused.
@Suite struct ZoneRulesTests {
    @Test(arguments: [
        "UTC", "Europe/Zurich", "Europe/Dublin", "America/New_York", "America/Sao_Paulo",
        "Asia/Kathmandu", "Asia/Tokyo", "Africa/Casablanca", "Australia/Lord_Howe",
        "Pacific/Apia", "Pacific/Kiritimati", "America/Nuuk", "Asia/Jerusalem",
    ])
    func `the offsets of a zone are those of another implementation`(name: String) throws {
        let rules = try #require(ZoneRules(named: name))
        let zone = try #require(TimeZone(identifier: name))
        // Every 37 hours from 1990 to 2036, and each year's middle and end until 2099.
        var instants = stride(from: Int64(631_152_000), to: 2_080_000_000, by: 37 * 3_600).map {
            $0
        }
        instants += stride(from: Int64(2_080_000_000), to: 4_070_000_000, by: 15_778_800).map { $0 }
        for seconds in instants {
            let date = Date(timeIntervalSince1970: Double(seconds))
            let expected = Int64(zone.secondsFromGMT(for: date)) / 60
            #expect(rules.offsetMinutes(at: seconds * 1_000) == expected, "\(name) at \(seconds)")
        }
    }

    @Test(arguments: [
        "", "/etc/passwd", "../../etc/passwd", "Europe/../UTC", "Nowhere/Else", "a\0b",
    ])
    func `what is no name of a zone is refused`(name: String) {
        #expect(ZoneRules(named: name) == nil)
    }
}
