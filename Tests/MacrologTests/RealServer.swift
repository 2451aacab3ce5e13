import Foundation
import HTTP
import HTTPServer
import Macrolog
import Seal
import Service
import Sync

/// A real server on loopback with real sockets, and a folder for it and its devices.
final class RealServer {
    let folder: String
    let address: String
    private let hub: Hub
    private let server: Server

    /// - Parameter snapshots: From how many events on logs have snapshots, and bytes of a part.
    init(snapshots: (eventsMin: Int64, partBytes: Int) = (2_000, 524_288)) throws {
        folder =
            FileManager.default.temporaryDirectory
            .appending(path: "macrolog-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let store = try SQLiteHubStore.open(
            "\(folder)/hub.db", newEpoch: 9, snapshotPartBytes: snapshots.partBytes
        ) { fatalError($0) }
        var settings = HubSettings()
        settings.passwordCost = PasswordCost(operations: 1, memoryBytes: 8_192)
        settings.rates.registerByNetwork = Rate(burst: 100, interval: 1)
        settings.snapshotEventsMin = snapshots.eventsMin
        let hub = Hub(
            store: store, secrets: Secrets([UInt8](repeating: 3, count: Secrets.byteCount)),
            settings: settings, clock: { Int64(Date().timeIntervalSince1970 * 1_000) })
        var configuration = Configuration()
        configuration.port = 0
        server = try Server.start(configuration) { request, reply in
            hub.respond(to: request) { reply.send($0) }
        }
        self.hub = hub
        address = "http://127.0.0.1:\(server.port)"
    }

    deinit {
        hub.endLive()
        server.stop(deadlineMilliseconds: 1_000)
        hub.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A new device of a person, signed in.
    ///
    /// - Parameter connect: What its requests go through.
    func device(
        _ name: String, of email: String,
        connect: @escaping @Sendable (Origin) -> any Transport = { ServerTransport($0) }
    ) async throws -> Macrolog.Account {
        let path = "\(folder)/\(name).db"
        let account = Macrolog.Account(
            of: try Replica.open(at: path), session: SessionFile(path: path + ".session"),
            connect: connect)
        try await account.register(email: email, password: Self.password, at: address)
        try await account.logIn(
            email: email, password: Self.password, at: address, deviceName: name)
        return account
    }

    static let password = "nine purple lanterns hum"
}
