/// Accounts, their sessions and their shares, on several stores.
package import MacrologEvents
import MacrologPostgreSQL

extension PlacedStore {
    // MARK: Accounts

    package func account(emailKey: [UInt8]) throws(StoreError) -> Account? {
        try finder.read(ofEmailKey: emailKey) { store throws(StoreError) in
            try store.account(emailKey: emailKey)
        }
    }

    package func account(of space: Space) throws(StoreError) -> Account? {
        try finder.read(of: space) { store throws(StoreError) in try store.account(of: space) }
    }

    package func bcryptHash() throws(StoreError) -> [UInt8]? {
        let all = finder.stores.indices.compactMap { try? finder.running($0).bcryptHash() }
        return all.max { $0[4..<6].lexicographicallyPrecedes($1[4..<6]) }
    }

    /// Of all accounts, only if all stores answer: an operator must not miss any.
    package func facts(of space: Space?, now: Int64) throws(StoreError) -> [AccountFacts] {
        if let space {
            return try finder.read(of: space) { store throws(StoreError) in
                try store.facts(of: space, now: now)
            }
        }
        var found: [Identifier: (at: Int, facts: AccountFacts)] = [:]
        for (at, (_, store)) in finder.stores.enumerated() {
            for facts in try store.facts(of: nil, now: now) {
                // One that moves, or whose old rows are still there, is in two stores.
                if let other = found[facts.name],
                    try finder.stores[other.at].store.serves(facts.name)
                {
                    continue
                }
                found[facts.name] = (at, facts)
            }
        }
        return found.values.map(\.facts).sorted {
            ($0.email, $0.name) < ($1.email, $1.name)
        }
    }

    /// The directory reserves a number and the address, with a use of an invitation, and a store adds the account. Who is
    /// interrupted between the two leaves a reservation, which the next attempt of that address uses.
    package func add(_ account: NewAccount, then done: @escaping Done<Addition>) {
        place(account, then: done)
    }

    private func place(
        _ account: NewAccount, attempts: Int = 3, then done: @escaping Done<Addition>
    ) {
        let placement = finder.placement
        do throws(StoreError) {
            let (space, name): (Space, String)
            switch try placement.reserve(
                emailKey: account.emailKey, in: newIn, invitation: account.invitation,
                now: account.now)
            {
            case .noRoom: return done(.success(.noRoom))
            case .notInvited: return done(.success(.notInvited))
            case .place(let reserved, let store): (space, name) = (reserved, store)
            }
            let isInvited = account.invitation != nil
            let store = try finder.running(try finder.index(of: name))
            store.add(account, as: space) { db, isNew in
                try placement.during(&db, of: store) { db throws(PostgreSQLError) in
                    try db.expects(space, in: name, isInvited: isInvited && isNew)
                }
            } then: { [self] result in
                do throws(StoreError) {
                    switch result {
                    case .success(let addition?):
                        // If it is not noted now, it is when interrupted registrations are looked for.
                        if isInvited { try? placement.complete(space) }
                        return done(.success(addition))
                    case .success(nil): try placement.release(space)
                    case .failure(.elsewhere): break
                    case .failure(let error): return done(.failure(error))
                    }
                } catch { return done(.failure(error)) }
                guard attempts > 1 else { return done(.failure(.busy)) }
                place(account, attempts: attempts - 1, then: done)
            }
        } catch {
            done(.failure(error))
        }
    }

    package func update(_ update: AccountUpdate, then done: @escaping Done<[Identifier]?>) {
        finder.change(of: update.space, { $0.update(update, then: $1) }) { [finder] result in
            // The address is free. If that is not noted now, it is when it is registered again.
            if update.deletes, case .success(.some) = result {
                try? finder.placement.release(update.space)
            }
            done(result)
        }
    }

    package func record(_ entry: AuditEntry, of space: Space) {
        finder.change(of: space, { $0.record(entry, of: space, then: $1) }, then: { _ in })
    }

