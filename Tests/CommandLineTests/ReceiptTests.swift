import MacrologTestSupport
import Foundation
import Testing

/// Goal: a person learns which devices have what, from what each has proved to have and no more.
/// Method: the programs as they are built, on loopback.
@Suite struct ReceiptTests {
    @Test func `sync status tells what is on all devices, what waits, and who has not been seen`()
        throws
    {
        let server = try ServerProcess()
        let (phone, laptop, tablet) = (try Computer(), try Computer(), try Computer())
        func run(_ device: Computer, _ words: String, code: Int32 = 0) throws -> String {
            let result = try device.run(
                Transcript.words("macrolog " + words), input: EngineTests.password, together: true)
            #expect(result.status == code, "\(words): \(result.output)")
            return result.output
        }
        func json(_ device: Computer) throws -> [String: Any] {
            let text = try run(device, "sync status --json")
            return try #require(
                try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        }
        for (device, name) in [(phone, "phone"), (laptop, "laptop"), (tablet, "tablet")] {
            device.environment["MACROLOG_SERVER"] = server.address
            if name == "phone" {
                _ = try run(device, "auth register ana@example.org --password-stdin")
            }
            _ = try run(
                device, "auth login ana@example.org --password-stdin --device \(name)")
        }
        #expect((try json(phone)["devices"] as? [Any])?.isEmpty == true)
        // Tokens are no devices.
        let token = try run(phone, "auth token shortcut --scope quick")
        #expect(token.contains("shortcut may record lines for 90 days"), "\(token)")
        #expect(token.contains(": macrolog config set zone "), "\(token)")
        _ = try run(phone, "share grant 'coach Eva' 2026-11-01")
        _ = try run(phone, "quick 100")
        _ = try run(phone, "sync")
        var status = try run(phone, "sync status")
        #expect(status.contains("On 1 of 3 devices.") && !status.contains("Eva"), "\(status)")
        #expect(status.contains(/\nlaptop +nothing yet +just now\n/), "\(status)")
        #expect(status.contains(/\nphone +everything shown here +this one\n/), "\(status)")

        // The laptop fetches it, and the server knows at once; the tablet is in a drawer.
        _ = try run(laptop, "sync")
        _ = try run(phone, "sync")
        status = try run(phone, "sync status")
        #expect(status.contains("On 2 of 3 devices."))
        #expect(status.contains(/\nlaptop +everything\s/), "\(status)")
        _ = try run(tablet, "sync")
        _ = try run(phone, "sync")
        #expect(try run(phone, "sync status").contains("On all 3 devices."))
        #expect(try json(phone)["on_all_devices"] as? Bool == true)

        // What a device has recorded itself it has, although its cursor was lower when it asked.
        _ = try run(laptop, "quick 200")
        _ = try run(laptop, "sync")
        _ = try run(phone, "sync")
        status = try run(phone, "sync status")
        #expect(status.contains(/\nlaptop +everything\s/), "\(status)")
        #expect(status.contains(/\ntablet +all but 1 event\s/), "\(status)")

        server.stop()
        _ = try run(phone, "quick 300")
        _ = try run(phone, "sync", code: 69)
        status = try run(phone, "sync status")
        #expect(status.contains(/^1 event waits to be sent; offline for \d+ seconds?\.\n/))
        #expect(status.contains("What was synced before is on 2 of 3 devices."), "\(status)")
        let told = try json(phone)
        #expect(told["offline"] as? Bool == true && told["on_all_devices"] as? Bool == false)
        #expect((told["devices"] as? [Any])?.count == 3)
        #expect((told["clock_ahead_s"] as? Double).map { abs($0) < 60 } == true)
        #expect(told["rotated_at"] is NSNull)
    }

    @Test func `a device is renamed, and every device sees it`() throws {
        let server = try ServerProcess()
        let (phone, laptop) = (try Computer(), try Computer())
        func run(_ device: Computer, _ words: String, code: Int32 = 0) throws -> String {
            let result = try device.run(
                Transcript.words("macrolog " + words), input: EngineTests.password, together: true)
            #expect(result.status == code, "\(words): \(result.output)")
            return result.output
        }
        for (device, name) in [(phone, "phone"), (laptop, "laptop")] {
            device.environment["MACROLOG_SERVER"] = server.address
            _ = try run(device, "auth register ana@example.org --password-stdin")
            _ = try run(
                device, "auth login ana@example.org --password-stdin --device \(name)")
            _ = try run(device, "quick 100")
            _ = try run(device, "sync")
        }
        #expect(
            try run(phone, "device rename laptop \"Küche 2\"")
                == "Renamed laptop to Küche 2.\n")
        #expect(try run(phone, "sync status").contains("\nKüche 2 "))
        #expect(try run(laptop, "device list").contains(/\nKüche 2 .*this one/))
        // The letters of the log and the names of the account meet in one table.
        _ = try run(phone, "sync")
        #expect(try run(phone, "device list").contains(/\nb +Küche 2 +1\s/))
        #expect(try run(phone, "device rename phone mobile").contains("mobile"))
        #expect(try run(laptop, "device list").contains("\nmobile "))
        #expect(try run(phone, "device rename phone x", code: 66).contains("device list"))
        let long = String(repeating: "x", count: 65)
        #expect(try run(phone, "device rename mobile \(long)", code: 64).contains("64 bytes"))
        #expect(try run(phone, "device rename mobile", code: 64).contains("name"))
    }

    @Test func `a restored file tells since when it has a new ID`() throws {
        let phone = try Computer()
        func run(_ words: String) throws -> String {
            let result = try phone.run(Transcript.words("macrolog " + words), together: true)
            #expect(result.status == 0, "\(words): \(result.output)")
            return result.output
        }
        _ = try run("quick 100")
        #expect(!(try run("sync status").contains("new ID")))
        try FileManager.default.removeItem(atPath: phone.log + ".instance")
        _ = try run("quick 200")
        #expect(
            try run("sync status").contains(
                /Since \d{4}-\d\d-\d\d \d\d:\d\d this device has a new ID/))
        #expect(try run("sync status --json").contains(/"rotated_at": "\d{4}-/))
    }
}
