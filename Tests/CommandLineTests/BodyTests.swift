import MacrologEvents
import Foundation
import Macrolog
import MacrologJSON
import MacrologNutrition
import Testing

import macrolog_cli

/// Goal: what is recorded of a body on several devices is one record, with a past that can be looked at,
/// undone and resolved as any other.
/// Method: two replicas record apart and sync; the real program is asked on both files.
@Suite struct BodyTests {
    let day = Day(year: 2024, month: 3, day: 10) ?? .earliest

    private func ask(_ device: Replica, _ words: String...) throws -> Computer.Result {
        device.releaseFile()
        let computer = try Computer(zone: "Europe/Zurich")
        computer.environment["MACROLOG_DB"] = device.path
        return try computer.run(words)
    }

    @Test func `water has a history, is undone, and a conflict about it is resolved`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let glass = Water(id: phone.newID(), on: LocalDate(day: day), microliters: 250_000)
        try phone.add(glass)
        try devices.sync(phone, laptop)
        for (device, volume) in [(phone, 300_000), (laptop, 200_000)] as [(Replica, Int64)] {
            var edited = try device.require(Water.self, glass.id)
            edited.microliters = volume
            try device.save(edited)
        }
        // Another field is no conflict.
        var contained = try phone.require(Water.self, glass.id)
        contained.container = "glass"
        try phone.save(contained)
        try devices.sync(phone, laptop)
        #expect(try phone.require(Water.self, glass.id) == laptop.require(Water.self, glass.id))
        #expect(try laptop.require(Water.self, glass.id).container == "glass")

