/// Finds the store that serves an account, where there are several.
///
/// What is remembered here is a guess, and while an account moves so is the directory. The row of the account, in its
/// store, says who serves it. So a read is followed by a look at that row, and is believed if the account was there all
/// the time:
///
///     store a        ─ x is here ─┤ closed, emptied                           ├─ x is here: another arrival ─
///     store b                     ├─ x is here ─────────────────────┤ closed …
///     this process      look at a           read from a: nothing        look at a: not the same arrival
///
/// A read that is one statement with that row sees both at one moment, and needs no such look; nor does a change: its
/// store locks the row, and refuses what it does not serve.
import MacrologEvents
import Synchronization

/// What names an account without its number.
enum OwnedToken: Hashable, Sendable {
    /// A session, ended or not.
    case session(Identifier)
    /// A refresh token, by its digest.
    case refresh([UInt8])
    /// A share, by the digest of its token.
    case share([UInt8])
    /// A share.
    case opening(of: Identifier)
}

final class StoreFinder: Sendable {
    /// Where an account was found.
    private struct Place {
        /// The index of its store.
        let at: Int
        /// Its arrival there; `nil` if the store was not asked.
        var arrival: Int64?
        /// Whether it was not there any more: the directory is to be asked.
        var isGone = false
    }

    private struct State {
        var places: [Space: Place] = [:]
        /// The account of a token never changes.
        var owners: [OwnedToken: Space] = [:]
        /// The stores that did not answer when they were last asked.
        var down: Set<Int> = []
    }

    /// Of how many accounts, and of how many tokens, is remembered to whom they belong.
    private static let rememberedMax = 50_000
    /// Looks for one account. A node that believes the wrong store needs three.
    private static let looksMax = 8

    /// The stores: the one with the directory first.
    let stores: [(name: String, store: PostgreSQLServerStore)]
    let placement: Placement
    private let state = Mutex(State())

    init(_ stores: [(name: String, store: PostgreSQLServerStore)]) {
        self.stores = stores
        placement = Placement(stores[0].store)
    }

    /// The store with the directory.
    var directory: PostgreSQLServerStore { stores[0].store }

    // MARK: Which stores answer

    /// Asks a store for next to nothing, and remembers whether it answers: others then do not wait for it in vain.
    func check(_ at: Int) {
        let isDown = (try? stores[at].store.away(0)) == nil
        state.withLock { state in
            if isDown { state.down.insert(at) } else { state.down.remove(at) }
        }
    }

    /// Whether a store answered when it was last asked.
    func isUp(_ at: Int) -> Bool { state.withLock { !$0.down.contains(at) } }

    /// A store that answers.
    func running(_ at: Int) throws(StoreError) -> PostgreSQLServerStore {
        guard isUp(at) else { throw .busy }
        return stores[at].store
    }

    func index(of name: String) throws(StoreError) -> Int {
        let index = stores.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
        guard let index else {
            throw .failed(
                "an account is in the store \(name), which this server was not given: start it with all"
            )
        }
        return index
    }

    // MARK: By account

    /// Reads from the store that serves an account. An account that is nowhere is asked for in the directory's store,
    /// which says so in its own way.
    func read<T>(
        of space: Space, _ body: (PostgreSQLServerStore) throws(StoreError) -> T
    ) throws(StoreError) -> T {
        for _ in 0..<Self.looksMax {
            guard let place = try place(of: space) else { return try body(running(0)) }
            guard let arrival = place.arrival else {
                _ = try look(for: space, at: place.at)
                continue
            }
            let store = try running(place.at)
            let answer = Result { () throws(StoreError) in try body(store) }
            if try look(for: space, at: place.at) == .here(arrival: arrival) {
                return try answer.get()
            }
        }
        throw .elsewhere
    }

