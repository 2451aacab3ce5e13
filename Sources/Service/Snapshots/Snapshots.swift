/// Who makes snapshots, and when: one thread, when somebody asks and the last one is too old. It reads
/// like anybody else, and the writer never waits for it.
import Events
import SQLite
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// When a snapshot is made, and made anew.
package enum SnapshotLimits {
    /// Events from which on a log has a snapshot, unless the operator says otherwise.
    package static let eventsMin: Int64 = 2_000
    /// Events by which a log may have grown since its snapshot; or a tenth of it, if that is less.
    package static let behindMax: Int64 = 2_000
    /// Spaces that may wait for their snapshot.
    package static let waitingMax = 16
}

final class Snapshots: Sendable {
    private struct Order: Sendable {
        let space: Space
        let head: SpaceHead
    }

    private typealias Asker = Done<SnapshotManifest?>

    private let shelf: SnapshotShelf
    private let path: String
    private let epoch: UInt32
    private let readers: Readers
    private let partBytes: Int
    private let orders = Inbox<Order>(capacity: SnapshotLimits.waitingMax)
    /// Who waits for a space's snapshot.
    private let askers = Mutex<[Space: [Asker]]>([:])
    private let worker = Mutex<Worker?>(nil)
    private let isClosed = Atomic<Bool>(false)
    private let built = Atomic<Int>(0)

    /// - Parameter path: The hub's file.
    init(_ path: String, epoch: UInt32, readers: Readers, partBytes: Int) {
        self.partBytes = partBytes
        self.path = "\(path).snapshots"
        self.epoch = epoch
        self.readers = readers
        shelf = SnapshotShelf(self.path)
    }

    /// Snapshots built so far.
    var builds: Int { built.load(ordering: .relaxed) }

    /// A snapshot of a log that is not empty, at once or when it is built.
    func snapshot(
        of space: Space, head: SpaceHead, then done: @escaping Done<SnapshotManifest?>
    ) {
        do throws(StoreError) {
            if let kept = try fresh(space, head) { return done(.success(kept.manifest)) }
        } catch {
            return done(.failure(error))
        }
        let isFirst = askers.withLock { askers in
            askers[space, default: []].append(done)
            return askers[space]?.count == 1
        }
        guard isFirst else { return }
        worker.withLock { worker in
            if worker == nil, !isClosed.load(ordering: .relaxed) {
                worker = Worker.start { [self] in
                    while let orders = orders.take(atMost: 1) {
                        for order in orders { work(order) }
                    }
                }
            }
        }
        if !orders.put(Order(space: space, head: head)) { answer(space, .failure(.busy)) }
    }

    /// A part of the last snapshot of a space.
    func part(_ hash: [UInt8], of space: Space) throws(StoreError) -> [UInt8]? {
        try shelf.part(hash, of: space)
    }

    /// How many parts are kept of a space.
    func partCount(of space: Space) throws(StoreError) -> Int64 {
        try shelf.partCount(of: space)
    }

    /// Gives up what is being built, and ends the thread.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        orders.close()
        worker.withLock { $0.take() }?.join()
    }

    /// The snapshot that is kept, if it is one of this log and not too old.
    private func fresh(
        _ space: Space, _ head: SpaceHead
    ) throws(StoreError) -> SnapshotShelf.Kept? {
        guard let kept = try shelf.kept(of: space), kept.n <= head.n,
            head.n - kept.n <= min(SnapshotLimits.behindMax, kept.n / 10)
        else { return nil }
        guard let manifest = kept.manifest else { return kept }
        // A hub that was restored has another log, and perhaps the file of before.
        guard manifest.epoch == epoch, try digest(of: space, upTo: kept.n) == manifest.digest
        else { return nil }
        return kept
    }

    private func digest(of space: Space, upTo n: Int64) throws(StoreError) -> PrefixDigest? {
        try readers.read { db throws(SQLiteError) in
            try db.first("SELECT digest FROM event WHERE place = ?", Place.of(space, n)) {
                $0.digest(0)
            }
        }
    }

    private func answer(_ space: Space, _ result: Result<SnapshotManifest?, StoreError>) {
        for asker in askers.withLock({ $0.removeValue(forKey: space) }) ?? [] { asker(result) }
    }

    private func work(_ order: Order) {
        let file = "\(path)-building"
        Self.remove(file)
        let result = Result<SnapshotManifest?, any Error> { try build(order, in: file) }
        Self.remove(file)
        answer(order.space, result.mapError { StoreError($0) })
    }

    private func build(_ order: Order, in file: String) throws -> SnapshotManifest? {
        let (space, end) = (order.space, order.head.n)
        var builder = try SnapshotBuilder.begin(workingIn: file, partBytes: partBytes)
        var n: Int64 = 0
        while n < end {
            guard !isClosed.load(ordering: .relaxed) else { throw StoreError.busy }
            let rows = try rows(of: space, after: n, through: end)
            guard let last = rows.last else { throw StoreError.failed("a log has a gap") }
            try builder.fold(rows.compactMap(\.row))
            n = last.n
        }
        let parts = try builder.cut { hash, bytes in
            try shelf.put(bytes, hash: hash, of: space)
        }
        let manifest = parts.map {
            SnapshotManifest(epoch: epoch, n: end, digest: order.head.digest, parts: $0)
        }
        try shelf.finish(manifest, at: end, of: space)
        built.add(1, ordering: .relaxed)
        return manifest
    }

    /// The next events of a log: so many that they fit into memory whatever they are.
    private func rows(
        of space: Space, after n: Int64, through end: Int64
    ) throws -> [(n: Int64, row: SnapshotBuilder.Row?)] {
        let found = try readers.read { db throws(SQLiteError) in
            var rows: [(n: Int64, t: Int64, body: [UInt8])] = []
            var bytes = 0
            try db.forEachWhile(
                """
                SELECT place, t, body FROM event WHERE place > ? AND place <= ?
                ORDER BY place LIMIT 2000
                """, Place.of(space, n), Place.of(space, end)
            ) { row in
                let body = row.bytes(2)
                rows.append((Place.number(row.int(0)), row.int(1), body))
                bytes += body.count
                return bytes < 4_194_304
            }
            return rows
        }
        return try found.map { row throws -> (n: Int64, row: SnapshotBuilder.Row?) in
            // Everything that a skeleton's event wrote has been written over.
            guard case .whole(let event) = try StoredEvent.decoded(row.body) else {
                return (row.n, nil)
            }
            let first = try event.origin.flatMap { try original($0, of: space, before: row.n) }
            let seal = Seal(n: row.n, t: row.t)
            return (row.n, SnapshotBuilder.Row(event: event, seal: seal, original: first))
        }
    }

    private func original(
        _ dot: Dot, of space: Space, before n: Int64
    ) throws -> StoredEvent? {
        let body = try readers.read { db throws(SQLiteError) in
            try db.first(
                "SELECT body FROM event WHERE space = ? AND device = ? AND seq = ? AND place < ?",
                space, dot.device.bytes, dot.seq, Place.of(space, n)
            ) { $0.bytes(0) }
        }
        return try body.map { try StoredEvent.decoded($0) }
    }

    private static func remove(_ file: String) {
        for end in ["", "-wal", "-shm"] { unlink(file + end) }
    }
}
