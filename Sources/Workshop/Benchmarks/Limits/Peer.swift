import CMacrologPeer
import MacrologEvents
import MacrologLog
import MacrologReadModels
import MacrologSQLite
import MacrologWire

/// The C engine of `Workshop/Peer` on a file: the peer that our own figures stand beside.
final class Peer {
    private let handle: OpaquePointer

    /// Opens a file that our engine has made and closed.
    init(_ path: String) throws {
        guard let handle = macrolog_peer_open(path) else {
            throw BenchmarkError(description: "no memory for the C engine")
        }
        self.handle = handle
        try check(0)
    }

    deinit { macrolog_peer_close(handle) }

    func rebuild() throws { try check(macrolog_peer_rebuild(handle)) }

    private func check(_ code: Int32) throws {
        guard let error = macrolog_peer_error(handle) else { return assert(code == 0) }
        throw BenchmarkError(description: "the C engine: \(String(cString: error))")
    }
}

/// A replica that speaks the protocol in bytes, by our engine or by the C engine.
protocol Contender {
    /// The number up to which it holds the server's log.
    var cursor: Int64 { get }
    /// How many of its own events the server has not sealed.
    var unsealedCount: Int64 { get }
    /// The next request.
    func requestBytes() throws -> [UInt8]
    /// Takes an answer.
    func take(_ answer: [UInt8]) throws
    /// How many entities are in conflict, after reading every conflict.
    func conflictCount() throws -> Int
}

extension Peer: Contender {
    var cursor: Int64 { macrolog_peer_cursor(handle) }
    var unsealedCount: Int64 { macrolog_peer_unsealed(handle) }

    func requestBytes() throws -> [UInt8] {
        let now = Device.firstReading
        var clock = macrolog_peer_clock(
            wall: now.wall, monotonic: now.monotonic, boot_high: now.boot.high,
            boot_low: now.boot.low)
        var (bytes, count): (UnsafePointer<UInt8>?, Int) = (nil, 0)
        try check(macrolog_peer_request(handle, &clock, &bytes, &count))
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    func take(_ answer: [UInt8]) throws {
        try check(macrolog_peer_take(handle, answer, answer.count))
    }

    func conflictCount() throws -> Int {
        var count: Int64 = 0
        try check(macrolog_peer_conflicts(handle, &count))
        return Int(count)
    }
}

extension Device: Contender {
    var cursor: Int64 { store.log.cursor }
    var unsealedCount: Int64 { store.log.unsealedCount }

    func requestBytes() throws -> [UInt8] { try request().encoded() }

    func take(_ answer: [UInt8]) throws { try apply(try SyncAnswer.decoded(answer)) }

    func conflictCount() throws -> Int { try store.conflicts().count }
}

extension Device {
    /// One hash of the whole file as our engine reads it: of what is derived, and of each row of the log.
    func contentHash() throws -> [UInt8] {
        var hash = try store.stateHash()
        let tables: [StaticString] = [
            "SELECT * FROM device ORDER BY key", "SELECT * FROM event ORDER BY dot",
            "SELECT * FROM seal ORDER BY n", "SELECT * FROM replica",
            "SELECT * FROM clock ORDER BY seq",
        ]
        for table in tables {
            try store.db.forEach(table) { row in
                var writer = CBORWriter()
                Store.write(row, &writer)
                hash = SHA256.hash(hash + writer.bytes)
            }
        }
        return hash
    }

    /// Throws if a file of the C engine is not what our engine made of the same input.
    static func compare(_ workload: String, ours: String, peer: String) throws {
        guard try Device(ours).contentHash() == Device(peer).contentHash() else {
            throw Wrong(description: "the C engine's file of workload \(workload) is another one")
        }
    }
}
