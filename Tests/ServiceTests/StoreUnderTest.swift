import Foundation
import MacrologCryptography
import MacrologPostgreSQL
import MacrologService
import MacrologTestSupport
import Synchronization
import Testing

/// The store on which a test runs: the same test runs on each, because both keep the same promises.
enum StoreUnderTest: Sendable {
    case sqlite, postgreSQL

    @TaskLocal static var current = StoreUnderTest.sqlite
    /// Whether connections have the name by which a test finds and ends them.
    @TaskLocal static var isCut = false

    /// Opens the store of a folder.
    func open(
        _ folder: String, epoch: UInt32, keys: [DataKey], readers: Int = 4, hasThreads: Bool = true,
        node: String = "", blobs: (any BlobStorage)? = nil
    ) throws -> any ServerStore {
        let path = "\(folder)/server.db"
        switch self {
        case .sqlite:
            return try SQLiteServerStore.open(
                path, newEpoch: epoch, keys: keys, readers: readers, hasWriter: hasThreads,
                blobs: blobs
            ) { fatalError($0) }
        case .postgreSQL:
            return try PostgreSQLServerStore.open(
                try ScratchDatabases.shared.get().address(of: folder), beside: path,
                node: node, secrets: TestServer.secrets, newEpoch: epoch, keys: keys,
                connections: 5,
                hasThreads: hasThreads, blobs: blobs
            ) { fatalError($0) }
        }
    }
}

/// Databases in one PostgreSQL server, which runs as long as these tests.
final class ScratchDatabases: Sendable {
    /// The server, or why there is none.
    static let shared = Result { try ScratchDatabases() }
    /// More than the folders of all tests.
    private static let countMax = 600

    let server: PostgreSQLServer
    /// The schema of each folder: a test that opens a folder again finds what it had.
    private let schemas = Mutex<[String: Int]>([:])

    private init() throws {
        server = try PostgreSQLServer(
            isDurable: false,
            settings: ["max_connections": "400", "max_locks_per_transaction": "256"])
        try server.query(
            (0..<Self.countMax).map { "CREATE SCHEMA test_\($0);" }.joined(separator: "\n"))
    }

    /// The address of the database of a folder.
    func address(of folder: String) throws -> PostgreSQLAddress {
        let number = schemas.withLock { schemas in
            let number = schemas[folder] ?? schemas.count
            schemas[folder] = number
            return number
        }
        precondition(number < Self.countMax, "there are more folders than schemas")
        let name = StoreUnderTest.isCut ? "cut" : "sync-server"
        return try PostgreSQLAddress(
            server.address() + "&application_name=\(name)", schema: "test_\(number)")
    }
}

/// Runs a test on each store, one after the other.
struct OnBothStores: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await function()
        guard PostgreSQLServer.isThere, !test.traits.contains(where: { $0 is OnSQLiteAlone }) else {
            return
        }
        try await StoreUnderTest.$current.withValue(.postgreSQL) { try await function() }
    }
}

/// What a test says that looks into the file of SQLite, or breaks it.
struct OnSQLiteAlone: TestTrait {}

extension Trait where Self == OnBothStores {
    static var onBothStores: Self { Self() }
}

extension Trait where Self == OnSQLiteAlone {
    static var onSQLiteAlone: Self { Self() }
}
