import MacrologPostgreSQL
import MacrologSystem
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: a process has as many connections as it may, lends each to one caller, and finds its server again
/// after it was away.
/// Method: more callers than connections, and a server that is killed and started again.
@Suite(.enabled(if: PostgreSQLServer.isThere, Scratch.missing))
struct PoolTests {
    @Test func `callers take turns on few connections`() throws {
        let pool = PostgreSQLPool(try Scratch.address(), countMax: 3)
        _ = try pool.lend { db in
            try db.run("CREATE TABLE entry (backend bigint NOT NULL)")
            try db.flush()
        }
        let failures = Mutex(0)
        let workers = (0..<12).map { _ in
            Worker.start {
                for _ in 0..<20 {
                    do {
                        try pool.lend { db in
                            try db.transaction { db in
                                try db.run("INSERT INTO entry VALUES (pg_backend_pid())")
                            }
                        }
                    } catch {
                        failures.withLock { $0 += 1 }
                    }
                }
            }
        }
        for worker in workers { worker.join() }
        #expect(failures.withLock { $0 } == 0)
        let (rows, backends) = try pool.lend { db in
            try db.first("SELECT count(*), count(DISTINCT backend) FROM entry") {
                ($0.int(0), $0.int(1))
            } ?? (0, 0)
        }
        #expect(rows == 240 && (1...3).contains(backends))
    }

    @Test func `who finds the queue full is refused at once`() throws {
        let pool = PostgreSQLPool(try Scratch.address(), countMax: 1, waitingMax: 0)
        let error = #expect(throws: PostgreSQLError.self) { try pool.lend { _ in } }
        #expect(error?.code == .noConnection && error?.isRetryable == true)
    }

    @Test func `a server that comes back is found again`() throws {
        let server = try PostgreSQLServer(isDurable: false)
        let notes = Mutex<[String]>([])
        let address = try PostgreSQLAddress(server.address())
        let pool = PostgreSQLPool(address, countMax: 2) { note in notes.withLock { $0.append(note) }
        }
        #expect(try pool.lend { try $0.first("SELECT 7") { $0.int(0) } } == 7)
        server.kill()
        let error = #expect(throws: PostgreSQLError.self) {
            _ = try pool.lend { try $0.first("SELECT 7") { $0.int(0) } }
        }
        #expect(error?.code == .disconnected && error?.isRetryable == true)
        let next = #expect(throws: PostgreSQLError.self) { try pool.lend { _ in } }
        #expect(next?.code == .unreachable && next?.isRetryable == true)
        // At most once a minute, although it is away all the time.
        #expect(notes.withLock { $0 } == ["\(try #require(error))"])
        try server.start()
        #expect(
            eventually(every: 10) {
                (try? pool.lend { try $0.first("SELECT 7") { $0.int(0) } }) == 7
            })
    }
}
