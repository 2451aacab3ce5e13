import MacrologTestSupport
import Foundation
import MacrologJSON
import Testing

/// Goal: a person sees their devices, and logs one out that they lost.
/// Method: the programs as they are built, on loopback.
@Suite struct DeviceTests {
    @Test func `devices are listed, and one that was lost is logged out from afar`() throws {
        let server = try ServerProcess()
        let phone = try Computer()
        let laptop = try Computer()
        for device in [phone, laptop] { device.environment["MACROLOG_SERVER"] = server.address }
        func run(_ device: Computer, _ words: String, code: Int32 = 0) throws -> String {
            let result = try device.run(
                Transcript.words("macrolog " + words), input: EngineTests.password, together: true)
            #expect(result.status == code, "\(words): \(result.output)")
            return result.output
        }
        #expect(try run(phone, "device list").contains("Not logged in"))
        #expect(try run(phone, "device revoke laptop --yes", code: 77).contains("logged in"))
        _ = try run(phone, "auth register ana@example.org --password-stdin")
        _ = try run(phone, "auth login ana@example.org --password-stdin --device phone")
        _ = try run(laptop, "auth login ana@example.org --password-stdin --device laptop")
        _ = try run(phone, "quick 100")
        _ = try run(phone, "sync")
        _ = try run(laptop, "sync")
        _ = try run(laptop, "quick 200")
        _ = try run(laptop, "sync")
        _ = try run(phone, "sync")

        let list = try run(phone, "device list").split(separator: "\n").map(String.init)
        #expect(list.contains { $0.hasPrefix("a ") && $0.contains("this one") })
        // The laptop's event had seen the phone's.
        #expect(
            list.contains { $0.firstMatch(of: /^b +laptop +1 .+ 1 +[0-9a-f]{4}$/) != nil },
            "\(list)")
        #expect(list.contains { $0.hasPrefix("phone ") && $0.contains("this one") })
        #expect(list.contains { $0.hasPrefix("laptop ") && !$0.contains("this one") })

        #expect(try run(phone, "device revoke tablet --yes", code: 66).contains("device list"))
        #expect(try run(phone, "device revoke phone --yes", code: 64).contains("auth logout"))
        #expect(try run(phone, "device revoke laptop", code: 64).contains("--yes"))
        #expect(try run(laptop, "sync") == "Up to date.\n")
        #expect(try run(phone, "device revoke laptop --yes") == "Logged out: laptop\n")
        #expect(try run(laptop, "sync", code: 77).contains("the session has ended"))
        #expect(!(try run(phone, "device list").contains("laptop")))
        #expect(try run(laptop, "day show").contains("200"))

        server.stop()
        let offline = try run(phone, "device list")
        #expect(offline.contains("\nb ") && offline.contains("cannot be reached"))
    }

    @Test func `devices in sync list the same, also after a copy with unsent events was restored`()
        throws
    {
        let devices = try SyncedDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        try devices.run(phone, "quick 100")
        try devices.sync(phone, laptop)
        try devices.run(phone, "quick 200")
        try devices.run(phone, "db backup copy.db")
        for name in try phone.files(of: "log.db") {
            try FileManager.default.removeItem(at: phone.folder.appending(path: name))
        }
        try FileManager.default.moveItem(
            at: phone.folder.appending(path: "copy.db"), to: URL(filePath: phone.log))
        try devices.run(phone, "auth login ana@example.org --password-stdin --device phone")
        try devices.sync(phone, laptop)
        /// Which device recorded how many events, and when the last.
        func recorded(_ device: Computer) throws -> [[JSON?]] {
            let log = try devices.json(device, "device list")["log"]?.array ?? []
            return log.map { [$0["device_id"], $0["event_count"], $0["last_event_at"]] }
                .filter { $0[1] != 0 }
        }
        let seen = try recorded(phone)
        #expect(seen.count == 2)
        #expect(try recorded(laptop) == seen)
    }

    @Test func `a device is meant by either of the ids that are listed`() throws {
        let devices = try SyncedDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        try devices.run(laptop, "quick 100")
        try devices.sync(laptop, phone)
        func ids() throws -> [String] {
            let list = try devices.json(phone, "device list")
            let device = list["log"]?.array?.first { $0["event_count"] == 1 }?["device_id"]
            let session = list["sessions"]?.array?.first { $0["device_id"] == device }?["id"]
            return [device, session].compactMap { $0?.string }
        }
        let listed = try ids()
        #expect(listed.count == 2)
        for (index, id) in listed.enumerated() {
            try devices.run(phone, "device rename \(id.suffix(8)) kitchen\(index)")
        }
        let list = try devices.json(phone, "device list")
        #expect(list["sessions"]?.array?.contains { $0["name"] == .string("kitchen1") } == true)
    }

    @Test func `a device that logs in again keeps its name, unless another is typed`() throws {
        let devices = try SyncedDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        try devices.run(laptop, "quick 100")
        try devices.sync(laptop, phone)
        try devices.run(laptop, "device rename laptop kitchen")
        for (words, name) in [("", "kitchen"), (" --device tablet", "tablet")] {
            try devices.run(laptop, "auth logout")
            try devices.run(laptop, "auth login ana@example.org --password-stdin" + words)
            try devices.run(laptop, "sync")
            let list = try devices.json(phone, "device list")
            let id = list["log"]?.array?.first { $0["event_count"] == 1 }?["device_id"]
            let session = list["sessions"]?.array?.first { $0["device_id"] == id }
            #expect(session?["name"] == .string(name), "\(list)")
        }
    }
}
