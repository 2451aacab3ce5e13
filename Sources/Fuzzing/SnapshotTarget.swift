/// What the hub says that a log comes to, and what a new device keeps of it (`protocol.md` §6.12).
import Events
import HTTP
import Log
import Nutrition
import Projections
import SQLite
import Sync
import Synchronization

extension FuzzTarget {
    /// The first byte says whether the rest is the list of parts or a part.
    static let snapshot = FuzzTarget("snapshot", inputBytesMax: 2_048) { input in
        guard let first = input.first else { return }
        let bytes = Array(input.dropFirst())
        if first & 1 == 0 {
            try NewDevice.shared.checkManifest(bytes)
        } else {
            try NewDevice.shared.checkPart(bytes)
        }
    }
}

/// A device that has nothing yet and is offered a snapshot, again and again.
private final class NewDevice: Sendable {
    static let shared = NewDevice()

    /// It knows no log yet.
    private let fresh: Mutex<Store>
    /// It has been told of a log, and waits for a part.
    private let store: Mutex<Store>
    /// What the log comes to without any snapshot.
    private let truth: [UInt8]

    private init() {
        do {
            var honest = try Self.open()
            try honest.apply(Self.answer(after: 0))
            truth = try honest.stateHash()
            fresh = Mutex(try Self.open())
            store = Mutex(try Self.open())
        } catch {
            preconditionFailure("no replica in memory: \(error)")
        }
    }

    private static func open() throws -> Store {
        try Store.open(
            try Connection.open("", mode: .memory), newDevice: Identifier(high: 1, low: 1))
    }

    func checkManifest(_ bytes: [UInt8]) throws {
        let answer = HTTPResponse(
            status: 200, fields: [HTTPField("content-type", SyncExchange.mediaType)], body: bytes)
        let outcome = try? SnapshotExchange.manifest(.success(answer))
        guard let manifest = try? SnapshotManifest.decoded(bytes) else {
            return try promise(outcome == nil, "a list of parts that cannot be read is none")
        }
        try promise(manifest.encoded() == bytes, "a list of parts has one encoding")
        try promise(manifest.epoch > 0 && manifest.n > 0, "a snapshot is of a log with events")
        try promise(
            (1...Limits.snapshotPartsMax).contains(manifest.parts.count),
            "a snapshot has parts, and not too many")
        try promise(
            manifest.parts.allSatisfy {
                (1...Int64(Limits.snapshotPartBytesMax)).contains($0.byteCount)
            }, "a part has bytes, and not too many")
        guard case .found(manifest)? = outcome else {
            throw BrokenPromise(description: "a list that can be read is found")
        }
        try fresh.withLock { store in
            try store.announce(manifest)
            try promise(
                store.log.preview?.missing == manifest.parts.map(\.hash),
                "each part is waited for, in order")
            try store.giveUpParts()
            try promise(store.log.preview == nil, "what is given up is forgotten")
        }
    }

    func checkPart(_ bytes: [UInt8]) throws {
        let part = try? SnapshotPart.decoded(bytes)
        if let part {
            try promise(part.encoded() == bytes, "a part has one encoding")
            try promise(
                part.elsewhere.bytes.count <= Limits.snapshotFilterBytesMax, "a filter is not long")
            for item in part.items { _ = part.elsewhere.mayContain(item.entity.id) }
        }
        let hash = SHA256.hash(bytes)
        var wrong = hash
        wrong[0] ^= 1
        try promise(
            (try? SnapshotExchange.part(
                wrong, .success(HTTPResponse(status: 200, fields: [], body: bytes)))) == nil,
            "a part of another hash is none")
        try store.withLock { store in
            let before = try store.stateHash()
            try Self.offer(hash, byteCount: bytes.count, to: &store)
            do { try store.install(bytes) } catch let error as LogError {
                try promise(error == LogError(.badSnapshot), "a bad part is said to be one")
                try promise(try store.stateHash() == before, "of a bad part nothing is kept")
                try promise(
                    store.log.preview?.stage == .confirmed && store.log.preview?.missing == [hash],
                    "a bad part is still waited for")
                return try store.giveUpParts()
            }
            guard let part else {
                throw BrokenPromise(description: "what is installed can be read")
            }
            try Self.check(part, in: &store)
            try checkTruth(in: &store)
            store = try Self.open()
        }
    }

