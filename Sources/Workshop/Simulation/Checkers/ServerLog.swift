import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologEngine

/// A person's log on the server, read as an empty device reads it: the first promise is that it can
/// be read at all.
struct ServerLog {
    /// A row, as it was admitted.
    struct Row {
        let stored: StoredEvent
        let seal: Seal
        /// The hash of the event's bytes, which its skeleton keeps.
        let hash: [UInt8]
    }

    private(set) var rows: [Row] = []
    private(set) var epoch: UInt32 = 0
    /// The digest of all rows, as the server states it.
    private(set) var digest = PrefixDigest.empty

    /// Reads all of it in pages.
    init(of person: Int, in world: World) throws {
        guard let index = world.owners.firstIndex(of: person) else { return }
        // The session belongs to a device, but the request names none, so it leaves no receipt.
        var request = SyncRequest(
            device: .zero, epoch: 0, cursor: 0, digest: .empty, pushed: [])
        // The power may have failed when the devices logged in last.
        try world.logInAgain(person)
        while true {
            let message = SyncExchange.request(
                request, accessToken: world.devices[index].accessToken)
            let answer = try SyncExchange.answer(
                .success(world.server.answer(message, at: world.now)))
            for row in answer.rows {
                guard case .event(let body) = row.content else { continue }
                let stored = try StoredEvent.decoded(body)
                rows.append(
                    Row(
                        stored: stored, seal: Seal(n: Int64(rows.count) + 1, t: row.t),
                        hash: SHA256.bytes(try StoredEvent.hash(of: body))))
            }
            request.epoch = answer.epoch
            request.cursor = LogNumber(Int64(rows.count))
            request.digest = answer.digest
            (epoch, digest) = (answer.epoch, answer.digest)
            if request.cursor >= answer.head { return }
        }
    }
}
