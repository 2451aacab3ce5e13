import MacrologEvents
import Foundation
import Macrolog
import MacrologNutrition
import Testing

/// Goal: what is kept although a person hardly means it so is warned about, with what to type.
/// Method: the real program, on a log of its own or on those of two replicas that recorded apart.
@Suite struct WarningTests: TypingSuite {
    let day = Day(year: 2024, month: 3, day: 10) ?? .earliest
    let computer: Computer

    init() throws { computer = try Computer() }

    /// The same, on the log of a replica.
    private func ask(_ device: Replica, _ line: String) throws -> String {
        device.releaseFile()
        computer.environment["MACROLOG_DB"] = device.path
        return try type(line)
    }

    @Test func `goals of two devices that begin on one day are named, with what deletes the other`()
        throws
    {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        var ids: [String] = []
        for (device, energy) in [(phone, 1_800_000), (laptop, 2_400_000)] as [(Replica, Int64)] {
            var plan = GoalPlan(id: device.newID(), startDate: day)
            plan.energyMillikilocalories = energy
            try device.add(plan)
            ids.append(plan.id.lastDigits(4))
        }
        #expect(try !ask(phone, "goal history").contains("warning"))
        try devices.sync(phone, laptop)
        let warning =
            "warning: 2 goals begin on 2024-03-10, and \(ids[1]) applies: "
            + "macrolog goal delete \(ids[0]) deletes the other\n"
        for words in [
            "goal show --date 2024-03-11", "goal history", "goal set --p 120 --date 2024-03-10",
            "goal show --date 2024-03-11 --quiet",
        ] {
            let answer = try ask(phone, words)
            #expect(answer.contains(warning) == !words.hasSuffix("--quiet"), "\(words): \(answer)")
        }
        let targets = try ask(phone, "goal show --date 2024-03-10")
        #expect(targets.contains("2,400 kcal") && targets.contains("120.0 g"), "\(targets)")
        try type("goal delete \(ids[0])")
        #expect(try !type("goal history").contains("warning"))
    }

    @Test func `a fast that ends more than a year ahead is warned about, as a meal is`()
        throws
    {
        let now = "--at 2024-03-10T08:00"
        #expect(try !type("fast start --time 2024-03-11T20:00").contains("warning"))
        try type("fast cancel --at 2024-03-11T21:00")
        try type("fast start --time 2024-03-09T20:00")
        let end = try type("fast end --time 2199-03-10T08:00")
        #expect(end.contains("warning: fast: end lies more than a year ahead: "), "\(end)")
        let status = try type("fast status \(now)")
        #expect(status.contains("The last one ends at 2199-03-10 08:00"), "\(status)")
        let list = try type("fast list --date 2024-03-09 --json")
        let id = try #require(list.firstMatch(of: /"id": "([0-9a-f-]{36})"/)).1
        let start = try type("fast edit \(id) --start 2199-03-09T20:00")
        #expect(start.contains("warning: fast: start lies more than a year ahead: "), "\(start)")
    }

    @Test func `a tag with white space of another program is removed by what is typed`() throws {
        let devices = try TwoDevices()
        var soup = Meal(id: devices.phone.newID(), on: LocalDate(day: day), dishName: "Soup")
        soup.tags = ["hot ", "vegan"]
        try devices.phone.add(soup)
        _ = try ask(devices.phone, "meal edit \(soup.id) --untag 'hot '")
        #expect(try devices.phone.require(Meal.self, soup.id).tags == ["vegan"])
    }

    @Test func `what happened on a day to come is warned about, a meal that is planned is not`()
        throws
    {
        for line in [
            "weight log 80kg", "water add 250ml", "ketone log 1.2", "activity log Run --minutes 30",
        ] {
            let answer = try type("\(line) --date tomorrow")
            #expect(answer.contains("lies in the future"), "\(line): \(answer)")
            #expect(try !type("\(line) --date today").contains("future"), "\(line)")
        }
        #expect(try !type("add Soup --kcal 300 --not-consumed --date tomorrow").contains("warning"))
    }

    @Test func `a zone of the environment that the system does not know is warned about once`()
        throws
    {
        for zone in ["Nowhere", "Mars/Base", "AB3", ":Nowhere", "CET+"] {
            computer.environment["TZ"] = zone
            let answer = try type("day show 2024-03-10")
            let warning =
                "warning: the time zone \(zone) of $TZ is unknown to this system, so days are "
                + "counted in UTC: macrolog config set zone Europe/Zurich\n"
            #expect(answer.components(separatedBy: warning).count == 2, "\(zone): \(answer)")
        }
        for zone in [
            "Europe/Zurich", ":Europe/Zurich", "UTC", "CET-1CEST", "CET-1CEST,M3.5.0,M10.5.0/3",
            ":CET-1", "<+03>-3", "/usr/share/zoneinfo/Asia/Tokyo", "", ":",
        ] {
            computer.environment["TZ"] = zone
            #expect(try !type("day show 2024-03-10").contains("warning"), "\(zone)")
        }
        computer.environment["TZ"] = "Nowhere"
        for words in ["--tz Asia/Tokyo", "--quiet"] {
            #expect(try !type("day show 2024-03-10 \(words)").contains("warning"), "\(words)")
        }
        let json = try computer.run(["day", "show", "2024-03-10", "--json"])
        #expect(json.errors.hasPrefix("{") && json.errors.contains("time zone Nowhere"))
        try type("config set zone Asia/Tokyo")
        #expect(try !type("day show 2024-03-10").contains("warning"))
    }
}
