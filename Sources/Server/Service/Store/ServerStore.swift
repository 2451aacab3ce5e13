/// The server's storage, as one protocol that hides the database.
///
/// Reads return a value. Changes are queued, and their closure is called once, after the commit
/// that made them durable, on a thread of the store if it has one. Every query about events names a
/// space.
package import MacrologEvents
package import MacrologWire

/// The number of an account's space, which is also the account's number. Never sent to a client.
package typealias Space = Int64

/// Why a store refused or failed.
package enum StoreError: Error, Equatable, Sendable {
    /// The queue is full; the same call may succeed soon.
    case busy
    /// The disk is full.
    case full
    /// Another of several stores serves the account, or is about to; the same call there may succeed.
    case elsewhere
    /// The folder of photos is not mounted.
    case unmounted
    /// Anything else. The text is for the log, not for the client.
    case failed(String)
}

/// What one of several processes does at a time.
package enum Lease: Hashable, Sendable {
    /// Removing blobs that no row names.
    case collection
    /// Sending the messages of an account.
    case messages(of: Space)
    /// Answering a request that must be carried out once, however often and wherever it arrives.
    case request(Identifier)
}

/// The completion handler of a change.
package typealias Done<Value> = @Sendable (Result<Value, StoreError>) -> Void

/// The server's storage.
package protocol ServerStore: Sendable {
    /// The epoch of the logs whose account has none of its own, never 0; see ``SpaceHead/epoch``.
    var epoch: UInt32 { get }
    /// Whether other processes change what is stored.
    var isShared: Bool { get }
    /// Takes, or has for longer, what only one process does at a time; `false` if another one has it.
    func lease(_ task: Lease, milliseconds: Int64) throws(StoreError) -> Bool
    /// Ends a lease of this process.
    func release(_ task: Lease)
    /// Where attempts are counted for all processes; `nil` if there is only one.
    var sharedBuckets: (any SharedBuckets)? { get }

    // The logs.

    /// The head of a space's log.
    func head(of space: Space) throws(StoreError) -> SpaceHead
    /// Where a log and a device of it stand, for an exchange of a device that has the first `cursor` events.
    func standing(
        of device: Identifier, in space: Space, at cursor: LogNumber
    ) throws(StoreError) -> Standing
    /// The digests of several prefixes of one state of the log, in the order requested. None is
    /// longer than the log.
    func digests(of space: Space, upTo ns: [LogNumber]) throws(StoreError) -> [PrefixDigest]
    /// The events after `n`, in order, as sent to `device`.
    func page(
        of space: Space, after n: LogNumber, for device: Identifier, limits: PageLimits
    ) throws(StoreError) -> Page
    /// Whether ``push(_:then:)`` returns without having waited for another machine.
    var queuesPushes: Bool { get }
    /// Admits the longest prefix of a push that continues its device's events in the space.
    func push(_ push: Push, then done: @escaping Done<PushOutcome>)
    /// Bytes of the events of a space, as its quota counts them.
    func eventBytes(of space: Space) throws(StoreError) -> Int64
    /// Reports which logs have grown, and their heads: once for each commit of this process, before the
    /// pushes are answered, and for those of others within a second. To be called once, before the first
    /// push; the closure must not block.
    func watch(_ grown: @escaping @Sendable ([Space: LogNumber]) -> Void)

    /// Finds how far a device's log and a space's log are equal, and restores what the space has
    /// lost.
    func recover(_ recover: Recover, then done: @escaping Done<RecoveryOutcome>)

    // The blobs.

    /// Where the bytes of blobs are stored.
    var blobFiles: BlobFiles { get }
    /// The length of a blob that is recorded as complete; `nil` if there is none.
    func blob(_ key: BlobKey) throws(StoreError) -> Int64?
    /// The total size of a space's blobs, in bytes.
    func blobBytes(of space: Space) throws(StoreError) -> Int64
    /// Records a blob whose bytes are stored; `false` if the space would then exceed `quota` bytes, or
    /// its account is deleted.
    func keep(
        _ key: BlobKey, bytes: Int64, quota: Int64, now: Int64, then done: @escaping Done<Bool>)
    /// The blobs of all spaces that no event holds, and that were stored and last named before a
    /// time in milliseconds since 1970 UTC.
    func unreferenced(before: Int64) throws(StoreError) -> [BlobKey]
    /// Deletes the row of a blob if it is still unreferenced; otherwise `false`.
    func forget(_ key: BlobKey, before: Int64, then done: @escaping Done<Bool>)
    /// The history that stores blobs with this database; `nil` before the first collection.
    func history() throws(StoreError) -> History?
    /// Stores the history.
    func set(_ history: History, then done: @escaping Done<Void>)

    // The accounts.

    /// The account of an address, found by the keyed digest of the address.
    func account(emailKey: [UInt8]) throws(StoreError) -> Account?
    /// An account.
    func account(of space: Space) throws(StoreError) -> Account?
    /// The most expensive of the bcrypt hashes of earlier systems; `nil` if there are none.
    func bcryptHash() throws(StoreError) -> [UInt8]?
    /// What is known about one account or all, by address.
    func facts(of space: Space?, now: Int64) throws(StoreError) -> [AccountFacts]
    /// Adds an account. The cost does not depend on whether the address already has one.
    func add(_ account: NewAccount, then done: @escaping Done<Addition>)
    /// Changes an account.
    ///
    /// - Parameter done: Receives the sessions that were ended; `nil` if the account or the proof is
    ///   missing, the credentials are others now, or a confirmed second factor would be replaced, and
    ///   nothing was changed.
    func update(_ update: AccountUpdate, then done: @escaping Done<[Identifier]?>)
    /// Adds to an account's audit trail.
    func record(_ entry: AuditEntry, of space: Space)
    /// An account's audit trail, the latest entry first.
    func audit(of space: Space) throws(StoreError) -> [StoredAuditEntry]
    /// The blobs of an account, by name.
    func blobs(of space: Space) throws(StoreError) -> [(key: BlobKey, bytes: Int64)]

    /// Where it is written which accounts were deleted, disabled and enabled, so that a restored backup
    /// does not undo it.
    var deletions: DeletionLedger { get }
    /// Removes some rows of deleted accounts. The account itself stays until its files are gone, too: who is
    /// interrupted finds it again.
    ///
    /// - Parameter done: Receives whether there may be more, and the spaces of which nothing else is left.
    func removeDeleted(then done: @escaping Done<(isMore: Bool, emptied: [Space])>)
    /// Removes deleted accounts of which nothing else is left, and overwrites what was removed.
    func removeEmptied(_ spaces: [Space], then done: @escaping Done<Void>)

    /// The invitations, oldest first.
    func invitations() throws(StoreError) -> [Invitation]
    /// Whether an invitation, by its digest, can be used.
    func isOpen(invitation digest: [UInt8], now: Int64) throws(StoreError) -> Bool
    /// Adds an invitation. Receives its number.
    func addInvitation(
        _ digest: [UInt8], uses: Int64, expires: Int64, now: Int64,
        then done: @escaping Done<Int64>)
    /// Removes an invitation; `false` if there is none of this number.
    func removeInvitation(_ number: Int64, then done: @escaping Done<Bool>)

    // The shares.

    /// Adds a share, unless its token is known. The answer to the same request is the same again.
    func add(_ share: NewShare, then done: @escaping Done<ShareAddition>)
    /// The shares of an account that have not expired, the latest first.
    func shares(of space: Space, now: Int64) throws(StoreError) -> [StoredShare]
    /// The share of a token, found by the token's digest, as long as it can be opened.
    func share(token digest: [UInt8], now: Int64) throws(StoreError) -> OpenShare?
    /// The card of a share that has not expired.
    ///
    /// - Parameter openedAfter: Where openings are limited: when it must have been opened last.
    func card(
        token digest: [UInt8], openedAfter: Int64, now: Int64
    ) throws(StoreError) -> [UInt8]?
    /// Counts one opening; `false` if it can no longer be opened.
    func countOpening(of share: Identifier, now: Int64, then done: @escaping Done<Bool>)
    /// Removes a share of an account, and overwrites it; `false` if the account has no such share.
    func removeShare(
        _ id: Identifier, of space: Space, entry: AuditEntry, then done: @escaping Done<Bool>)

    // The analyses.

    /// Counts one analysis of an account's day, which begins with its first.
    ///
    /// - Parameters:
    ///   - space: `nil` for all people without an account.
    ///   - done: Receives `nil` if it was counted; or, if there were as many already, the milliseconds until
    ///     the next day begins.
    func countAnalysis(
        of space: Space?, atMost countMax: Int64, now: Int64, then done: @escaping Done<Int64?>)

    // The addresses to which messages are sent.

    /// Adds an address, unless the account has as many as it may. It gives `nil` if the account is not active, or
    /// the session that adds it has ended.
    func add(_ webhook: StoredWebhook, then done: @escaping Done<WebhookAddition?>)
    /// The addresses of an account, the oldest first.
    func webhooks(of space: Space) throws(StoreError) -> [Webhook]
    /// The sealed secret of an address; `nil` if the account has no such address.
    func webhookSecret(_ id: Identifier, of space: Space) throws(StoreError) -> [UInt8]?
    /// Removes an address with its messages; `false` if the account has no such address.
    func removeWebhook(
        _ id: Identifier, of space: Space, entry: AuditEntry, then done: @escaping Done<Bool>)
    /// The accounts that have an address.
    func webhookSpaces() throws(StoreError) -> [Space]
    /// Some active accounts that are to be looked at by now, the longest waiting first, besides others.
    func webhookLooks(
        by now: Int64, besides others: Set<Identifier>
    ) throws(StoreError) -> [Space]
    /// When an account is to be looked at, and what was known; `nil` if it has no address, or is not active.
    func webhookLook(of space: Space) throws(StoreError) -> WebhookLook?
    /// Adds messages that were never there, and what is known now.
    func add(
        _ messages: [WebhookMessage], of space: Space, look: WebhookLook?, now: Int64,
        then done: @escaping Done<Void>)
    /// Messages whose next attempt is due, one for each active account besides others.
    func dueMessages(
        by now: Int64, besides others: Set<Identifier>
    ) throws(StoreError) -> [StoredMessage]
    /// Whether the next attempt of a message is due still.
    func isDue(
        _ message: Identifier, of space: Space, by now: Int64
    ) throws(StoreError) -> Bool
    /// Notes what became of an attempt.
    func note(
        _ delivery: WebhookDelivery, of message: Identifier, to webhook: Identifier,
        in space: Space, then done: @escaping Done<Void>)

    // The sessions.

    /// Begins a session with its first refresh token, and records the network from which it began.
    /// If the account then has more than `sessionsMax` sessions, ends the least recently used ones.
    ///
    /// - Parameter done: Receives the sessions that were ended; `nil` if the proof is missing or the
    ///   credentials are others now, and no session has begun.
    func begin(
        _ session: NewSession, sessionsMax: Int, then done: @escaping Done<[Identifier]?>)
    /// Begins a token of an account.
    ///
    /// - Parameter done: Receives the sessions that ended because of it; `nil` if the account is disabled or
    ///   deleted.
    func begin(_ token: NewToken, sessionsMax: Int, then done: @escaping Done<[Identifier]?>)
    /// Begins a session of the server's own, or begins it again after it has ended.
    ///
    /// - Parameter done: Receives false if the account is disabled or deleted.
    func beginOwn(
        _ session: Identifier, of space: Space, label: String, now: Int64,
        then done: @escaping Done<Bool>)
    /// Whether the account of an address logged in from a network since a time in milliseconds since 1970 UTC.
    ///
    /// - Parameter network: The digest of the address and the network.
    func hasLoggedIn(
        from network: [UInt8], to emailKey: [UInt8], since: Int64
    ) throws(StoreError) -> Bool
    /// A session that is not revoked.
    func session(_ id: Identifier) throws(StoreError) -> StoredSession?
    /// Those of some sessions, by their spaces, that other processes have ended.
    func ended(of sessions: [Space: [Identifier]]) throws(StoreError) -> [Identifier]
    /// Whether a session, ended or not, is one of a disabled account.
    func isDisabled(_ session: Identifier) throws(StoreError) -> Bool
    /// The session of a refresh token, found by the token's digest, whether the token is used or
    /// not.
    func session(ofRefresh digest: [UInt8]) throws(StoreError) -> Identifier?
    /// Exchanges a refresh token for its successor.
    func rotate(_ rotation: Rotation, then done: @escaping Done<RotationOutcome>)
    /// Revokes a session of a space; `false` when it has no such session.
    func revoke(
        _ session: Identifier, of space: Space, at now: Int64, then done: @escaping Done<Bool>)
    /// Revokes all sessions of a space except one, and returns them.
    func revokeAll(
        of space: Space, except session: Identifier, at now: Int64,
        then done: @escaping Done<[Identifier]>)
    /// The sessions of a space that are not revoked, oldest first.
    func sessions(of space: Space) throws(StoreError) -> [StoredSession]
    /// Changes the label of a session of a space; `false` if the space has no such session.
    func rename(
        _ session: Identifier, of space: Space, to label: String, then done: @escaping Done<Bool>)
    /// Deletes some sessions, used refresh tokens, networks, codes, invitations and entries of audit
    /// trails that ended before a time, and shares that have expired, in milliseconds since 1970 UTC.
    ///
    /// - Parameter done: Receives whether there may be more.
    func forgetEnded(
        before: Int64, networksBefore: Int64, sharesBy now: Int64, then done: @escaping Done<Bool>)
    /// Records a receipt of a session. Nothing waits for it; later reads of this process see it at once,
    /// and those of others when it is written.
    ///
    /// - Parameter isDurable: The receipt is written to disk soon, even without another commit.
    func note(_ receipt: Receipt, isDurable: Bool)

    /// The time of the database's own clock, in milliseconds since 1970 UTC; `nil` if it has none.
    func clock() throws(StoreError) -> Int64?
    /// Makes a change that changes nothing, durably, to find out whether others could be made.
    func checkWriting(then done: @escaping Done<Void>)
    /// Transactions committed by this process so far.
    var commits: Int { get }
    /// How much is stored.
    func usage() throws(StoreError) -> StoreUsage

    /// Finishes queued changes and closes. The store must not be used afterwards.
    func close()
}

