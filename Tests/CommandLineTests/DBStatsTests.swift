import Foundation
import Macrolog
import MacrologJSON
import MacrologNutrition
import Testing

/// Goal: `db stats` counts what is in the file.
/// Method: a log of two devices that disagree once, with one event that the server does not have.
@Suite struct DBStatsTests {
    @Test func `every figure is that of the log`() throws {
        let compacting = CompactTests()
        var (devices, meal) = try compacting.begin()
        let (phone, laptop) = (devices.phone, devices.laptop)
        var other = meal
        meal.note = "as the phone says"
        other.note = "as the laptop says"
        try phone.save(meal)
        try laptop.save(other)
        try devices.sync(phone, laptop)
        try devices.sync(phone, laptop)
        try phone.logWeight(grams: 70_000, on: LocalDate(day: compacting.day))

        let json = try JSON.parse(
            Array(try compacting.ask(phone, "db", "stats", "--json").output.utf8))
        let expected: [(String, Int64)] = [
            ("device_count", 2), ("event_count", 7), ("events_compacted", 0), ("unsealed", 1),
            ("cursor", 6), ("conflict_count", 1), ("unused_field_count", 0),
        ]
        for (key, number) in expected { #expect(json[key]?.integer == number, "\(key)") }
        let path = try #require(json["file"]?.string)
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64
        #expect(json["size_bytes"]?.integer ?? 0 >= size ?? .max)
        let entities = (json["entities"]?.array ?? []).map {
            "\($0["kind"]?.string ?? "") \($0["entity_count"]?.integer ?? 0)"
        }
        #expect(entities == ["meal 1", "weigh_in 1"])

        let text = try compacting.ask(phone, "db", "stats").output
        for (name, number) in [
            ("Devices", "2"), ("Events", "7"), ("Not sent yet", "1"), ("Conflicts", "1"),
            ("Server's log", "up to number 6"),
        ] {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            #expect(line?.hasSuffix(" \(number)") == true, "\(text)")
        }
    }
}
