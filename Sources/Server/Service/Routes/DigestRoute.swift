/// `POST /v1/digest`: the digests of parts of the log, which a device uses to find the rows that
/// differ (`protocol.md` §6.11).
import MacrologEvents
import MacrologHTTP

extension SyncServer {
    /// Answers from the stored prefix digests: two look-ups for each part, never a scan.
    func digest(_ session: Session, _ call: Call) throws(Problem) {
        let message: DigestRequest
        do throws(CBORError) {
            message = try DigestRequest.decoded(call.body, versions: settings.versions)
        } catch {
            throw problem(error, of: call.body, "digest request")
        }
        try limiters.pullBySession?.charge(session.rateKey, now: call.now)
        guard message.epoch == store.epoch else { throw .epochChanged(store.epoch) }
        do throws(StoreError) {
            guard let digests = try digests(message.ranges, of: session.space) else {
                return call.reply(Problem.epochChanged(store.epoch).response)
            }
            let answer = DigestAnswer(epoch: store.epoch, digests: digests)
            call.reply(
                Bodies.response(answer.encoded(), type: "application/cbor", for: call.request))
        } catch {
            call.reply(refuse(error))
        }
    }

    /// The digest of each part; `nil` if the log is shorter.
    private func digests(
        _ ranges: [DigestRequest.Range], of space: Space
    ) throws(StoreError) -> [PrefixDigest]? {
        let ends = ranges.flatMap { [$0.after] + $0.ends }
        guard let prefixes = try store.digests(of: space, upTo: ends) else { return nil }
        var digests: [PrefixDigest] = []
        var place = 0
        for range in ranges {
            for part in place..<place + range.parts {
                digests.append(prefixes[part + 1].subtracting(prefixes[part]))
            }
            place += range.parts + 1
        }
        return digests
    }
}