    /// Reads with one statement, which says as well whether the store serves the account: no look is needed.
    func readAtOnce<T>(
        of space: Space,
        _ body: (PostgreSQLServerStore) throws(StoreError) -> (T, PostgreSQLServerStore.Away)
    ) throws(StoreError) -> T {
        for _ in 0..<Self.looksMax {
            guard let place = try place(of: space) else { return try body(running(0)).0 }
            let store = try running(place.at)
            let answer = Result { () throws(StoreError) in try body(store) }
            if case .success(let (value, away)) = answer {
                try note(away, of: space, at: place.at)
                if case .here = away { return value }
            } else if case .here = try look(for: space, at: place.at) {
                return try answer.get().0
            }
        }
        throw .elsewhere
    }

    /// Reads from the store that serves the account of an address. An unknown one costs as much as one that was
    /// not moved.
    func read<T>(
        ofEmailKey key: [UInt8], _ body: (PostgreSQLServerStore) throws(StoreError) -> T
    ) throws(StoreError) -> T {
        _ = try running(0)
        let found = try placement.find(emailKey: key)
        let (space, at) = (found?.space ?? 0, try index(of: found?.store ?? stores[0].name))
        let store = try running(at)
        let before = try look(for: space, at: at)
        let answer = Result { () throws(StoreError) in try body(store) }
        let after = try look(for: space, at: at)
        guard found != nil else { return try answer.get() }
        if case .here = before, before == after { return try answer.get() }
        if after == .missing, try isNowhere(space, at: at, key) { return try answer.get() }
        return try read(of: space, body)
    }

    /// Whether no store has the account that the directory names: its registration was interrupted, or its store went
    /// back to an earlier state. Rows go after a move is counted, so what is missing while none was counted is nowhere.
    private func isNowhere(
        _ space: Space, at: Int, _ key: [UInt8]
    ) throws(StoreError) -> Bool {
        let moves = try placement.moves()
        guard let found = try placement.find(emailKey: key),
            found == (space, stores[at].name), try look(for: space, at: at) == .missing
        else { return false }
        return try placement.moves() == moves
    }

    /// Makes a change in the store that serves an account.
    func change<T>(
        of space: Space, looks: Int = StoreFinder.looksMax,
        _ body:
            @escaping @Sendable (PostgreSQLServerStore, @escaping Done<T>) -> Void,
        then done: @escaping Done<T>
    ) {
        let at: Int
        do throws(StoreError) { at = try place(of: space)?.at ?? 0 } catch {
            return done(.failure(error))
        }
        body(stores[at].store) { [self] result in
            do throws(StoreError) {
                guard looks > 1, try isElsewhere(space, result, at) else { return done(result) }
            } catch {
                return done(.failure(error))
            }
            change(of: space, looks: looks - 1, body, then: done)
        }
    }

    /// Whether a change was refused, and nothing was made, because a store does not serve the account.
    private func isElsewhere<T>(
        _ space: Space, _ result: Result<T, StoreError>, _ at: Int
    ) throws(StoreError) -> Bool {
        guard case .failure(let error) = result else { return false }
        switch error {
        case .busy, .full, .unmounted: return false
        case .elsewhere:
            _ = try look(for: space, at: at)
            return true
        case .failed:
            // Such as a key of the account that was not found, because the account has gone.
            guard case .here = try look(for: space, at: at) else { return true }
            return false
        }
    }

    /// Where an account is, as far as is known; `nil` if there is no such account.
    private func place(of space: Space) throws(StoreError) -> Place? {
        if let place = state.withLock({ $0.places[space] }), !place.isGone { return place }
        _ = try running(0)
        guard let name = try placement.store(of: space) else { return nil }
        let place = Place(at: try index(of: name), arrival: nil)
        remember(place, of: space)
        return place
    }

    /// Looks whether a store serves an account, and remembers what it says.
    func look(for space: Space, at: Int) throws(StoreError) -> PostgreSQLServerStore.Away {
        let away = try running(at).away(space)
        try note(away, of: space, at: at)
        return away
    }

