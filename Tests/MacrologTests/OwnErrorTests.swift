import Macrolog
import MacrologEngine
import Synchronization
import Testing

/// Goal: what goes wrong on this side in the middle of a sync reaches the app as what it is: logged out, a
/// file in use, a store of sessions that cannot be read.
/// Method: a store of sessions that throws when a sync has begun and asks for the token.
@Suite(.timeLimit(.minutes(10))) struct OwnErrorTests {
    private func account(
        _ phone: Account, _ act: @escaping @Sendable () throws -> Session?
    ) -> Account {
        let file = SessionFile(path: phone.replica.path + ".session")
        return Account(of: phone.replica, session: ActingStore(file, act))
    }

    @Test func `being logged out meanwhile is what a sync says`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        await #expect(throws: AccountError.loggedOut) { try await account(phone) { nil }.sync() }
    }

    @Test func `what the store of sessions throws comes through, and is remembered`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        await #expect(throws: KeychainIsLocked.self) {
            try await account(phone) { throw KeychainIsLocked() }.sync()
        }
        #expect(try phone.replica.syncStatus().lastError == "the keychain is locked")
        #expect(try await phone.sync().lastError == nil)
    }

    @Test func `a deleted account has nothing, also where its session cannot be removed here`()
        async throws
    {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        try phone.replica.logWeight(grams: 80_200, on: try phone.replica.localDate())
        #expect(try await phone.sync().head == 1)
        let file = SessionFile(path: phone.replica.path + ".session")
        let account = Account(of: phone.replica, session: UnwritableStore(file: file))
        await #expect(throws: KeychainIsLocked.self) {
            try await account.delete(password: RealServer.password, code: nil)
        }
        #expect(try phone.replica.syncStatus().head == 0)
        await #expect(throws: AccountError.self) { try await phone.sync() }
    }

    @Test func `another process that takes the file meanwhile is to be waited for`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let busy = ReplicaError(.busy, "the file is held by process 7")
        let error = await #expect(throws: ReplicaError.self) {
            try await account(phone) { throw busy }.sync()
        }
        #expect(error?.code == .busy && error?.isRetryable == true)
        #expect(try phone.replica.syncStatus().lastError == "the file is held by process 7")
    }
}

/// What a keychain of a locked device throws.
struct KeychainIsLocked: Error, CustomStringConvertible {
    var description: String { "the keychain is locked" }
}

/// A file of a session that cannot be changed.
private struct UnwritableStore: SessionStore {
    let file: SessionFile

    func load() throws -> Session? { try file.load() }
    func save(_ session: Session?) throws { throw KeychainIsLocked() }
}

/// A file of a session that is read once; from then on something else answers.
private final class ActingStore: SessionStore {
    private let file: SessionFile
    private let act: @Sendable () throws -> Session?
    private let loads = Mutex(0)

    init(_ file: SessionFile, _ act: @escaping @Sendable () throws -> Session?) {
        (self.file, self.act) = (file, act)
    }

    func load() throws -> Session? {
        let count = loads.withLock {
            $0 += 1
            return $0
        }
        return try count == 1 ? file.load() : act()
    }

    func save(_ session: Session?) throws { try file.save(session) }
}
