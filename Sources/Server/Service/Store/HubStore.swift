/// What the hub keeps, and how it is asked: the one protocol behind which a database is.
///
/// Reads return; changes are queued, and their closure is called once, after the commit that made
/// them durable, on a thread of the store, if that has one. Every question about events names a space.
package import MacrologEvents

/// The number of an account's space, which is also the account's. Never told to a client.
package typealias Space = Int64

/// Why a store did not do what was asked.
package enum StoreError: Error, Equatable, Sendable {
    /// Too much waits already; the same call may succeed soon.
    case busy
    /// There is no room on the disk.
    case full
    /// Anything else. The words are for the log, not for the client.
    case failed(String)
}

/// What became of a change.
package typealias Done<Value> = @Sendable (Result<Value, StoreError>) -> Void

/// The hub's storage.
package protocol HubStore: Sendable {
    /// The epoch of all logs of this store, never 0.
    var epoch: UInt32 { get }

    // The logs.

    /// Where a space's log ends.
    func head(of space: Space) throws(StoreError) -> SpaceHead
    /// The greatest `seq` that a space has of a device; 0 for none.
    func admitted(of device: Identifier, in space: Space) throws(StoreError) -> Seq
    /// The digest of the first `n` events, or `nil` where there are not so many.
    func digest(of space: Space, upTo n: LogNumber) throws(StoreError) -> PrefixDigest?
    /// The digests of several prefixes of one state of the log, in the order asked for, or `nil`
    /// where there is one that the log is too short for.
    func digests(of space: Space, upTo ns: [LogNumber]) throws(StoreError) -> [PrefixDigest]?
    /// The events after `n`, in order, as `device` gets them.
    func page(
        of space: Space, after n: LogNumber, for device: Identifier, limits: PageLimits
    ) throws(StoreError) -> Page
    /// Admits the longest prefix of a push that follows what the space has of its device.
    func push(_ push: Push, then done: @escaping Done<PushOutcome>)
    /// Tells which logs have grown and how far, each once for a commit, before those who pushed are
    /// answered. To be called once, before the first push; the closure must not wait.
    func watch(_ grown: @escaping @Sendable ([Space: LogNumber]) -> Void)

    /// Finds how far a device's log and a space's are equal, and takes in what the space has lost.
    func heal(_ heal: Heal, then done: @escaping Done<HealOutcome>)

    // The blobs.

    /// Where the bytes of blobs lie.
    var blobFiles: BlobFiles { get }
    /// How long a blob is that is said to be there whole; `nil` where none is.
    func blob(_ key: BlobKey) throws(StoreError) -> Int64?
    /// How many bytes the blobs of a space have.
    func blobBytes(of space: Space) throws(StoreError) -> Int64
    /// Notes a blob whose bytes are there; `false` when the space would then have more than `quota`
    /// bytes.
    func keep(
        _ key: BlobKey, bytes: Int64, quota: Int64, now: Int64, then done: @escaping Done<Bool>)
    /// The blobs that no event holds, of all spaces, stored and last named before a moment, in
    /// milliseconds since 1970 UTC.
    func orphans(before: Int64) throws(StoreError) -> [BlobKey]
    /// Forgets a blob if it is still such an orphan; otherwise `false`.
    func forget(_ key: BlobKey, before: Int64, then done: @escaping Done<Bool>)

    // The accounts.

    /// The account of an address, by the keyed digest of the address.
    func account(emailKey: [UInt8]) throws(StoreError) -> Account?
    /// Adds an account. What that costs does not depend on whether the address has one.
    func add(_ account: NewAccount, then done: @escaping Done<Addition>)
    /// Replaces a password's hash by a stronger one of the same password.
    func replacePassword(of space: Space, with hash: [UInt8], then done: @escaping Done<Void>)

    // The sessions.

    /// Begins a session with its first refresh token, and notes the network that it began from. Where
    /// the account then had more than `sessionsMax`, ends those not heard of for longest.
    ///
    /// - Parameter done: Gets the sessions that were ended.
    func begin(
        _ session: NewSession, sessionsMax: Int, then done: @escaping Done<[Identifier]>)
    /// Whether an account logged in from a network since a moment, in milliseconds since 1970 UTC.
    func hasLoggedIn(from network: [UInt8], since: Int64) throws(StoreError) -> Bool
    /// A session that is not revoked.
    func session(_ id: Identifier) throws(StoreError) -> StoredSession?
    /// The session that a refresh token was made for, by the token's digest, used or not.
    func session(ofRefresh digest: [UInt8]) throws(StoreError) -> Identifier?
    /// Exchanges a refresh token for its successor.
    func rotate(_ rotation: Rotation, then done: @escaping Done<RotationOutcome>)
    /// Revokes a session of a space; `false` when it has no such session.
    func revoke(
        _ session: Identifier, of space: Space, at now: Int64, then done: @escaping Done<Bool>)
    /// Revokes all sessions of a space but one, and tells which.
    func revokeAll(
        of space: Space, except session: Identifier, at now: Int64,
        then done: @escaping Done<[Identifier]>)
    /// The sessions of a space that are not revoked, oldest first.
    func sessions(of space: Space) throws(StoreError) -> [StoredSession]
    /// Gives a session of a space another name for people; `false` when it has no such session.
    func rename(
        _ session: Identifier, of space: Space, to label: String, then done: @escaping Done<Bool>)
    /// Deletes some of what ended before a moment, in milliseconds since 1970 UTC: sessions, used
    /// refresh tokens, networks.
    ///
    /// - Parameter done: Gets whether there may be more.
    func forgetEnded(before: Int64, networksBefore: Int64, then done: @escaping Done<Bool>)
    /// Notes what was heard of a session. Nobody waits for it; what is read later knows it at once.
    ///
    /// - Parameter isDurable: It gets to the disk soon, even where nothing else does.
    func note(_ receipt: Receipt, isDurable: Bool)

    /// Finishes what is queued, and closes. Nothing may be asked afterwards.
    func close()
}