    package func audit(of space: Space) throws(StoreError) -> [StoredAuditEntry] {
        try finder.read(of: space) { store throws(StoreError) in try store.audit(of: space) }
    }

    package func removeDeleted(
        then done: @escaping Done<(isMore: Bool, emptied: [Space])>
    ) {
        each {
            $0.removeDeleted(then: $1)
        } then: { result in
            done(
                result.map { all in
                    (all.contains { $0.value.isMore }, all.flatMap(\.value.emptied))
                })
        }
    }

    /// First goes what moves have left of the accounts in other stores, and what the directory knows of them, so that
    /// no move takes for an account what is left of one. If a store does not answer, this is done another time.
    package func removeEmptied(_ spaces: [Space], then done: @escaping Done<Void>) {
        do {
            for space in spaces {
                do { try move(of: space).clear() } catch AccountMoveError.unknownAccount {}
                try finder.placement.forget(space)
                atRest.forget(space)
            }
        } catch {
            return done(.failure(StoreError(error)))
        }
        each {
            $0.removeEmptied(spaces, then: $1)
        } then: {
            done($0.map { _ in })
        }
    }

    private func move(of space: Space) -> AccountMove {
        let addresses = finder.stores.map { ($0.name, $0.store.address) }
        return AccountMove(
            space, among: Dictionary(addresses, uniquingKeysWith: { first, _ in first }),
            directory: finder.stores[0].name, keys: finder.directory.keys)
    }

    package func forgetEnded(
        before: Int64, networksBefore: Int64, sharesBy now: Int64,
        then done: @escaping Done<Bool>
    ) {
        settleInvited()
        each {
            $0.forgetEnded(
                before: before, networksBefore: networksBefore, sharesBy: now, then: $1)
        } then: {
            done($0.map { $0.contains { $0.value } })
        }
    }

    /// Ends registrations that were interrupted: without an account, the use of an invitation is given back. One that
    /// is in progress reserves again.
    private func settleInvited() {
        let placement = finder.placement
        for (space, name) in (try? placement.invited()) ?? [] {
            guard let at = try? finder.index(of: name), let store = try? finder.running(at) else {
                continue
            }
            store.settle(space) { db, isMade in
                try placement.during(&db, of: store) { db throws(PostgreSQLError) in
                    try db.settle(space, in: name, isMade: isMade)
                }
            }
        }
    }

    // MARK: Sessions

    package func begin(
        _ session: NewSession, sessionsMax: Int, then done: @escaping Done<[Identifier]?>
    ) {
        finder.change(
            of: session.space, { $0.begin(session, sessionsMax: sessionsMax, then: $1) },
            then: done)
    }

    package func begin(
        _ token: NewToken, sessionsMax: Int, then done: @escaping Done<[Identifier]?>
    ) {
        finder.change(
            of: token.space, { $0.begin(token, sessionsMax: sessionsMax, then: $1) }, then: done)
    }

    package func beginOwn(
        _ session: Identifier, of space: Space, label: String, now: Int64,
        then done: @escaping Done<Bool>
    ) {
        finder.change(
            of: space, { $0.beginOwn(session, of: space, label: label, now: now, then: $1) },
            then: done)
    }

    package func hasLoggedIn(
        from network: [UInt8], to emailKey: [UInt8], since: Int64
    ) throws(StoreError) -> Bool {
        try finder.read(ofEmailKey: emailKey) { store throws(StoreError) in
            try store.hasLoggedIn(from: network, to: emailKey, since: since)
        }
    }

    package func session(_ id: Identifier) throws(StoreError) -> StoredSession? {
        try finder.read(of: .session(id)) { store throws(StoreError) in try store.session(id) }
    }

    /// A session that the store in which its account was last found does not know is asked for once more. If that
    /// fails, it has not ended.
    package func ended(
        of sessions: [Space: [Identifier]]
    ) throws(StoreError) -> [Identifier] {
        var byStore: [Int: [Space: [Identifier]]] = [:]
        for (space, ids) in sessions {
            if let at = finder.lastPlace(of: space) { byStore[at, default: [:]][space] = ids }
        }
        var ended: [Identifier] = []
        for (at, part) in byStore {
            guard let gone = try? finder.running(at).ended(of: part), !gone.isEmpty else {
                continue
            }
            for id in gone where isOver(id) { ended.append(id) }
        }
        return ended
    }

