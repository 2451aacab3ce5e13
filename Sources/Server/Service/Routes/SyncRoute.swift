/// `POST /v1/sync`: a device pushes the events it has recorded and pulls those it has not seen
/// (`protocol.md` §6).
import MacrologEvents
import MacrologWire
import MacrologHTTP

extension SyncServer {
    /// Answers one exchange. Without events to admit it does not use the writer.
    func sync(_ session: Session, _ call: Call) throws(Problem) {
        let now = call.now
        let message = try message(call.body)
        if message.pushed.isEmpty {
            try limiters[.pullBySession]?.charge(session.rateKey, now: now)
        } else {
            try limiters[.pushByAccount]?.charge(session.accountRateKey, now: now)
        }
        let events = try Self.checked(message)
        let claim = ClaimedPrefix(
            epoch: message.epoch, cursor: message.cursor, digest: message.digest)
        if store.isShared, !events.isEmpty {
            // A question less: it is compared with what all pushes that share a transaction read together.
            return push(
                Push(
                    space: session.space, device: message.device, events: events, now: now,
                    quota: quota, claim: claim),
                session, message, call)
        }
        do throws(StoreError) {
            let standing = try store.standing(
                of: message.device, in: session.space, at: message.cursor)
            let difference =
                claim.difference(from: standing.head, standing.digest)
                ?? claim.difference(of: events, from: standing.head.epoch)
            if let difference { return call.reply(difference.problem.response) }
            note(message, of: session, now)
            if events.isEmpty {
                let answer = try self.answer(
                    message, session.space, now, standing.head, seq: standing.admitted)
                return call.reply(Self.response(answer, call.request))
            }
        } catch {
            return call.reply(refuse(error))
        }
        push(
            Push(
                space: session.space, device: message.device, events: events, now: now,
                quota: quota),
            session, message, call)
    }

    /// Keeps what a message has proved that its device holds.
    private func note(_ message: SyncRequest, of session: Session, _ now: Int64) {
        guard message.leavesReceipt else { return }
        sessions.note(
            session, holds: Receipt.Held(device: message.device, cursor: message.cursor), now: now)
    }

    private func push(_ push: Push, _ session: Session, _ message: SyncRequest, _ call: Call) {
        let (request, reply) = (call.request, call.reply)
        store.push(push) { [self] result in
            do throws(StoreError) {
                let outcome = try result.get()
                if case .differs(let difference) = outcome {
                    return reply(difference.problem.response)
                }
                if push.claim != nil { note(message, of: session, push.now) }
                switch outcome {
                case .differs: break
                case .admitted(let before, let rows, let after, let seq):
                    let answer = try self.answer(
                        message, push.space, push.now, after, seq: seq,
                        admitted: (before: before, rows: rows))
                    reply(Self.response(answer, request))
                case .dotReuse(let seq): reply(Problem.dotReuse(seq: seq).response)
                case .expected(let seq): reply(Problem.expected(seq: seq).response)
                case .unknownBase: reply(Problem.divergent.response)
                case .overQuota: reply(overQuota(push.space))
                }
            } catch {
                reply(refuse(error))
            }
        }
    }

    private typealias Admitted = (before: SpaceHead, rows: [SyncAnswer.Row])

    /// The answer when the account's event quota is used up; also logged for the operator.
    func overQuota(_ space: Space) -> HTTPResponse {
        noteOverQuota(space)
        return Problem.eventQuota(quota).response
    }

    func noteOverQuota(_ space: Space) {
        guard let account = try? store.account(of: space) else { return }
        note(
            ServerNote(
                level: .info, event: "quota.events",
                facts: [("account_id", account.name.description)]))
    }

    /// The answer to a message whose digest matches this log.
    private func answer(
        _ message: SyncRequest, _ space: Space, _ now: Int64, _ head: SpaceHead, seq: Seq,
        admitted: Admitted? = nil
    ) throws(StoreError) -> SyncAnswer {
        var answer = SyncAnswer(
            epoch: head.epoch, head: head.n, admitted: seq, now: now, rows: [],
            digest: message.digest)
        if let admitted, admitted.before.n == message.cursor,
            admitted.rows.count <= message.eventsMax
        {
            // All new events are the device's own: nothing to read from disk.
            answer.rows = admitted.rows
            answer.digest = head.digest
        } else if message.cursor < head.n, message.eventsMax > 0 {
            let page = try store.page(
                of: space, after: message.cursor, for: message.device,
                limits: PageLimits(events: message.eventsMax, bytes: message.bytesMax))
            answer.rows = page.rows
            answer.digest = page.digest ?? message.digest
            answer.head = max(answer.head, page.end)
        }
        return answer
    }

    private func message(_ body: [UInt8]) throws(Problem) -> SyncRequest {
        do throws(CBORError) {
            return try SyncRequest.decoded(body, versions: settings.versions)
        } catch {
            throw problem(error, of: body, "sync request")
        }
    }

    /// Why a message cannot be decoded: another version, or malformed.
    func problem(_ error: CBORError, of body: [UInt8], _ name: String) -> Problem {
        guard error.code == .version, let asked = ProtocolVersion.peeked(body) else {
            return .malformed("The body is not a \(name): \(error)")
        }
        return .unsupportedVersion(asked, supported: settings.versions)
    }

    /// The pushed events up to the first gap, each checked to be an event of the pushing device in
    /// shape and size. Their meaning is not checked.
    private static func checked(_ message: SyncRequest) throws(Problem) -> [PushedEvent] {
        var events: [PushedEvent] = []
        events.reserveCapacity(message.pushed.count)
        var bytes = 0
        for (index, pushed) in message.pushed.enumerated() {
            let header: EventHeader
            do throws(CBORError) {
                header = try EventHeader.checked(pushed.body)
            } catch {
                throw .malformedEvent(index, "\(error)")
            }
            guard header.dot.device == message.device, message.device != .zero else {
                throw .malformedEvent(index, "it is of another device, or of none")
            }
            bytes += pushed.body.count
            guard bytes <= Limits.pageBytesMax || index == 0 else { throw .pageTooLarge }
            if let last = events.last, header.dot.seq != last.header.dot.seq.successor() { break }
            events.append(
                PushedEvent(
                    header: header,
                    hash: pushed.body.withUnsafeBytes { SHA256.words($0) }, age: pushed.age,
                    mentions: BlobMention.all(in: pushed.body), body: pushed.body))
        }
        return events
    }

    private static func response(_ answer: SyncAnswer, _ request: HTTPRequest) -> HTTPResponse {
        Bodies.response(answer.encoded(), type: "application/cbor", for: request)
    }
}

extension ClaimedPrefix.Difference {
    fileprivate var problem: Problem {
        switch self {
        case .epoch(let epoch): .epochChanged(epoch)
        case .digest: .divergent
        }
    }
}

extension SyncRequest {
    /// Whether the message is a receipt for the log up to its cursor (`protocol.md` §6.9). A
    /// request for no events does not prove where its digest comes from, and the zero ID holds
    /// nothing by definition.
    fileprivate var leavesReceipt: Bool { device != .zero && eventsMax > 0 }
}
