import Foundation
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: `sync --watch` shows what another device recorded as soon as the server has it, and leaves
/// the log to other commands meanwhile.
/// Method: the programs as they are built. The watching device would ask by itself only once in an
/// hour, so what it shows came by the live channel.
@Suite struct WatchTests {
    private func logIn(_ device: Computer, _ name: String, at server: ServerProcess) throws {
        device.environment["MACROLOG_SERVER"] = server.address
        for words in [
            "auth register ana@example.org", "auth login ana@example.org --device \(name)",
        ] {
            _ = try run(device, words + " --password-stdin")
        }
    }

    @discardableResult
    private func run(_ device: Computer, _ words: String) throws -> String {
        let result = try device.run(
            Transcript.words("macrolog " + words), input: EngineTests.password, together: true)
        #expect(result.status == 0, "\(words): \(result.output)")
        return result.output
    }

    @Test func `an entry of one device shows on another that watches, which stays usable`() throws {
        let server = try ServerProcess()
        let (phone, laptop) = (try Computer(), try Computer())
        try logIn(phone, "phone", at: server)
        try logIn(laptop, "laptop", at: server)
        let watching = try Watching(laptop, ["sync", "--watch", "--every", "3600"])
        #expect(try watching.line() == "Nothing has been recorded yet.")

        try run(phone, "add Soup --kcal 400 --at 2024-03-10T12:00")
        try run(phone, "weight log 72kg --at 2024-03-10T07:00")
        try run(phone, "sync")
        #expect(try watching.line() == "received 2 events: meal.added, weight.logged")
        #expect(try run(laptop, "day show 2024-03-10").contains("Soup"))
        for dish in ["Rice", "Beans"] { try run(phone, "add \(dish) --kcal 1") }
        try run(phone, "sync")
        #expect(try watching.line() == "received 2 events: meal.added ×2")

        // Another command takes the log to itself, records, and syncs, while this one watches.
        for number in 1...5 {
            try run(laptop, "add Apple --kcal 5\(number) --at 2024-03-10T15:00")
            #expect(try run(laptop, "sync").hasPrefix("Up to date"))
        }
        try run(phone, "sync")
        try run(phone, "quick 100")
        try run(phone, "sync")
        var told = ""
        while !told.contains("received 1 event: meal.added") { told = try watching.line() }
        watching.stop()
    }

    @Test func `what another command records is sent at once by the one that watches`() throws {
        let server = try ServerProcess()
        let (phone, laptop) = (try Computer(), try Computer())
        try logIn(phone, "phone", at: server)
        try logIn(laptop, "laptop", at: server)
        let watching = try Watching(laptop, ["sync", "--watch", "--every", "3600"])
        #expect(try watching.line() == "Nothing has been recorded yet.")
        for number in 1...3 {
            try run(laptop, "add Apple --kcal 5\(number) --at 2024-03-10T15:00")
            #expect(try watching.line() == "sent 1 event")
        }
        // Looking writes nothing, and sends nothing.
        try run(laptop, "day show 2024-03-10")
        try run(phone, "sync")
        #expect(try run(phone, "day show 2024-03-10").contains("Apple"))
        try run(phone, "quick 100")
        try run(phone, "sync")
        #expect(try watching.line() == "received 1 event: meal.added")
        watching.stop()
    }

    @Test func `with --json each round is one line`() throws {
        let server = try ServerProcess()
        let (phone, laptop) = (try Computer(), try Computer())
        try logIn(phone, "phone", at: server)
        try logIn(laptop, "laptop", at: server)
        let watching = try Watching(laptop, ["sync", "--watch", "--every", "3600", "--json"])
        #expect(try JSON.parse(Array(watching.line().utf8))["events_received"]?.integer == 0)
        try run(phone, "add Soup --kcal 400")
        try run(phone, "sync")
        var received: Int64 = 0
        while received == 0 {
            let round = try JSON.parse(Array(watching.line().utf8))
            received = round["events_received"]?.integer ?? 0
            if received > 0 {
                #expect(
                    round["received"] == [["type": "meal.added", "event_count": 1]])
                #expect(round["cursor"]?.integer == 1 && round["last_error"]?.string == nil)
            }
        }
        watching.stop()
    }

    @Test func `a server that stops waits for no poll, and who watches says so and continues`()
        throws
    {
        let server = try ServerProcess()
        let laptop = try Computer()
        try logIn(laptop, "laptop", at: server)
        let watching = try Watching(laptop, ["sync", "--watch", "--every", "1"])
        _ = try watching.line()
        let start = ContinuousClock.now
        server.stop()
        // A held poll would keep a server that waits for it for ten seconds.
        #expect(ContinuousClock.now - start < .seconds(8))
        while try !watching.line().contains("cannot be reached") {}
        #expect(watching.isRunning)
        watching.stop()
    }
}

/// A program that continues, read line by line.
private final class Watching {
    private let process = Process()
    private let output = Pipe()
    private var rest: [UInt8] = []

    struct Silent: Error {}

    init(_ computer: Computer, _ words: [String]) throws {
        let program = try BuiltProgram.url("macrolog")
        process.executableURL = program
        process.arguments = words
        process.environment = computer.environment
        process.currentDirectoryURL = computer.folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// The next line, for which half a minute is enough on any machine.
    func line() throws -> String {
        while true {
            if let end = rest.firstIndex(of: 0x0A) {
                defer { rest.removeSubrange(...end) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            var entry = pollfd(
                fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 30_000) > 0 else { throw Silent() }
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Silent() }
            rest += data
        }
    }

    var isRunning: Bool { process.isRunning }

    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    deinit { stop() }
}
