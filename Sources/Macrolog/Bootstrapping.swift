import Events
package import HTTP
package import Log
package import Projections
import Sync

/// What a device without a past asks the hub for, and what it makes of the answers: first the
/// snapshot, part by part, so that the last month can be seen at once; then the log as ever, and in
/// the end a look at whether the snapshot had told the truth (`protocol.md` §6.12).
///
/// What has come lies in the replica; this only remembers what the hub has refused since it was made.
package struct Bootstrapping: Sendable {
    /// What an answer belongs to.
    package enum Asked: Sendable {
        case manifest
        case part([UInt8])
        case tail
    }

    /// What to do next.
    package enum Step: Sendable {
        /// Send this, and hand the answer to ``take(_:for:into:)``.
        case send(HTTPRequest, Asked)
        /// Something was done that needs no hub.
        case done
        /// A snapshot has nothing to do with what comes next.
        case exchange
    }

    /// How many steps have brought it on.
    package private(set) var steps: Int64 = 0
    /// The greatest number of this device's events that the hub was heard to have, on the way.
    package private(set) var admitted: Int64 = 0
    /// How far the hub's log was heard to go, on the way.
    package private(set) var head: Int64 = 0
    private var isDeclined = false
    private var isTailOff = false
    private var mustRenew = false
    private var hasRenewed = false
    private var damages = 0

    /// How many bad answers may come, in a row, before what they should have brought is given up.
    private static let damagesMax = 3
    /// How many entities are looked at before others may use the replica.
    private static let checkedAtOnce = 1_000

    /// Nothing is known yet.
    package init() {}

    /// Whether there is more to do about a snapshot than to rest.
    package func isUnfinished(_ store: borrowing Store) -> Bool {
        store.log.preview != nil || mustGoOn
    }

    /// After a refusal the ordinary exchange is still to come.
    private var mustGoOn = false

    /// The next step, after which `head` and `admitted` are how things stand.
    package mutating func next(
        in store: inout Store, head: Int64, admitted: Int64, eventsMax: Int,
        version: Int64 = Limits.protocolVersions.upperBound, now: ClockReading, accessToken: String
    ) throws -> Step {
        mustGoOn = false
        if mustRenew, store.log.preview != nil {
            return .send(
                SnapshotExchange.manifestRequest(accessToken: accessToken), .manifest)
        }
        let step =
            isTailOff
            ? store.log.snapshotStep(head: 0, admitted: .max)
            : store.log.snapshotStep(head: max(head, self.head), admitted: admitted)
        switch step {
        case .manifest where isDeclined: return .exchange
        case .manifest:
            return .send(
                SnapshotExchange.manifestRequest(accessToken: accessToken), .manifest)
        case .part(let hash):
            return .send(
                SnapshotExchange.partRequest(hash, accessToken: accessToken), .part(hash))
        case .tail:
            guard
                var message = try store.tailRequest(
                    eventsMax: eventsMax, admitted: admitted, now: now)
            else { return .exchange }
            message.version = version
            return .send(SyncExchange.request(message, accessToken: accessToken), .tail)
        case .check:
            try store.checkPreview(limit: Self.checkedAtOnce)
            steps += 1
            return .done
        case .page, nil: return .exchange
        }
    }

    /// Takes in an answer.
    ///
    /// - Throws: ``SyncError`` when it is none; what was here before stays.
    package mutating func take(
        _ result: Result<HTTPResponse, TransportError>, for asked: Asked, into store: inout Store
    ) throws {
        do {
            switch asked {
            case .manifest: try takeManifest(result, into: &store)
            case .part(let hash): try takePart(hash, result, into: &store)
            case .tail: try takeTail(result, into: &store)
            }
            damages = 0
        } catch let error as SyncError {
            guard asked.isPartOfSnapshot, error.isAboutTheAnswer else { throw error }
            damages += 1
            guard damages < Self.damagesMax else {
                damages = 0
                return try giveUp(in: &store)
            }
            throw error
        } catch let error as LogError {
            guard error.reason == .badSnapshot else { throw SyncError(error) }
            try giveUp(in: &store)
        }
    }

    private mutating func takeManifest(
        _ result: Result<HTTPResponse, TransportError>, into store: inout Store
    ) throws {
        guard case .found(let manifest) = try SnapshotExchange.manifest(result) else {
            return try giveUp(in: &store)
        }
        do { try store.announce(manifest) } catch let error as LogError {
            guard case .divergent = error.reason else { throw error }
            // The hub's log is another one: if something of the old one is shown, heal.
            guard store.log.preview == nil else { throw SyncError.epochChanged }
            return try giveUp(in: &store)
        }
        (mustRenew, hasRenewed) = (false, mustRenew)
        steps += 1
    }

    private mutating func takePart(
        _ hash: [UInt8], _ result: Result<HTTPResponse, TransportError>, into store: inout Store
    ) throws {
        switch try SnapshotExchange.part(hash, result) {
        case .found(let body):
            // Another process may have had it meanwhile.
            guard store.log.preview?.missing.first == hash else { break }
            try store.install(body)
            hasRenewed = false
        case .none:
            // The hub has a newer one; but a hub that has lost that one, too, is asked no more.
            guard !hasRenewed else { return try giveUp(in: &store) }
            mustRenew = true
        }
        steps += 1
    }

    private mutating func takeTail(
        _ result: Result<HTTPResponse, TransportError>, into store: inout Store
    ) throws {
        let answer: SyncAnswer
        do throws(SyncError) { answer = try SyncExchange.answer(result) } catch {
            guard case .refused(status: 409, let problem, _) = error.reason,
                let preview = store.log.preview,
                preview.stage == .announced || problem == Problem.divergent
            else { throw error }
            // The snapshot is of no log that this hub has, or has any more.
            isTailOff = true
            if preview.stage < .usable || preview.seen < preview.n { try giveUp(in: &store) }
            steps += 1
            return
        }
        let isNew = try store.applyTail(answer)
        (admitted, head) = (answer.admitted, answer.head)
        if isNew { steps += 1 }
    }

    /// Goes on without what the hub can't give.
    private mutating func giveUp(in store: inout Store) throws {
        if store.log.preview != nil { try store.giveUpParts() }
        (isDeclined, mustRenew, mustGoOn) = (true, false, true)
        steps += 1
    }
}

extension Bootstrapping.Asked {
    fileprivate var isPartOfSnapshot: Bool {
        switch self {
        case .manifest, .part: true
        case .tail: false
        }
    }
}

extension SyncError {
    /// Whether asking for something else may go better: the server is there, but what it answers is
    /// of no use, or takes too long.
    fileprivate var isAboutTheAnswer: Bool {
        switch reason {
        case .malformed, .notTheServer: true
        case .refused(let status, _, _): status >= 500
        case .transport(let error):
            switch error.reason {
            case .timedOut, .tooLarge, .malformed: true
            case .unreachable, .tls, .cancelled: false
            }
        case .divergent, .damaged, .rolledBack, .storage, .unsupportedVersion: false
        }
    }

    fileprivate static let epochChanged = SyncError(
        .refused(status: 409, problem: Problem.epochChanged, detail: "the server's log has changed")
    )
}
