import MacrologEvents
import MacrologWire

/// What a person recorded, whatever the dot of its event: a reissued event is the same fact.
struct Fact: Hashable {
    private let said: [UInt8]

    init(_ event: Event) {
        var event = event.original
        event.dot = Dot(device: Identifier(high: 0, low: 0), seq: 1)
        event.base = .none
        said = event.encoded()
    }

    /// The content of an event that is recorded from a draft.
    init(_ draft: Draft, wall: Int64) {
        self.init(
            Event(
                dot: Dot(device: Identifier(high: 0, low: 0), seq: 1), base: .none, wall: wall,
                type: draft.type, version: draft.version, changes: draft.changes,
                group: draft.group))
    }
}

/// What a person's devices must hold in the end.
struct Facts {
    /// Facts that must be there, once.
    var must: Set<Fact> = []
    /// Facts that were lost with a disk before they reached the server or another file. A request
    /// that was in flight may still bring such a fact, once.
    var lost: Set<Fact> = []
    /// Device IDs that two files use without being able to know it.
    var shared: Set<Identifier> = []
    /// Events with the dot of another event, although their device could know.
    private(set) var namedTwice: [Event] = []
    /// Facts whose payloads a device has compacted. If a server loses such an event later, no
    /// device needs to be able to restore it: another event has superseded it.
    var givenUp: Set<Fact> = []
    private var factsByHash: [[UInt8]: Fact] = [:]
    /// Every event whose full payload was ever observed, by its hash.
    private var wholeByHash: [[UInt8]: Event] = [:]
    /// What authors had seen when they recorded, by the hash of the event: version vectors, kept
    /// the textbook way.
    private var seenByHash: [[UInt8]: [Identifier: Int64]] = [:]
    /// What the server held at the last quiet point.
    var before: AppendOnlyCheck.Memory?
    private var eventsByName: [Dot: Event] = [:]

    /// Notes an event that was just recorded.
    ///
    /// - Parameter seen: What its author had seen; `nil` if unknown.
    mutating func note(_ event: Event, seen: [Identifier: Int64]?) {
        must.insert(Fact(event))
        let hash = SHA256.hash(event.encoded())
        factsByHash[hash] = Fact(event)
        wholeByHash[hash] = event
        seenByHash[hash] = seen
        let other = eventsByName.updateValue(event, forKey: event.dot)
        if other != nil, !shared.contains(event.dot.device) { namedTwice.append(event) }
    }

    /// Notes an event that was observed, possibly a reissued one.
    mutating func meet(_ event: Event, hash: [UInt8]) {
        guard wholeByHash[hash] == nil else { return }
        wholeByHash[hash] = event
        factsByHash[hash] = Fact(event)
    }

    /// What an author had seen of each device; `nil` if the recording was not observed.
    func seen(_ hash: [UInt8]) -> [Identifier: Int64]? { seenByHash[hash] }

    /// An event before its payload was compacted; `nil` if its full payload was never observed.
    func whole(_ stored: StoredEvent, _ hash: [UInt8]) -> Event? {
        if case .whole(let event) = stored { return event }
        if let event = wholeByHash[hash] { return event }
        // It was reissued and compacted before it was observed.
        for event in wholeByHash.values {
            var again = event.reissued(as: stored.header.dot)
            again.base = stored.header.base
            if again.wall == stored.header.wall, SHA256.hash(again.encoded()) == hash {
                return again
            }
        }
        return nil
    }

    /// The content of a stored event, or its content before compaction.
    func fact(_ stored: StoredEvent) -> Fact {
        switch stored {
        case .whole(let event): return Fact(event)
        case .skeleton(let skeleton):
            let nothing = Event(
                dot: skeleton.header.dot, base: .none, wall: 0, type: "", changes: [])
            return factsByHash[skeleton.hash] ?? Fact(nothing)
        }
    }
}
