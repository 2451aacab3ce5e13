import Foundation
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologSystem
import MacrologTestSupport
import MacrologWire
import Synchronization
import Testing

/// Goal: a node that ends in the middle of its work takes nothing with it that it answered for, and nothing is in
/// the log twice.
/// Method: two real processes of `sync-server` on one PostgreSQL; devices push to one of them until it is killed,
/// and go on at the other.
@Suite(.enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct NodeProcessTests {
    /// How often a node is killed; `MACROLOG_NODE_KILLS` says another number.
    private static let kills =
        ProcessInfo.processInfo.environment["MACROLOG_NODE_KILLS"].flatMap { Int($0) } ?? 6

    @Test func `a node that is killed while devices push takes nothing with it`() throws {
        let database = try ScratchDatabases.shared.get().server
        let (files, place) = (ScratchFolder(), ScratchFolder())
        let options = [
            "--store", database.address(of: try database.newDatabase()), "--store-files",
            files.path, "--no-rate-limits",
        ]
        let first = try ServerProcess(options: options)
        // Every node has the same secrets.
        let secrets = place.file("data/secrets.key")
        try FileManager.default.createDirectory(
            atPath: place.file("data"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: "\(first.data)/secrets.key", toPath: secrets)
        let nodes = [first, try ServerProcess(in: place, options: options)]
        let token = try Self.login(at: first.port)
        var devices = (1...4).map { TestDevice(UInt64($0)) }
        var dice = Dice(seed: Dice.seeds(1).lowerBound)
        for round in 0..<Self.kills {
            let (victim, survivor) = (nodes[round % 2], nodes[1 - round % 2])
            let enough = 3 + dice.below(20)
            devices = Self.push(devices, to: victim, killingAfter: enough, token: token)
            for index in devices.indices {
                // What was not answered waits, and is sent again as it was.
                let answer = Self.sync(devices[index].request, at: survivor.port, token: token)
                _ = try devices[index].fold(try #require(answer, "round \(round)"))
                #expect(devices[index].waiting.isEmpty, "round \(round)")
            }
            try victim.start()
        }
        let count = devices.reduce(0) { $0 + $1.seq }
        for node in nodes {
            var reader = TestDevice(99)
            while reader.cursor < count {
                let answer = Self.sync(reader.request, at: node.port, token: token)
                _ = try reader.fold(try #require(answer))
            }
            #expect(reader.cursor == count && Set(reader.log).count == Int(count))
            #expect(Set(reader.log) == Set(devices.flatMap { $0.own.map { SHA256.hash($0) } }))
        }
    }

    /// Devices push, all at once, until the node is killed, which happens when it has answered some times.
    private static func push(
        _ devices: [TestDevice], to node: ServerProcess, killingAfter enough: Int, token: String
    ) -> [TestDevice] {
        let answered = Monitor(0)
        let after = Mutex<[Int: TestDevice]>([:])
        let port = node.port
        let workers = devices.enumerated().map { index, device in
            Worker.start {
                var device = device
                while true {
                    device.record("meal \(device.id) \(device.seq)")
                    guard let answer = sync(device.request, at: port, token: token),
                        (try? device.fold(answer)) != nil
                    else { break }
                    answered.withLock { $0 += 1 }
                    answered.wakeAll()
                }
                after.withLock { $0[index] = device }
            }
        }
        answered.wait { $0 >= enough ? () : nil }
        node.kill()
        for worker in workers { worker.join() }
        return after.withLock { after in devices.indices.compactMap { after[$0] } }
    }

    // MARK: HTTP

    private static func login(at port: Int) throws -> String {
        let body: JSON = [
            "email": "ana@example.org", "password": .string(password), "device": "phone",
        ]
        for path in ["/v1/auth/register", "/v1/auth/login"] {
            guard
                let answer = exchange(
                    path, "application/json", Array(body.compact.utf8), token: nil, at: port)
            else { continue }
            if let token = try? JSON.parse(answer.body)["access_token"]?.string { return token }
        }
        throw Unexpected(response: "no one could log in")
    }

    /// The body of an answer with status 200.
    private static func sync(_ request: SyncRequest, at port: Int, token: String) -> [UInt8]? {
        let answer = exchange(
            "/v1/sync", "application/cbor", request.encoded(), token: token, at: port)
        return answer?.status == 200 ? answer?.body : nil
    }

    /// One request on a connection of its own; `nil` if it broke.
    private static func exchange(
        _ path: String, _ type: String, _ body: [UInt8], token: String?, at port: Int
    ) -> (status: Int, body: [UInt8])? {
        guard let socket = Loopback.connected(to: port) else { return nil }
        defer { close(socket) }
        var header =
            "POST \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: \(type)\r\n"
        if let token { header += "Authorization: Bearer \(token)\r\n" }
        header += "Content-Length: \(body.count)\r\n\r\n"
        guard Loopback.send(Array(header.utf8) + body, to: socket) else { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return parsed(bytes)
    }

    private static func parsed(_ bytes: [UInt8]) -> (status: Int, body: [UInt8])? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let body = Array(bytes[end.upperBound...])
        guard let status = Int(head.split(separator: " ").dropFirst().first ?? ""),
            let length = head.lowercased().firstMatch(of: /content-length: (\d+)/).flatMap({
                Int($0.1)
            }), length == body.count
        else { return nil }
        return (status, body)
    }
}
