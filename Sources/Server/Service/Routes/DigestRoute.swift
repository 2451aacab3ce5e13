/// `POST /v1/digest`: the digests of parts of the log, which a device uses to find the rows that
/// differ (`protocol.md` §6.7).
import MacrologEvents
import MacrologWire
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
        try limiters[.pullBySession]?.charge(session.rateKey, now: call.now)
        do throws(StoreError) {
            // A log never ends before where it has ended: what is cut there is held.
            let head = try store.head(of: session.space)
            let ranges = message.ranges.compactMap { $0.cut(at: head.n) }
            let answer = DigestAnswer(
                epoch: head.epoch, head: head.n,
                digests: try digests(ranges, of: session.space))
            call.reply(
                Bodies.response(answer.encoded(), type: "application/cbor", for: call.request))
        } catch {
            call.reply(refuse(error))
        }
    }

    /// The digest of each part.
    private func digests(
        _ ranges: [DigestRequest.Range], of space: Space
    ) throws(StoreError) -> [PrefixDigest] {
        let ends = ranges.flatMap { [$0.after] + $0.ends }
        let prefixes = try store.digests(of: space, upTo: ends)
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
