/// `POST /v1/heal`: a device gives back the end of the log, which the server has lost
/// (`protocol.md` §6.7).
import MacrologEvents
import MacrologWire
import MacrologHTTP

extension SyncServer {
    /// Answers one request. Each goes through the writer, so that those of two devices are
    /// serialized.
    func recover(_ session: Session, _ call: Call) throws(Problem) {
        let (request, now, reply) = (call.request, call.now, call.reply)
        let message: HealRequest
        do throws(CBORError) {
            message = try HealRequest.decoded(call.body, versions: settings.versions)
        } catch {
            throw problem(error, of: call.body, "heal request")
        }
        try limiters[.pushByAccount]?.charge(session.accountRateKey, now: now)
        let recover = Recover(
            space: session.space, after: message.after, rows: try Self.checked(message),
            digest: message.digest, now: now, quota: quota)
        store.recover(recover) { [self] result in
            do throws(StoreError) {
                switch try result.get() {
                case .ended(let head):
                    let answer = HealAnswer(epoch: head.epoch, head: head.n, digest: head.digest)
                    reply(
                        Bodies.response(answer.encoded(), type: "application/cbor", for: request))
                case .contradiction: reply(Problem.divergent.response)
                case .overQuota: reply(overQuota(recover.space))
                }
            } catch {
                reply(refuse(error))
            }
        }
    }

    /// The rows, each checked to be an event in shape and size.
    private static func checked(_ message: HealRequest) throws(Problem) -> [RecoveredRow] {
        var rows: [RecoveredRow] = []
        rows.reserveCapacity(message.rows.count)
        var bytes = 0
        for (index, row) in message.rows.enumerated() {
            let header: EventHeader
            let hash: SHA256.Words
            do throws(CBORError) {
                header = try StoredEvent.decoded(row.body).header
                hash = try StoredEvent.hash(of: row.body)
            } catch {
                throw .malformedEvent(index, "\(error)")
            }
            guard header.dot.device != .zero else {
                throw .malformedEvent(index, "no device has the zero ID")
            }
            bytes += row.body.count
            guard bytes <= Limits.pageBytesMax || index == 0 else { throw .pageTooLarge }
            rows.append(
                RecoveredRow(
                    header: header, hash: hash, t: row.t, mentions: BlobMention.all(in: row.body),
                    body: row.body))
        }
        return rows
    }
}
