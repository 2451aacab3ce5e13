import MacrologEvents
package import MacrologWire
package import MacrologLog

/// How a device finds where its log and the server's differ, and what to do about it
/// (`protocol.md` §6.7): state × event → state × action, and nothing else. The same search serves a
/// server that has lost events and a file with damaged rows. ``EventLog/recover(_:as:in:updating:)``
/// writes the result into the log.
///
/// Every answer is believed only as far as digests prove it: parts must add up to their whole, and
/// rows to their digest. This detects a server that answers at random. The number of steps without
/// progress is limited, so a recovery that never ends is abandoned.
package struct Recovering: Sendable {
    /// What a recovery is about to do.
    package enum Phase: Hashable, Sendable, CaseIterable {
        /// It asks which log the server has, and compares the whole of both.
        case detect
        /// It searches for the rows that differ.
        case locate
        /// It fetches rows that differ, which says what to do about them.
        case plan
        /// It gives back what the server has lost, or changes this log.
        case apply
    }

    /// What to do next.
    package enum Action: Hashable, Sendable {
        /// Ask the server for the digests of parts of the log.
        case ask(DigestRequest)
        /// Fetch some rows from the server under no device ID: then every event comes with its
        /// bytes. The digest, which is the server's own, proves nothing about any device.
        case fetch(SyncRequest)
        /// Give back sound rows after this number, as many as fit.
        case give(after: Int64)
        /// Everything that can be known is known.
        case finish(Decision)
    }

    /// What becomes of this log.
    package enum Decision: Hashable, Sendable {
        /// The server has all of this log.
        case follow
        /// Rows differ, and were fetched: damaged ones are replaced, a sound one is a fork.
        case replace
        /// The server has lost what follows this number, and this device's next row is damaged.
        case fork(Int64)
    }

    /// What has happened.
    package enum Event: Hashable, Sendable {
        /// The server has answered a question for digests.
        case digests(DigestAnswer)
        /// Rows were fetched.
        case rows(SyncAnswer)
        /// Rows were given back, or came too late.
        case given(HealRequest, HealAnswer)
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

        var range: DigestRequest.Range {
            DigestRequest.Range(
                after: after, through: through,
                parts: length > Recovering.fewEvents ? Recovering.partsOfMany : Int(length))
        }
    }

    private enum State {
        case asking([Span])
        case fetching([Span])
        case giving(after: Int64)
        case finished(Decision)
    }

    private var state: State
    /// The number up to which this device holds the log that it knows.
    let cursor: Int64
    /// What this device holds.
    let held: HeldDigests
    /// The epoch of the server's log; 0 before it is known.
    package private(set) var epoch: UInt32 = 0
    /// How many events were given back.
    package private(set) var given: Int64 = 0
    /// The number up to which both logs are compared: the lesser of cursor and head.
    private(set) var end: Int64 = 0
    /// The digest of the server's log up to there; `nil` until the server has sent it.
    private(set) var digest: PrefixDigest?
    /// The rows fetched so far, ascending.
    private(set) var rows: [Row] = []
    /// Whether ``rows`` contains everything that differs.
    package private(set) var hasAllDifferences = true
    private var wanted: [Span] = []
    private var steps = 0
    private var bytes = 0

    /// The maximum number of rows, and of their bytes, that one recovery replaces; the next finds
    /// the rest.
    static let rowsMax: Int64 = 8_192
    static let bytesMax = 4_194_304
    /// The maximum number of requests between two pages that the server has taken.
    static let stepsMax = 256
    /// A range of more events than this is split into ``partsOfMany``, one of fewer into single
    /// events: 100,000 events are split into 6,250, 391, 25 and 1.
    private static let fewEvents = Int64(Limits.digestPartsMax)
    private static let partsOfMany = 16

    /// Starts with nothing known of the server's log.
    ///
    /// - Parameters:
    ///   - cursor: The number up to which this device holds the log that it knows.
    ///   - held: What it holds.
    package init(cursor: Int64, held: HeldDigests) {
        assert(cursor >= 0)
        (self.cursor, self.held) = (cursor, held)
        state = .asking([Self.whole(cursor)])
    }

    /// The whole log. Of an empty log the server is asked for its first event, which only says
    /// which log it has.
    private static func whole(_ cursor: Int64) -> Span {
        Span(after: 0, through: max(cursor, 1), before: .empty, digest: nil)
    }

    /// The numbers of the rows found so far, ascending.
    package var found: [Int64] { rows.map { $0.seal.n.rawValue } }

    /// What this recovery is about to do.
    package var phase: Phase {
        switch state {
        case .asking: epoch == 0 ? .detect : .locate
        case .fetching: .plan
        case .giving, .finished: .apply
        }
    }

    /// What to do next.
    package var action: Action {
        switch state {
        case .asking(let spans): .ask(DigestRequest(ranges: spans.map { $0.range }))
        case .fetching(let spans):
            .fetch(
                SyncRequest(
                    device: .zero, epoch: epoch, cursor: spans[0].after, digest: spans[0].before,
                    pushed: [], eventsMax: min(spans[0].length, Int64(Limits.pageEventsMax))))
        case .giving(let after): .give(after: after)
        case .finished(let decision): .finish(decision)
        }
    }

    /// Processes an event.
    ///
    /// - Throws: ``LogError`` when the answer does not fit what was asked, or contradicts an
    ///   earlier one. Nothing has been changed.
    /// - Returns: What to do next.
    @discardableResult
    package mutating func handle(_ event: Event) throws(LogError) -> Action {
        steps += 1
        guard steps <= Self.stepsMax else { throw LogError(.contradiction) }
        switch (event, state) {
        case (.digests(let answer), .asking(let spans)): try take(answer, to: spans)
        case (.rows(let answer), .fetching(let spans)): try take(answer, to: spans)
        case (.given(let request, let answer), .giving(let after)):
            assert(request.after == after && !request.rows.isEmpty)
            take(answer, to: request)
        case (.digests, _), (.rows, _), (.given, _):
            assertionFailure("this was not asked for")
            throw LogError(.contradiction)
        }
        return action
    }

    // Locate: which parts differ.

    private mutating func take(
        _ answer: DigestAnswer, to asked: [Span]
    ) throws(LogError) {
        if epoch != answer.epoch {
            guard epoch == 0 else { return begin() }
            epoch = answer.epoch
            end = min(cursor, answer.head.rawValue)
        }
        guard answer.head >= end else { throw LogError(.contradiction) }
        // The first range is cut where the server's log ends.
        let spans = asked.compactMap { span in
            span.range.cut(at: answer.head).map { (span: span, range: $0) }
        }
        var digests = answer.digests[...]
        guard digests.count == spans.reduce(0, { $0 + $1.range.parts }) else {
            throw LogError(.contradiction)
        }
        var smaller: [Span] = []
        var hasFirst = wanted.contains { $0.after < asked[0].after }
        for (span, range) in spans where cursor > 0 {
            let parts = try parts(span, range, digests.prefix(range.parts))
            digests = digests.dropFirst(range.parts)
            let differing = parts.filter {
                held.digest(after: $0.after, through: $0.through) != $0.digest
            }
            if span.digest != nil, span.length <= Int64(Limits.pageEventsMax),
                parts.allSatisfy({ held.hasDamage(after: $0.after, through: $0.through) })
            {
                wanted.append(span)
                hasFirst = true
                continue
            }
            for part in differing {
                // After a fork everything differs: what is sound is asked for only where it begins.
                guard !hasFirst || held.hasDamage(after: part.after, through: part.through) else {
                    hasAllDifferences = false
                    continue
                }
                hasFirst = true
                if part.length == 1 { wanted.append(part) } else { smaller.append(part) }
            }
        }
        // The first ranges are repaired first; the next recovery finds the others.
        if smaller.count > Limits.digestRangesMax { hasAllDifferences = false }
        guard smaller.isEmpty else {
            state = .asking(Array(smaller.prefix(Limits.digestRangesMax)))
            return
        }
        let runs = joinedWanted()
        wanted = []
        if runs.isEmpty { follow() } else { state = .fetching(runs) }
    }

    /// The parts of a span, with their digests, which must add up to that of the span.
    private mutating func parts(
        _ span: Span, _ range: DigestRequest.Range, _ digests: ArraySlice<PrefixDigest>
    ) throws(LogError) -> [Span] {
        assert(range.parts == digests.count)
        var (after, before, sum) = (span.after, span.before, PrefixDigest.empty)
        var parts: [Span] = []
        for (end, digest) in zip(range.ends, digests) {
            parts.append(
                Span(after: after, through: end.rawValue, before: before, digest: digest))
            after = end.rawValue
            before.add(digest)
            sum.add(digest)
        }
        guard sum == span.digest ?? sum else { throw LogError(.contradiction) }
        if span.digest == nil { digest = sum }
        return parts
    }

    /// Both logs are equal up to ``end``.
    private mutating func follow() {
        assert(0...cursor ~= end)
        if end == cursor {
            state = .finished(.follow)
        } else if held.hasDamage(after: end, through: end + 1) {
            state = .finished(.fork(end))
        } else {
            state = .giving(after: end)
        }
    }

    /// The server has another log than a moment before.
    private mutating func begin() {
        let (given, steps) = (given, steps)
        self = Recovering(cursor: cursor, held: held)
        (self.given, self.steps) = (given, steps)
    }

    // Plan: the rows that differ.

    /// Requests adjacent rows together, and not too many at once.
    private mutating func joinedWanted() -> [Span] {
        var runs: [Span] = []
        var rows: Int64 = 0
        for span in wanted.sorted(by: { $0.after < $1.after }) {
            rows += span.length
            guard rows <= Self.rowsMax else {
                hasAllDifferences = false
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
        assert(zip(runs, runs.dropFirst()).allSatisfy { $0.through < $1.after })
        return runs
    }

    private mutating func take(_ answer: SyncAnswer, to spans: [Span]) throws(LogError) {
        guard answer.epoch == epoch else { return begin() }
        let span = spans[0]
        guard !answer.rows.isEmpty, Int64(answer.rows.count) <= span.length else {
            throw LogError(.contradiction)
        }
        var (n, digest) = (span.after, span.before)
        for row in answer.rows {
            guard case .event(let body) = row.content else { throw LogError(.contradiction) }
            n += 1
            let seal = Seal(n: n, t: row.t)
            digest.add(hash: try Self.hash(of: body, at: n), seal: seal)
            assert(rows.last.map { $0.seal.n < n } ?? true, "rows are fetched in their order")
            rows.append(Row(seal: seal, body: body, digest: digest))
            bytes += body.count
        }
        // The fetched rows are the differing ones only if they add up to the differing digest.
        let told = digest.subtracting(span.before)
        guard digest == answer.digest, n < span.through || told == span.digest else {
            throw LogError(.contradiction)
        }
        var rest = Array(spans.dropFirst())
        if n < span.through {
            rest.insert(
                Span(
                    after: n, through: span.through, before: digest,
                    digest: span.digest?.subtracting(told)), at: 0)
        }
        if !rest.isEmpty, bytes > Self.bytesMax {
            hasAllDifferences = false
            rest = []
        }
        state = rest.isEmpty ? .finished(.replace) : .fetching(rest)
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

    // Apply: what the server has lost.

    private mutating func take(_ answer: HealAnswer, to request: HealRequest) {
        let last = end + Int64(request.rows.count)
        guard answer.epoch == epoch, answer.head <= cursor,
            held.digest(after: 0, through: answer.head.rawValue) == answer.digest,
            answer.head > end
        else { return begin() }
        if answer.head == last {
            given += last - end
            steps = 0
        }
        end = answer.head.rawValue
        follow()
    }
}
