import MacrologEvents
import Foundation
import MacrologGzip
import MacrologLog
import Macrolog
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: whatever version wrote a database, this one opens it, shows what was in it, and continues.
/// Method: files as the versions left them, with figures beside them (`Golden/README.md`).
@Suite struct GoldenTests {
    func openStore(_ path: String) throws -> Store {
        try Store.open(
            try LogConnection.open(path, pages: .small), newDevice: Identifier(high: 1, low: 1))
    }

    @Test(arguments: Golden.versions)
    func `a device's file of each version opens and shows what it held`(version: String) throws {
        let golden = Golden(version: version)
        let figures = try golden.figures()
        let folder = ScratchFolder()
        let path = try folder.put(try golden.database("device"), as: "device.db")
        var store = try openStore(path)
        var found = try Golden.Figures(device: &store)
        found.heads = figures.heads
        #expect(found == figures)
        let before = try store.stateHash()
        try store.rebuild()
        #expect(try store.stateHash() == before)
        #expect(try store.db.integrityCheck().isEmpty)
    }

    @Test(arguments: Golden.versions)
    func `a server's file of each version opens with the same logs`(version: String) throws {
        let golden = Golden(version: version)
        let folder = ScratchFolder()
        let path = try folder.put(try golden.database("server"), as: "server.db")
        #expect(try Golden.Figures.heads(ofServer: path) == golden.figures().heads)
        #expect(try ServerFile.check(path).problems.isEmpty)
        #expect(try ServerFile.check(path).accounts == 2)
    }

    @Test(arguments: Golden.versions)
    func `a device and a server of each version sync on, and a new device sees the same`(
        version: String
    ) async throws {
        let golden = Golden(version: version)
        let figures = try golden.figures()
        let httpServer = try RealServer(on: try golden.database("server"))
        let path = "\(httpServer.folder)/old.db"
        try Data(try golden.database("device")).write(to: URL(filePath: path))
        let old = try await httpServer.logIn(
            try Replica.open(at: path), "old", of: "ana@example.org")
        #expect(try old.replica.syncStatus().unsealed == figures.unsealed)
        try await old.sync()
        let new = try await httpServer.device("new", of: "ana@example.org")
        try await new.sync()
        try await old.sync()
        let expected = try old.replica.withStore { try $0.stateHash() }
        #expect(try new.replica.withStore { try $0.stateHash() } == expected)
        let seen = try new.replica.withStore { try Golden.Figures(device: &$0) }
        #expect(seen.days == figures.days)
        #expect(seen.unsealed == 0)
        #expect(seen.conflicts == figures.conflicts)
        // The file came from elsewhere, so its device is another now; all that waited was reissued.
        #expect(seen.cursor == figures.cursor + figures.unsealed)
        // The other account of the same file is still its own.
        let other = try await httpServer.device("other", of: "ben@example.org")
        try await other.sync()
        #expect(try other.replica.withStore { "\($0.log.cursor)" } == figures.heads[1].prefix(1))
    }

    @Test func `a file of an earlier build is refused untouched, and says what to do`() throws {
        let folder = ScratchFolder()
        func packed(_ name: String) throws -> [UInt8] {
            let data = try Data(contentsOf: URL(filePath: "\(Golden.root)/earlier-\(name).db.gz"))
            return try gunzip([UInt8](data), limit: 16 << 20)
        }
        for (name, attempt) in [
            ("device", { _ = try Replica.open(at: $0) }),
            ("server", { try SQLiteServerStore.open($0, newEpoch: 9) { fatalError($0) }.close() }),
            ("server", { _ = try ServerFile.check($0) }),
            ("server", { try ServerFile.backUp($0, to: $0 + ".copy") }),
        ] as [(String, (String) throws -> Void)] {
            let bytes = try packed(name)
            let path = try folder.put(bytes, as: "\(name).db")
            let error = #expect(throws: (any Error).self) { try attempt(path) }
            let sqlite = error as? SQLiteError ?? (error as? ReplicaError)?.sqlite
            guard case .earlier = sqlite?.code else {
                Issue.record("\(name): \(String(describing: error))")
                continue
            }
            #expect(sqlite?.description.contains("log in again with a new file") == true)
            #expect([UInt8](try Data(contentsOf: URL(filePath: path))) == bytes)
        }
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["MACROLOG_TEST_GOLDEN"] != nil))
    func `the databases of a version are written, once, and the run fails`() async throws {
        let golden = Golden(
            version: ProcessInfo.processInfo.environment["MACROLOG_TEST_GOLDEN"] ?? "")
        try #require(!Golden.versions.contains(golden.version), "this version has been released")
        let played = try await GoldenScenario.play()
        played.phone.replica.releaseFile()
        played.httpServer.stop()
        let server = "\(played.httpServer.folder)/server.db"
        ServerFile.checkpoint(server)
        ServerFile.checkpoint(played.phone.replica.path)
        var store = try openStore(played.phone.replica.path)
        var figures = try Golden.Figures(device: &store)
        figures.heads = try Golden.Figures.heads(ofServer: server)
        try store.db.checkpoint()
        try golden.write(device: played.phone.replica.path, server: server, figures)
        Issue.record("written to \(golden.folder): read figures.json, and run again without")
    }
}

extension ScratchFolder {
    /// Writes a file, and gives its path.
    fileprivate func put(_ bytes: [UInt8], as name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: file(name)))
        return file(name)
    }
}
