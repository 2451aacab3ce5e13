import MacrologEvents
import MacrologPostgreSQL
import MacrologService
import MacrologTestSupport
import MacrologWire
import Synchronization
import Testing

/// Goal: small pushes of several accounts share a commit on PostgreSQL, and each keeps its own fate.
/// Method: the rows of two accounts are locked from outside, so that the pushes of the others wait together.
@Suite(
    .serialized,
    .enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct SharedCommitTests {
    /// A server with twelve accounts behind a proxy, and a connection past it.
    private final class Rig {
        let server: TestServer
        let proxy: FaultProxy
        /// The database.
        let name: String
        let outcomes = Outcomes()
        /// The access token of the last account.
        let token: String
        var outside: PostgreSQLConnection

        init(hasThreads: Bool = true) throws {
            let scratch = try ScratchDatabases.shared.get().server
            name = try scratch.newDatabase()
            proxy = FaultProxy(to: .socket(scratch.socket), content: .postgreSQL)
            let address = try PostgreSQLAddress(
                "postgresql://postgres@127.0.0.1:\(proxy.port)/\(name)?sslmode=disable")
            let folder = ScratchFolder()
            let store = try PostgreSQLServerStore.open(
                address, beside: "\(folder.path)/server.db", secrets: TestServer.secrets,
                newEpoch: 7, hasThreads: hasThreads, fatal: { fatalError($0) })
            server = try TestServer(folder: folder, store: store)
            outside = try PostgreSQLConnection.open(
                PostgreSQLAddress(scratch.address(of: name)))
            for number in 1...11 { _ = try server.login("person\(number)@example.org") }
            token = try server.login("person12@example.org").access
        }

        /// Past the proxy.
        var direct: PostgreSQLAddress {
            get throws {
                try PostgreSQLAddress(ScratchDatabases.shared.get().server.address(of: name))
            }
        }

        /// Pushes one event of a new device, by default its first.
        func push(_ space: Int64, skipping: Int = 0, quota: EventQuota = .none) throws {
            var device = TestDevice(UInt64(space))
            for _ in 0...skipping { device.record("meal") }
            let body = device.waiting[skipping].body
            let event = PushedEvent(
                header: try EventHeader.checked(body),
                hash: body.withUnsafeBytes { SHA256.words($0) }, age: .zero, mentions: [],
                body: body)
            let push = Push(
                space: space, device: device.id, events: [event], now: server.clock.now,
                quota: quota)
            server.store.push(push) { [outcomes] in outcomes.keep($0, of: space) }
        }

        /// Locks accounts until ``release()``.
        func lock(_ spaces: [Int64]) throws {
            try outside.run("BEGIN")
            for space in spaces {
                try outside.run("SELECT 1 FROM account WHERE space = ? FOR UPDATE", space)
            }
            try outside.flush()
        }

        func release() throws {
            try outside.run("ROLLBACK")
            try outside.flush()
        }

        /// Pushes to accounts 1 and 2, which are locked, and returns when both transactions wait.
        func occupy() throws {
            for space in [1, 2] as [Int64] {
                try push(space)
                try waitForWaiting(Int(space))
            }
        }

        func waitForWaiting(_ count: Int) throws {
            for _ in 0..<50_000 {
                // A transaction, such as that of `lock`, otherwise sees only the connections of its first look.
                try outside.run("SELECT pg_stat_clear_snapshot()")
                let waiting = try outside.first(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock'
                    """
                ) { $0.int(0) }
                if waiting == Int64(count) { return }
            }
            Issue.record("no \(count) transactions wait")
        }
    }

    private final class Outcomes: Sendable {
        private let all = Mutex<[Int64: String]>([:])

        func keep(_ result: Result<PushOutcome, StoreError>, of space: Int64) {
            let word: String
            switch result {
            case .success(.admitted): word = "admitted"
            case .success(.expected): word = "expected"
            case .success: word = "refused"
            case .failure: word = "failed"
            }
            all.withLock { $0[space] = word }
        }

        var isEmpty: Bool { all.withLock { $0.isEmpty } }

        func wait(for count: Int) -> [Int64: String] {
            #expect(eventually { all.withLock { $0.count } == count })
            return all.withLock { $0 }
        }
    }

    @Test func `pushes that wait share a commit, and a refused one harms no other`() throws {
        let rig = try Rig()
        let before = rig.server.store.commits
        try rig.lock([1, 2])
        try rig.occupy()
        for space in 3...12 as ClosedRange<Int64> {
            try rig.push(space, skipping: space == 7 ? 1 : 0)
        }
        try rig.release()
        let outcomes = rig.outcomes.wait(for: 12)
        for (space, word) in outcomes { #expect(word == (space == 7 ? "expected" : "admitted")) }
        let commits = rig.server.store.commits - before
        #expect(commits == 3, "two alone, ten together")
        for space in 1...12 as ClosedRange<Int64> {
            #expect(try rig.server.store.head(of: space).n == (space == 7 ? 0 : 1))
        }
    }

    @Test func `a push that the database refuses fails alone`() throws {
        let rig = try Rig()
        try rig.lock([1, 2])
        try rig.occupy()
        // No account owns space 99.
        for space in [3, 99, 4, 5] as [Int64] { try rig.push(space) }
        try rig.release()
        let outcomes = rig.outcomes.wait(for: 6)
        for (space, word) in outcomes { #expect(word == (space == 99 ? "failed" : "admitted")) }
        for space in 1...5 as ClosedRange<Int64> {
            #expect(try rig.server.store.head(of: space).n == 1)
        }
    }

    @Test func `after a commit whose answer is cut off each push is found by its dot`() throws {
        let rig = try Rig()
        try rig.lock([1, 2])
        try rig.occupy()
        for space in 3...12 as ClosedRange<Int64> { try rig.push(space) }
        for _ in 0..<3 { rig.proxy.order(.init(.cut, .down, .before("COMMIT"))) }
        try rig.release()
        let outcomes = rig.outcomes.wait(for: 12)
        #expect(outcomes.values.allSatisfy { $0 == "admitted" }, "\(outcomes)")
        #expect(rig.proxy.struck["cut"] == 3)
        for space in 1...12 as ClosedRange<Int64> {
            #expect(try rig.server.store.head(of: space).n == 1)
        }
    }

    @Test func `no push is answered before the database has said that it is committed`() throws {
        let rig = try Rig()
        rig.proxy.order(.init(.frozen, .down, .before("COMMIT")))
        try rig.push(3)
        #expect(eventually { rig.proxy.struck["frozen"] == 1 })
        let isCommitted = try rig.outside.first("SELECT 1 FROM event WHERE space = 3") { _ in true }
        #expect(isCommitted == true, "it is held back between the commit and the node")
        #expect(rig.outcomes.isEmpty)
        rig.proxy.thaw()
        #expect(rig.outcomes.wait(for: 1) == [3: "admitted"])
    }

    @Test func `accounts are locked in one order, so that two nodes never wait for each other`()
        throws
    {
        let rig = try Rig()
        var other = try PostgreSQLConnection.open(try rig.direct)
        try rig.lock([1, 2])
        try rig.occupy()
        try rig.push(8)
        try rig.push(7)
        try other.run("BEGIN")
        try other.run("SELECT 1 FROM account WHERE space = 7 FOR UPDATE")
        try other.flush()
        try rig.release()
        _ = rig.outcomes.wait(for: 2)
        // Their transaction waits for 7, and has not locked 8 before.
        try rig.waitForWaiting(1)
        let isFree = try rig.outside.first(
            "SELECT 1 FROM account WHERE space = 8 FOR UPDATE SKIP LOCKED"
        ) { _ in true }
        #expect(isFree == true)
        try other.run("ROLLBACK")
        try other.flush()
        #expect(rig.outcomes.wait(for: 4).values.allSatisfy { $0 == "admitted" })
    }

    @Test func `what a transaction frees is made side by side`() throws {
        let rig = try Rig()
        let sessions = try ([3, 4] as [Int64]).map { space in
            try rig.outside.first("SELECT id FROM session WHERE space = ?", space) {
                $0.bytes(0)
            }
        }
        var ofAccount = try PostgreSQLConnection.open(try rig.direct)
        var ofSession = try PostgreSQLConnection.open(try rig.direct)
        try ofAccount.run("BEGIN")
        try ofAccount.run("SELECT 1 FROM account WHERE space = 3 FOR UPDATE")
        try ofAccount.flush()
        try ofSession.run("BEGIN")
        try ofSession.run("SELECT 1 FROM session WHERE space = 3 FOR UPDATE")
        try ofSession.flush()
        // Two pushes share a transaction, and a change of each of their accounts waits for it.
        try rig.lock([1, 2])
        try rig.occupy()
        for space in [3, 4] as [Int64] { try rig.push(space) }
        try rig.release()
        try rig.waitForWaiting(1)
        let renamed = Outcomes()
        for (space, session) in zip([3, 4] as [Int64], sessions) {
            let id = try #require(Identifier(bytes: session ?? []))
            rig.server.store.rename(id, of: space, to: "x") { _ in
                renamed.keep(.failure(.busy), of: space)
            }
        }
        try ofAccount.run("ROLLBACK")
        try ofAccount.flush()
        // That of account 3 waits for its session, which is locked; the other one does not.
        #expect(renamed.wait(for: 1) == [4: "failed"])
        try ofSession.run("ROLLBACK")
        try ofSession.flush()
        _ = renamed.wait(for: 2)
    }

    @Test func `a push sees what was committed while it waited for its account`() throws {
        let rig = try Rig()
        try rig.lock([3])
        try rig.push(3, quota: EventQuota(events: 1_000, bytes: 1_000_000, devices: 10))
        try rig.waitForWaiting(1)
        try rig.outside.run("UPDATE account SET event_bytes = 1000000 WHERE space = 3")
        try rig.outside.run("COMMIT")
        try rig.outside.flush()
        #expect(rig.outcomes.wait(for: 1) == [3: "refused"])
    }

    @Test(arguments: [true, false])
    func `the last receipts are written though a connection breaks`(_ hasThreads: Bool) throws {
        /// Ends the server while its connections break.
        func end() throws -> (FaultProxy, PostgreSQLAddress, [UInt8]) {
            let rig = try Rig(hasThreads: hasThreads)
            var device = TestDevice(9)
            _ = try device.fold(rig.server.sync(device.request, token: rig.token))
            for _ in 0..<3 {
                rig.proxy.order(.init(.cut, .up, .before("UPDATE session")))
            }
            return (rig.proxy, try rig.direct, device.id.bytes)
        }
        let (proxy, address, device) = try end()
        var outside = try PostgreSQLConnection.open(address)
        let written = try outside.first("SELECT device FROM session WHERE space = 12") {
            $0.isNull(0) ? nil : $0.bytes(0)
        }
        #expect(written == device)
        #expect(proxy.struck["cut"] == 3)
    }
}
