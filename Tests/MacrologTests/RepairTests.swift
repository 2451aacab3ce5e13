import Foundation
import MacrologLog
import Macrolog
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import MacrologTestSupport
import Testing

/// Goal: a file that was edited by another program is right again after one sync.
/// Method: a real process of `sync-server`, over real sockets; the file is edited with SQLite while
/// no one has it open.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RepairTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private func add(_ count: Int, to account: Account) throws {
        for index in 0..<count {
            try account.replica.add(
                Meal(
                    id: account.replica.newID(), on: LocalDate(day: day),
                    dishName: "meal \(index)", slot: "lunch",
                    nutrients: Nutrients(energy: 400_000)))
        }
    }

    private func hash(_ account: Account) throws -> String {
        try account.replica.withStore { "\(try $0.stateHash()) \($0.log.digest)" }
    }

    static let edits: [(sql: StaticString, fetched: Int64, isRefolded: Bool)] = [
        ("UPDATE event SET body = x'00' WHERE dot & 0xFFFFFFFF IN (3, 40)", 4, false),
        ("DELETE FROM event WHERE dot & 0xFFFFFFFF = 7", 2, false),
        ("DELETE FROM seal WHERE n BETWEEN 20 AND 60", 41, false),
        ("UPDATE seal SET digest = zeroblob(16)", 0, false),
        ("DELETE FROM meal", 0, true),
        ("UPDATE entity SET state = (SELECT state FROM entity LIMIT 1)", 0, true),
    ]

    @Test func `one sync repairs what was edited in the file`() async throws {
        let server = try ServerProcess.unlimited()
        let phone = try await server.device("phone")
        let laptop = try await server.device("laptop")
        try add(60, to: phone)
        try add(60, to: laptop)
        for account in [phone, laptop, phone] { try await account.sync() }
        let sound = try hash(laptop)
        for (sql, fetched, isRefolded) in Self.edits {
            phone.replica.releaseFile()
            try edit(phone.replica.path, sql)
            #expect(try phone.replica.check() != [], "\(sql)")
            try await phone.sync()
            #expect(try hash(phone) == sound, "\(sql)")
            let repair = try phone.replica.syncStatus().lastRepair
            #expect(repair?.fetched == fetched, "\(sql)")
            #expect((repair?.rebuilt ?? 0 > 0) == isRefolded, "\(sql)")
            #expect(repair?.lost == 0, "\(sql)")
            #expect(try phone.replica.syncStatus().lastError == nil, "\(sql)")
        }
        // Nothing was recorded because of all that.
        #expect(try phone.replica.read { try $0.statistics() }.events == 120)
        let days = try [phone, laptop].map {
            try $0.replica.read { try $0.digests() }.days.map { "\($0)" }
        }
        #expect(days[0] == days[1] && !days[0].isEmpty)
    }

    private func edit(_ path: String, _ sql: StaticString) throws {
        var file = try Connection.open(path)
        for trigger in [
            "DROP TRIGGER IF EXISTS event_refuses_update",
            "DROP TRIGGER IF EXISTS event_refuses_delete",
            "DROP TRIGGER IF EXISTS seal_refuses_update",
            "DROP TRIGGER IF EXISTS seal_refuses_delete",
        ] as [StaticString] {
            try file.run(trigger)
        }
        try file.run(sql)
    }
}
