import Macrolog
import MacrologEngine
import Synchronization
import Testing

/// Goal: syncing that an app begins once continues, whatever is in use or locked at that moment.
/// Method: a store of sessions that is locked, and a file that another replica has, each until it is
/// asked again.
@Suite(.timeLimit(.minutes(10))) struct KeepSyncingTests {
    private func addMeal(_ replica: Replica) throws {
        try replica.add(
            Meal(id: replica.newID(), on: try replica.localDate(), dishName: "Soup", slot: "lunch"))
    }

    @Test func `a locked store of sessions is waited for, and the status says so`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        try addMeal(phone.replica)
        let store = LockedStore(SessionFile(path: phone.replica.path + ".session"))
        let account = Account(of: phone.replica, session: store)
        var reports = account.sync(every: .seconds(3_600)).makeAsyncIterator()
        let first = await reports.next()
        #expect(first?.lastError == "the keychain is locked" && first?.unsealed == 1)
        store.unlock()
        while let report = await reports.next(), report.cursor < 1 {}
        let status = try phone.replica.syncStatus()
        #expect((status.cursor, status.unsealed) == (1, 0) && status.lastError == nil)
        // Without a session it ends.
        try await account.logOut()
        for await _ in account.sync(every: .seconds(1)) { Issue.record("it was synced") }
    }

    @Test func `a file that another replica has is waited for`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        try addMeal(phone.replica)
        phone.replica.releaseFile()
        let widget = try Replica.open(at: phone.replica.path)
        let store = LockedStore(SessionFile(path: phone.replica.path + ".session")) { count in
            if count == 2 { widget.releaseFile() }
        }
        store.unlock()
        let account = Account(of: phone.replica, session: store)
        var reports = account.sync(every: .seconds(3_600)).makeAsyncIterator()
        while let report = await reports.next(), report.cursor < 1 {}
        #expect(try phone.replica.syncStatus().unsealed == 0)
    }
}

/// A keychain, locked at first.
private final class LockedStore: SessionStore {
    private let file: SessionFile
    private let loaded: @Sendable (_ count: Int) -> Void
    private let state = Mutex((isLocked: true, loads: 0))

    init(_ file: SessionFile, loaded: @escaping @Sendable (_ count: Int) -> Void = { _ in }) {
        (self.file, self.loaded) = (file, loaded)
    }

    func unlock() { state.withLock { $0.isLocked = false } }

    func load() throws -> Session? {
        let (isLocked, count) = state.withLock { state in
            state.loads += 1
            return (state.isLocked, state.loads)
        }
        guard !isLocked else { throw KeychainIsLocked() }
        loaded(count)
        return try file.load()
    }

    func save(_ session: Session?) throws { try file.save(session) }
}
