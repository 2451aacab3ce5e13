import Foundation
import MacrologJSON
import MacrologTestSupport
import Testing

/// A server and two devices of a person that are logged in, whose clocks a test may set.
final class SyncedDevices {
    let server: ServerProcess
    let phone: Computer
    let laptop: Computer

    init(phone: String? = nil, laptop: String? = nil) throws {
        server = try ServerProcess()
        self.phone = try Computer()
        self.laptop = try Computer()
        self.phone.clock = phone
        self.laptop.clock = laptop
        for (device, name) in [(self.phone, "phone"), (self.laptop, "laptop")] {
            device.environment["MACROLOG_SERVER"] = server.address
            try run(device, "auth register ana@example.org --password-stdin")
            try run(device, "auth login ana@example.org --password-stdin --device \(name)")
        }
    }

    @discardableResult
    func run(_ device: Computer, _ words: String) throws -> String {
        try Self.run(device, words)
    }

    /// Lets so much time pass between a change on one device and one on the other that the second is the later
    /// one for the server, too. The age of an event is as exact as its request was fast (§5 of the protocol), and
    /// on a busy machine two requests may differ by more than two commands lie apart.
    func pause() { Thread.sleep(forTimeInterval: 1) }

    /// The events as a device has them, in the order of the log.
    func sealed(_ device: Computer) throws -> [(event: String, at: String)] {
        let log = try JSON.parse(try run(device, "log 100 --json"))
        let events = log.array ?? log["events"]?.array ?? []
        return events.compactMap { event -> (n: Int64, event: String, at: String)? in
            guard let n = event["n"]?.integer, let name = event["event"]?.string,
                let at = event["sealed_at"]?.string
            else { return nil }
            return (n, name, at)
        }.sorted { $0.n < $1.n }.map { ($0.event, $0.at) }
    }

    /// Brings devices up to date, in this order, with what each other sent meanwhile.
    func sync(_ devices: Computer...) throws {
        for device in devices + devices { try run(device, "sync") }
    }

    func json(_ device: Computer, _ words: String) throws -> JSON {
        try JSON.parse(try run(device, words + " --json"))
    }

    /// The hash of everything that a device folds from the log, folded again.
    func state(_ device: Computer) throws -> Substring {
        try #require(try run(device, "db rebuild").firstMatch(of: /State [0-9a-f]{64}/)?.0)
    }

    @discardableResult
    static func run(_ device: Computer, _ words: String) throws -> String {
        let result = try device.run(
            Transcript.words("macrolog " + words), input: EngineTests.password, together: true)
        #expect(result.status == 0, "\(words): \(result.output)")
        return result.output
    }
}
