import Dispatch
import MacrologSQLite
import MacrologSimulation
import MacrologTestSupport
import Testing

/// Goal: worlds beside each other, each on disks of its own, never wait for each other for ever.
/// Method: each of some threads opens a database, writes, and lets the process end, again and again.
@Suite struct FaultDiskTests {
    @Test func `a process that ends keeps no other database from being opened`() throws {
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<50 {
                #expect(throws: Never.self) {
                    try ScratchFolder.lend { folder in
                        let path = "\(folder)/log.db"
                        let disk = FaultDisk([path], trees: ["\(folder)/photos"])
                        var connection = try Connection.open(path, vfs: "faulty")
                        try connection.migrate([Migration(name: "a table", "CREATE TABLE a (b)")])
                        disk.stop()
                        disk.kill()
                    }
                }
            }
        }
    }
}
