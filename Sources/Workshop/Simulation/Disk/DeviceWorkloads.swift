import MacrologEvents
import MacrologWire
import MacrologGzip
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import MacrologTestSupport

/// The scripts for devices.
enum DeviceWorkloads {
    static let ordinary: [Workload<DeviceSubject>] = [
        Workload("creation", prepare: { _ in }, [record(1)]),
        Workload("record", [record(1), record(1), record(1), record(4), record(1)]),
        Workload("import", [record(20), record(1), record(20)]),
        Workload("push", [record(3), exchange(), record(2), exchange()]),
        Workload(
            "pull", [record(1), news(6), exchange(), news(3), exchange(), record(1), exchange()]),
        Workload(
            "seal",
            [
                record(5), exchange(eventsMax: 2), exchange(eventsMax: 2), record(1),
                exchange(eventsMax: 2),
            ]),
        Workload(
            "leave",
            [
                record(2), exchange(), record(3), leave(), record(1), leave(), exchange(),
                exchange(),
            ]),
        Workload(
            "fork", after: [record(2), exchange(), backUp()],
            [
                record(2), exchange(), news(2), exchange(), restore(), news(2), record(1),
                recover(),
                exchange(), exchange(), exchange(), exchange(),
            ]),
        Workload(
            "other read models", prepare: { try OtherReadModels.write(to: "\($0)/device.db") },
            [record(1)]),
        Workload("rebuild", [record(4), rebuild(), record(1), rebuild()]),
        Workload(
            "compaction", after: [edits(6), record(2), exchange(), news(3), exchange()],
            [
                compact(), record(1), edits(4), exchange(), compact(), shrink(), record(1),
                exchange(),
            ]),
        Workload(
            "new device", after: [news(20), news(20)],
            [
                exchange(eventsMax: 12), record(1), exchange(eventsMax: 12), news(2),
                exchange(eventsMax: 12), exchange(eventsMax: 12), record(1), exchange(),
            ]),
        Workload("photos", [attach(), record(1), attach(), exchange(), attach()]),
    ]

    static let thrifty: [Workload<ThriftyDevice>] = [
        Workload(
            "checkpoint",
            [
                record(1), record(3), record(1), record(4), record(1), record(4), record(1),
                exchange(), record(4), exchange(), record(1),
            ])
    ]

    static let damaged: [Workload<DamagedDevice>] = [
        Workload(
            "repair",
            after: [
                record(4), exchange(), news(3), exchange(),
                Step("damage") { subject, _ in try subject.damage() },
            ],
            [
                Step("mend", isWhole: false, forgets: true) { subject, _ in try subject.repair() },
                record(1), exchange(),
                Step("mend", isWhole: false) { subject, _ in try subject.repair() },
            ])
    ]

    /// A device's file from every released version.
    static func golden(_ folder: String?) throws -> [Workload<DeviceSubject>] {
        try GoldenFile.versions(in: folder).map { version in
            Workload(
                "a file of \(version.name)",
                prepare: { try version.write("device", to: "\($0)/device.db") },
                [record(1), rebuild(), record(1)])
        }
    }

    private static func edits<S: DeviceSubject>(_ count: Int) -> Step<S> {
        Step("edit \(count) times") { try $0.recordEdits(count, &$1) }
    }

    private static func compact<S: DeviceSubject>() -> Step<S> {
        Step("compact", forgets: true) { subject, _ in try subject.compact() }
    }

    private static func shrink<S: DeviceSubject>() -> Step<S> {
        Step("shrink") { subject, _ in try subject.withStore { try $0.shrink() } }
    }

    private static func attach<S: DeviceSubject>() -> Step<S> {
        Step("attach a photo") { try $0.attach(&$1) }
    }

    private static func record<S: DeviceSubject>(_ count: Int) -> Step<S> {
        Step("record \(count)") { try $0.record(count, &$1) }
    }

    private static func news<S: DeviceSubject>(_ count: Int) -> Step<S> {
        Step("news") { try $0.peer().news(count, &$1) }
    }

    private static func exchange<S: DeviceSubject>(eventsMax: Int = 20) -> Step<S> {
        Step("exchange") { subject, _ in try subject.exchange(eventsMax: eventsMax) }
    }

    private static func leave<S: DeviceSubject>() -> Step<S> {
        Step("leave") { try $0.leave(&$1) }
    }

    private static func recover<S: DeviceSubject>() -> Step<S> {
        Step("recover", forgets: true) { try $0.recover(&$1) }
    }

    private static func backUp<S: DeviceSubject>() -> Step<S> {
        Step("server's backup") { subject, _ in try subject.peer().backUp() }
    }

    private static func restore<S: DeviceSubject>() -> Step<S> {
        Step("server's restore") { subject, _ in try subject.peer().restore() }
    }

    private static func rebuild<S: DeviceSubject>() -> Step<S> {
        Step("rebuild") { subject, _ in try subject.withStore { try $0.rebuild() } }
    }
}

/// A database as a released version wrote it, compressed.
struct GoldenFile: Sendable {
    let name: String
    private let folder: String

    /// The contents of a folder with one folder for each version.
    static func versions(in folder: String?) throws -> [GoldenFile] {
        guard let folder else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            .map { GoldenFile(name: $0, folder: "\(folder)/\($0)") }
            .filter { FileManager.default.fileExists(atPath: "\($0.folder)/device.db.gz") }
    }

    /// Writes one of its databases, such as `server`.
    func write(_ database: String, to path: String) throws {
        let packed = try Data(contentsOf: URL(filePath: "\(folder)/\(database).db.gz"))
        try Data(gunzip(Array(packed), limit: 16 << 20)).write(to: URL(filePath: path))
    }
}

/// A file whose read models have different tables from this version's.
private enum OtherReadModels {
    static func write(to path: String) throws {
        var db = try LogConnection.open(path)
        try db.migrate(EventLog.migrations)
        var dice = Dice(seed: 5)
        let device = Identifier.v7(milliseconds: Peer.now, random: &dice)
        var digest = PrefixDigest.empty
        try db.transaction { db in
            try ReadModels.nutrition.makeTables(in: &db)
            try db.run("DROP TABLE listed")
            try db.run("DROP TABLE meal")
            try db.run("CREATE TABLE meal (a INTEGER) STRICT")
            try db.run("UPDATE maintenance SET read_models = zeroblob(32)")
            try db.run("INSERT INTO device (id) VALUES (?)", device.bytes)
            try db.run("INSERT INTO replica (one, device, epoch) VALUES (1, 1, 7)")
            for (index, draft) in Peer.drafts(12, &dice).enumerated() {
                let seq = Int64(index) + 1
                let event = Event(
                    dot: Dot(device: device, seq: seq), base: .none, wall: Peer.now + seq,
                    type: draft.type, version: draft.version, changes: draft.changes,
                    group: draft.group)
                let body = event.encoded()
                try db.run(
                    "INSERT INTO event (dot, body) VALUES (1 << 40 | ?, ?)", seq, body)
                guard seq <= 8 else { continue }
                let seal = Seal(n: seq, t: (Peer.now + seq) << 16)
                digest.add(hash: body.withUnsafeBytes { SHA256.words($0) }, seal: seal)
                try db.run(
                    "INSERT INTO seal (n, t, dot, digest) VALUES (?, ?, 1 << 40 | ?, ?)", seq,
                    seal.t, seq, digest.bytes)
            }
        }
    }
}
