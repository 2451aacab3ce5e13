/// One person's replica on the server: one more device, which reads what the server has and answers for a
/// write only when the server has sealed it.
import Macrolog
import MacrologDiary
import MacrologEngine
import MacrologEvents
import MacrologService
import MacrologSystem
import Synchronization

final class Person: Sendable {
    let replica: Replica
    private let account: MacrologEngine.Account
    private let zone: PersonZone
    /// How many of the server's events the replica holds; `nil` before the first exchange.
    private let cursor = Mutex<Int64?>(nil)

    /// Opens the replica in a folder, which is created if missing.
    init(_ caller: Caller, _ server: SyncServer, in folder: String) throws {
        try Files.makeFolder(folder)
        let zone = PersonZone()
        self.zone = zone
        replica = try Replica.open(at: "\(folder)/log.db", clock: zone.clock)
        let pass = GatewayPass(server, of: caller)
        account = MacrologEngine.Account(
            of: replica, session: InProcessSession(account: "\(caller.account)")
        ) { _ in InProcess(pass: pass) }
    }

    /// Pulls what the server has; without news it compares two numbers.
    func refresh(head: Int64) throws {
        guard cursor.withLock({ $0 }) != head else { return }
        try exchange()
    }

    /// Reads one state of the log.
    func read<T: Sendable>(_ body: (borrowing Diary) throws -> T) throws -> T {
        try replica.read(body)
    }

    /// Records, and returns when the server has sealed what was recorded. If it refuses, the
    /// replica must be thrown away: what no device was answered for is recorded nowhere.
    func write<T: Sendable>(_ body: (inout Diary) throws -> T) throws -> T {
        let result = try replica.write(body)
        try exchange()
        return result
    }

    private func exchange() throws {
        let account = account
        let done = try WaitingThread<SyncProgress>().value { try await account.sync() }
        guard done.unsealed == 0 else { throw APIProblem.busy }
        cursor.withLock { $0 = done.cursor }
        zone.set(try replica.read { try $0.preferences() }.zone)
    }
}
