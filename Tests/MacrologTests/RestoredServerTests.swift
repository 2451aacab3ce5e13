import Foundation
import MacrologLog
import Macrolog
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import MacrologTestSupport
import Testing

/// Goal: a server that lost its end, or everything, gets back what the devices hold, and the devices
/// end up equal.
/// Method: real processes of `sync-server`, killed without warning; the devices are replicas of this
/// process, over real sockets.
@Suite(.serialized) struct RestoredServerTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    func add(_ count: Int, to account: Account, _ name: String) throws {
        for index in 0..<count {
            try account.replica.add(
                Meal(
                    id: account.replica.newID(), on: LocalDate(day: day),
                    dishName: "\(name) \(index)", slot: "lunch",
                    nutrients: Nutrients(energy: 400_000)))
        }
    }

    /// What a device holds, as text: its state and its log.
    func hash(_ account: Account) throws -> String {
        try account.replica.withStore { "\(try $0.stateHash()) \($0.log.digest)" }
    }

    @Test func `photos are in the backup, and those of after it come again from the devices`()
        async throws
    {
        let server = try ServerProcess.unlimited()
        let phone = try await server.device("phone")
        let laptop = try await server.device("laptop")
        try add(1, to: phone, "early")
        let meal = try #require(try phone.replica.meals(on: day).first).meal.id
        let early = try phone.replica.attachPhoto(PhotoTests.png(3_000), to: meal)
        try await phone.sync()
        let copy = server.folder.file("copy.db")
        #expect(try server.run(["backup", copy, "--data", server.data]).text.contains("1 blobs"))
        let late = try phone.replica.attachPhoto(PhotoTests.png(3_000, salt: 9), to: meal)
        try await phone.sync()
        server.kill()
        let restored = try server.run(["restore", copy, "--data", server.data, "--force"])
        #expect(restored.status == 0, "\(restored.text)")
        #expect(FileManager.default.fileExists(atPath: server.data + "/server.db.old-1.blobs"))
        try server.start()
        try await laptop.sync()
        // The copy's photo is there, whatever other device has it; the later one is not yet.
        _ = try await laptop.photo(early.name)
        await #expect(throws: PhotoError.notArrived) { try await laptop.photo(late.name) }
        try await phone.sync()
        try await laptop.sync()
        _ = try await laptop.photo(late.name)
        #expect(try laptop.replica.photos(of: meal).compactMap(\.bytes).count == 2)
        #expect(try server.run(["verify", "--data", server.data]).text.contains("2 blobs"))
    }

    @Test func `a backup, a thousand pushes, a kill and a restore leave all devices equal`()
        async throws
    {
        let server = try ServerProcess.unlimited()
        let phone = try await server.device("phone")
        let laptop = try await server.device("laptop")
        let tablet = try await server.device("tablet")
        try add(50, to: phone, "early")
        for account in [phone, laptop, tablet] { try await account.sync() }
        let copy = server.folder.file("copy.db")
        #expect(try server.run(["backup", copy, "--data", server.data]).status == 0)
        try add(500, to: phone, "phone")
        try add(500, to: laptop, "laptop")
        try await phone.sync()
        try await laptop.sync()
        // The server dies, and forgets the thousand; the phone holds 500 of them, the laptop all.
        server.kill()
        #expect(try server.run(["restore", copy, "--data", server.data]).status != 0)
        let restored = try server.run(["restore", copy, "--data", server.data, "--force"])
        #expect(restored.status == 0, "\(restored.text)")
        try server.start()
        try await phone.sync()
        #expect(try phone.replica.syncStatus().lastRecovery?.givenBack == 500)
        try await laptop.sync()
        #expect(try laptop.replica.syncStatus().lastRecovery?.givenBack == 500)
        for account in [tablet, phone] { try await account.sync() }
        let hashes = try [phone, laptop, tablet].map(hash)
        #expect(Set(hashes).count == 1)
        #expect(try tablet.replica.summary(of: day).consumedMeals == 1_050)
        #expect(try server.run(["verify", "--data", server.data]).status == 0)
    }

    @Test func `a restored server that went on otherwise gets the lost end as new events`()
        async throws
    {
        let server = try ServerProcess.unlimited()
        let phone = try await server.device("phone")
        let laptop = try await server.device("laptop")
        let tablet = try await server.device("tablet")
        try add(5, to: phone, "early")
        for account in [phone, laptop, tablet] { try await account.sync() }
        let copy = server.folder.file("copy.db")
        #expect(try server.run(["backup", copy, "--data", server.data]).status == 0)
        try add(20, to: phone, "phone")
        try add(20, to: laptop, "laptop")
        for account in [phone, laptop, phone] { try await account.sync() }
        server.kill()
        #expect(try server.run(["restore", copy, "--data", server.data, "--force"]).status == 0)
        try server.start()
        try add(1, to: tablet, "tablet")
        for account in [tablet, phone, laptop, tablet, phone] { try await account.sync() }
        #expect(try Set([phone, laptop, tablet].map(hash)).count == 1)
        #expect(try tablet.replica.summary(of: day).consumedMeals == 46)
        #expect(try phone.replica.syncStatus().lastRecovery?.reissued == 40)
    }

    @Test func `another device's event that was damaged before a fork is no problem after it`()
        async throws
    {
        let server = try ServerProcess.unlimited()
        let phone = try await server.device("phone")
        let laptop = try await server.device("laptop")
        let tablet = try await server.device("tablet")
        let copy = server.folder.file("copy.db")
        #expect(try server.run(["backup", copy, "--data", server.data]).status == 0)
        try add(3, to: phone, "phone")
        for account in [phone, laptop] { try await account.sync() }
        server.kill()
        #expect(try server.run(["restore", copy, "--data", server.data, "--force"]).status == 0)
        try server.start()
        try add(1, to: tablet, "tablet")
        try await tablet.sync()
        try laptop.replica.withStore { store in
            try store.db.run("DROP TRIGGER event_refuses_update")
            try store.db.run(
                "UPDATE event SET body = x'00' WHERE dot = (SELECT dot FROM seal WHERE n = 2)")
        }
        #expect(try laptop.replica.check() != [])
        laptop.replica.releaseFile()
        for account in [laptop, phone, laptop, tablet] { try await account.sync() }
        #expect(try laptop.replica.check() == [])
        #expect(try Set([phone, laptop, tablet].map(hash)).count == 1)
        #expect(try laptop.replica.summary(of: day).consumedMeals == 4)
    }

    @Test func `devices move to another server with everything they hold`() async throws {
        let server = try ServerProcess.unlimited()
        let phone = try await server.device("phone")
        let laptop = try await server.device("laptop")
        try add(30, to: phone, "phone")
        try await phone.sync()
        try await laptop.sync()
        let other = try ServerProcess.unlimited()
        await #expect(throws: AccountError.otherAccount) { try await other.logIn(phone, "phone") }
        for (account, name) in [(phone, "phone"), (laptop, "laptop")] {
            try await other.logIn(account, name, moves: true)
            try await account.sync()
        }
        #expect(try phone.replica.syncStatus().lastRecovery?.givenBack == 30)
        #expect(try laptop.replica.syncStatus().lastRecovery?.givenBack == 0)
        #expect(try hash(phone) == hash(laptop))
    }
}

extension ServerProcess {
    private static let password = "nine purple lanterns hum"

    /// One that charges nothing to any rate.
    static func unlimited() throws -> ServerProcess {
        try ServerProcess(options: ["--no-rate-limits"])
    }

    /// A new device of the one person here.
    func device(_ name: String) async throws -> Account {
        let path = folder.file("\(name).db")
        let account = Account(
            of: try Replica.open(at: path), session: SessionFile(path: path + ".session"))
        try await logIn(account, name)
        return account
    }

    func logIn(_ account: Account, _ name: String, moves: Bool = false) async throws {
        try await account.register(
            email: "ana@example.org", password: Self.password, at: address)
        try await account.logIn(
            email: "ana@example.org", password: Self.password, at: address, deviceName: name,
            moves: moves)
    }
}