    private func isOver(_ id: Identifier) -> Bool {
        do throws(StoreError) { return try session(id) == nil } catch { return false }
    }

    package func isDisabled(_ session: Identifier) throws(StoreError) -> Bool {
        try finder.read(of: .session(session)) { store throws(StoreError) in
            try store.isDisabled(session)
        } ?? false
    }

    package func session(ofRefresh digest: [UInt8]) throws(StoreError) -> Identifier? {
        try finder.read(of: .refresh(digest)) { store throws(StoreError) in
            try store.session(ofRefresh: digest)
        }
    }

    package func rotate(_ rotation: Rotation, then done: @escaping Done<RotationOutcome>) {
        finder.change(
            of: .refresh(rotation.presented), unknown: .unknown,
            { $0.rotate(rotation, ChangeKind(space: $1, isRepeatable: true), then: $2) },
            then: done)
    }

    package func revoke(
        _ session: Identifier, of space: Space, at now: Int64, then done: @escaping Done<Bool>
    ) {
        finder.change(of: space, { $0.revoke(session, of: space, at: now, then: $1) }, then: done)
    }

    package func revokeAll(
        of space: Space, except session: Identifier, at now: Int64,
        then done: @escaping Done<[Identifier]>
    ) {
        finder.change(
            of: space, { $0.revokeAll(of: space, except: session, at: now, then: $1) }, then: done)
    }

    package func sessions(of space: Space) throws(StoreError) -> [StoredSession] {
        try finder.read(of: space) { store throws(StoreError) in try store.sessions(of: space) }
    }

    package func rename(
        _ session: Identifier, of space: Space, to label: String, then done: @escaping Done<Bool>
    ) {
        finder.change(
            of: space, { $0.rename(session, of: space, to: label, then: $1) }, then: done)
    }

    package func note(_ receipt: Receipt, isDurable: Bool) {
        guard let at = finder.lastPlace(of: receipt.space) else { return }
        finder.stores[at].store.note(receipt, isDurable: isDurable)
    }

    // MARK: Shares

    /// The token is the client's choice. One that another account of any store has is refused, or its holders
    /// could show something else to those who have it.
    package func add(_ share: NewShare, then done: @escaping Done<ShareAddition>) {
        do throws(StoreError) {
            if let owner = try finder.owner(of: .share(share.token)), owner != share.space {
                return done(.success(.taken))
            }
        } catch {
            return done(.failure(error))
        }
        finder.change(of: share.space, { $0.add(share, then: $1) }, then: done)
    }

    package func shares(of space: Space, now: Int64) throws(StoreError) -> [StoredShare] {
        try finder.read(of: space) { store throws(StoreError) in
            try store.shares(of: space, now: now)
        }
    }

    package func share(token digest: [UInt8], now: Int64) throws(StoreError) -> OpenShare? {
        try finder.read(of: .share(digest)) { store throws(StoreError) in
            try store.share(token: digest, now: now)
        }
    }

    package func card(
        token digest: [UInt8], openedAfter: Int64, now: Int64
    ) throws(StoreError) -> [UInt8]? {
        try finder.read(of: .share(digest)) { store throws(StoreError) in
            try store.card(token: digest, openedAfter: openedAfter, now: now)
        }
    }

    package func countOpening(
        of share: Identifier, now: Int64, then done: @escaping Done<Bool>
    ) {
        finder.change(
            of: .opening(of: share), unknown: false,
            { $0.countOpening(of: share, now: now, .of($1), then: $2) }, then: done)
    }

    package func removeShare(
        _ id: Identifier, of space: Space, entry: AuditEntry, then done: @escaping Done<Bool>
    ) {
        finder.change(
            of: space, { $0.removeShare(id, of: space, entry: entry, then: $1) }, then: done)
    }
}
