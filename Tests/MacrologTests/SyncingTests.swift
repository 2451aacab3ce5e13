import Foundation
import Macrolog
import MacrologEngine
import MacrologHTTP
import MacrologTestSupport
import Testing

/// Goal: an app that embeds the library syncs over real sockets with a real server.
@Suite struct SyncingTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    func meal(_ replica: Replica, _ name: String) -> Meal {
        Meal(
            id: replica.newID(), on: LocalDate(day: day), dishName: name, slot: "lunch",
            nutrients: Nutrients(energy: 400_000, protein: 20_000))
    }

    @Test func `two devices of a person end with one day, a stranger sees nothing`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let laptop = try await server.device("laptop", of: "ana@example.org")
        let stranger = try await server.device("other", of: "ben@example.org")
        let soup = meal(phone.replica, "Soup")
        try phone.replica.add(soup)
        for index in 0..<1_200 { try laptop.replica.add(meal(laptop.replica, "Dish \(index)")) }
        #expect(try phone.replica.syncStatus().unsealed == 1)

        try await phone.sync()
        try await laptop.sync()
        let done = try await phone.sync()
        #expect((done.unsealed, done.cursor, done.head) == (0, 1_201, 1_201))
        #expect(try phone.replica.summary(of: day) == laptop.replica.summary(of: day))
        #expect(try phone.replica.summary(of: day).consumedMeals == 1_201)
        #expect(
            try phone.replica.withStore { try $0.stateHash() }
                == laptop.replica.withStore { try $0.stateHash() })
        #expect(try await stranger.sync().head == 0)
        #expect(try stranger.replica.meals(on: day).isEmpty)
    }

    @Test func `an observer sees what another device recorded`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let laptop = try await server.device("laptop", of: "ana@example.org")
        let day = day
        var energies = laptop.replica.observe { try $0.summary(of: day).totals[.energy] }
            .makeAsyncIterator()
        #expect(try await energies.next() == .some(nil))
        try phone.replica.add(meal(phone.replica, "Soup"))
        try await phone.sync()
        try await laptop.sync()
        #expect(try await energies.next() == 400_000)
    }

    @Test func `syncing continues by itself after something is recorded`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        var reports = phone.sync(every: .seconds(3_600)).makeAsyncIterator()
        #expect(await reports.next()?.unsealed == 0)
        try phone.replica.add(meal(phone.replica, "Soup"))
        while let report = await reports.next() {
            if report.unsealed == 0, report.cursor == 1 { break }
        }
        #expect(try phone.replica.syncStatus().cursor == 1)
    }

    @Test func `logging out refuses to leave unsealed events, and deletes nothing`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        try phone.replica.add(meal(phone.replica, "Soup"))
        await #expect(throws: AccountError.unsynced(1)) { try await phone.logOut() }
        try await phone.sync()
        try await phone.logOut()
        #expect(try phone.session == nil)
        await #expect(throws: AccountError.loggedOut) { try await phone.sync() }
        #expect(try phone.replica.meals(on: day).count == 1)
    }

    @Test func `a revoked or unknown session keeps everything and asks to log in`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let sessions = SessionFile(path: phone.replica.path + ".session")
        var session = try #require(try sessions.load())
        session = Session(
            server: session.server, email: session.email, account: session.account,
            accessToken: "x", refreshToken: "y")
        try sessions.save(session)
        try phone.replica.add(meal(phone.replica, "Soup"))
        do {
            try await phone.sync()
            Issue.record("a sync without a valid session succeeded")
        } catch {
            #expect("\(error)".contains("log in again"))
        }
        #expect(try phone.replica.syncStatus().unsealed == 1)
        try await phone.logIn(
            email: "ana@example.org", password: RealServer.password, at: server.address,
            deviceName: "phone")
        #expect(try await phone.sync().cursor == 1)
    }

    @Test func `a replica of one account refuses another`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        try await phone.register(
            email: "ben@example.org", password: RealServer.password, at: server.address)
        await #expect(throws: AccountError.otherAccount) {
            try await phone.logIn(
                email: "ben@example.org", password: RealServer.password, at: server.address,
                deviceName: "phone")
        }
        // The session that was refused has ended.
        let tablet = try await server.device("tablet", of: "ben@example.org")
        #expect(try await tablet.devices().map(\.name) == ["tablet"])
        // The one that this device has is still valid.
        #expect(try await phone.devices().map(\.name) == ["phone"])
    }

    @Test func `logging out ends the session, also with a token that has expired`() async throws {
        let server = try RealServer()
        let tablet = try await server.device("tablet", of: "ana@example.org")
        let phone = try await server.device("phone", of: "ana@example.org")
        try expire(phone)
        try await phone.logOut()
        #expect(try await tablet.devices().map(\.name) == ["tablet"])
    }

    @Test func `a device that logs in again ends the session that it had`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let first = try #require(try phone.session)
        func logIn(_ name: String) async throws {
            try await phone.logIn(
                email: "ana@example.org", password: RealServer.password, at: server.address,
                deviceName: name)
        }
        try await logIn("mobile")
        #expect(try await phone.devices().map(\.name) == ["mobile"])
        #expect(try phone.session?.refreshToken != first.refreshToken)
        // Also one whose access token has expired.
        try expire(phone)
        try await logIn("tablet")
        #expect(try await phone.devices().map(\.name) == ["tablet"])
    }

    @Test(.timeLimit(.minutes(10)))
    func `what a person asks does not wait for an exchange that gets no answer`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let slow = SlowAccount(of: phone) { $0.path == "/v1/sync" }
        let account = slow.account
        let syncing = Task { try await account.sync() }
        await slow.held()
        #expect(try await account.devices().map(\.name) == ["phone"])
        try await account.logIn(
            email: "ana@example.org", password: RealServer.password, at: server.address,
            deviceName: "mobile")
        slow.release()
        #expect(try await syncing.value.unsealed == 0)
    }

    @Test(.timeLimit(.minutes(10)))
    func `logging out waits for no exchange, and one that breaks off has not failed`()
        async throws
    {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let slow = SlowAccount(of: phone) { $0.path == "/v1/sync" }
        let account = slow.account
        let syncing = Task { try await account.sync() }
        await slow.held()
        try await account.logOut()
        #expect(try phone.session == nil)
        slow.release()
        await #expect(throws: AccountError.loggedOut) { try await syncing.value }
        #expect(try phone.replica.syncStatus().lastError == nil)
    }

    @Test(.timeLimit(.minutes(10)))
    func `tokens that arrive after the person has logged out bring no session back`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        try expire(phone)
        let slow = SlowAccount(of: phone, isAnswered: true) { $0.path == "/v1/auth/refresh" }
        let account = slow.account
        let syncing = Task { try await account.sync() }
        await slow.held()
        // Logging out asks for tokens as well, to end the session at the server.
        let leaving = Task { try await account.logOut() }
        await slow.held()
        slow.release()
        try await leaving.value
        await #expect(throws: AccountError.loggedOut) { try await syncing.value }
        #expect(try phone.session == nil)
    }

    @Test(.timeLimit(.minutes(10)))
    func `two requests whose token has expired renew it once`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        try expire(phone)
        let slow = SlowAccount(of: phone) { $0.path == "/v1/auth/refresh" }
        let account = slow.account
        let first = Task { try await account.devices() }
        await slow.held()
        let second = Task { try await account.devices() }
        await slow.sent { $0.path == "/v1/devices" }
        slow.release()
        for devices in [try await first.value, try await second.value] {
            #expect(devices.map(\.name) == ["phone"])
        }
        let rest = await slow.rest()
        #expect(!rest.contains { $0.path == "/v1/auth/refresh" })
    }

    /// Gives a session an access token that the server does not know.
    private func expire(_ account: Account) throws {
        let session = try #require(try account.session)
        try SessionFile(path: account.replica.path + ".session").save(
            Session(
                server: session.server, email: session.email, account: session.account,
                accessToken: "x", refreshToken: session.refreshToken))
    }

    @Test func `no server is a sentence, not a loss`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let sessions = SessionFile(path: phone.replica.path + ".session")
        let session = try #require(try sessions.load())
        try sessions.save(
            Session(
                server: "http://127.0.0.1:1", email: session.email, account: session.account,
                accessToken: session.accessToken, refreshToken: session.refreshToken))
        try phone.replica.add(meal(phone.replica, "Soup"))
        do {
            try await phone.sync()
            Issue.record("a sync without a server succeeded")
        } catch AccountError.sync(let cause) {
            #expect(cause.isOffline && cause.isRetryable)
            #expect(cause.explanation.contains("cannot be reached"))
        }
        #expect(try phone.replica.syncStatus().lastError?.contains("cannot be reached") == true)
    }

    @Test func `a session file that others may read is refused`() throws {
        let folder = ScratchFolder()
        defer { folder.remove() }
        let path = folder.file("session")
        let sessions = SessionFile(path: path)
        try sessions.save(
            Session(server: "s", email: "e", account: "a", accessToken: "t", refreshToken: "r"))
        #expect(try sessions.load()?.accessToken == "t")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(throws: SessionError.self) { try sessions.load() }
    }
}
