import Foundation
import MacrologSQLite
import MacrologSimulation
import MacrologTestSupport
import Testing

/// Goal: a system without memory is reported by its name and costs nothing: what was answered for stays,
/// nothing is half done, nothing wrong is read, and with memory everything continues.
/// Method: each script of a device and of a server runs once for each request of SQLite for memory, which
/// is refused once, and with all that follow; in the end the power fails, too. A server writes on the thread
/// that asks, and says 500; what it does on threads of its own (it hashes a password and begins the
/// session, names a photo) never lacks memory.
/// All of them: `MACROLOG_TEST_DISK=whole swift test --filter MemoryTests`.
@Suite(.serialized) struct MemoryTests {
    @Test(
        .enabled(
            if: FaultMemory.isInstalled, "skipped: this system's SQLite takes no other memory"))
    func `a request for memory that is refused is reported by its name, and costs nothing`() throws
    {
        let trials = try Trials.all()
        let choice = Trials.choice(every: Trials.isOptimised ? 1_297 : 2_597)
        let report = trials.all { try trials.memory($0, choice) }
        print("\(report.cases) times without memory\n\(Trials.table(report))")
        #expect(report.problems.isEmpty, "\(report.problems.joined(separator: "\n"))")
        guard !Trials.isOneCase else { return }
        for times in ["once", "for ever"] {
            #expect(report.struck.counts["memory \(times)", default: 0] > 0, "never \(times)")
        }
    }

    /// A server that could not read a photo's row when it started took the photo's file for one without.
    @Test(
        .enabled(
            if: FaultMemory.isInstalled, "skipped: this system's SQLite takes no other memory"))
    func `what was found without memory is not found again`() throws {
        let report = try Trials.all().memory("collection", TrialChoice(seed: 21, every: 23))
        #expect(report.cases > 20)
        #expect(report.problems.isEmpty, "\(report.problems.joined(separator: "\n"))")
    }

    private static let migrations = [
        Migration(
            name: "1", "CREATE TABLE one (a INTEGER, b TEXT) STRICT; CREATE INDEX i ON one (a);"),
        Migration(
            name: "2", "CREATE TABLE two (a INTEGER) STRICT; INSERT INTO two VALUES (1), (2)"),
    ]

    /// A statement that the schema's change makes stale, undone without memory, takes its transaction
    /// with it and is then run on its own (SQLite 3.40).
    @Test(
        .enabled(
            if: FaultMemory.isInstalled, "skipped: this system's SQLite takes no other memory"))
    func `a migration that lacks memory is made whole or not at all`() throws {
        var request = UInt64(0)
        try ScratchFolder.lend { folder in
            var hasStruck = true
            while hasStruck {
                let path = "\(folder)/\(request).db"
                do {
                    var db = try Connection.open(path, pages: .small, isAlone: true)
                    FaultMemory.fail(after: request, times: 1)
                    defer { FaultMemory.repair() }
                    let result = Result { try db.migrate(Self.migrations) }
                    hasStruck = FaultMemory.failures > 0
                    if case .failure(let error) = result {
                        let code = (error as? SQLiteError)?.code
                        #expect(code == .noMemory, "request \(request): \(error)")
                    }
                }
                var db = try Connection.open(path, pages: .small, isAlone: true)
                try db.migrate(Self.migrations)
                let counts = try db.first(
                    """
                    SELECT (SELECT count(*) FROM migration), (SELECT count(*) FROM one),
                    (SELECT count(*) FROM two)
                    """
                ) { row in (0..<3).map { row.int($0) } }
                #expect(counts == [2, 0, 2], "request \(request)")
                request += 1
            }
        }
        #expect(request > 100)
    }
}
