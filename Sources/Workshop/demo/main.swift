// Two devices of one person and one of another, a real server, and no network for a while.

import MacrologArgumentParsing
import MacrologTerminal
import Foundation
import MacrologJSON

/// One run of the story; throws when anything is not as promised.
struct Story {
    static let day = "2026-11-20"
    static let password = "seven green umbrellas sing"

    let programs: Programs
    let server: DemoServer
    let phone: Device
    let laptop: Device
    let stranger: Device
    let screens: Screens

    init() throws {
        programs = try Programs()
        server = try DemoServer(programs)
        phone = Device(name: "phone", programs: programs, server: server.address)
        laptop = Device(name: "laptop", programs: programs, server: server.address)
        stranger = Device(name: "ben", programs: programs, server: server.address)
        let environment = ProcessInfo.processInfo.environment
        let style = Style.fitting(
            isTerminal: isatty(STDOUT_FILENO) == 1, refused: false,
            noColor: environment["NO_COLOR"], term: environment["TERM"], locale: "C.UTF-8")
        screens = Screens(phone: phone, laptop: laptop, style: style, width: 100)
    }

    func tell() throws {
        defer {
            server.stop()
            try? FileManager.default.removeItem(at: programs.scratch)
        }
        try begin()
        try disagree()
        try meet()
        try verify()
        try web()
    }

    func say(_ text: String) {
        print(screens.style.paint(text, .bold))
        print("")
    }

    private func begin() throws {
        say("1. A server starts on \(server.address). Ana and Ben make accounts.")
        for (device, email) in [
            (phone, "ana@example.org"), (laptop, "ana@example.org"), (stranger, "ben@example.org"),
        ] {
            if device.name != "laptop" {
                try device.run(
                    ["auth", "register", email, "--password-stdin"], input: Self.password)
            }
            try device.run(
                ["auth", "login", email, "--device", device.name, "--password-stdin"],
                input: Self.password)
        }
        guard let diary = Bundle.module.url(forResource: "diary", withExtension: "csv") else {
            throw DemoError("the diary of the demo is missing")
        }
        let map =
            "date=date,time=time,name=food,energy=energy_kcal,protein=protein_g,carbs=carbs_g,"
            + "fat=fat_g,fiber=fiber_g"
        let imported = try phone.run(["import", "csv", diary.path, "--map", map])
        try phone.run(["goal", "set", "--kcal", "2000", "--p", "110", "--date", "2026-11-14"])
        for (day, weight) in [("2026-11-14", "72.4kg"), ("2026-11-16", "72,1kg")] {
            try phone.run(["weight", "log", weight, "--at", "\(day)T07:00"])
        }
        print("phone: \(imported.split(separator: "\n").first ?? "")")
        print("phone: \(try phone.run(["sync"]))", terminator: "")
        print("laptop: \(try laptop.run(["sync"]))")
        print(try phone.run(["day", "show", "--date", Self.day]))
    }

    private func meal(_ name: String) throws -> String {
        let meals = try phone.json(["meal", "list", "--date", Self.day]).array ?? []
        guard let id = meals.first(where: { $0["name"]?.string == name })?["id"]?.string else {
            throw DemoError("the diary has no \(name) on \(Self.day)")
        }
        return id
    }

    private func disagree() throws {
        say(
            "2. No network from here on. Ana edits the pasta's protein on the phone and its carbs on\n"
                + "   the laptop, the banana's energy on both, and deletes on the laptop the almonds\n"
                + "   that she edits on the phone. Both log, weigh, and mark something as eaten.")
        let (pasta, banana, almonds) = (try meal("Pasta"), try meal("Banana"), try meal("Almonds"))
        try phone.run(["meal", "edit", pasta, "--p", "14"])
        try laptop.run(["meal", "edit", pasta, "--c", "65"])
        try phone.run(["meal", "edit", banana, "--kcal", "110"])
        try laptop.run(["meal", "edit", banana, "--kcal", "95"])
        try laptop.run(["meal", "delete", almonds])
        try phone.run(["meal", "edit", almonds, "--kcal", "165"])
        try phone.run([
            "add", "Lentil soup", "--kcal", "310", "--p", "18", "--c", "45", "--not-consumed",
            "--at", "\(Self.day)T18:30",
        ])
        try laptop.run(["quick", "120", "Apple cake", "--at", "\(Self.day)T15:30"])
        let soup = try meal("Lentil soup")
        try phone.run(["meal", "consume", soup, "--at", "\(Self.day)T18:45"])
        try phone.run(["weight", "log", "71.9kg", "--at", "\(Self.day)T07:05"])
        try laptop.run(["weight", "log", "158.3lb", "--at", "2026-11-19T07:10"])
        try screens.day(Self.day)
    }

    private func meet() throws {
        say("3. The network is back. Both sync.")
        for device in [phone, laptop, phone] {
            print("\(device.name): \(try device.run(["sync"]))", terminator: "")
        }
        print("")
        try screens.day(Self.day)
        try screens.trend(at: "\(Self.day)T20:00")
        say("4. What they disagreed about, and the vector clocks that decided:")
        try screens.conflicts()
    }

    private func verify() throws {
        say("5. Are they equal?")
        let states = try [phone, laptop].map { try $0.json(["db", "rebuild"]) }
        let hashes = states.compactMap { $0["state_sha256"]?.string }
        let logs = try [phone, laptop].map { try $0.run(["log", "20"]) }
        for (device, hash) in zip([phone, laptop], hashes) {
            print("\(device.name): state \(hash)")
        }
        try promise(hashes.count == 2 && hashes[0] == hashes[1], "both replicas are byte-equal")
        try promise(
            states.allSatisfy { $0["state_changed"]?.bool == false },
            "folding again changes nothing")
        try promise(logs[0] == logs[1], "both tell the same history")
        let pasta = try laptop.json(["meal", "show", try meal("Pasta")])["nutrients"]
        try promise(
            pasta?["protein_g"] == .integer(14) && pasta?["carbs_g"] == .integer(65),
            "different fields edited on two devices both survived")
        try promise(
            try phone.json(["conflicts", "list"]).array?.count == 2,
            "the banana's energy and the almonds' deletion are listed as conflicts")
        try stranger.run(["sync"])
        try promise(
            try stranger.json(["db", "stats"])["event_count"] == .integer(0),
            "Ben, on the same server, sees nothing of it")
    }

    func promise(_ isKept: Bool, _ what: String) throws {
        guard isKept else { throw DemoError("not true: \(what)") }
        print("\(screens.style.paint("✓", .green)) \(what)")
    }
}

do {
    try Story().tell()
    print("\nTry it yourself: macrolog help")
} catch {
    FileHandle.standardError.write(Data("demo: \(error)\n".utf8))
    exit(1)
}
