import Foundation
import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import Testing

/// Goal: each case that `Sources/Device/Recovery/CASES.md` draws ends as drawn: all devices hold one
/// log and one state, nothing is lost that anybody holds, and nothing counts twice.
/// Method: stores and a small server in memory; the page is compared with what their logs hold after
/// each step.
@Suite(.serialized) struct CaseTests {
    private let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private func id(_ number: Int) -> Identifier {
        Identifier(high: 0x0190_0000_0000_7000, low: UInt64(number))
    }

    private func name(_ number: UInt64) -> Identifier { Identifier(high: 0xB, low: number) }

    private func add(_ number: Int, to device: Device, energy: Int64 = 1_000) throws {
        try device.record(
            "meal.added", .meal, id(number),
            [
                .set([
                    "local_date": LocalDate(day: day).value, "consumed": true,
                    "dish_name": "Oats", "energy": .int(energy),
                ])
            ])
    }

    private func expectEqual(_ devices: Device..., meals: Int64) throws {
        for device in devices {
            #expect(device.store.log.unsealedCount == 0 && device.store.log.orphans == 0)
            #expect(device.store.log.digest == devices[0].store.log.digest)
            #expect(try device.store.stateHash() == devices[0].store.stateHash())
            #expect(
                try device.store.summary(of: day, today: day).totals[.energy] ?? 0
                    == meals * 1_000)
            let before = try device.store.stateHash()
            try device.store.rebuild()
            #expect(try device.store.stateHash() == before)
        }
    }

    private func alter(_ seq: Int64, of author: Device, on device: Device) throws {
        try device.unlock()
        let key = try #require(
            try device.store.db.first(
                "SELECT key FROM device WHERE id = ?", author.store.log.device
            ) { $0.int(0) })
        let dot = key << 40 | seq
        var body = try #require(
            try device.store.db.first("SELECT body FROM event WHERE dot = ?", dot) { $0.bytes(0) })
        let text = try #require(body.firstRange(of: Array("Oats".utf8)))
        body[text.lowerBound] ^= 1
        try device.store.db.run("UPDATE event SET body = ? WHERE dot = ?", body, dot)
    }

    @Test func `copied device`() throws {
        var server = SyncServer()
        let (phone, copy) = (try Device("a"), try Device("a"))
        for device in [phone, copy] { try add(1, to: device) }
        var drawing = Drawing(["server", "phone", "copy"])
        try drawing.draw("the phone's file is copied", server, phone, copy)
        try add(2, to: phone)
        try phone.sync(&server)
        try drawing.draw("phone records and syncs", server, phone, copy)
        try add(3, to: copy)
        try drawing.draw("copy records: a2, too", server, phone, copy)
        // The server has another event under its dot.
        for _ in 0..<2 { #expect(throws: LogError.self) { try copy.sync(&server) } }
        try copy.store.beginRotation(to: name(1))
        try copy.sync(&server)
        try drawing.draw("copy meets the other a2, takes ID b", server, phone, copy)
        try phone.sync(&server)
        try drawing.draw("phone syncs", server, phone, copy)
        try drawing.drawClocks(phone)
        try expectEqual(phone, copy, meals: 3)
        try CasePage.expect("copied device", drawing)
    }

    /// A phone that has synced three events, and the file of its backup, which holds one.
    private func restored(_ server: inout SyncServer) throws -> (lost: Device, phone: Device) {
        let (lost, phone) = (try Device("a"), try Device("a"))
        for device in [lost, phone] {
            try add(1, to: device)
            try device.sync(&server)
        }
        for meal in [2, 3] { try add(meal, to: lost) }
        try lost.sync(&server)
        return (lost, phone)
    }

    @Test func `restored device with its secret`() throws {
        var server = SyncServer()
        let (lost, phone) = try restored(&server)
        var drawing = Drawing(["server", "phone"])
        try drawing.draw("before", server, lost)
        try drawing.draw("the file is restored", server, phone)
        // The file beside the database says that a3 was recorded.
        try phone.store.beginRotation(to: name(1))
        try add(4, to: phone)
        try drawing.draw("its secret says more: it is b now", server, phone)
        try phone.sync(&server)
        try drawing.draw("phone syncs", server, phone)
        try drawing.drawClocks(phone)
        try expectEqual(phone, meals: 4)
        try CasePage.expect("restored device with its secret", drawing)
    }

    @Test func `restored device without its secret`() throws {
        var server = SyncServer()
        let (lost, phone) = try restored(&server)
        var drawing = Drawing(["server", "phone"])
        try drawing.draw("before", server, lost)
        try add(4, to: phone)
        try drawing.draw("restored, it records another a2", server, phone)
        #expect(throws: LogError(.rolledBack(seq: 3))) { try phone.sync(&server) }
        try phone.store.beginRotation(to: name(1))
        try phone.sync(&server)
        try drawing.draw("the server knows a3: it is b now", server, phone)
        try drawing.drawClocks(phone)
        try expectEqual(phone, meals: 4)
        try CasePage.expect("restored device without its secret", drawing)
    }

    private func two(_ server: inout SyncServer) throws -> (phone: Device, laptop: Device) {
        let (phone, laptop) = (try Device("a"), try Device("b"))
        try add(1, to: phone)
        try phone.sync(&server)
        try laptop.sync(&server)
        try add(2, to: laptop)
        try laptop.sync(&server)
        try phone.sync(&server)
        try add(3, to: phone)
        try phone.sync(&server)
        return (phone, laptop)
    }

    @Test(arguments: [1, 0])
    func `restored server, lost server`(kept: Int) throws {
        var server = SyncServer()
        let (phone, laptop) = try two(&server)
        try add(4, to: laptop)
        var drawing = Drawing(["server", "phone", "laptop"])
        try drawing.draw("before", server, phone, laptop)
        let rows = server.rows
        var other = server.restored(to: kept, epoch: 8)
        try drawing.draw(
            kept == 0 ? "another server, without events" : "the server is put back", other, phone,
            laptop)
        try phone.recoverAndSync(&other) { name(1) }
        // The same rows, with their seals.
        #expect(other.rows.map(\.body) == rows.map(\.body) && other.rows.map(\.t) == rows.map(\.t))
        try drawing.draw("phone gives back", other, phone, laptop)
        try laptop.recoverAndSync(&other) { name(2) }
        try phone.sync(&other)
        try drawing.draw("laptop finds all equal, both sync", other, phone, laptop)
        try drawing.drawClocks(phone)
        try expectEqual(phone, laptop, meals: 4)
        try CasePage.expect(kept == 0 ? "lost server" : "restored server", drawing)
    }

    @Test func `two forks`() throws {
        var first = SyncServer()
        let (phone, laptop) = try two(&first)
        let tablet = try Device("c")
        var drawing = Drawing(["server", "phone", "laptop", "tablet"])
        try drawing.draw("before", first, phone, laptop, tablet)
        var second = first.restored(to: 1, epoch: 8)
        try tablet.sync(&second)
        try add(5, to: tablet)
        try tablet.sync(&second)
        try drawing.draw("put back; tablet continues", second, phone, laptop, tablet)
        // The phone's own events first, then those of the laptop, under an ID of their own.
        try phone.recover(&second) { name(1) }
        try drawing.draw("phone goes back to the fork", second, phone, laptop, tablet)
        var third = second.restored(to: 1, epoch: 9)
        let other = try Device("d")
        try other.sync(&third)
        try add(6, to: other)
        try other.sync(&third)
        try drawing.draw("put back again; another device", third, phone, laptop, tablet)
        var names: UInt64 = 1
        try phone.recoverAndSync(&third) {
            names += 1
            return name(names)
        }
        try drawing.draw("phone reissues all that is lost", third, phone, laptop, tablet)
        for device in [tablet, laptop] {
            try device.recoverAndSync(&third) {
                names += 1
                return name(names)
            }
        }
        for device in [phone, laptop, tablet, other] { try device.sync(&third) }
        try drawing.draw("the others; what is said counts once", third, phone, laptop, tablet)
        try drawing.drawClocks(phone)
        try expectEqual(phone, laptop, tablet, other, meals: 5)
        try CasePage.expect("two forks", drawing)
    }

    @Test func `damaged row`() throws {
        var server = SyncServer()
        let (phone, laptop) = try two(&server)
        try laptop.sync(&server)
        var drawing = Drawing(["server", "phone"])
        try drawing.draw("before", server, phone)
        try alter(1, of: laptop, on: phone)
        #expect(try !phone.store.isLogSound())
        try drawing.draw("a bit of b1 flips", server, phone)
        let repaired = try phone.repair(from: server, as: name(1))
        #expect(repaired.rows == 1 && repaired.fork == nil)
        try drawing.draw("phone fetches n 2 again", server, phone)
        try drawing.drawClocks(phone)
        try expectEqual(phone, laptop, meals: 3)
        #expect(try phone.store.db.first("SELECT count(*) FROM aside") { $0.int(0) } == 2)
        try CasePage.expect("damaged row", drawing)
    }

    @Test func `damaged own event before it was sealed`() throws {
        var server = SyncServer()
        let phone = try Device("a")
        try add(1, to: phone)
        try phone.sync(&server)
        for meal in [2, 3] { try add(meal, to: phone) }
        var drawing = Drawing(["server", "phone"])
        try drawing.draw("before", server, phone)
        try alter(2, of: phone, on: phone)
        try drawing.draw("a bit of a2 flips", server, phone)
        #expect(throws: LogError(.altered(seq: 2))) { try phone.sync(&server) }
        #expect(try phone.look(next: name(1)).lost == 1)
        try phone.sync(&server)
        try drawing.draw("a2 is reported lost; it is b now", server, phone)
        try drawing.drawClocks(phone)
        try expectEqual(phone, meals: 2)
        try CasePage.expect("damaged own event before it was sealed", drawing)
    }

    @Test func `dropped payload whose overwriter is lost`() throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a"), try Device("b"))
        for energy in [nil, 1_000, 2_000] as [Int64?] {
            if let energy {
                try phone.record("meal.edited", .meal, id(1), [.set(["energy": .int(energy)])])
            } else {
                try add(1, to: phone)
            }
            try phone.sync(&server)
        }
        try laptop.sync(&server)
        var drawing = Drawing(["server", "phone", "laptop"])
        try drawing.draw("before", server, phone, laptop)
        #expect(try phone.store.compact(before: phone.store.newestSeal() + 1).events == 1)
        try drawing.draw("phone drops the payload of a2", server, phone, laptop)
        try phone.unlock()
        try phone.store.db.run(Device.damagingTheLast)
        try drawing.draw("a3 is damaged", server, phone, laptop)
        var other = server.restored(to: 0, epoch: 8)
        try drawing.draw("another server, without events", other, phone, laptop)
        try phone.recover(from: &other, as: name(1))
        #expect(try phone.look(next: name(2)).lost == 1)
        try drawing.draw("phone gives back; a3 is reported lost", other, phone, laptop)
        try laptop.recoverAndSync(&other) { name(3) }
        try phone.sync(&other)
        try drawing.draw("laptop gives a3 back", other, phone, laptop)
        try drawing.drawClocks(phone)
        try expectEqual(phone, laptop, meals: 2)
        try CasePage.expect("dropped payload whose overwriter is lost", drawing)
    }

    @Test func `lying server`() throws {
        var server = SyncServer()
        let (phone, laptop) = try two(&server)
        try laptop.sync(&server)
        try add(4, to: laptop)
        try laptop.sync(&server)
        var drawing = Drawing(["server", "phone"])
        try drawing.draw("before", server, phone)
        let before = (phone.store.log.digest, try phone.store.stateHash())
        // It sends another event than the one that its digest covers.
        var lying = server
        lying.rows[3].body = server.rows[1].body
        try drawing.draw("n 4 is sent with the bytes of b1", lying, phone)
        #expect(throws: LogError.self) { try phone.sync(&lying) }
        #expect(try phone.store.isLogSound())
        // Nor does it say the same twice of what the phone holds.
        lying = server
        lying.rows[1].t += 1
        try phone.unlock()
        try phone.store.db.run("UPDATE seal SET t = t + 7 WHERE n = 2")
        #expect(throws: LogError.self) {
            try phone.repair(from: server, answering: lying, as: name(1))
        }
        try phone.store.db.run("UPDATE seal SET t = t - 7 WHERE n = 2")
        #expect(phone.store.log.digest == before.0)
        #expect(try phone.store.stateHash() == before.1)
        try drawing.draw("phone takes nothing", server, phone)
        try phone.sync(&server)
        try drawing.draw("an honest answer", server, phone)
        try drawing.drawClocks(phone)
        try expectEqual(phone, laptop, meals: 4)
        try CasePage.expect("lying server", drawing)
    }

    @Test func `every case that is drawn is a test, and every test is drawn`() throws {
        let text = try String(contentsOfFile: #filePath, encoding: .utf8)
        let tests = text.matches(of: /func `([^`]+)`/).map { String($0.1) }
            .flatMap { $0.components(separatedBy: ", ") }
            .filter { !$0.hasPrefix("every ") && !$0.hasPrefix("and every ") && !$0.contains("[") }
        #expect(Set(tests) == Set(try CasePage.drawings().keys))
        #expect(tests.count == 10)
    }
}
