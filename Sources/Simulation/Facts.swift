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
}

/// What a person's devices have to end with.
struct Facts {
    /// What must be there, once.
    var must: Set<Fact> = []
    /// What went down with a disk before it reached the hub or another file. A request that was on
    /// its way may still bring it, once.
    var lost: Set<Fact> = []
}
