import Foundation
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: clocks that are years off, or are set at any moment, cost no one an error, a refusal or an
/// unfair order, and put no stamp from the future into the log.
/// Method: the programs as they are built, each process with a clock of its own (faketime).
@Suite(.enabled(if: FakeClock.program != nil, "\(FakeClock.missing)")) struct ClockTests {
    /// A moment as the log writes it.
    private func now() -> String {
        Date().ISO8601Format(.iso8601(timeZone: .gmt, includingFractionalSeconds: true))
    }

    @Test(arguments: [("+4y", "-5y"), ("-20y", "+60y"), ("+4y", nil)])
    func `years off, devices log in, record, edit and sync, and no stamp is from the future`(
        phone: String, laptop: String?
    ) throws {
        let before = now()
        let two = try SyncedDevices(phone: phone, laptop: laptop)
        for round in 1...3 {
            for device in [two.phone, two.laptop] {
                try two.run(device, "add Soup --kcal \(round)00")
                try two.run(device, "weight log 7\(round)kg")
                #expect(try two.run(device, "sync").hasPrefix("Up to date"))
            }
        }
        try two.run(two.phone, "sync")
        let log = try two.sealed(two.phone)
        #expect(log.count == 12)
        #expect(log.allSatisfy { before < $0.at && $0.at < now() }, "\(log)")
        // All was synced at once, so the order of the log is that of the clock on the wall.
        #expect(log.map(\.at) == log.map(\.at).sorted())
        #expect(try two.sealed(two.laptop).map(\.at) == log.map(\.at))
        let states = try [two.phone, two.laptop].map { device in
            try two.run(device, "db rebuild").firstMatch(of: /State [0-9a-f]{64}/)?.0
        }
        #expect(states[0] != nil && states[0] == states[1])
    }

    @Test(arguments: [("+4y", "-5y"), (nil, "+60y")], [true, false])
    func `of two edits the later one wins, whichever syncs first and whatever the clocks say`(
        clocks: (String?, String?), phoneSyncsFirst: Bool
    ) throws {
        let two = try SyncedDevices(phone: clocks.0, laptop: clocks.1)
        try two.run(two.phone, "add Soup --kcal 400 --at 2024-03-10T12:00")
        for device in [two.phone, two.laptop] { try two.run(device, "sync") }
        let list = try two.run(two.phone, "meal list --date 2024-03-10 --json")
        let id = try #require(list.firstMatch(of: /"id": "[0-9a-f-]{32}([0-9a-f]{4})"/)?.1)
        for (first, second, later) in [
            (two.laptop, two.phone, 420), (two.phone, two.laptop, 440),
        ] {
            try two.run(first, "meal edit \(id) --kcal \(later - 10)")
            two.pause()
            try two.run(second, "meal edit \(id) --kcal \(later)")
            let order = phoneSyncsFirst ? [two.phone, two.laptop] : [two.laptop, two.phone]
            for device in order + order { try two.run(device, "sync") }
            for device in order {
                #expect(try two.run(device, "meal show \(id)").contains("\(later) kcal"))
            }
        }
    }

    @Test func `a clock that is set again and again while offline leaves the order as it was`()
        throws
    {
        let two = try SyncedDevices()
        let clocks = ["+5y", "-3y", nil, "+100y", "-26y"]
        var order: [String] = []
        for (index, clock) in clocks.enumerated() {
            two.phone.clock = clock
            try two.run(two.phone, "quick \(index + 1)00")
            two.pause()
            try two.run(two.laptop, "quick \(index + 1)50")
            two.pause()
            order += ["phone", "laptop"]
        }
        try two.run(two.laptop, "sync")
        two.phone.clock = "+7y"
        try two.run(two.phone, "sync")
        try two.run(two.laptop, "sync")
        let log = try two.sealed(two.laptop).sorted { $0.at < $1.at }
        let phones = try #require(log.first?.event.first)
        #expect(log.map { $0.event.first == phones ? "phone" : "laptop" } == order, "\(log)")
        #expect(log.allSatisfy { $0.at < now() })
    }

    @Test func `even a monotonic clock that lies puts nothing into the future`() throws {
        let two = try SyncedDevices()
        two.phone.isWholeClockOff = true
        for clock in ["+5y", "-3y", "+9y"] {
            two.phone.clock = clock
            try two.run(two.phone, "quick 100")
        }
        two.phone.clock = "-1y"
        try two.run(two.phone, "sync")
        two.phone.clock = nil
        #expect(try two.run(two.phone, "sync") == "Up to date.\n")
        let log = try two.sealed(two.phone)
        #expect(log.count == 3 && log.allSatisfy { $0.at < now() })
    }

    @Test func `today is that of the device's clock, and sync status says quietly that it is off`()
        throws
    {
        let two = try SyncedDevices()
        func year(_ device: Computer) throws -> Int64 {
            let shown = try JSON.parse(try two.run(device, "day show --json"))
            let day = try #require(shown["day"]?.string)
            return try #require(Int64(day.prefix(4)))
        }
        let real = try year(two.laptop)
        try two.run(two.phone, "quick 100")
        try two.run(two.phone, "sync")
        #expect(!(try two.run(two.phone, "sync status").contains("clock")))
        // Set since: noticed without asking the server again.
        two.phone.clock = "+1462d"
        #expect(try two.run(two.phone, "sync status").contains("4 years ahead of the server's"))
        #expect(try two.run(two.phone, "day show").contains(" \(real + 4)"))
        #expect(try year(two.phone) == real + 4)
        #expect(try two.run(two.phone, "quick 200").contains("today"))
        try two.run(two.phone, "sync")
        #expect(try two.run(two.phone, "sync status").contains("4 years ahead of the server's"))
        #expect(
            try two.run(two.phone, "sync status --json").contains(/"clock_ahead_s": 126\d{6}[.,]/))
        two.phone.clock = "-10m"
        #expect(try two.run(two.phone, "sync status").contains("minutes behind the server's"))
        two.phone.clock = nil
        let status = try two.run(two.phone, "sync status")
        #expect(!status.contains("clock") && status.contains("Last synced"))
        #expect(try year(two.laptop) == real)
        // What was recorded in the wrong year stands where its device said.
        try two.run(two.laptop, "sync")
        #expect(try two.run(two.laptop, "log").contains("meal.added"))
    }

    @Test func `tokens outlive a wrong clock of the device, and one of the server`() throws {
        let folder = ScratchFolder()
        let phone = try Computer()
        var server = try ServerProcess(in: folder)
        phone.environment["MACROLOG_SERVER"] = server.address
        try SyncedDevices.run(phone, "auth register ana@example.org --password-stdin")
        phone.clock = "-5y"
        try SyncedDevices.run(phone, "auth login ana@example.org --password-stdin --device phone")
        phone.clock = "+5y"
        try SyncedDevices.run(phone, "quick 100")
        try SyncedDevices.run(phone, "sync")
        // The access token is valid for thirty days of the server's clock, which leaps over them,
        // and then is put right: what it has signed meanwhile is from the future.
        for clock in ["+40d", nil] {
            server.stop()
            server = try ServerProcess(in: folder, clock: clock)
            try Self.redirect(phone, to: server.address)
            try SyncedDevices.run(phone, "quick 200")
            #expect(try SyncedDevices.run(phone, "sync").contains("sent 1"))
            #expect(try SyncedDevices.run(phone, "device list").contains("phone"))
        }
    }

    /// Lets a device look for its server elsewhere, as if that had kept its port.
    private static func redirect(_ device: Computer, to address: String) throws {
        let file = URL(filePath: device.log + ".session")
        let text = try String(contentsOf: file, encoding: .utf8)
        let moved = text.replacing(/http:\/\/127\.0\.0\.1:\d+/, with: address)
        try Data(moved.utf8).write(to: file)
    }

    @Test(arguments: ["", " --date today"])
    func `a planned meal of today that is marked as eaten was eaten now`(option: String) throws {
        let computer = try Computer()
        computer.environment["TZ"] = "UTC"
        computer.clock = "@2026-11-03 12:00:00"
        func run(_ line: String) throws -> String {
            let result = try computer.run(Transcript.words("macrolog " + line))
            #expect(result.status == 0, "\(line): \(result.errors)")
            return result.output
        }
        let added = try run("add Soup --kcal 300 --not-consumed --at 20:00 --json")
        let id = try #require(added.firstMatch(of: /"id": "([0-9a-f-]{36})"/)).1
        _ = try run("meal consume \(id)\(option)")
        let shown = try run("meal show \(id) --json")
        #expect(shown.contains("\"consumed_at\": \"2026-11-03T12:"), "\(shown)")
    }
}
