/// A conflict about one entity that is not resolved yet.
public struct Conflict: Hashable, Sendable {
    /// One of the values written concurrently.
    public struct Side: Hashable, Sendable {
        /// The written value. For a deletion, and for the writes that survived it, whether the
        /// entity exists.
        public let value: Value
        /// The event that wrote it.
        public let logged: LoggedEvent

        /// A value and the event that wrote it.
        package init(value: Value, logged: LoggedEvent) {
            self.value = value
            self.logged = logged
        }
    }

    /// The entity about which the devices disagree.
    public let entity: EntityKey
    /// The field, set element or existence that was written concurrently. Of a deletion it is
    /// ``CellKey/life``, whichever other fields were changed.
    public let cell: CellKey
    /// The value that every device shows.
    public let winner: Side
    /// The values that lost.
    public let losers: [Side]

    /// A conflict about one cell.
    package init(entity: EntityKey, cell: CellKey, winner: Side, losers: [Side]) {
        self.entity = entity
        self.cell = cell
        self.winner = winner
        self.losers = losers
    }
}
