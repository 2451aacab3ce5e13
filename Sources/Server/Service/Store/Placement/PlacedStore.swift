/// One service on several PostgreSQL stores: a whole account is in one of them, and each question goes to that one.
///
/// What belongs to no account is in the store with the directory: leases, buckets of attempts, invitations, the
/// history of photos. A store that does not answer is away for its own accounts alone.
package import MacrologEvents
import MacrologSystem
import Synchronization

/// A ``ServerStore`` that asks the right one of several.
package final class PlacedStore: ServerStore {
    package var epoch: UInt32 { finder.directory.epoch }
    package var isShared: Bool { true }
    package let blobFiles: BlobFiles
    package var deletions: DeletionLedger { finder.directory.deletions }
    package var sharedBuckets: (any SharedBuckets)? { finder.directory }

    let finder: StoreFinder
    /// The name of the store for new accounts.
    let newIn: String
    let atRest: AtRest
    private let watcher = Mutex<(@Sendable ([Space: LogNumber]) -> Void)?>(nil)
    /// How many moves the directory had counted when it was last asked.
    private let moves: Mutex<Int64>
    private let ticker = Ticker(interval: PlacedStore.lookInterval)
    private let workers: Mutex<[Worker]>

    /// How often is asked which stores answer and which accounts have moved, in milliseconds.
    private static let lookInterval: Int64 = 1_000

    /// - Parameters:
    ///   - stores: All stores of the service with their names, open.
    ///   - newIn: One of the names: the store for new accounts. `nil` for the one with the directory.
    ///   - hasThreads: Whether a thread for each store looks whether it answers, and what has moved. Otherwise
    ///     ``look()`` is to be called.
    /// - Throws: ``JoinError`` if these are not all stores of one service, and what the databases say. The stores are
    ///   open still.
    package init(
        _ stores: [(name: String, store: PostgreSQLServerStore)], newIn: String? = nil,
        hasThreads: Bool = true
    ) throws {
        let directory = try JoinedStores(stores.map { ($0.name, $0.store.address) }).directory()
        if let late = stores.first(where: { $0.store.part == nil }) {
            throw JoinError.notJoined(late.name)
        }
        let finder = StoreFinder(
            stores.filter { $0.name == directory.name }
                + stores.filter { $0.name != directory.name })
        self.finder = finder
        self.newIn = newIn ?? directory.name
        moves = Mutex(try finder.placement.moves())
        let atRest = AtRest(finder.directory.keys) { space throws(StoreError) in
            try finder.read(of: space) { store throws(StoreError) in
                try store.wrappedKey(of: space)
            }
        }
        self.atRest = atRest
        blobFiles = finder.directory.blobFiles.encrypted(by: atRest)
        workers = Mutex([])
        guard hasThreads else { return }
        let started = finder.stores.indices.map { at in
            ticker.start { [weak self] in self?.look(at: at) }
        }
        workers.withLock { $0 = started }
    }

    // MARK: What all stores do

    /// Which stores answer, by name.
    package var answering: [(name: String, isUp: Bool)] {
        finder.stores.enumerated().map { ($1.name, finder.isUp($0)) }
    }

    /// Looks which stores answer, and what has moved.
    package func look() { for at in finder.stores.indices { look(at: at) } }

    private func look(at: Int) {
        finder.check(at)
        finder.handOverReceipts(of: at)
        if at == 0, finder.isUp(0) { try? follow() }
    }

    /// Follows the accounts of this process that have moved: news of their logs comes from the new store, and polls get
    /// what came there before.
    private func follow() throws(StoreError) {
        let known = moves.withLock { $0 }
        let moved = try finder.placement.moved(after: known)
        var grown: [Space: LogNumber] = [:]
        for (space, store, _) in moved where finder.lastPlace(of: space) != nil {
            try finder.note(space, movedTo: store)
            grown[space] = try? head(of: space).n
        }
        moves.withLock { $0 = max($0, moved.map(\.move).max() ?? 0) }
        if !grown.isEmpty { watcher.withLock { $0 }?(grown) }
    }

    package func watch(_ grown: @escaping @Sendable ([Space: LogNumber]) -> Void) {
        watcher.withLock { $0 = grown }
        for (_, store) in finder.stores { store.watch(grown) }
    }

    package func checkWriting(then done: @escaping Done<Void>) {
        finder.directory.checkWriting(then: done)
    }

    package func clock() throws(StoreError) -> Int64? { try finder.directory.clock() }

    package var commits: Int { finder.stores.map(\.store.commits).reduce(0, +) }
    /// How often this node has waited for answers of the databases.
    package var roundTrips: Int { finder.stores.map(\.store.roundTrips).reduce(0, +) }

    /// What is in the stores that answer.
    package func usage() throws(StoreError) -> StoreUsage {
        var (sum, at) = (try finder.directory.usage(), 1)
        while at < finder.stores.count {
            if let more = try? finder.running(at).usage() {
                sum = StoreUsage(
                    accounts: sum.accounts + more.accounts,
                    eventBytes: sum.eventBytes + more.eventBytes, blobs: sum.blobs + more.blobs,
                    blobBytes: sum.blobBytes + more.blobBytes)
            }
            at += 1
        }
        return sum
    }

    package func close() {
        ticker.stop()
        for worker in workers.withLock({ $0 }) { worker.join() }
        // What one store passes over may be another one's.
        for (at, (_, store)) in finder.stores.enumerated() where finder.isUp(at) {
            store.writeLastReceipts()
        }
        for at in finder.stores.indices { finder.handOverReceipts(of: at) }
        for (_, store) in finder.stores { store.close() }
    }

    /// What the stores that answer say of accounts that they serve. Of an account that moves nothing is said, or
    /// what its store says.
    func gathered<T>(
        _ space: (T) -> Space, _ read: (PostgreSQLServerStore) throws(StoreError) -> [T]
    ) -> [T] {
        finder.stores.indices.flatMap { at in
            let all = (try? read(finder.running(at))) ?? []
            return all.filter { finder.serves(space($0), at: at) }
        }
    }

    /// Has each store that answers do something, and continues with those that could. Fails if none could.
    func each<T: Sendable>(
        _ body: (PostgreSQLServerStore, @escaping Done<T>) -> Void,
        then done: @escaping Done<[(at: Int, value: T)]>
    ) {
        let running = finder.stores.indices.filter { finder.isUp($0) }
        guard !running.isEmpty else { return done(.failure(.busy)) }
        let results = Mutex<[(at: Int, result: Result<T, StoreError>)]>([])
        let kept = Kept<[(at: Int, value: T)]>()
        let keep: @Sendable (Int, Result<T, StoreError>) -> Void = { at, result in
            let all = results.withLock { results in
                results.append((at, result))
                return results.count == running.count ? results : []
            }
            guard !all.isEmpty else { return }
            var (values, failure): ([(at: Int, value: T)], StoreError?) = ([], nil)
            for (at, result) in all {
                switch result {
                case .success(let value): values.append((at, value))
                case .failure(let error): failure = error
                }
            }
            kept.keep(values)
            kept.answer(values.isEmpty ? failure : nil, done)
        }
        for at in running { body(finder.stores[at].store) { keep(at, $0) } }
    }

    // MARK: What belongs to no account

    package func lease(_ task: Lease, milliseconds: Int64) throws(StoreError) -> Bool {
        try finder.directory.lease(task, milliseconds: milliseconds)
    }

    package func release(_ task: Lease) { finder.directory.release(task) }

    package func history() throws(StoreError) -> History? { try finder.directory.history() }

    package func set(_ history: History, then done: @escaping Done<Void>) {
        finder.directory.set(history, then: done)
    }

    package func invitations() throws(StoreError) -> [Invitation] {
        try finder.directory.invitations()
    }

    package func isOpen(invitation digest: [UInt8], now: Int64) throws(StoreError) -> Bool {
        // An interrupted registration may be completed with the use that its address holds.
        if try finder.directory.isOpen(invitation: digest, now: now) { return true }
        return try finder.placement.isHeld(digest)
    }

    package func addInvitation(
        _ digest: [UInt8], uses: Int64, expires: Int64, now: Int64,
        then done: @escaping Done<Int64>
    ) {
        finder.directory.addInvitation(digest, uses: uses, expires: expires, now: now, then: done)
    }

    package func removeInvitation(_ number: Int64, then done: @escaping Done<Bool>) {
        finder.directory.removeInvitation(number, then: done)
    }

    package func countAnalysis(
        of space: Space?, atMost countMax: Int64, now: Int64, then done: @escaping Done<Int64?>
    ) {
        let count: @Sendable (PostgreSQLServerStore, @escaping Done<Int64?>) -> Void = {
            $0.countAnalysis(of: space, atMost: countMax, now: now, then: $1)
        }
        guard let space else { return count(finder.directory, done) }
        finder.change(of: space, count, then: done)
    }
}
