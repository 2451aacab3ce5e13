/// Authentication: from a token to a session, at the cost of one look-up in memory.
///
/// A token's signature is verified once and its session is read once; both are then cached, and
/// revoking a session marks the cached entry. So a revocation by this process takes effect with the
/// next request, and an idle sync needs neither Ed25519 nor a query. Where several servers share a
/// store, a cached entry is read again after ``Sessions/beliefMilliseconds``: a revocation by
/// another server takes effect 2.5 s later at the latest.
import MacrologEvents
import MacrologHTTP
import MacrologSystem
import Synchronization

/// A session in use.
final class Session: Sendable {
    let id: Identifier
    let space: Space
    let account: Identifier
    /// When it expires regardless of use, in milliseconds since 1970 UTC.
    let expires: Int64
    /// Of a token: what it may do; `nil` for the session of a device.
    let right: TokenRight?
    let label: String
    /// When it was last recorded as used, in memory and for the disk, in milliseconds since 1970
    /// UTC.
    fileprivate let seen: Atomic<Int64>
    fileprivate let seenDurably: Atomic<Int64>
    /// What its device was last known to hold.
    fileprivate let held: Mutex<Receipt.Held?>
    fileprivate let revoked = Atomic<Bool>(false)
    /// The key of the session's rate limit buckets.
    let rateKey: [UInt8]
    /// The key of the account's rate limit buckets.
    var accountRateKey: [UInt8] { account.bytes }

    /// Whether it has been revoked.
    var isRevoked: Bool { revoked.load(ordering: .acquiring) }

    fileprivate init(_ stored: StoredSession) {
        id = stored.id
        space = stored.space
        account = stored.account
        expires = stored.expires
        right = stored.right
        label = stored.label
        seen = Atomic(stored.lastSeen)
        seenDurably = Atomic(stored.lastSeen)
        held = Mutex(stored.held)
        rateKey = stored.id.bytes
    }
}

final class Sessions: Sendable {
    /// The maximum number of cached tokens.
    static let countMax = 20_000
    /// The precision of ``StoredSession/lastSeen``, in milliseconds.
    static let seenGranularity: Int64 = 60_000
    /// The precision of ``StoredSession/lastSeen`` on disk, in milliseconds.
    static let durableGranularity: Int64 = 600_000
    /// How long a cached session is used where another process may revoke it, in milliseconds.
    /// Together with ``SyncServer/sessionsInterval``, after which open polls and streams end, this
    /// is less than five seconds.
    static let beliefMilliseconds: Int64 = 2_500

    private struct Known: Sendable {
        let session: Session
        /// When its token expires, in seconds since 1970 UTC.
        let expiresSeconds: Int64
        /// When the store last said that it is not revoked, in milliseconds since 1970 UTC.
        let checked: Int64
    }

    private struct State {
        var byToken: [Presented: Known] = [:]
        var byID: [Identifier: Session] = [:]
        /// Counts revocations, so that a session read before a revocation is not cached after it.
        var revocations: UInt64 = 0
    }

    private let state = Mutex(State())
    private let store: any ServerStore
    private let secrets: Secrets

    init(_ store: any ServerStore, _ secrets: Secrets) {
        self.store = store
        self.secrets = secrets
    }

    /// The session of the request's access token, which must be one of a device.
    func authenticate(_ request: HTTPRequest, now: Int64) throws(Problem) -> Session {
        let session = try identify(request, now: now)
        guard session.right == nil else { throw .unauthorized }
        return session
    }

    /// The session of the request's access token, or of a token with some right.
    func identify(_ request: HTTPRequest, now: Int64) throws(Problem) -> Session {
        guard let field = request.field("authorization"), let presented = Presented(field: field)
        else { throw .unauthorized }
        let (known, revocations) = state.withLock { ($0.byToken[presented], $0.revocations) }
        let found: Known
        if let known, isBelieved(known, now: now) {
            found = known
        } else {
            found = try look(up: presented, now: now, revocations)
        }
        let session = found.session
        if session.isRevoked { throw refusal(of: session.id) }
        guard now < session.expires, now / 1_000 < found.expiresSeconds + AccessToken.leeway else {
            throw .unauthorized
        }
        note(session, now)
        return session
    }