/// Where a log ends.
package struct SpaceHead: Hashable, Sendable {
    /// The number of the last event; 0 for none.
    package var n: LogNumber
    /// The greatest sealed time; 0 for none.
    package var t: SealedTime
    /// The digest of all events.
    package var digest: PrefixDigest

    /// The end of an empty log.
    package static let empty = SpaceHead(n: .zero, t: .zero, digest: .empty)
}

/// How much of a log is wanted at once.
package struct PageLimits: Hashable, Sendable {
    /// Events.
    package var events: Int64
    /// Bytes of event bodies, though never less than one event.
    package var bytes: Int64
}

/// A part of a log.
package struct Page: Hashable, Sendable {
    /// The events, in order.
    package var rows: [SyncAnswer.Row]
    /// The number of the last of them, or the number asked for when there is none.
    package var end: LogNumber
    /// The digest up to there; `nil` when there is no row.
    package var digest: PrefixDigest?
}

/// One event on its way into a log, checked in shape and size.
package struct PushedEvent: Sendable {
    package let header: EventHeader
    package let hash: SHA256.Words
    package let age: Milliseconds
    /// The blobs that it names; for nearly every event none.
    package let mentions: [BlobMention]
    package let body: [UInt8]

    /// Collects the parts.
    package init(
        header: EventHeader, hash: SHA256.Words, age: Milliseconds, mentions: [BlobMention],
        body: [UInt8]
    ) {
        self.header = header
        self.hash = hash
        self.age = age
        self.mentions = mentions
        self.body = body
    }
}

/// What one device wants to have admitted at once: its events with `seq` one after another.
package struct Push: Sendable {
    package let space: Space
    package let device: Identifier
    package let events: [PushedEvent]
    /// The hub's clock when the request came, in milliseconds since 1970 UTC.
    package let now: Int64
    /// How much the space may have.
    package let quota: EventQuota

    /// Collects the parts.
    package init(
        space: Space, device: Identifier, events: [PushedEvent], now: Int64,
        quota: EventQuota = .none
    ) {
        self.space = space
        self.device = device
        self.events = events
        self.now = now
        self.quota = quota
    }
}

/// What became of a push.
package enum PushOutcome: Sendable {
    /// Everything is in the log, now or already before. `before` is where the log ended, `rows` is
    /// what was added, and `after` is where it ends now.
    case admitted(before: SpaceHead, rows: [SyncAnswer.Row], after: SpaceHead, seq: Seq)
    /// The space has another event of this number.
    case dotReuse(seq: Seq)
    /// The first event of the push is not the next one of its device.
    case expected(seq: Seq)
    /// An event names a base that this log does not have, or one below that of its device's
    /// previous event.
    case unknownBase(seq: Seq)
    /// Not one of the new events fits into the quota.
    case overQuota
}

/// What a device brings of its log after the hub's has changed, checked in shape and size.
package struct Heal: Sendable {
    package let space: Space
    package let marks: [HealRequest.Mark]
    /// The rows behind the last mark.
    package let rows: [HealedRow]
    /// The digest after the last row.
    package let digest: PrefixDigest
    /// The hub's clock when the request came, in milliseconds since 1970 UTC.
    package let now: Int64
    /// How much the space may have.
    package let quota: EventQuota
}

/// One event on its way back into a log.
package struct HealedRow: Sendable {
    package let header: EventHeader
    package let hash: SHA256.Words
    package let t: SealedTime
    /// The blobs that it names; for nearly every event none.
    package let mentions: [BlobMention]
    package let body: [UInt8]
}

/// What became of it.
package enum HealOutcome: Sendable {
    /// Where the log ends now, and how far both are equal.
    case compared(head: LogNumber, agreed: LogNumber)
    /// No hub can have sealed these rows in this order, or they don't have the digest claimed.
    case contradiction
    /// The rows do not fit into the quota.
    case overQuota
}
