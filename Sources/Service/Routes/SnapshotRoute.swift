/// `GET /v1/snapshot` and `GET /v1/snapshot/{sha256}`: what a new device begins with, instead of
/// folding the whole log first (`protocol.md` §6.12).
import Events
import HTTP

extension Hub {
    /// What there is to fetch. A log that is short has no snapshot.
    func snapshot(_ request: HTTPRequest, _ reply: @escaping Answer) throws(Problem) {
        let session = try fetching(request)
        let head: SpaceHead
        do throws(StoreError) { head = try store.head(of: session.space) } catch {
            throw error.problem
        }
        guard head.n > 0, head.n >= settings.snapshotEventsMin else { throw .notFound }
        store.snapshot(of: session.space) { [self] result in
            do throws(StoreError) {
                guard let manifest = try result.get() else {
                    return reply(Problem.notFound.response)
                }
                reply(
                    Bodies.response(manifest.encoded(), type: "application/cbor", for: request))
            } catch {
                reply(refuse(error))
            }
        }
    }

    /// One part of it. The part of another space, an old part and no part are the same.
    func snapshotPart(
        _ name: String, _ request: HTTPRequest, _ reply: @escaping Answer
    ) throws(Problem) {
        let session = try fetching(request)
        guard let hash = Self.hash(name) else { throw .notFound }
        let body: [UInt8]?
        do throws(StoreError) {
            body = try store.snapshotPart(hash, of: session.space)
        } catch {
            throw error.problem
        }
        guard let body else { throw .notFound }
        reply(Bodies.response(body, type: "application/cbor", for: request))
    }

    private func fetching(_ request: HTTPRequest) throws(Problem) -> Session {
        let now = clock()
        let session = try sessions.authenticate(request, now: now)
        try limiters.pullBySession?.charge(session.rateKey, now: now)
        return session
    }

    /// Sixty-four hexadecimal digits in lower case.
    private static func hash(_ name: String) -> [UInt8]? {
        guard name.utf8.count == 64 else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in name.utf8 {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}
