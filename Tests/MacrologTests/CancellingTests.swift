import Dispatch
import MacrologHTTP
import Macrolog
import MacrologEngine
import Testing

/// Goal: what an app ends itself is no failure: it gets a `CancellationError`, and no later screen says
/// that syncing failed or that there is no network.
/// Method: a line on which no answer comes until the exchange is cancelled.
@Suite(.timeLimit(.minutes(10))) struct CancellingTests {
    /// An account over such a line, without a variable of the test that keeps it.
    private func silent(_ account: Account, _ asked: Asked) -> Account {
        Account(
            of: account.replica, session: SessionFile(path: account.replica.path + ".session")
        ) { _ in SilentLine(asked) }
    }

    private func keepSyncing(_ account: Account, _ asked: Asked) -> Task<Void, Never> {
        let account = silent(account, asked)
        return Task { for await _ in account.sync(every: .seconds(3_600)) {} }
    }

    @Test func `syncing that the app ends in the middle of an exchange has not failed`()
        async throws
    {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let (requests, continuation) = AsyncStream.makeStream(of: Void.self)
        let syncing = keepSyncing(phone, Asked(continuation))
        var asked = requests.makeAsyncIterator()
        _ = await asked.next()
        syncing.cancel()
        // Nothing that this syncing began is left.
        while await asked.next() != nil {}
        let status = try phone.replica.syncStatus()
        #expect(status.lastError == nil && !status.isOffline && status.failingFor == nil)
    }

    @Test func `whatever waits for the server ends as cancelled with its task`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let (requests, continuation) = AsyncStream.makeStream(of: Void.self)
        let account = silent(phone, Asked(continuation))
        var asked = requests.makeAsyncIterator()
        let address = server.address
        let questions: [@Sendable () async throws -> Void] = [
            { _ = try await account.sync() },
            { _ = try await account.devices() },
            { _ = try await account.photo([UInt8](repeating: 1, count: 32)) },
            {
                try await account.logIn(
                    email: "ana@example.org", password: RealServer.password, at: address,
                    deviceName: "phone")
            },
        ]
        for question in questions {
            let task = Task { try await question() }
            _ = await asked.next()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(try phone.replica.syncStatus().lastError == nil)
        #expect(try phone.replica.photoStatus().lastError == nil)
        #expect(try await phone.sync().unsealed == 0)
    }

    @Test func `what waits for another call ends at once when it is cancelled`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let (requests, continuation) = AsyncStream.makeStream(of: Void.self)
        let account = silent(phone, Asked(continuation))
        var asked = requests.makeAsyncIterator()
        let photo = Task { try await account.photo([UInt8](repeating: 1, count: 32)) }
        _ = await asked.next()
        let other = Task { try await account.photo([UInt8](repeating: 2, count: 32)) }
        other.cancel()
        // The first is still under way.
        await #expect(throws: CancellationError.self) { try await other.value }
        photo.cancel()
        await #expect(throws: CancellationError.self) { try await photo.value }
    }

    @Test func `what waits for another call's renewal of tokens ends at once when it is cancelled`()
        async throws
    {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        // The server refuses the access token, and has answered the renewal, whose answer is late.
        let session = try #require(try phone.session)
        try SessionFile(path: phone.replica.path + ".session").save(
            Session(
                server: session.server, email: session.email, account: session.account,
                accessToken: "refused", refreshToken: session.refreshToken))
        let slow = SlowAccount(of: phone, isAnswered: true) { $0.path == "/v1/auth/refresh" }
        let account = slow.account
        let first = Task { try await account.devices() }
        await slow.held()
        let second = Task { try await account.devices() }
        await slow.sent { $0.path == "/v1/devices" }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        slow.release()
        #expect(try await first.value.count == 1)
    }
}

/// A stream of requests, which ends when nothing holds this any more.
private final class Asked: Sendable {
    private let continuation: AsyncStream<Void>.Continuation

    init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

    func tell() { continuation.yield() }

    deinit { continuation.finish() }
}

private final class SilentLine: Transport {
    private let asked: Asked
    private let cancelled = DispatchSemaphore(value: 0)

    init(_ asked: Asked) { self.asked = asked }

    func send(
        _ request: HTTPRequest, heldSeconds: Int64
    ) throws(TransportError) -> HTTPResponse {
        asked.tell()
        cancelled.wait()
        // Later exchanges are refused at once.
        cancelled.signal()
        throw TransportError(code: .cancelled, operation: "test")
    }

    func cancel() { cancelled.signal() }
}
