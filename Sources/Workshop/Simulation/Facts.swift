import MacrologEvents

/// What somebody recorded, whatever the event that says so is called: an event that was issued anew
/// is the same fact.
struct Fact: Hashable {
    private let said: [UInt8]

    init(_ event: Event) {
        var event = event.original
        event.dot = Dot(device: Identifier(high: 0, low: 0), seq: 1)
        event.base = .none
        said = event.encoded()
    }

    /// What an event says that is recorded from a draft.
    init(_ draft: Draft, wall: Int64) {
        self.init(
            Event(
                dot: Dot(device: Identifier(high: 0, low: 0), seq: 1), base: .none, wall: wall,
                type: draft.type, version: draft.version, changes: draft.changes,
                group: draft.group))
    }
}

/// What a person's devices have to end with.
struct Facts {
    /// What must be there, once.
    var must: Set<Fact> = []
    /// What went down with a disk before it reached the hub or another file. A request that was on
    /// its way may still bring it, once.
    var lost: Set<Fact> = []
    /// The names under which two files record, and can't know.
    var shared: Set<Identifier> = []
    /// The events that got a name that another event had, although their device could know.
    private(set) var namedTwice: [Event] = []
    /// Whose payloads a device has given up. Where a hub forgets such an event later, nobody need be
    /// able to bring it back: something else has taken its place.
    var givenUp: Set<Fact> = []
    private var factsByHash: [[UInt8]: Fact] = [:]
    /// Every event that was ever met whole, by its hash.
    private var wholeByHash: [[UInt8]: Event] = [:]
    /// What authors had seen when they recorded, by the hash of the event: version vectors kept the
    /// textbook way.
    private var seenByHash: [[UInt8]: [Identifier: Int64]] = [:]
    /// What the hub held when everything was quiet last.
    var before: S04AppendOnly.Memory?
    private var eventsByName: [Dot: Event] = [:]

    /// Notes what has just been recorded.
    ///
    /// - Parameter seen: What its author had seen; `nil` where nothing can tell.
    mutating func note(_ event: Event, seen: [Identifier: Int64]?) {
        must.insert(Fact(event))
        let hash = SHA256.hash(event.encoded())
        factsByHash[hash] = Fact(event)
        wholeByHash[hash] = event
        seenByHash[hash] = seen
        let other = eventsByName.updateValue(event, forKey: event.dot)
        if other != nil, !shared.contains(event.dot.device) { namedTwice.append(event) }
    }

    /// Notes an event that was met, perhaps one that was issued anew.
    mutating func meet(_ event: Event, hash: [UInt8]) {
        guard wholeByHash[hash] == nil else { return }
        wholeByHash[hash] = event
        factsByHash[hash] = Fact(event)
    }

    /// What an author had seen of each name; `nil` of what nobody was watched recording.
    func seen(_ hash: [UInt8]) -> [Identifier: Int64]? { seenByHash[hash] }

    /// An event as it was before its payload was given up; `nil` where nobody has ever met it whole.
    func whole(_ stored: StoredEvent, _ hash: [UInt8]) -> Event? {
        if case .whole(let event) = stored { return event }
        if let event = wholeByHash[hash] { return event }
        // It was issued anew and compacted before anybody looked.
        for event in wholeByHash.values {
            var again = event.reissued(as: stored.header.dot)
            again.base = stored.header.base
            if again.wall == stored.header.wall, SHA256.hash(again.encoded()) == hash {
                return again
            }
        }
        return nil
    }

    /// What a stored event says, or said when it was whole.
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
