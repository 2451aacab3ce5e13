import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologLog
import Macrolog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import MacrologEngine
import MacrologSystem
import MacrologTestSupport

/// A device on a disk: the real store, opened as a replica opens it.
class DeviceSubject: Subject {
    /// What it holds. Device IDs are not included: a device may rotate its ID at any time.
    enum Holding: Hashable {
        case fact(Fact)
        case seal(hash: [UInt8], Seal)
        case digest(n: Int64, [UInt8])
        /// A photo that a meal names and whose bytes can be read.
        case photo([UInt8])
    }

    class var databases: [String] { ["device.db"] }
    class var trees: [String] {
        FaultDisk.holdsTrees ? ["device.db.instance", "device.db.blobs"] : []
    }
    class var filesBeside: [String] { FaultDisk.holdsTrees ? [] : ["device.db.instance"] }
    /// The number of pages after which a commit also checkpoints.
    class var checkpointPages: Int { 1_000 }

    private final class Opened {
        var store: Store
        init(_ store: consuming Store) { self.store = store }
    }

    let folder: String
    private var opened: Opened?
    private var openedPeer: Peer?
    static var failsUndone: Bool { true }
    let isDead = false

    required init(in folder: String, on disk: FaultDisk, hasWriter: Bool) throws {
        self.folder = folder
        opened = try ReplicaError.passingOn { try Self.open("\(folder)/device.db") }
    }

    private static func open(_ path: String) throws -> Opened {
        var dice = Dice(seed: 1)
        var store = try Store.open(
            try LogConnection.open(
                path, checkpointPages: checkpointPages, pages: .small, isAlone: true),
            newDevice: Identifier.v7(milliseconds: Peer.now, random: &dice))
        // Device IDs that no earlier start has used.
        let names = try store.db.first("SELECT count(*) FROM device") { $0.int(0) } ?? 0
        dice = Dice(seed: 1_000 + UInt64(names))
        let place = CloneDetector.Place(
            machine: [], file: FileBirth(path: "device", inode: 1, birth: 1))
        try CloneDetector.detect(
            &store, at: path, place: place, random: &dice, now: Peer.now)
        return Opened(store)
    }

    /// Gives a body access to the store.
    func withStore<T>(_ body: (inout Store) throws -> T) throws -> T {
        guard let opened else { preconditionFailure("it is closed") }
        return try ReplicaError.passingOn { try body(&opened.store) }
    }

    /// The server that it syncs with, on a sound disk.
    func peer() throws -> Peer {
        if let openedPeer { return openedPeer }
        let peer = try FaultMemory.sparing { try Peer(in: folder) }
        openedPeer = peer
        return peer
    }

    func mustStart(after error: any Error) -> Bool {
        (error as? ReplicaError)?.sqlite?.code == .notFlushed
    }

    func close() {
        opened = nil
        FaultMemory.sparing {
            openedPeer?.server.close()
            openedPeer = nil
        }
    }

    func holdings() throws -> Set<Holding> {
        let photos = try photos().filter(\.isHere).map(\.name)
        return try withStore { store in
            var holdings = Set(photos.map { Holding.photo($0) })
            for entry in try store.latest(.max) where !entry.isCompacted {
                holdings.insert(.fact(Fact(entry.event)))
            }
            for event in try store.log.orphaned(in: &store.db) {
                holdings.insert(.fact(Fact(event)))
            }
            let rows = try store.db.all(
                """
                SELECT seal.n, t, digest, body FROM seal LEFT JOIN event ON event.dot = seal.dot
                """
            ) { row in
                (
                    seal: Seal(n: row.int(0), t: row.int(1)), digest: row.bytes(2),
                    body: row.bytesOrNull(3)
                )
            }
            for row in rows {
                holdings.insert(.digest(n: row.seal.n.rawValue, row.digest))
                guard let body = row.body else { continue }
                let hash = try StoredEvent.hash(of: body)
                holdings.insert(.seal(hash: SHA256.bytes(hash), row.seal))
            }
            return holdings
        }
    }

    func derived() throws -> [UInt8] { try withStore { try $0.stateHash() } }

    func problems() throws -> [String] {
        var problems = try withStore { store in
            try store.db.integrityCheck() + Self.prefix(in: &store.db)
        }
        // First the bytes: an event is never pushed before its photo.
        if try photos().contains(where: { !$0.isHere }) { problems.append("a photo is not there") }
        return problems
    }

    func deepProblems() throws -> [String] {
        try withStore { store in
            let before = try store.stateHash()
            try store.rebuild()
            return try store.stateHash() == before
                ? [] : ["read models differ from the fold of the log"]
        }
    }

    private func photos() throws -> [(name: [UInt8], isHere: Bool)] {
        let names = try withStore { try $0.blobNames() }
        return try names.map { ($0, try blobs.read($0) != nil) }
    }

    /// The folder of its photos.
    var blobs: BlobFolder { BlobFolder(of: "\(folder)/device.db") }

    /// Checks that seals have no gaps, that each has the digest of the log before it, and that the
    /// events of each device have no gaps either.
    private static func prefix(in db: inout LogConnection) throws -> [String] {
        var problems: [String] = []
        var digest = PrefixDigest.empty
        var expected: Int64 = 1
        try db.forEach(
            "SELECT n, t, body, digest FROM seal LEFT JOIN event ON event.dot = seal.dot ORDER BY n"
        ) { row in
            let seal = Seal(n: row.int(0), t: row.int(1))
            if seal.n != expected { problems.append("number \(expected) is missing") }
            expected = seal.n.rawValue + 1
            guard !row.isNull(2) else { return problems.append("event \(seal.n) is missing") }
            guard let hash = row.withBytes(2, { try? StoredEvent.hash(of: $0) }) else {
                return problems.append("event \(seal.n) is none")
            }
            digest.add(hash: hash, seal: seal)
            if digest.bytes != row.bytes(3) { problems.append("digest \(seal.n) is another one") }
        }
        try db.forEach(
            "SELECT dot >> 40, count(*), max(dot) - min(dot) + 1 FROM event GROUP BY 1"
        ) { row in
            if row.int(1) != row.int(2) { problems.append("events of a device have gaps") }
        }
        return problems
    }

    func goOn() throws {
        var dice = Dice(seed: 99)
        try record(1, &dice)
    }
}

/// A device whose write-ahead log is copied into its file every few commits.
final class ThriftyDevice: DeviceSubject {
    override class var checkpointPages: Int { 24 }
}

/// A device whose file was damaged while closed, and that repairs it from the server.
final class DamagedDevice: DeviceSubject {
    /// Until it is repaired it has problems, but it must always be possible to repair it.
    override func problems() throws -> [String] {
        if try withStore({ try !$0.isLogSound() }) { try repair() }
        return try super.problems()
    }

    /// Changes the time of a seal and a digest, and deletes an event.
    func damage() throws {
        try withStore { store in
            for sql in [
                "DROP TRIGGER IF EXISTS event_refuses_delete",
                "DROP TRIGGER IF EXISTS seal_refuses_update",
                "UPDATE seal SET t = t + 1 WHERE n = 2",
                "UPDATE seal SET digest = zeroblob(16) WHERE n = 4",
                "DELETE FROM event WHERE dot = (SELECT dot FROM seal WHERE n = 5)",
                """
                CREATE TRIGGER event_refuses_delete BEFORE DELETE ON event
                BEGIN SELECT RAISE(ABORT, 'event is append-only'); END
                """,
            ] as [StaticString] {
                try store.db.run(sql)
            }
        }
    }
}
