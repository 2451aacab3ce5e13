/// What a store is to admit to a log, or to restore, and what becomes of it.
package import MacrologEvents
package import MacrologWire

/// One event to admit, checked in shape and size.
package struct PushedEvent: Sendable {
    package let header: EventHeader
    package let hash: SHA256.Words
    package let age: Milliseconds
    /// The blobs that it names; empty for nearly every event.
    package let mentions: [BlobMention]
    package let body: [UInt8]

    /// Memberwise initializer.
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

/// Events of one device to admit together, with consecutive `seq`.
package struct Push: Sendable {
    package let space: Space
    package let device: Identifier
    package let events: [PushedEvent]
    /// The server's clock when the request arrived, in milliseconds since 1970 UTC.
    package let now: Int64
    /// The quota of the space.
    package let quota: EventQuota
    /// What is compared with the log before anything is admitted; `nil` if it was.
    package let claim: ClaimedPrefix?

    /// Memberwise initializer.
    package init(
        space: Space, device: Identifier, events: [PushedEvent], now: Int64,
        quota: EventQuota = .none, claim: ClaimedPrefix? = nil
    ) {
        self.space = space
        self.device = device
        self.events = events
        self.now = now
        self.quota = quota
        self.claim = claim
    }
}

/// The outcome of a push.
package enum PushOutcome: Sendable {
    /// All events are in the log, admitted now or earlier. `before` is the previous head, `rows` is
    /// what was added, and `after` is the new head.
    case admitted(before: SpaceHead, rows: [SyncAnswer.Row], after: SpaceHead, seq: Seq)
    /// The log is not the one of ``Push/claim``.
    case differs(ClaimedPrefix.Difference)
    /// The space has a different event with this `seq`.
    case dotReuse(seq: Seq)
    /// The first event of the push is not the next one of its device.
    case expected(seq: Seq)
    /// An event names a base that this log does not have, or one below that of its device's
    /// previous event.
    case unknownBase(seq: Seq)
    /// None of the new events fits into the quota.
    case overQuota
}

/// What a device gives back after the server has lost it, checked in shape and size.
package struct Recover: Sendable {
    package let space: Space
    /// The number of the event before the first row.
    package let after: LogNumber
    /// The rows that follow.
    package let rows: [RecoveredRow]
    /// The digest after the last row.
    package let digest: PrefixDigest
    /// The server's clock when the request arrived, in milliseconds since 1970 UTC.
    package let now: Int64
    /// The quota of the space.
    package let quota: EventQuota
}

/// One event to restore to a log.
package struct RecoveredRow: Sendable {
    package let header: EventHeader
    package let hash: SHA256.Words
    package let t: SealedTime
    /// The blobs that it names; empty for nearly every event.
    package let mentions: [BlobMention]
    package let body: [UInt8]
}

/// The outcome of one recovery step.
package enum RecoveryOutcome: Sendable {
    /// The log now: with the rows, or as it was where it does not end before them.
    case ended(SpaceHead)
    /// No server can have sealed these rows in this order, or their digest is not the claimed one.
    case contradiction
    /// The rows do not fit into the quota.
    case overQuota
}

/// What a device says of the log that it has.
package struct ClaimedPrefix: Hashable, Sendable {
    /// 0 for none.
    package let epoch: UInt32
    /// The number of its last event.
    package let cursor: LogNumber
    /// The digest of the events up to there.
    package let digest: PrefixDigest

    /// Why a log is not the one that the device has a prefix of.
    package enum Difference: Hashable, Sendable {
        /// It has this epoch, or an event of another one is ahead of the cursor.
        case epoch(UInt32)
        case digest
    }

    /// How a log differs; `nil` if it continues this one.
    ///
    /// - Parameter found: The log's digest up to the cursor; `nil` if it is shorter.
    func difference(from head: SpaceHead, _ found: PrefixDigest?) -> Difference? {
        guard epoch == head.epoch || epoch == 0 && cursor == 0, cursor <= head.n else {
            return .epoch(head.epoch)
        }
        return found == digest ? nil : .digest
    }

    /// Whether events rest on what the log had in this epoch. Up to its cursor the device's log equals this one,
    /// whatever the epoch was when the device folded it.
    func difference(of events: [PushedEvent], from epoch: UInt32) -> Difference? {
        let isKnown = events.allSatisfy {
            $0.header.base.epoch == epoch || $0.header.base.n <= cursor
        }
        return isKnown ? nil : .epoch(epoch)
    }
}
