import MacrologTestSupport
import Foundation
import Testing

/// Goal: two devices of a person sync with the real server by the words that a person types.
/// Method: the programs as they are built, on loopback, on a port that the system chooses.
@Suite struct EngineTests {
    static let password = "nine purple lanterns hum\n"

    @Test func `two devices log in, sync, disagree, agree, and work on without the server`() throws
    {
        let server = try ServerProcess()
        let phone = try Computer()
        let laptop = try Computer()
        let stranger = try Computer()
        for device in [phone, laptop, stranger] {
            device.environment["MACROLOG_SERVER"] = server.address
        }
        func run(_ device: Computer, _ words: String, code: Int32 = 0) throws -> String {
            let result = try device.run(
                Transcript.words("macrolog " + words), input: Self.password, together: true)
            #expect(result.status == code, "\(words): \(result.output)")
            #expect(!result.output.contains("lanterns"))
            // A program that has ended leaves one file, which can be copied.
            #expect(try device.files(of: "log.db-") == [], "\(words)")
            return result.output
        }
        _ = try run(phone, "auth register ana@example.org --password-stdin")
        _ = try run(stranger, "auth register ben@example.org --password-stdin")
        _ = try run(phone, "auth login ana@example.org --password-stdin --device phone")
        _ = try run(laptop, "auth login ana@example.org --password-stdin --device laptop")
        _ = try run(stranger, "auth login ben@example.org --password-stdin")
        #expect(try run(phone, "auth status").contains("as ana@example.org"))
        #expect(try run(phone, "add Soup --kcal 400 --at 2024-03-10T12:00").contains("Added Soup"))
        #expect(try run(phone, "sync status").contains("1 event waits"))
        #expect(try run(phone, "sync") == "Up to date: sent 1, received 0.\n")
        #expect(try run(laptop, "sync") == "Up to date: sent 0, received 1.\n")
        #expect(try run(laptop, "sync") == "Up to date.\n")
        #expect(try run(stranger, "sync") == "Up to date.\n")
        #expect(try run(stranger, "log") == "No events yet.\n")

        let list = try run(phone, "meal list --date 2024-03-10 --json")
        let id = try #require(list.firstMatch(of: /"id": "[0-9a-f-]{32}([0-9a-f]{4})"/)?.1)
        _ = try run(phone, "meal edit \(id) --kcal 410")
        _ = try run(laptop, "meal edit \(id) --kcal 420")
        for device in [phone, laptop, phone] { _ = try run(device, "sync") }
        let told = try run(phone, "conflicts list")
        #expect(try told == run(laptop, "conflicts list"))
        #expect(told.contains("420 kcal  b1     a1.b1") && told.contains("410 kcal  a2     a2"))
        let hash = /State [0-9a-f]{64}/
        let states = try [phone, laptop].map { try run($0, "db rebuild").firstMatch(of: hash)?.0 }
        #expect(states[0] != nil && states[0] == states[1])

        // Another account's log is not mixed into this one, and a wrong password tells nothing.
        let other = "auth login ben@example.org --password-stdin"
        #expect(try run(phone, other, code: 77).contains("another account"))
        let wrong = try laptop.run(
            ["auth", "login", "ana@example.org", "--password-stdin"], input: "wrong words here\n")
        #expect(wrong.status == 77, "\(wrong.errors)")

        server.stop()
        #expect(try run(phone, "sync", code: 69).contains("cannot be reached"))
        #expect(try run(phone, "quick 100").contains("Added Quick entry"))
        #expect(try run(phone, "auth logout", code: 75).contains("has not reached the server"))
        _ = try run(phone, "auth logout --even-unsynced")
        #expect(try run(phone, "sync", code: 77).contains("auth login"))
        #expect(try run(phone, "day show 2024-03-10").contains("Soup !"))
    }
}