    /// Has the device wait for one part of a snapshot that the hub's log agrees with.
    private static func offer(_ hash: [UInt8], byteCount: Int, to store: inout Store) throws {
        try store.announce(
            SnapshotManifest(
                epoch: epoch, n: Int64(log.count), digest: digest,
                parts: [
                    SnapshotManifest.Part(
                        hash: hash, byteCount: Int64(max(byteCount, 1)), entityCount: 1)
                ]))
        _ = try store.applyTail(answer(after: log.count))
    }

    /// What came is what is shown.
    private static func check(_ part: SnapshotPart, in store: inout Store) throws {
        var expected: [EntityKey: EntityState] = [:]
        for item in part.items {
            var state = try EntityState.decoded(item.state)
            try promise(state.encoded() == item.state, "a state has one encoding")
            try promise(state.isSealed(upTo: Int64(log.count)), "a snapshot knows no later events")
            if let other = expected[item.entity] { state.merge(other) }
            expected[item.entity] = state
        }
        for (entity, state) in expected {
            try promise(
                try store.state(of: entity) == state, "what a part says of an entity is shown")
            try promise(try store.isPreviewed(entity), "what is shown is known to be a preview")
        }
        try promise(store.log.preview?.stage == .whole, "the last part makes it whole")
        try promise(store.log.cursor == 0, "a snapshot is no part of the log")
    }

    /// The log is the only truth, whatever a snapshot has said.
    private func checkTruth(in store: inout Store) throws {
        try store.apply(Self.answer(after: 0))
        while store.log.preview != nil { try store.checkPreview(limit: 2) }
        try promise(try store.stateHash() == truth, "nothing stays that the events do not say")
    }

    // The log that all of it is about.

    private static let epoch: UInt32 = 7

    private static func answer(after cursor: Int) -> SyncAnswer {
        let rows = log.enumerated().dropFirst(cursor).map { index, event in
            SyncAnswer.Row(t: Int64(index + 1) << 20, content: .event(event.encoded()))
        }
        return SyncAnswer(
            epoch: epoch, head: Int64(log.count), admitted: 0, now: 1_000, rows: rows,
            digest: digest)
    }

    private static let digest: PrefixDigest = {
        var digest = PrefixDigest.empty
        for (index, event) in log.enumerated() {
            digest.add(
                hash: event.encoded().withUnsafeBytes { SHA256.words($0) },
                seal: Seal(n: Int64(index + 1), t: Int64(index + 1) << 20))
        }
        return digest
    }()

    /// A meal that two devices edit apart, its item, and a food that goes.
    private static let log: [Event] = {
        let (one, two) = (Identifier(high: 9, low: 1), Identifier(high: 9, low: 2))
        let day = LocalDate(day: Day(year: 2026, month: 11, day: 20) ?? .earliest).value
        let meal = EntityKey("meal", Identifier(high: 3, low: 1))
        let item = EntityKey("meal_item", Identifier(high: 3, low: 2))
        let food = EntityKey("food", Identifier(high: 3, low: 3))
        func event(
            _ device: Identifier, _ seq: Int64, seen n: Int64, _ changes: [Change]
        ) -> Event {
            Event(
                dot: Dot(device: device, seq: seq), base: Base(epoch: epoch, n: n), wall: n,
                type: "meal.edited", version: 1, changes: changes)
        }
        return [
            event(
                one, 1, seen: 0,
                [
                    Change(
                        meal, [.set(["local_date": day, "consumed": true, "energy": 400_000])]),
                    Change(food, [.set(["name": "Oats", "energy": 370_000])]),
                ]),
            event(
                one, 2, seen: 1,
                [
                    Change(item, [.set(["meal_id": .bytes(meal.id.bytes), "name": "Oats"])]),
                    Change(meal, [.add(field: "tags", element: "early"), .set(["energy": 1])]),
                ]),
            event(
                two, 1, seen: 1,
                [Change(meal, [.set(["energy": 2]), .add(field: "tags", element: "late")])]),
            event(two, 2, seen: 3, [Change(food, [.delete])]),
        ]
    }()
}
