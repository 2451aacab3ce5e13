import MacrologTestSupport
import Foundation
import Synchronization
import Testing

/// Goal: the faults between a node and its database strike where they were ordered, and nowhere else.
/// Method: PostgreSQL's own client and server, with the proxy between them.
@Suite(.enabled(if: PostgreSQLServer.isThere, "\(PostgreSQLServer.tools.missing)"))
struct FaultProxyTests {
    typealias Fault = FaultProxy.Fault

    private let server: PostgreSQLServer
    private let database: String
    private let proxy: FaultProxy

    init() throws {
        server = try PostgreSQLServer.shared()
        database = try server.newDatabase()
        proxy = FaultProxy(to: .socket(server.socket), content: .postgreSQL)
        try server.query("CREATE TABLE t (n int)", in: database)
    }

    private func query(_ statements: String, by proxy: FaultProxy) throws -> String {
        try server.query(statements, at: server.address(of: database, port: proxy.port))
    }

    private func rows() throws -> String {
        try server.query(
            "SELECT coalesce(string_agg(n::text, ' ' ORDER BY n), '') FROM t", in: database)
    }

    @Test(arguments: [
        (Fault(.cut, .up, .before("COMMIT")), ""), (Fault(.cut, .up, .after("COMMIT")), "1"),
        (Fault(.cut, .down, .before("COMMIT")), "1"),
    ])
    func `a commit is cut on its way, or its answer is`(_ fault: Fault, _ left: String) throws {
        proxy.order(fault)
        let answer = Result { try query("BEGIN; INSERT INTO t VALUES (1); COMMIT;", by: proxy) }
        // After the commit has passed, its answer can be faster than the cut.
        if fault.direction == .down || left.isEmpty {
            #expect(throws: UnpackedProcess.Failed.self) { try answer.get() }
        }
        // The session ends when the server notices that the line is cut.
        eventually {
            (try? server.query(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()",
                in: database)) == "1"
        }
        #expect(try rows() == left)
        #expect(proxy.struck == ["cut": 1])
        #expect(try query("SELECT 5", by: proxy) == "5")
    }

    /// What a query on a thread of its own answers.
    private final class Answer: Sendable {
        private let result = Mutex<Result<String, any Error>?>(nil)

        init(_ query: @escaping @Sendable () throws -> String) {
            Thread.detachNewThread { [self] in
                let result = Result { try query() }
                self.result.withLock { $0 = result }
            }
        }

        func get() throws -> String {
            eventually { result.withLock { $0 != nil } }
            return try #require(result.withLock { $0 }).get()
        }
    }

    @Test func `a frozen line gives its answer when it thaws`() throws {
        proxy.order(Fault(.frozen, .down, .before("marked")))
        let answer = Answer { try query("SELECT 'marked'", by: proxy) }
        eventually { proxy.struck == ["frozen": 1] }
        #expect(try query("SELECT 6", by: proxy) == "6", "other lines go on")
        proxy.thaw()
        #expect(try answer.get() == "marked")
    }

    @Test func `all lines freeze and end together`() throws {
        proxy.freeze()
        let answer = Answer { try query("INSERT INTO t VALUES (1)", by: proxy) }
        eventually { proxy.accepted == 1 }
        #expect(try rows() == "")
        proxy.cutAll()
        #expect(throws: UnpackedProcess.Failed.self) { try answer.get() }
        proxy.thaw()
        proxy.refuse(true)
        #expect(throws: UnpackedProcess.Failed.self) { try query("SELECT 1", by: proxy) }
        proxy.refuse(false)
        #expect(try query("SELECT 7", by: proxy) == "7")
    }

    @Test func `bytes are counted to the byte`() throws {
        let long = "SELECT repeat('x', 100000)"
        let cutting = FaultProxy(to: .socket(server.socket)) { _ in
            [Fault(.cut, .down, .bytes(50_000))]
        }
        #expect(throws: UnpackedProcess.Failed.self) { try query(long, by: cutting) }
        let slow = FaultProxy(to: .socket(server.socket)) { _ in
            [Fault(.delayed(1), .down, .bytes(50_000))]
        }
        #expect(try query(long, by: slow).count == 100_000)
        #expect(slow.struck == ["delayed": 1])
    }

    @Test func `the client is given an answer that no server gave`() throws {
        proxy.order(Fault(.answered("no such protocol"), .up, .messages(0)))
        #expect(throws: UnpackedProcess.Failed.self) { try query("SELECT 1", by: proxy) }
        #expect(proxy.struck == ["answered": 1])
    }

    /// What is acknowledged is there, once, whatever the lines do.
    @Test func `a plan by seed is the same again`() throws {
        let kinds: [Fault.Kind] = [.cut, .delayed(1)]
        func play() throws -> (acknowledged: Set<String>, struck: [String: Int]) {
            try server.query("TRUNCATE t", in: database)
            let proxy = FaultProxy(
                to: .socket(server.socket), content: .postgreSQL,
                plan: FaultProxy.plan(seed: 7, percent: 80, kinds: kinds, messages: 16))
            var acknowledged: Set<String> = []
            for number in 1...14 {
                let answer = try? query(
                    "BEGIN; INSERT INTO t VALUES (\(number)); COMMIT;", by: proxy)
                if answer != nil { acknowledged.insert("\(number)") }
            }
            let there = try rows().split(separator: " ").map(String.init)
            #expect(Set(there).count == there.count)
            #expect(acknowledged.isSubset(of: there))
            return (acknowledged, proxy.struck)
        }
        let (first, second) = (try play(), try play())
        #expect(first == second)
        #expect(first.struck.count == kinds.count, "a kind of fault never struck")
        #expect(first.acknowledged.count < 14)
    }
}
