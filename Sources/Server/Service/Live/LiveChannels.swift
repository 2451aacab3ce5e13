/// The registry of live channels: which sessions wait for which log, and their limits.
import MacrologEvents
import MacrologHTTP
import Synchronization

final class LiveChannels: Sendable {
    fileprivate struct State {
        var bySpace: [Space: [any LiveChannel]] = [:]
        var count = 0
        var isClosed = false
    }

    private let countMax: Int
    private let state = Mutex(State())

    /// - Parameter countMax: The maximum number of channels; further connections are for pushing
    ///   and pulling.
    init(countMax: Int) {
        self.countMax = countMax
    }

    /// Adds a channel; an older one of the same session ends. The caller must then check the head
    /// and the session, because both may have changed meanwhile.
    func open(_ channel: any LiveChannel) throws(Problem) {
        let space = channel.session.space
        let (problem, older) = state.withLock { state -> (Problem?, (any LiveChannel)?) in
            if state.isClosed { return (.busy, nil) }
            let older = state.remove(from: space) { $0.session.id == channel.session.id }.first
            if state.bySpace[space, default: []].count >= LiveLimits.perAccountMax {
                return (.tooManyChannels, older)
            }
            guard state.count < countMax else { return (.busy, older) }
            state.bySpace[space, default: []].append(channel)
            state.count += 1
            return (nil, older)
        }
        older?.end(.superseded)
        if let problem { throw problem }
    }

    /// Notifies the channels of spaces whose logs have grown.
    func grown(_ heads: [Space: LogNumber]) {
        let told = state.withLock { state in
            heads.compactMap { space, head in
                state.bySpace[space].map { (space: space, head: head, channels: $0) }
            }
        }
        for (space, head, channels) in told {
            close(channels.filter { $0.tell(head: head) }, of: space)
        }
    }

    /// Answers the polls whose time is over, and sends heartbeats on streams.
    func tick(now: Int64) {
        let all = state.withLock { $0.bySpace }
        for (space, channels) in all { close(channels.filter { $0.tick(now: now) }, of: space) }
    }

    /// The sessions that have a channel, by space.
    var sessions: [Space: [Identifier]] {
        state.withLock { $0.bySpace.mapValues { $0.map(\.session.id) } }
    }

    /// Ends the channels of sessions that were revoked.
    func end(sessions: [Identifier], of space: Space, _ reason: Problem) {
        let ended = state.withLock { state in
            state.remove(from: space) { sessions.contains($0.session.id) }
        }
        for channel in ended { channel.end(reason) }
    }

    /// Removes a channel that has ended.
    func close(_ channel: any LiveChannel) { close([channel], of: channel.session.space) }

    /// Ends all channels and refuses new ones.
    func close() {
        let all = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.bySpace.values.flatMap { $0 }
        }
        for channel in all { channel.end(.busy) }
    }

    /// The number of open channels.
    var count: Int { state.withLock { $0.count } }

    private func close(_ channels: [any LiveChannel], of space: Space) {
        guard !channels.isEmpty else { return }
        state.withLock { state in
            _ = state.remove(from: space) { open in channels.contains { $0 === open } }
        }
    }
}

extension LiveChannels.State {
    /// Removes channels of a space and returns them.
    fileprivate mutating func remove(
        from space: Space, where isMeant: (any LiveChannel) -> Bool
    ) -> [any LiveChannel] {
        guard let channels = bySpace[space] else { return [] }
        let removed = channels.filter(isMeant)
        guard !removed.isEmpty else { return [] }
        let kept = channels.filter { !isMeant($0) }
        bySpace[space] = kept.isEmpty ? nil : kept
        count -= removed.count
        return removed
    }
}
