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
    private var eventsByName: [Dot: Event] = [:]

    /// Notes what has just been recorded.
    mutating func note(_ event: Event) {
        must.insert(Fact(event))
        let other = eventsByName.updateValue(event, forKey: event.dot)
        if other != nil, !shared.contains(event.dot.device) { namesUsedTwice += 1 }
    }
}
