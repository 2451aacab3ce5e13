package import MacrologEvents
package import MacrologLog
import MacrologSQLite

/// How a device finds, step by step, the rows in which its log differs from the server's, and
/// fetches them (`protocol.md` §6.11). It changes nothing; ``EventLog/repair(_:in:updating:)``
/// writes the result into the log.
///
/// Every answer is believed only as far as digests prove it: parts must add up to their whole, and
/// rows to their digest. This detects a server that answers at random. The number of steps is
/// limited, so a repair that never ends is abandoned.
package struct Repairing: Sendable {
    /// What to do next.
    package enum Step: Hashable, Sendable {
        /// Ask the server for the digests of parts of the log.
        case ask(DigestRequest)
        /// Fetch some rows from the server under no device ID: then every event comes with its
        /// bytes. The digest, which is the server's own, proves nothing about any device.
        case fetch(SyncRequest)
        /// Everything that can be known is known.
        case repair
    }

    /// A row as the server has it.
    struct Row: Sendable {
        let seal: Seal
        let body: [UInt8]
        /// p(n) of the server's log, computed from its rows.
        let digest: PrefixDigest
    }

    /// A part of the log that differs, with the digest of the server's log up to it and its own
    /// digest.
    private struct Span {
        let after: Int64
        let through: Int64
        let before: PrefixDigest
        /// `nil` for the whole log, whose digest the server has not sent yet.
        let digest: PrefixDigest?

        var length: Int64 { through - after }
    }

    /// The rows found so far, ascending.
    private(set) var rows: [Row] = []
    /// The numbers of the rows found so far, ascending.
    package var found: [Int64] { rows.map { $0.seal.n.rawValue } }
    /// Whether ``rows`` contains everything that differs.
    package private(set) var isWhole = true
    /// The number up to which the logs are compared.
    let cursor: Int64
    /// The digest of the server's log up to the cursor; `nil` until the server has sent it.
    private(set) var digest: PrefixDigest?
    private let epoch: UInt32
    private let held: HeldDigests
    private var divided: [Span] = []
    private var wanted: [Span] = []
    private var steps = 0
    private var bytes = 0

    /// The maximum number of rows, and of their bytes, that one repair replaces; the next repair
    /// finds the rest.
    static let rowsMax: Int64 = 8_192
    static let bytesMax = 4_194_304
    /// The maximum number of requests of one repair.
    static let stepsMax = 256
    /// A range of more events than this is split into ``partsOfMany``, one of fewer into single
    /// events: 100,000 events are split into 6,250, 391, 25 and 1.
    private static let fewEvents = Int64(Limits.digestPartsMax)
    private static let partsOfMany = 16

    /// Starts with nothing known of the server's log.
    ///
    /// - Parameters:
    ///   - cursor: The number up to which the logs are compared.
    ///   - held: What this device holds.
    package init(cursor: Int64, epoch: UInt32, held: HeldDigests) {
        self.cursor = cursor
        self.epoch = epoch
        self.held = held
        guard cursor > 0 else { return }
        divided = [Span(after: 0, through: cursor, before: .empty, digest: nil)]
    }

    /// What to do next.
    package var step: Step {
        if !divided.isEmpty {
            return .ask(DigestRequest(epoch: epoch, ranges: divided.map(Self.range)))
        }
        guard let span = wanted.first else { return .repair }
        return .fetch(
            SyncRequest(
                device: .zero, epoch: epoch, cursor: span.after, digest: span.before, pushed: [],
                eventsMax: min(span.length, Int64(Limits.pageEventsMax))))
    }

    /// Processes the digests of an answer.
    package mutating func learn(_ answer: DigestAnswer) throws(LogError) {
        try count(answer.epoch)
        var digests = answer.digests[...]
        guard digests.count == divided.reduce(0, { $0 + Self.range($1).parts }) else {
            throw LogError(.contradiction)
        }
        var smaller: [Span] = []
        for span in divided {
            let range = Self.range(span)
            if span.digest == nil {
                digest = digests.prefix(range.parts).reduce(into: .empty) { $0.add($1) }
            }
            let differing = try differing(
                span, range.ends.map { $0.rawValue }, digests.prefix(range.parts))
            digests = digests.dropFirst(range.parts)
            if differing.count == range.parts, span.length <= Int64(Limits.pageEventsMax),
                span.digest != nil
            {
                wanted.append(span)
            } else {
                wanted += differing.filter { $0.length == 1 }
                smaller += differing.filter { $0.length > 1 }
            }
        }
        // The first ranges are repaired first; the next repair finds the others.
        if smaller.count > Limits.digestRangesMax { isWhole = false }
        divided = Array(smaller.prefix(Limits.digestRangesMax))
        if divided.isEmpty { joinWanted() }
    }

    /// The parts of a span that differ.
    private func differing(
        _ span: Span, _ ends: [Int64], _ digests: ArraySlice<PrefixDigest>
    ) throws(LogError) -> [Span] {
        var (after, before, sum) = (span.after, span.before, PrefixDigest.empty)
        var differing: [Span] = []
        for (end, digest) in zip(ends, digests) {
            if held.digest(after: after, through: end) != digest {
                differing.append(
                    Span(after: after, through: end, before: before, digest: digest))
            }
            after = end
            before.add(digest)
            sum.add(digest)
        }
        guard sum == span.digest ?? sum else { throw LogError(.contradiction) }
        return differing
    }

    /// Requests adjacent rows together, and not too many at once.
    private mutating func joinWanted() {
        wanted.sort { $0.after < $1.after }
        var runs: [Span] = []
        var rows: Int64 = 0
        for span in wanted {
            rows += span.length
            guard rows <= Self.rowsMax else {
                isWhole = false
                break
            }
            if let last = runs.last, last.through == span.after, var digest = last.digest,
                let own = span.digest
            {
                digest.add(own)
                runs[runs.count - 1] = Span(
                    after: last.after, through: span.through, before: last.before, digest: digest)
            } else {
                runs.append(span)
            }
        }
        wanted = runs
    }

    /// Processes the rows of an answer.
    package mutating func learn(_ answer: SyncAnswer) throws(LogError) {
        try count(answer.epoch)
        let span = wanted.removeFirst()
        guard !answer.rows.isEmpty, Int64(answer.rows.count) <= span.length else {
            throw LogError(.contradiction)
        }
        var (n, digest) = (span.after, span.before)
        for row in answer.rows {
            guard case .event(let body) = row.content else { throw LogError(.contradiction) }
            n += 1
            let seal = Seal(n: n, t: row.t)
            digest.add(hash: try Self.hash(of: body, at: n), seal: seal)
            rows.append(Row(seal: seal, body: body, digest: digest))
            bytes += body.count
        }
        // The fetched rows are the differing ones only if they add up to the differing digest.
        let told = digest.subtracting(span.before)
        guard digest == answer.digest, n < span.through || told == span.digest else {
            throw LogError(.contradiction)
        }
        if n < span.through {
            wanted.insert(
                Span(
                    after: n, through: span.through, before: digest,
                    digest: span.digest?.subtracting(told)), at: 0)
        }
        if !wanted.isEmpty, bytes > Self.bytesMax {
            isWhole = false
            wanted = []
        }
    }

    /// The hash of a row that digests sum up; the row may be a skeleton.
    private static func hash(of body: [UInt8], at n: Int64) throws(LogError) -> SHA256.Words {
        let (header, hash): (EventHeader, SHA256.Words)
        do throws(CBORError) {
            header = try StoredEvent.decoded(body).header
            hash = try StoredEvent.hash(of: body)
        } catch { throw LogError(.malformedEvent(error)) }
        guard header.base.n < n else { throw LogError(.contradiction) }
        return hash
    }

    private mutating func count(_ epoch: UInt32) throws(LogError) {
        steps += 1
        guard epoch == self.epoch, steps <= Self.stepsMax else { throw LogError(.contradiction) }
    }

    private static func range(_ span: Span) -> DigestRequest.Range {
        DigestRequest.Range(
            after: span.after, through: span.through,
            parts: span.length > fewEvents ? partsOfMany : Int(span.length))
    }
}

extension EventLog {
    /// Starts a search for the rows in which this log differs from the server's: reads and hashes
    /// all rows.
    package func repairing(in db: inout LogConnection) throws(LogError) -> Repairing {
        Repairing(
            cursor: cursor, epoch: epoch, held: try HeldDigests(through: cursor, in: &db))
    }
}
