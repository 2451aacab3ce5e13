import MacrologEvents
import MacrologWire
import Foundation
import MacrologHTTP
import MacrologHTTPServer
import Macrolog
import MacrologCryptography
import MacrologService
import MacrologEngine
import MacrologTestSupport

/// A real server on loopback with real sockets, and a folder for it and its devices.
final class RealServer {
    private let scratch = ScratchFolder()
    var folder: String { scratch.path }
    let address: String
    private let server: SyncServer
    private let httpServer: Server
    private var isStopped = false

    /// - Parameter file: What the server has kept from before: the bytes of its file.
    init(
        on file: [UInt8]? = nil, versions: ClosedRange<Int64> = Limits.protocolVersions,
        clock: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000) }
    ) throws {
        if let file { try Data(file).write(to: URL(filePath: scratch.file("server.db"))) }
        let store = try SQLiteServerStore.open(scratch.file("server.db"), newEpoch: 9) {
            fatalError($0)
        }
        var settings = ServerSettings()
        settings.passwordCost = PasswordCost(operations: 1, memoryBytes: 8_192)
        settings.versions = versions
        settings.rates[.registerByNetwork] = Rate(burst: 100, interval: 1)
        settings.rates[.blobBySession] = nil
        let server = SyncServer(
            store: store, secrets: Secrets([UInt8](repeating: 3, count: Secrets.byteCount)),
            settings: settings, clock: clock)
        var configuration = Configuration()
        configuration.port = 0
        // All people of a test have one address.
        configuration.connectionsPerAddressMax = 1_000
        httpServer = try Server.start(configuration, sinks: { $1(server.sink(for: $0)) }) {
            request, reply in
            server.respond(to: request) { reply.send($0) }
        }
        self.server = server
        address = "http://127.0.0.1:\(httpServer.port)"
    }

    /// Stops; everything kept is in the file then.
    func stop() {
        isStopped = true
        server.endLive()
        httpServer.stop(deadlineMilliseconds: 1_000)
        server.close()
    }

    deinit {
        if !isStopped { stop() }
    }

    /// A new device of a person, logged in.
    ///
    /// - Parameter connect: What its requests go through.
    func device(
        _ name: String, of email: String, versions: ClosedRange<Int64> = Limits.protocolVersions,
        connect: @escaping @Sendable (Origin) -> any Transport = { ServerTransport($0) }
    ) async throws -> Macrolog.Account {
        try await logIn(
            try Replica.open(at: "\(folder)/\(name).db"), name, of: email, versions: versions,
            connect: connect)
    }

    /// Logs a replica in.
    func logIn(
        _ replica: Replica, _ name: String, of email: String,
        versions: ClosedRange<Int64> = Limits.protocolVersions, moves: Bool = false,
        connect: @escaping @Sendable (Origin) -> any Transport = { ServerTransport($0) }
    ) async throws -> Macrolog.Account {
        let account = Macrolog.Account(
            of: replica, session: SessionFile(path: replica.path + ".session"),
            versions: versions, connect: connect)
        try await account.register(email: email, password: Self.password, at: address)
        try await account.logIn(
            email: email, password: Self.password, at: address, deviceName: name, moves: moves)
        return account
    }

    static let password = "nine purple lanterns hum"
}
