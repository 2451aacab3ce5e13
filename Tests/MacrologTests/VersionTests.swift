import MacrologEvents
import MacrologWire
import Foundation
import MacrologLog
import Macrolog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologEngine
import Testing

/// Goal: devices and servers of different age go on together where they can, and say so where not.
/// Method: real sockets; what there is of later versions is their number, their messages are those of
/// version 1 here.
@Suite struct VersionTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest
    let meal = Identifier(high: 0x0190_0000_0000_7000, low: 1)

    func add(to replica: Replica) throws {
        try replica.add(
            Meal(
                id: meal, on: LocalDate(day: day), dishName: "Oats", slot: "lunch",
                nutrients: Nutrients(energy: 400_000)))
    }

    @Test(arguments: [(1...1, 1...2), (1...2, 1...1), (1...2, 2...3), (1...1, 1...1)])
    func `a device and a server speak the newest version that both know`(
        device: ClosedRange<Int64>, server: ClosedRange<Int64>
    ) async throws {
        let server = try RealServer(versions: server)
        let phone = try await server.device("phone", of: "ana@example.org", versions: device)
        try add(to: phone.replica)
        try await phone.sync()
        #expect(try phone.replica.syncStatus().unsealed == 0)
    }

    @Test func `where there is none both sides say whose software is old, and recording continues`()
        async throws
    {
        let old = try RealServer(versions: 1...1)
        let phone = try await old.device("phone", of: "ana@example.org", versions: 2...3)
        try add(to: phone.replica)
        let tooNew = await #expect(throws: AccountError.self) { try await phone.sync() }
        #expect(
            tooNew?.explanation
                == "This server speaks version 1 of the protocol, and the device version 3. "
                + "Update the software of the server")
        let new = try RealServer(versions: 2...3)
        let tablet = try await new.device("tablet", of: "ana@example.org", versions: 1...1)
        let tooOld = await #expect(throws: AccountError.self) { try await tablet.sync() }
        #expect(
            tooOld?.explanation
                == "This server speaks versions 2 to 3 of the protocol, and the device version 1. "
                + "Update the software of the device")
        try add(to: tablet.replica)
        #expect(try tablet.replica.syncStatus().unsealed == 1)
        #expect(try tablet.replica.syncStatus().lastError?.contains("versions 2 to 3") == true)
    }

    @Test func `what both speak is chosen from ranges alone`() {
        #expect(ProtocolVersion.common(1...1, 2...3) == nil)
        #expect(ProtocolVersion.common(1...2, 2...3) == 2)
        #expect(ProtocolVersion.common(3...4, 1...9) == 4)
        let error = SyncError(.unsupportedVersion(supported: 1...1, detail: ""))
        #expect(SyncExchange.version(after: error, asked: 2, speaking: 1...2) == 1)
        // Asking again in the same version would go on for ever.
        #expect(SyncExchange.version(after: error, asked: 1, speaking: 1...2) == nil)
        #expect(SyncExchange.version(after: error, asked: 3, speaking: 2...3) == nil)
    }

    @Test func `a meal says that a newer version edited it, and an edit leaves that alone`()
        async throws
    {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let newer = try await server.device("newer", of: "ana@example.org")
        try add(to: phone.replica)
        try await phone.sync()
        try await newer.sync()
        #expect(try phone.replica.meal(meal)?.isEditedByNewerVersion == false)
        let key = EntityKey("meal", meal)
        func record(_ operations: [MacrologEvents.CellOperation]) throws {
            _ = try newer.replica.withStore {
                try $0.record(
                    [Draft("meal.scanned", version: 2, [Change(key, operations)])],
                    at: DeviceClock.system.read())
            }
        }
        try record([.set(["aura": "green"])])
        try await newer.sync()
        try await phone.sync()
        #expect(try phone.replica.meal(meal)?.isEditedByNewerVersion == true)
        #expect(
            try phone.replica.read { try $0.newerParts(of: Meal.self, meal) }?.fields == ["aura"])
        #expect(
            try phone.replica.read { try $0.newerParts(of: Meal.self, meal) }?.hasUnknownVerb
                == false)
        var edited = try phone.replica.require(Meal.self, meal)
        edited.dishName = "Porridge"
        try phone.replica.save(edited)
        try record([.unknown(verb: 9, arguments: [1])])
        for account in [phone, newer, phone] { try await account.sync() }
        let state = try newer.replica.withStore { try $0.state(of: key) }
        #expect(state?["aura"] == "green" && state?["dish_name"] == "Porridge")
        #expect(
            try phone.replica.read { try $0.newerParts(of: Meal.self, meal) }?.hasUnknownVerb
                == true)
    }
}
