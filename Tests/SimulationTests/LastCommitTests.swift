import MacrologSQLite
import MacrologService
import MacrologSimulation
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: once no one can know what is on the disk, a store commits nothing more and answers no one,
/// also where the process is not ended as it should be.
/// Method: a disk that fails one write and no other, under a store with threads and under one without.
@Suite struct LastCommitTests {
    @Test(arguments: [false, true])
    func `a store that can't tell what is on the disk is never heard of again`(
        hasWriter: Bool
    ) throws {
        try ScratchFolder.lend { folder in
            let path = "\(folder)/server.db"
            let disk = FaultDisk([path])
            let ends = Mutex(0)
            let answers = Mutex(0)
            let store = try SQLiteServerStore.open(path, newEpoch: 7, hasWriter: hasWriter) { _ in
                ends.withLock { $0 += 1 }
            }
            var db = try Connection.open(path)
            disk.fail(.write, after: 0, times: 1)
            for _ in 1...2 {
                store.addInvitation([UInt8](repeating: 1, count: 32), uses: 1, expires: 2, now: 1) {
                    _ in answers.withLock { $0 += 1 }
                }
            }
            store.close()
            #expect(ends.withLock { $0 } == 1)
            #expect(answers.withLock { $0 } == 0)
            #expect(store.commits == 0)
            #expect(try db.first("SELECT count(*) FROM invitation") { $0.int(0) } == 0)
        }
    }
}
