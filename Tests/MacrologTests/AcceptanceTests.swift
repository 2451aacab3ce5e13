import Foundation
import Macrolog
import MacrologTestSupport
import Synchronization
import Testing

/// The acceptance tests of the domain that need a server for many, or one whose clock leaps, by their
/// numbers.
@Suite struct AcceptanceTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private func meals(_ count: Int, by replica: Replica) throws {
        try replica.record(
            (1...count).map { number in
                .add(
                    Meal(
                        id: replica.newID(), on: LocalDate(day: day), dishName: "Dish \(number)",
                        slot: "lunch", nutrients: Nutrients(energy: Int64(number) * 1_000)),
                    today: day)
            })
    }

    /// The access token ends after 30 days and the session after 90 idle ones (`protocol.md` §8):
    /// forty days after the first, what renews it is still good; forty days after the second only
    /// the password is.
    @Test(arguments: [30 + 40, 90 + 40])
    func `9 token expired for 40 days with 500 pending events: after a login all arrive`(
        days: Int64
    ) async throws {
        let clock = ManualClock(Int64(Date().timeIntervalSince1970 * 1_000))
        let server = try RealServer(clock: { clock.now })
        let phone = try await server.device("phone", of: "ana@example.org")
        try await phone.sync()
        clock.advance(milliseconds: days * 86_400_000)
        try meals(500, by: phone.replica)
        if days > 90 {
            await #expect(throws: AccountError.self) { try await phone.sync() }
            #expect(try phone.replica.syncStatus().lastError?.contains("log in again") == true)
            #expect(try phone.replica.syncStatus().unsealed == 500)
            try await phone.logIn(
                email: "ana@example.org", password: RealServer.password, at: server.address,
                deviceName: "phone")
        }
        let done = try await phone.sync()
        #expect((done.unsealed, done.cursor, done.head) == (0, 500, 500))
        let laptop = try await server.device("laptop", of: "ana@example.org")
        try await laptop.sync()
        #expect(try laptop.replica.summary(of: day).totals[.energy] == 500 * 501 / 2 * 1_000)
        #expect(
            try phone.replica.withStore { try $0.stateHash() }
                == laptop.replica.withStore { try $0.stateHash() })
    }

    /// How fast fifty are served is measured and not asserted: row F of the benchmarks.
    @Test func `17 fifty people with two devices each at once: no event is lost`() async throws {
        let server = try RealServer()
        var people: [(phone: Macrolog.Account, laptop: Macrolog.Account)] = []
        for person in 1...50 {
            let email = "person\(person)@example.org"
            people.append(
                (
                    try await server.device("phone-\(person)", of: email),
                    try await server.device("laptop-\(person)", of: email)
                ))
        }
        try await withThrowingTaskGroup { group in
            for (phone, laptop) in people {
                for device in [phone, laptop] {
                    group.addTask {
                        for _ in 1...3 {
                            try meals(4, by: device.replica)
                            try await device.sync()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for (phone, laptop) in people {
            for device in [phone, laptop] {
                let done = try await device.sync()
                #expect((done.unsealed, done.cursor, done.head) == (0, 24, 24))
                let today = try device.replica.summary(of: day)
                #expect(today.consumedMeals == 24 && today.totals[.energy] == 60_000)
            }
            #expect(
                try phone.replica.withStore { try $0.stateHash() }
                    == laptop.replica.withStore { try $0.stateHash() })
        }
    }
}