/// The head of a log.
package struct SpaceHead: Hashable, Sendable {
    /// The epoch of the log, never 0: that of its account, which was restored apart from the others, or else that
    /// of the store.
    package var epoch: UInt32
    /// The number of the last event; 0 for none.
    package var n: LogNumber
    /// The greatest sealed time; 0 for none.
    package var t: SealedTime
    /// The digest of all events.
    package var digest: PrefixDigest

    /// The head of an empty log.
    package static func empty(epoch: UInt32) -> SpaceHead {
        SpaceHead(epoch: epoch, n: .zero, t: .zero, digest: .empty)
    }
}

/// What an exchange begins with.
package struct Standing: Sendable {
    package let head: SpaceHead
    /// The digest of the events up to the cursor; `nil` if the log is shorter.
    package let digest: PrefixDigest?
    /// The greatest `seq` that the space has of the device; 0 for none.
    package let admitted: Seq
}

extension ServerStore {
    package var queuesPushes: Bool { false }
    package func clock() -> Int64? { nil }
}

/// The size limits of a page.
package struct PageLimits: Hashable, Sendable {
    /// Events.
    package var events: Int64
    /// Bytes of event bodies; a page has at least one event.
    package var bytes: Int64
}

/// A part of a log.
package struct Page: Hashable, Sendable {
    /// The events, in order.
    package var rows: [SyncAnswer.Row]
    /// The number of the last of them, or the requested number if there is none.
    package var end: LogNumber
    /// The digest up to that event; `nil` if there is no row.
    package var digest: PrefixDigest?
}
