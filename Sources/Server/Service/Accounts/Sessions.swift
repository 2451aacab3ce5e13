/// Who is asking: from a token to a session, at the cost of a look into memory.
///
/// A token's signature is checked once and its session is read once; then both are remembered,
/// and whoever revokes the session marks what is remembered. So a revocation holds from the next
/// request on, and an idle sync pays neither for Ed25519 nor for a query.
import MacrologEvents
import MacrologHTTP
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A session in use.
final class Session: Sendable {
    let id: Identifier
    let space: Space
    let account: Identifier
    /// When it ends whatever happens, in milliseconds since 1970 UTC.
    let expires: Int64
    /// When it was last noted to be used, in memory and for the disk; in milliseconds since 1970 UTC.
    fileprivate let seen: Atomic<Int64>
    fileprivate let seenDurably: Atomic<Int64>
    /// What its device was last heard to hold.
    fileprivate let held: Mutex<Receipt.Held?>
    fileprivate let revoked = Atomic<Bool>(false)
    /// The name of its buckets.
    let rateKey: [UInt8]
    /// The name of its account's.
    var accountRateKey: [UInt8] { account.bytes }

    /// Whether it has been ended since.
    var isRevoked: Bool { revoked.load(ordering: .acquiring) }

    fileprivate init(_ stored: StoredSession) {
        id = stored.id
        space = stored.space
        account = stored.account
        expires = stored.expires
        seen = Atomic(stored.lastSeen)
        seenDurably = Atomic(stored.lastSeen)
        held = Mutex(stored.held)
        rateKey = stored.id.bytes
    }
}

final class Sessions: Sendable {
    /// Tokens that are remembered.
    static let countMax = 20_000
    /// How exactly ``StoredSession/lastSeen`` is known, in milliseconds.
    static let seenGranularity: Int64 = 60_000
    /// How exactly it is kept on the disk, in milliseconds.
    static let durableGranularity: Int64 = 600_000

    private struct Known: Sendable {
        let session: Session
        /// Seconds since 1970 UTC.
        let expires: Int64
    }

    private struct State {
        var byToken: [Presented: Known] = [:]
        var byID: [Identifier: Session] = [:]
        /// Counts revocations, so that nobody remembers what he read before one.
        var revocations: UInt64 = 0
    }

    private let state = Mutex(State())
    private let store: any HubStore
    private let secrets: Secrets

    init(_ store: any HubStore, _ secrets: Secrets) {
        self.store = store
        self.secrets = secrets
    }

    /// The session of the request's access token.
    func authenticate(_ request: HTTPRequest, now: Int64) throws(Problem) -> Session {
        guard let field = request.field("authorization"), field.utf8.starts(with: "Bearer ".utf8)
        else { throw .unauthorized }
        let presented = Presented(field: field)
        let (known, revocations) = state.withLock { ($0.byToken[presented], $0.revocations) }
        let found: Known
        if let known {
            found = known
        } else {
            found = try look(up: presented, now: now, revocations)
        }
        let session = found.session
        guard !session.isRevoked, now < session.expires,
            now / 1_000 < found.expires + AccessToken.leeway
        else { throw .unauthorized }
        note(session, now)
        return session
    }

    /// Marks sessions that were revoked.
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
        guard let stored, stored.account == access.account else { throw .unauthorized }
        return state.withLock { state in
            let session = state.byID[stored.id] ?? Session(stored)
            let known = Known(session: session, expires: access.expires)
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

    /// Notes what an exchange has proved a session's device to hold.
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

/// A field `Bearer …` as it came, compared byte by byte.
///
/// Only its end is hashed: the end of a signature, which nobody can choose. What is looked up is
/// compared whole with what was verified, so a forger who repeats an end finds nothing.
private struct Presented: Hashable, Sendable {
    let field: String

    static func == (left: Presented, right: Presented) -> Bool {
        let equal = left.field.utf8.withContiguousStorageIfAvailable { left in
            right.field.utf8.withContiguousStorageIfAvailable { right in
                guard left.count == right.count, let one = left.baseAddress,
                    let other = right.baseAddress
                else { return false }
                return memcmp(one, other, left.count) == 0
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
