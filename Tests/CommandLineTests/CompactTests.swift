import MacrologEvents
import Foundation
import MacrologJSON
import Macrolog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import Testing

/// Goal: a person learns what compacting frees and what it costs, is asked, and sees afterwards where
/// the log has been compacted.
/// Method: a replica whose events the server has sealed; the real program.
@Suite struct CompactTests {
    let day = Day(year: 2024, month: 3, day: 10) ?? .earliest

    /// A meal that was edited, as two devices have it.
    func begin() throws -> (devices: TwoDevices, meal: Meal) {
        let devices = try TwoDevices()
        let phone = devices.phone
        var meal = Meal(
            id: phone.newID(), on: LocalDate(day: day), dishName: "Soup", slot: "lunch",
            nutrients: Nutrients(energy: 400_000))
        // The server's clock is what counts, and this one is earlier than the machine's.
        devices.age(days: -400)
        try phone.add(meal)
        for energy in [410_000, 420_000, 430_000] as [Int64] {
            meal[.energy] = energy
            meal.note = "a note of the \(energy)th kind, which is not a short one"
            try devices.sync(phone, devices.laptop)
            try phone.save(meal)
        }
        try devices.sync(phone, devices.laptop)
        return (devices, meal)
    }

    func ask(_ device: Replica, _ words: String...) throws -> Computer.Result {
        try ask(device, words)
    }

    func ask(_ device: Replica, _ words: [String]) throws -> Computer.Result {
        device.releaseFile()
        let computer = try Computer(zone: "Etc/GMT")
        computer.environment["MACROLOG_DB"] = device.path
        return try computer.run(words)
    }

    @Test func `nothing is given up unasked, and what can't be is said`() throws {
        let (devices, _) = try begin()
        let phone = devices.phone
        #expect(try ask(phone, "db", "compact").status == 64)
        #expect(try ask(phone, "db", "compact", "--older-than=3w").status == 64)
        #expect(try ask(phone, "db", "compact", "--older-than=29d").status == 64)
        // All of it is younger than thirty days.
        let young = try ask(phone, "db", "compact", "--older-than=30d")
        #expect(young.status == 0 && young.output.contains("Nothing older than 30 days"))
        #expect(try ask(phone, "db", "compact", "--never", "--older-than=2y").status == 64)
        #expect(try ask(phone, "db", "compact", "--older-than=2y", "--always").status == 0)
        #expect(try phone.preferences().historyDays == 730)
        #expect(try ask(phone, "db", "compact").status == 0)
        #expect(try ask(phone, "db", "compact", "--never").status == 0)
        #expect(try phone.preferences().historyDays == nil)
    }

    @Test func `a dry run says what it would free, and only yes does it`() throws {
        let (devices, meal) = try begin()
        let phone = devices.phone
        // An event of forty days later makes the others old.
        devices.age(days: 40)
        try phone.logWeight(grams: 70_000, on: LocalDate(day: day))
        try devices.sync(phone, devices.laptop)
        let dry = try ask(phone, "db", "compact", "--older-than=30d", "--dry-run")
        #expect(dry.output.hasPrefix("2 events older than 30 days can be"), "\(dry.output)")
        #expect(dry.output.contains("Their history is lost; all current data is kept."))
        let unasked = try ask(phone, "db", "compact", "--older-than=30d")
        #expect(unasked.status == 64 && unasked.errors.contains("cannot be undone"))
        #expect(try phone.read { try $0.statistics() }.compactedEvents == 0)
        let done = try ask(phone, "db", "compact", "--older-than=30d", "--yes")
        #expect(done.output.hasPrefix("Compacted 2 events, "), "\(done.output)")
        #expect(try phone.read { try $0.statistics() }.compactedEvents == 2)

        let short = meal.id.lastDigits(4)
        let history = try ask(phone, "meal", "history", short).output
        #expect(history.components(separatedBy: "  compacted\n").count == 3, "\(history)")
        #expect(history.hasPrefix("History before "))
        let log = try JSON.parse(Array(try ask(phone, "log", "--json").output.utf8))
        #expect(log.array?.map { $0["compacted"] } == [false, false, true, true, false])
        #expect(try ask(phone, "log").output.contains("compacted"))
        #expect(try ask(phone, "db", "stats").output.contains("Compacted     2"))
        #expect(try ask(phone, "db", "check").status == 0)
        #expect(try ask(phone, "db", "rebuild").output.contains("the result is identical"))
        #expect(try ask(phone, "day", "show", "2024-03-10").output.contains("430"))
    }

    @Test func `what needs compacted history says before which day it was compacted`() throws {
        let (devices, _) = try begin()
        let phone = devices.phone
        devices.age(days: 40)
        try phone.logWeight(grams: 70_000, on: LocalDate(day: day))
        try devices.sync(phone, devices.laptop)
        _ = try ask(phone, "db", "compact", "--older-than=30d", "--yes")
        let moment = try #require(try phone.compactedBefore())
        let date = try #require(LocalDate(instant: moment, zone: nil, offsetMinutes: 0))
        let sentence = "macrolog: history before \(date.day) was compacted\n"
        for words in [["day", "show", "2024-03-10", "--as-of=a2"], ["undo", "--of=a3"]] {
            let result = try ask(phone, words)
            #expect(result.status == 65 && result.errors == sentence, "\(result.errors)")
            let json = try JSON.parse(Array(try ask(phone, words + ["--json"]).errors.utf8))
            #expect(json["error"]?["code"]?.string == "compacted")
        }
    }
}
