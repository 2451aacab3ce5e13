/// Live notification that a log has grown (`protocol.md` §6.8). It reports the head only: the
/// events themselves are pulled with `POST /v1/sync`, which compares digests.
import MacrologEvents
import MacrologHTTP
import Synchronization

extension SyncServer {
    /// `GET /v1/events?after=n&wait=s`: 200 and the head as soon as it is greater than `n`, or 204
    /// after `s` seconds. Holds no thread meanwhile.
    func poll(_ session: Session, _ call: Call) throws(Problem) {
        try limiters[.pullBySession]?.charge(session.rateKey, now: call.now)
        let (after, wait) = try Self.parameters(call.request.query)
        let deadline = monotonic() + wait * 1_000
        let poll = HeldPoll(session, after: after, deadline: deadline, call.reply)
        // A poll with `wait=0` is not a channel: it ends no other channel, and no limit applies.
        if wait > 0 { try live.open(poll) }
        // The head is read after the channel is open, so that no growth in between is missed.
        do throws(Problem) {
            if session.isRevoked || (wait > 0 && !isStored(session)) {
                throw sessions.refusal(of: session.id)
            }
            let head = try head(of: session)
            if poll.tell(head: head) || (wait == 0 && poll.tick(now: deadline)) { live.close(poll) }
        } catch {
            live.close(poll)
            noteFailure(error)
            poll.end(error)
        }
    }

    /// `GET /v1/live`: server-sent events named `head`, the first at once.
    func stream(_ session: Session, _ call: Call) throws(Problem) {
        try limiters[.pullBySession]?.charge(session.rateKey, now: call.now)
        let stream = LiveStream(session, head: try head(of: session), now: monotonic())
        try live.open(stream)
        if let head = try? head(of: session) { _ = stream.tell(head: head) }
        if session.isRevoked || !isStored(session) { stream.end(.unauthorized) }
        call.reply(
            HTTPResponse(
                status: 200,
                fields: [
                    HTTPField("content-type", "text/event-stream"),
                    // Some proxies would buffer what must be sent immediately.
                    HTTPField("x-accel-buffering", "no"),
                ], stream: stream.body { [live] in live.close(stream) }))
    }

    /// Whether a session is still there. One that was revoked while it was read is in no memory that
    /// would say so.
    private func isStored(_ session: Session) -> Bool {
        do throws(StoreError) { return try store.session(session.id) != nil } catch { return false }
    }

    /// The number of open polls and streams.
    package var openChannels: Int { live.count }

    /// Advances the time of polls and streams. Needed only if the clock was injected.
    package func tick() {
        let now = monotonic()
        live.tick(now: now)
        let isDue = sessionsAsked.withLock { asked in
            guard now - asked >= Self.sessionsInterval else { return false }
            asked = now
            return true
        }
        if isDue { endRevoked() }
    }

    /// How often is asked which sessions other processes have ended, in milliseconds.
    static let sessionsInterval: Int64 = 2_000

    /// Ends the polls and streams of sessions that another process has ended. While the database cannot be asked they
    /// stay, and hear nothing.
    func endRevoked() {
        guard store.isShared else { return }
        let open = live.sessions
        let spaces = open.keys.sorted()
        for start in stride(from: 0, to: spaces.count, by: Self.spacesAtOnce) {
            let part = spaces[start..<min(start + Self.spacesAtOnce, spaces.count)]
            let asked = Dictionary(uniqueKeysWithValues: part.map { ($0, open[$0] ?? []) })
            guard let ended = try? store.ended(of: asked), !ended.isEmpty else { continue }
            for space in part {
                let own = Set(open[space] ?? []).intersection(ended)
                if !own.isEmpty { end(Array(own), of: space) }
            }
        }
    }

    /// Of how many accounts the sessions are asked for at once.
    private static let spacesAtOnce = 1_000

    /// Ends all polls and streams and refuses new ones, so that the server can stop.
    package func endLive() { live.close() }

    /// Ends revoked sessions and their live channels. Who watches the log in this process is woken, because it
    /// may show it to one of them.
    func end(_ sessions: [Identifier], of space: Space, _ reason: Problem = .unauthorized) {
        self.sessions.revoke(sessions)
        live.end(sessions: sessions, of: space, reason)
        growth.wake(space)
    }

    private func head(of session: Session) throws(Problem) -> LogNumber {
        do throws(StoreError) {
            return try store.head(of: session.space).n
        } catch {
            throw error.problem
        }
    }

    /// `after=12&wait=55`: each at most once, no other parameter.
    private static func parameters(_ query: String) throws(Problem) -> (LogNumber, Int64) {
        var values: [String: Int64] = [:]
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(decoding: parts[0], as: UTF8.self)
            guard parts.count == 2, name == "after" || name == "wait", values[name] == nil,
                parts[1].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let value = Int64(String(decoding: parts[1], as: UTF8.self))
            else { throw .badParameters }
            values[name] = value
        }
        let wait = values["wait"] ?? 0
        guard let after = values["after"], wait <= LiveLimits.waitMax else { throw .badParameters }
        return (LogNumber(after), wait)
    }
}

extension Problem {
    /// A newer poll or stream of the session has begun.
    static let superseded = Problem(
        .superseded, "A newer poll or stream of this session has taken the place of this one.")

    static let tooManyChannels = Problem(
        .tooManyRequests,
        "This account has \(LiveLimits.perAccountMax) polls and streams already; end one first.",
        retryAfterSeconds: LiveLimits.waitMax)

    static let badParameters = malformed(
        "Ask with after=N and wait=S, N 0 or more and S from 0 to \(LiveLimits.waitMax) seconds.")
}