    /// Remembers what a store says about an account.
    private func note(
        _ away: PostgreSQLServerStore.Away, of space: Space, at: Int
    ) throws(StoreError) {
        switch away {
        case .here(let arrival): remember(Place(at: at, arrival: arrival), of: space)
        case .at(let name): remember(Place(at: try index(of: name), arrival: nil), of: space)
        case .missing:
            state.withLock { state in
                guard state.places[space]?.at == at else { return }
                state.places[space] = Place(at: at, arrival: nil, isGone: true)
            }
        }
    }

    /// Whether a store serves an account. If it cannot be asked, it does not.
    func serves(_ space: Space, at: Int) -> Bool {
        guard let away = try? look(for: space, at: at), case .here = away else { return false }
        return true
    }

    /// What devices were last known to hold, and is not written yet, goes along.
    private func remember(_ place: Place, of space: Space) {
        let old = state.withLock { state in
            if state.places.count >= Self.rememberedMax { state.places = [:] }
            return state.places.updateValue(place, forKey: space)
        }
        guard let old, old.at != place.at else { return }
        handOver(of: space, from: old.at, to: place.at)
    }

    private func handOver(of space: Space, from old: Int, to new: Int) {
        for receipt in stores[old].store.receipts.take(of: space) {
            stores[new].store.receipts.take(over: receipt)
        }
    }

    /// Hands on what devices were last known to hold, and a store did not write, because it does not serve their
    /// accounts any more.
    func handOverReceipts(of at: Int) {
        let receipts = stores[at].store.receipts
        for space in receipts.takePassedOver() {
            do throws(StoreError) {
                // Its row was locked for a moment.
                if case .here = try look(for: space, at: at) { continue }
                if let place = try place(of: space), place.at != at {
                    handOver(of: space, from: at, to: place.at)
                } else {
                    // No one has the account any more.
                    _ = receipts.take(of: space)
                }
            } catch {
                // Who cannot be asked now is asked after the next attempt to write.
            }
        }
    }

    /// The index of the store in which an account was last found; `nil` if it is not remembered.
    func lastPlace(of space: Space) -> Int? { state.withLock { $0.places[space]?.at } }

    /// Remembers that the directory says that an account has moved.
    func note(_ space: Space, movedTo name: String) throws(StoreError) {
        remember(Place(at: try index(of: name), arrival: nil), of: space)
    }

    // MARK: By token

    /// The account of a token, which may have ended; `nil` if no store knows it. As long as one cannot be asked, no
    /// token is unknown: a device would end its session.
    ///
    /// Stores are asked one after the other, and an account may pass from one that is asked later to one that was
    /// asked before. It leaves after the directory has counted its move, so what was not found while no move was
    /// counted is nowhere.
    func owner(of token: OwnedToken) throws(StoreError) -> Space? {
        if let space = state.withLock({ $0.owners[token] }) { return space }
        var moves: Int64?
        for _ in 0..<Self.looksMax {
            var failure: StoreError?
            for at in stores.indices {
                do throws(StoreError) {
                    guard let space = try running(at).space(of: token) else { continue }
                    state.withLock { state in
                        if state.owners.count >= Self.rememberedMax { state.owners = [:] }
                        state.owners[token] = space
                    }
                    return space
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            let counted = try placement.moves()
            if counted == moves { return nil }
            moves = counted
        }
        throw .busy
    }

    /// Reads from the store that serves the account of a token; `nil` if there is no such token.
    func read<T>(
        of token: OwnedToken, _ body: (PostgreSQLServerStore) throws(StoreError) -> T?
    ) throws(StoreError) -> T? {
        guard let space = try owner(of: token) else { return nil }
        return try read(of: space, body)
    }

    /// Makes a change in the store that serves the account of a token.
    ///
    /// - Parameter unknown: What is answered if there is no such token.
    func change<T>(
        of token: OwnedToken, unknown: T,
        _ body:
            @escaping @Sendable (PostgreSQLServerStore, Space, @escaping Done<T>) -> Void,
        then done: @escaping Done<T>
    ) {
        let space: Space?
        do throws(StoreError) { space = try owner(of: token) } catch {
            return done(.failure(error))
        }
        guard let space else { return done(.success(unknown)) }
        change(of: space, { body($0, space, $1) }, then: done)
    }
}