        let listed = try ask(phone, "conflicts", "list")
        #expect(listed.output.hasPrefix("water \(glass.id.lastDigits(4))"), "\(listed.output)")
        #expect(listed.output.contains("200 ml") && listed.output.contains("300 ml"))
        let history = try phone.read { try $0.history(of: Water.self, glass.id) }
        #expect(
            history.map(\.event.type.string) == [
                "water.logged", "water.edited", "water.edited", "water.edited",
            ])
        let lost = try #require(try phone.conflicts().first)
        #expect(lost.entity.id == glass.id)
        let resolved = try ask(phone, "conflicts", "use-other", glass.id.lastDigits(4), "volume")
        #expect(resolved.status == 0, "\(resolved.errors)")
        try devices.sync(phone, laptop)
        #expect(try laptop.require(Water.self, glass.id).microliters == 300_000)
        #expect(try laptop.conflicts().isEmpty)

        #expect(try ask(laptop, "water", "delete", glass.id.lastDigits(4)).status == 0)
        try devices.sync(phone, laptop)
        #expect(try phone.entities(Water.self, on: day...day).isEmpty)
        #expect(try ask(laptop, "undo").status == 0)
        try devices.sync(phone, laptop)
        #expect(try phone.entities(Water.self, on: day...day).count == 1)
        #expect(try ask(laptop, "redo").status == 0)
        #expect(try laptop.entities(Water.self, on: day...day).isEmpty)
        #expect(try ask(laptop, "water", "restore", glass.id.lastDigits(4)).status == 0)
        #expect(try laptop.read { try $0.hydration(on: day) }.drunkMicroliters == 300_000)
    }

    @Test func `two fasts that began apart are both kept, said to share time, and one is on`()
        throws
    {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let evening = (day.number * 1_440 + 1_140) * 60_000
        try phone.write { try $0.startFast(at: evening, targetMinutes: 960) }
        try laptop.write { try $0.startFast(at: evening + 600_000, targetMinutes: 840) }
        try devices.sync(phone, laptop)
        let list = try ask(phone, "fast", "list", "--at", "2024-03-10T21:00").output
        #expect(list.components(separatedBy: "overlaps another fast").count == 3, "\(list)")
        let status = try ask(laptop, "fast", "status", "--at", "2024-03-10T21:10").output
        #expect(status.hasPrefix("Fasting since 2024-03-10 20:10: 1 h of 14 h"), "\(status)")
        #expect(status.contains("overlaps another fast"))
        let screen = try ask(phone, "day", "show", "2024-03-10", "--at", "2024-03-10T21:10").output
        #expect(screen.components(separatedBy: "overlaps").count == 3, "\(screen)")
        let ended = try ask(phone, "fast", "end", "--at", "2024-03-11T10:00")
        let id = try #require(try phone.read { try $0.fasting() }.active(at: .max)?.id)
        #expect(
            ended.errors.contains(
                "another fast is still in progress, since 2024-03-10 20:00; end it too: macrolog fast end; "
                    + "or delete it: macrolog fast delete \(id.lastDigits(4))"), "\(ended)")
        #expect(try ask(phone, "fast", "end", "--at", "2024-03-11T10:00").errors.isEmpty)
    }

    @Test func `7 same-day weight logged on two devices is one row, two timed weigh-ins are two`()
        throws
    {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let id = Identities.weighIn(on: day)
        try phone.put(WeighIn(id: id, on: LocalDate(day: day), grams: 80_000))
        try laptop.put(WeighIn(id: id, on: LocalDate(day: day), grams: 81_000))
        try devices.sync(phone, laptop)
        for device in [phone, laptop] {
            #expect(try device.read { try $0.weighIns(on: day...day) }.map(\.grams) == [81_000])
        }
        #expect(try phone.conflicts().count == 1)
        let next = day.advanced(by: 1)
        for (device, hour) in [(phone, 7), (laptop, 8)] as [(Replica, Int64)] {
            let time = (next.number * 24 + hour) * 3_600_000
            try device.logWeight(
                grams: 80_000 + hour, on: LocalDate(day: next, occurredAt: time, offsetMinutes: 0))
        }
        try devices.sync(phone, laptop)
        let rows = try ask(laptop, "weight", "list", "--date", "\(next)", "--days", "1", "--json")
        #expect(rows.output.components(separatedBy: "weight_kg").count == 3, "\(rows.output)")
        #expect(try phone.read { try $0.weightTrend() }.points.count == 2, "one weight a day")
    }

    @Test func `19 weekly weigh-in window: no division by zero`() throws {
        let computer = try Computer()
        func run(_ words: String...) throws -> String {
            let result = try computer.run(words)
            #expect(result.status == 0, "\(result.errors)")
            return result.output
        }
        _ = try run("init", "--sex", "male", "--height", "180", "--target-weight", "75kg")
        _ = try run("goal", "set", "--mode", "adaptive", "--date", "2024-01-01")
        #expect(try run("weight", "trend", "--date", "2024-01-05").contains("No weigh-ins"))
        for (week, weight) in [80, 79.7, 79.2, 79.1, 78.6].enumerated() {
            let date = "\(Day("2024-01-01")?.advanced(by: 7 * week) ?? .earliest)"
            _ = try run("weight", "log", "\(weight)kg", "--date", date)
            for days in ["2", "7", "28"] {
                let trend = try run("weight", "trend", "--date", date, "--days", days)
                #expect(trend.contains("Target 75.0 kg"))
            }
            _ = try run("targets", date, "--explain")
        }
        #expect(
            try run("weight", "trend", "--date", "2024-01-01").contains("no estimate before"),
            "of one weigh-in")
        let whole = try run("weight", "trend", "--date", "2024-01-29")
        #expect(whole.contains("± 0.5 kg a week"), "\(whole)")
    }

    @Test func `computed targets use the weight of the day that the person's policy chooses`()
        throws
    {
        let computer = try Computer()
        func run(_ words: String) throws -> String {
            try computer.run(words.split(separator: " ").map(String.init)).output
        }
        _ = try run("profile set --sex male --height 180 --birth 1990-05-17")
        _ = try run("goal set --mode dynamic --date 2024-03-10")
        for (weight, time) in [(80, "07:00"), (83, "12:00"), (79, "15:00"), (82, "21:00")] {
            _ = try run("weight log \(weight)kg --at 2024-03-10T\(time)")
        }
        for (policy, weight) in [("", 80), ("last", 82), ("mean", 81), ("min", 79), ("first", 80)] {
            if !policy.isEmpty { _ = try run("config set weigh-policy \(policy)") }
            let told = try run("targets 2024-03-12 --explain")
            #expect(told.contains("10 × \(weight) kg"), "\(policy): \(told)")
        }
    }

    @Test func `the energy of an activity by its MET is in the list, as text and as JSON`() throws {
        let computer = try Computer()
        for words in [
            "weight log 80kg --date 2024-03-10",
            "activity log Rowing --minutes 30 --met 7 --date 2024-03-10",
        ] { #expect(try computer.run(words.split(separator: " ").map(String.init)).status == 0) }
        let list = ["activity", "list", "--date", "2024-03-10"]
        let text = try computer.run(list).output
        let json = try JSON.parse(Array(try computer.run(list + ["--json"]).output.utf8))
        let active = try #require(json.array?.first?["active_kcal"]?.integer)
        #expect(active > 200 && text.contains("\(active) kcal"), "\(text)")
        #expect(json.array?.first?["energy_kcal"] == .null, "it was not typed")
    }

    @Test func `a fast over a change of the clocks is as long as the time that went by`() throws {
        let computer = try Computer(zone: "Europe/Zurich")
        // Zurich puts its clocks forward at 02:00 on 31 March, and back at 03:00 on 27 October.
        for (start, end, length) in [
            ("2024-03-30T20:00", "2024-03-31T12:00", "15 h"),
            ("2024-10-26T20:00", "2024-10-27T12:00", "17 h"),
        ] {
            #expect(try computer.run(["fast", "start", "--time", start]).status == 0)
            let result = try computer.run(["fast", "end", "--time", end])
            #expect(result.output.contains(", \(length)  "), "\(result.output)")
        }
    }

    /// Histories and conflicts show what peers wrote, whether it may be used or not.
    @Test(arguments: [Int64.min, Int64.min + 1, -1, 0, Int64.max])
    func `a number that no field allows is shown all the same`(number: Int64) {
        var preferences = Preferences(id: Identities.preferences, fields: [:])
        for unit in [HeightUnit.centimeters, .feet] {
            preferences.heightUnit = unit
            let shown = Shown(preferences: preferences)
            for kind in Kind.all {
                for field in kind.fields {
                    #expect(!formatted(.int(number), of: field.name, in: kind.name, shown).isEmpty)
                }
            }
        }
    }

    @Test func `every new verb prints JSON that can be read`() throws {
        let computer = try Computer()
        let at = ["--at", "2024-03-10T08:00", "--json"]
        for words in [
            ["water", "add", "250ml"], ["water", "list"], ["fast", "start", "--preset", "16:8"],
            ["fast", "status"], ["fast", "list"], ["fast", "end"], ["ketone", "log", "1.2"],
            ["ketone", "list"], ["bodyfat", "log", "18.5%"], ["bodyfat", "list"],
            ["measure", "log", "waist", "84cm"], ["measure", "list"], ["height", "set", "180cm"],
            ["activity", "log", "Running", "--minutes", "30", "--kcal", "290"],
            ["activity", "list"], ["steps", "8200"], ["steps"], ["day", "show"], ["water", "undo"],
            ["weight", "log", "80kg"], ["weight", "trend"], ["targets"],
        ] {
            let result = try computer.run(words + at)
            #expect(result.status == 0, "\(words): \(result.errors)")
            #expect(
                (try? JSONSerialization.jsonObject(with: Data(result.output.utf8))) != nil,
                "\(words): \(result.output)")
            // A key that comes twice in one object is read as one of its values.
            #expect(Self.repeatedKeys(result.output) == [], "\(words)")
        }
    }

    /// The keys that come twice in one object of indented JSON.
    private static func repeatedKeys(_ json: String) -> [String] {
        var open: [Set<String>] = []
        var repeated: [String] = []
        for line in json.split(separator: "\n") {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("\""), let end = text.range(of: "\": "), !open.isEmpty {
                let key = String(text[..<end.lowerBound])
                if !open[open.count - 1].insert(key).inserted { repeated.append(key) }
            }
            if text.hasSuffix("{") { open.append([]) }
            if text.hasPrefix("}") { open.removeLast() }
        }
        return repeated
    }
}
