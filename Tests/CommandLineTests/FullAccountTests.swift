import Foundation
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: who has no room left at the server learns that and what to do, and loses nothing.
/// Method: the real programs, and a server whose operator gives an account room for three events.
@Suite struct FullAccountTests {
    private func run(
        _ device: Computer, _ words: String, code: Int32 = 0, input: String = EngineTests.password
    ) throws -> String {
        let result = try device.run(
            Transcript.words("macrolog " + words), input: input, together: true)
        #expect(result.status == code, "\(words): \(result.output)")
        return result.output
    }

    @Test
    func `what does not fit waits on the device, is reported, and is sent when there is room`()
        throws
    {
        let data = ScratchFolder()
        let phone = try Computer()
        let laptop = try Computer()
        func point(at server: ServerProcess) {
            for device in [phone, laptop] { device.environment["MACROLOG_SERVER"] = server.address }
        }
        let small = try ServerProcess(in: data, options: ["--event-quota", "3"])
        point(at: small)
        let port = small.port
        _ = try run(phone, "auth register ana@example.org --password-stdin")
        for (device, name) in [(phone, "phone"), (laptop, "laptop")] {
            _ = try run(device, "auth login ana@example.org --password-stdin --device \(name)")
        }
        for index in 1...5 { _ = try run(phone, "quick \(index)00") }
        // Three went, two did not.
        let told = try run(phone, "sync", code: 76)
        #expect(told.contains("quota of events on this server is used up; nothing is lost"))
        #expect(told.contains("ask the server's operator for more room"))
        let status = try run(phone, "sync status")
        #expect(status.contains("2 events wait to be sent."))
        #expect(status.contains("The last sync failed: the account's quota of events"))
        #expect(status.contains("No sync has succeeded yet") && !status.contains("Never synced"))
        // Others still get what is there, and recording continues.
        #expect(try run(laptop, "sync").contains("received 3"))
        _ = try run(phone, "quick 600")
        #expect(try run(phone, "sync", code: 76).contains("used up"))
        #expect(try run(phone, "sync status").contains("3 events wait to be sent."))
        small.stop()
        let roomy = try ServerProcess(
            in: data, options: ["--event-quota", "6", "--listen", "127.0.0.1:\(port)"])
        #expect(try run(phone, "sync").contains("sent 3"))
        #expect(try run(laptop, "sync").contains("received 3"))
        #expect(!(try run(phone, "sync status").contains("failed")))
        roomy.stop()
    }

    @Test func `a password that is easily guessed is refused with a reason and advice`() throws {
        let server = try ServerProcess()
        let phone = try Computer()
        phone.environment["MACROLOG_SERVER"] = server.address
        let told = try run(
            phone, "auth register ana@example.org --password-stdin", code: 65,
            input: "Summer2025!\n")
        #expect(told.contains("too easily guessed") && told.contains("four words"))
        #expect(!told.contains("Summer"))
        let short = try run(
            phone, "auth register ana@example.org --password-stdin --json", code: 65, input: "x\n")
        #expect(short.contains("8 to 1,024 bytes") && short.contains("\"invalid_data\""))
        let address = try run(phone, "auth register ana --password-stdin", code: 65)
        #expect(address.contains("such as ana@example.org"), "\(address)")
        _ = try run(phone, "auth register ana@example.org --password-stdin")
    }
}