    private func isBelieved(_ known: Known, now: Int64) -> Bool {
        !store.isShared || (0..<Self.beliefMilliseconds).contains(now - known.checked)
    }

    /// Whether the session of a request's token is known without asking the store, and for a while longer.
    func knows(_ request: HTTPRequest, now: Int64) -> Bool {
        guard let field = request.field("authorization"), let presented = Presented(field: field)
        else { return false }
        let known = state.withLock { $0.byToken[presented] }
        return known.map { isBelieved($0, now: now) && isBelieved($0, now: now + 250) } ?? false
    }

    /// Why a session that has ended is refused.
    func refusal(of session: Identifier) -> Problem {
        do throws(StoreError) {
            return try store.isDisabled(session) ? .accountDisabled : .unauthorized
        } catch {
            return error.problem
        }
    }

    /// Marks revoked sessions.
    func revoke(_ ids: [Identifier]) {
        state.withLock { state in
            state.revocations &+= 1
            for id in ids {
                state.byID.removeValue(forKey: id)?.revoked.store(true, ordering: .releasing)
            }
        }
    }

    private func look(
        up presented: Presented, now: Int64, _ revocations: UInt64
    ) throws(Problem) -> Known {
        let token = Array(presented.field.utf8.dropFirst(7))
        guard let access = AccessToken(token, key: secrets.tokens, now: now) else {
            throw .unauthorized
        }
        let stored: StoredSession?
        do throws(StoreError) {
            stored = try store.session(access.session)
        } catch {
            throw error.problem
        }
        guard let stored, stored.account == access.account else {
            if store.isShared { revoke([access.session]) }
            throw refusal(of: access.session)
        }
        return state.withLock { state in
            let session = state.byID[stored.id] ?? Session(stored)
            let known = Known(
                session: session, expiresSeconds: access.expires, checked: now)
            guard state.revocations == revocations else { return known }
            if state.byToken.count >= Self.countMax {
                state.byToken = [:]
                state.byID = [:]
            }
            state.byToken[presented] = known
            state.byID[stored.id] = session
            return known
        }
    }

    /// Records what an exchange has proved that a session's device holds.
    func note(_ session: Session, holds held: Receipt.Held, now: Int64) {
        let isNews = session.held.withLock { known in
            guard known != held else { return false }
            known = held
            return true
        }
        guard isNews else { return }
        store.note(
            Receipt(session: session.id, space: session.space, held: held, seen: now),
            isDurable: false)
    }

    private func note(_ session: Session, _ now: Int64) {
        let seen = session.seen.load(ordering: .relaxed)
        guard now - seen >= Self.seenGranularity else { return }
        let (isFirst, _) = session.seen.compareExchange(
            expected: seen, desired: now, ordering: .relaxed)
        guard isFirst else { return }
        let isDurable =
            now - session.seenDurably.load(ordering: .relaxed) >= Self.durableGranularity
        if isDurable { session.seenDurably.store(now, ordering: .relaxed) }
        store.note(
            Receipt(session: session.id, space: session.space, held: nil, seen: now),
            isDurable: isDurable)
    }
}

/// A field `Bearer …` as received, compared byte by byte.
///
/// Only its last bytes are hashed: the end of a signature, which an attacker cannot choose. After a
/// match the whole field is compared with the verified one, so a forged token with the same end is
/// not found.
private struct Presented: Hashable, Sendable {
    let field: String

    /// `nil` for another scheme. The case of a scheme's name does not matter (RFC 9110 §11.1).
    init?(field: String) {
        let scheme = "Bearer "
        if field.utf8.starts(with: scheme.utf8) {
            self.field = field
        } else if field.prefix(7).lowercased() == "bearer " {
            self.field = scheme + field.dropFirst(7)
        } else {
            return nil
        }
    }

    static func == (left: Presented, right: Presented) -> Bool {
        let equal = left.field.utf8.withContiguousStorageIfAvailable { left in
            right.field.utf8.withContiguousStorageIfAvailable { right in
                Memory.isEqual(left, right)
            } ?? false
        }
        return equal ?? false
    }

    func hash(into hasher: inout Hasher) {
        let isHashed: Void? = field.utf8.withContiguousStorageIfAvailable { bytes in
            let end = UnsafeRawBufferPointer(bytes).suffix(16)
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: end))
        }
        precondition(isHashed != nil, "a Swift string is contiguous")
    }
}
