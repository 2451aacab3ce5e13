import MacrologFormats
import Foundation
import MacrologLog
import Macrolog
import MacrologSQLite
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: whatever is wrong, `doctor` says it in words, and what to type.
/// Method: the programs as they are built, in one trouble after the other.
@Suite struct DoctorTests {
    @discardableResult
    private func run(_ device: Computer, _ words: String, code: Int32 = 0) throws -> String {
        let result = try device.run(
            Transcript.words("macrolog " + words), input: EngineTests.password, together: true)
        #expect(result.status == code, "\(words): \(result.output)")
        return result.output
    }

    /// What the doctor says of one thing.
    private func message(_ device: Computer, _ check: String, code: Int32 = 0) throws -> String {
        let text = try run(device, "doctor", code: code)
        let line = text.split(separator: "\n").first { $0.contains(" \(check) ") }
        return line.map(String.init) ?? ""
    }

    @Test func `cursor, queue, digest, epoch and devices are told in words`() throws {
        let server = try ServerProcess()
        let (phone, laptop) = (try Computer(), try Computer())
        try run(phone, "quick 100")
        #expect(try message(phone, "queue").contains("1 event waits to be sent"))
        #expect(try message(phone, "queue").contains("macrolog auth login"))
        #expect(try message(phone, "epoch").contains("no server yet"))
        for (device, name) in [(phone, "phone"), (laptop, "laptop")] {
            device.environment["MACROLOG_SERVER"] = server.address
            try run(device, "auth register ana@example.org --password-stdin")
            try run(device, "auth login ana@example.org --password-stdin --device \(name)")
        }
        #expect(try message(phone, "queue").contains(": macrolog sync"))
        for device in [phone, laptop, phone] { try run(device, "sync") }
        #expect(try message(phone, "cursor").contains("all 1 event that the server had"))
        #expect(try message(phone, "queue").contains("nothing to send"))
        #expect(try message(phone, "digest").contains(/[0-9a-f]{8}…, computed from 1 event/))
        #expect(try message(phone, "epoch").contains(/the server's log is number \d+/))
        #expect(try message(phone, "clock").contains("of the server's clock"))
        #expect(try message(phone, "devices").contains("On all 2 devices."))
        #expect(try message(phone, "disk").contains(" free"))
        #expect(try message(phone, "lock").contains("no other process"))

        server.stop()
        try run(phone, "quick 200")
        try run(phone, "sync", code: 69)
        #expect(try message(phone, "queue").contains("the server has not been reached for"))
        try FileManager.default.removeItem(atPath: phone.log + ".instance")
        #expect(try message(phone, "name").contains("takes a new ID at the next entry or sync"))
    }

    @Test func `the holder of the log is named, and nothing else is looked at`() throws {
        let phone = try Computer()
        try run(phone, "quick 100")
        let lock = try LockFile.take(for: phone.log)
        let text = try run(phone, "doctor", code: 65)
        #expect(text.contains(/lock +.*is held by process \d+/) && text.contains("wait until"))
        #expect(text.contains(" disk ") && !text.contains(" digest "))
        _ = consume lock
        #expect(try message(phone, "lock").contains("no other process"))
    }

    @Test func `a damaged event is found by its number`() throws {
        let server = try ServerProcess()
        let phone = try Computer()
        phone.environment["MACROLOG_SERVER"] = server.address
        try run(phone, "auth register ana@example.org --password-stdin")
        try run(phone, "auth login ana@example.org --password-stdin --device phone")
        for number in 1...3 { try run(phone, "quick \(number)00") }
        try run(phone, "sync")
        do {
            var db = try Connection.open(phone.log)
            try db.run("DROP TRIGGER seal_refuses_update")
            try db.run("UPDATE seal SET t = t + 1 WHERE n = 2")
        }
        let line = try message(phone, "digest", code: 65)
        #expect(line.contains("from number 2 on") && line.contains("macrolog sync"))
        let path = phone.folder.appending(path: "bundle.json").path
        try run(phone, "doctor --bundle \(path)")
        let bundle = try ExportedLog(json: Array(Data(contentsOf: URL(filePath: path))))
        #expect(bundle.state?.soundUpTo == 1 && bundle.cursor == 3)
    }

    @Test func `a refusal says itself what to do`() throws {
        let server = try ServerProcess()
        let phone = try Computer()
        phone.environment["MACROLOG_SERVER"] = server.address
        try run(phone, "auth register ana@example.org --password-stdin")
        try run(phone, "auth login ana@example.org --password-stdin --device phone")
        try run(phone, "sync")
        let other = try Computer()
        other.environment["MACROLOG_SERVER"] = server.address
        try run(other, "auth login ana@example.org --password-stdin --device laptop")
        try run(other, "auth sessions end phone --yes")
        try run(phone, "quick 100")
        try run(phone, "sync", code: 77)
        let line = try message(phone, "queue", code: 65)
        #expect(line.contains("to be sent") && line.contains("; the session has ended"), "\(line)")
        let login = "macrolog auth login ana@example.org --server \(server.address)"
        #expect(line.hasSuffix(login) && !line.contains("macrolog sync"), "\(line)")
    }

    @Test func `nothing is rebuilt while a damaged event may still be shown`() throws {
        let phone = try Computer()
        for number in 1...2 { try run(phone, "quick \(number)00kcal Soup\(number)") }
        do {
            var db = try Connection.open(phone.log)
            try db.run("DROP TRIGGER IF EXISTS event_refuses_update")
            try db.run(
                "UPDATE event SET body = substr(body, 1, length(body) - 1) WHERE dot = (SELECT min(dot) FROM event)"
            )
        }
        let refused = try run(phone, "db rebuild", code: 65)
        #expect(refused.contains("events are damaged"), "\(refused)")
        #expect(try run(phone, "day show").contains("Soup1"))
        try run(phone, "db rebuild --even-damaged")
        let left = try run(phone, "day show")
        #expect(!left.contains("Soup1") && left.contains("Soup2"), "\(left)")
    }

    @Test(.enabled(if: FakeClock.program != nil, "\(FakeClock.missing)"))
    func `a clock that is hours off is a problem, and the log is none`() throws {
        let server = try ServerProcess()
        let phone = try Computer()
        phone.environment["MACROLOG_SERVER"] = server.address
        try run(phone, "auth register ana@example.org --password-stdin")
        try run(phone, "auth login ana@example.org --password-stdin --device phone")
        try run(phone, "sync")
        for clock in ["+1462d", "-7d", "-7310d"] {
            phone.clock = clock
            let line = try message(phone, "clock", code: 65)
            #expect(line.contains("the server's"), "\(line)")
            #expect(!line.contains("✓"), "\(line)")
        }
        phone.clock = "+10m"
        #expect(try message(phone, "clock").contains("ahead of the server's"))
        phone.clock = nil
        #expect(try message(phone, "clock").contains("of the server's clock"))
    }
}
