import Events
import HTTP
import Log
import Macrolog
import Nutrition
import Projections
import SQLite
import Sync

/// A device on a disk: the real store, opened as a replica opens it.
class DeviceSubject: Subject {
    /// What it holds. Names of devices are no part of it: a device may take another one at any time.
    enum Holding: Hashable {
        case fact(Fact)
        case seal(Fact, Seal)
        case digest(n: Int64, [UInt8])
    }

    class var databases: [String] { ["device.db"] }
    class var filesBeside: [String] { ["device.db.instance"] }
    /// After how many pages a commit also checkpoints.
    class var checkpointPages: Int { 1_000 }

    private final class Opened {
        var store: Store
        init(_ store: consuming Store) { self.store = store }
    }

    private let folder: String
    private var opened: Opened?
    private var openedPeer: Peer?
    let isDead = false

    required init(in folder: String, on disk: FaultDisk) throws {
        self.folder = folder
        let path = "\(folder)/device.db"
        var dice = Dice(seed: 1)
        var store = try Store.open(
            try Connection.open(
                path, checkpointPages: Self.checkpointPages, pages: .small, isAlone: true),
            newDevice: Identifier.v7(milliseconds: Peer.now, random: &dice))
        // Names that no earlier start has given.
        let names = try store.db.first("SELECT count(*) FROM device") { $0.int(0) } ?? 0
        dice = Dice(seed: 1_000 + UInt64(names))
        let place = Incarnation.Place(
            machine: [], file: FileBirth(path: "device", inode: 1, birth: 1))
        try Incarnation.settle(
            &store, at: path, place: place, random: &dice, now: Peer.now)
        opened = Opened(store)
    }

    /// Lends the store.
    func withStore<T>(_ body: (inout Store) throws -> T) throws -> T {
        guard let opened else { preconditionFailure("it is closed") }
        return try body(&opened.store)
    }

    /// The hub that it talks to, on a sound disk.
    func peer() throws -> Peer {
        if let openedPeer { return openedPeer }
        let peer = try Peer(in: folder)
        openedPeer = peer
        return peer
    }

    func mustStart(after error: any Error) -> Bool {
        (error as? SQLiteError)?.reason == .notFlushed
    }

    func close() {
        opened = nil
        openedPeer?.hub.close()
        openedPeer = nil
    }

    func holdings() throws -> Set<Holding> {
        try withStore { store in
            var holdings: Set<Holding> = []
            for entry in try store.latest(.max) {
                let fact = Fact(entry.event)
                holdings.insert(.fact(fact))
                if let seal = entry.seal { holdings.insert(.seal(fact, seal)) }
            }
            for event in try store.log.orphaned(in: &store.db) {
                holdings.insert(.fact(Fact(event)))
            }
            try store.db.forEach("SELECT n, digest FROM seal") {
                holdings.insert(.digest(n: $0.int(0), $0.bytes(1)))
            }
            return holdings
        }
    }

    func problems() throws -> [String] {
        try withStore { store in
            var problems = try store.db.integrityCheck()
            problems += try Self.prefix(in: &store.db)
            let before = try store.stateHash()
            try store.rebuild()
            if try store.stateHash() != before {
                problems.append("read models differ from the fold of the log")
            }
            return problems
        }
    }

    /// Seals without gaps, each with the digest of all before it; each device's events as well.
    private static func prefix(in db: inout Connection) throws -> [String] {
        var problems: [String] = []
        var digest = PrefixDigest.empty
        var expected: Int64 = 1
        try db.forEach(
            "SELECT n, t, body, digest FROM seal LEFT JOIN event ON event.dot = seal.dot ORDER BY n"
        ) { row in
            let seal = Seal(n: row.int(0), t: row.int(1))
            if seal.n != expected { problems.append("number \(expected) is missing") }
            expected = seal.n + 1
            guard !row.isNull(2) else { return problems.append("event \(seal.n) is missing") }
            digest.add(hash: row.withBytes(2) { SHA256.words($0) }, seal: seal)
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

    // What it does.

    /// Records meals, in one transaction.
    func record(_ count: Int, _ dice: inout Dice) throws {
        let drafts = Peer.drafts(count, &dice)
        try withStore { store in
            let reading = ClockReading(
                wall: Peer.now + store.log.lastSeq * 1_000, monotonic: store.log.lastSeq * 1_000,
                boot: Identifier(high: 1, low: 1))
            try store.record(drafts, at: reading)
        }
    }

    /// Pushes what fits into one request and takes in the answer, in one transaction.
    func exchange(eventsMax: Int = 20) throws {
        let peer = try peer()
        try withStore { store in
            let reading = ClockReading(
                wall: Peer.now + 3_600_000, monotonic: 3_600_000, boot: Identifier(high: 1, low: 1))
            let request = try store.syncRequest(eventsMax: eventsMax, admitted: 0, now: reading)
            try store.apply(SyncExchange.answer(.success(peer.answer(request))))
        }
    }

    /// Gives up its name.
    func leave(_ dice: inout Dice) throws {
        let next = Identifier.v7(milliseconds: Peer.now, random: &dice)
        try withStore { try $0.leaveDevice(for: next) }
    }

    /// Heals, up to the one transaction at the end.
    func heal(_ dice: inout Dice) throws {
        let peer = try peer()
        let next = Identifier.v7(milliseconds: Peer.now, random: &dice)
        try withStore { store in
            var healing = Healing()
            while let request = try store.healRequest(healing, eventsMax: 20) {
                let answer = try SyncExchange.healAnswer(.success(peer.answer(request)))
                guard healing.learn(answer, to: request) else { throw PeerError(status: 0) }
            }
            try store.finish(healing, as: next)
        }
    }
}

/// A device whose write-ahead log is copied into its file every few commits.
final class ThriftyDevice: DeviceSubject {
    override class var checkpointPages: Int { 24 }
}
