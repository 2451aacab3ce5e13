import Events

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
    /// How many events got a name that another event had, although their device could know.
    private(set) var namesUsedTwice = 0
    /// Whose payloads a device has given up. Where a hub forgets such an event later, nobody need be
    /// able to bring it back: something else has taken its place.
    var givenUp: Set<Fact> = []
    private var factsByHash: [[UInt8]: Fact] = [:]
    private var eventsByName: [Dot: Event] = [:]

    /// Notes what has just been recorded.
    mutating func note(_ event: Event) {
        must.insert(Fact(event))
        factsByHash[SHA256.hash(event.encoded())] = Fact(event)
        let other = eventsByName.updateValue(event, forKey: event.dot)
        if other != nil, !shared.contains(event.dot.device) { namesUsedTwice += 1 }
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
