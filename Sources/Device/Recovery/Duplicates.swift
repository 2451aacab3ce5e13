import MacrologEvents
import MacrologWire
package import MacrologLog
import MacrologSQLite

/// Which events are void, because an event that was sealed earlier has the same content.
///
/// A reissued event (``Event/origin``), its original, and the event that a copied file reissued
/// from the same original are one fact under several dots. The first one that the server seals
/// counts. The server's order is the same everywhere, so every device decides alike.
extension EventLog {
    /// Stores the original dot of a reissued event.
    mutating func note(
        _ event: Event, at dot: DotNumber, in db: inout LogConnection
    ) throws(LogError) {
        guard let origin = event.reissuedFrom else { return }
        assert(event.dot.seq == dot.seq, "a key takes the place of the device, and nothing else")
        try store(origin: origin, of: dot, in: &db)
    }

    /// Whether an event of another device, which has just been sealed, counts. If it does, this
    /// device's unsealed events with the same content become void.
    mutating func counts(
        _ entry: LogEntry, at dot: DotNumber, in db: inout LogConnection
    ) throws(LogError) -> Bool {
        assert(db.isInTransaction)
        assert(entry.seal != nil, "the order of seals decides")
        let event = entry.event
        guard hasReissues || event.reissuedFrom != nil else { return true }
        try writeRows(in: &db)
        try note(event, at: dot, in: &db)
        for twin in try sameName(event.original.dot, in: &db)
        where twin.dot != dot && !voids.contains(twin.dot) {
            guard twin.entry.says(entry) else { continue }
            if twin.entry.seal != nil {
                try void(dot, in: &db)
                return false
            }
            try void(twin.dot, in: &db)
            markStale(twin.entry.event.changes.map { $0.entity })
        }
        return true
    }

    /// Whether an event with the same content, sealed or unsealed on this device, counts.
    func isSaid(_ event: Event, in db: inout LogConnection) throws(LogError) -> Bool {
        let entry = LogEntry(event: event, seal: nil)
        return try sameName(event.original.dot, in: &db)
            .contains { !voids.contains($0.dot) && $0.entry.says(entry) }
    }

    /// The events with the same original dot that are sealed or this device's own.
    private func sameName(
        _ origin: Dot, in db: inout LogConnection
    ) throws(LogError) -> [(dot: DotNumber, entry: LogEntry)] {
        var found: [(dot: DotNumber, entry: LogEntry)] = []
        for dot in try places(ofOrigin: origin, in: &db) {
            if let entry = try entry(dot, in: &db) { found.append((dot, entry)) }
        }
        return found
    }

    /// Decides again which of the events with the content of a repaired event counts. While that
    /// event or its seal was damaged, another may have counted in its place, and an own event may
    /// have become void although it was sealed first.
    ///
    /// - Returns: The events that became void, and those that count again.
    mutating func decideAgain(
        _ dot: DotNumber, in db: inout LogConnection
    ) throws(LogError) -> Set<DotNumber> {
        assert(db.isInTransaction)
        guard hasReissues || voids.contains(dot) else { return [] }
        var changed: Set<DotNumber> = []
        do throws(LogError) {
            guard let entry = try entry(dot, in: &db), entry.seal != nil else { return [] }
            let twins = try sameName(entry.event.original.dot, in: &db)
                .filter { $0.entry.says(entry) }.sorted { Self.precedes($0.entry, $1.entry) }
            for (place, twin) in twins.enumerated()
            where voids.contains(twin.dot) == (place == 0) {
                if place == 0 {
                    try reinstate(twin.dot, in: &db)
                } else {
                    try void(twin.dot, in: &db)
                }
                changed.insert(twin.dot)
            }
            assert(twins.dropFirst().allSatisfy { voids.contains($0.dot) }, "one of them counts")
        } catch {
            // The repair of the event that cannot be read decides.
            guard case .damaged = error.code else { throw error }
        }
        return changed
    }

    /// The places where the table of void events is not what the seals give. The rows of the log must be
    /// sound.
    package func wrongVoids(in db: inout LogConnection) throws(LogError) -> [DotNumber] {
        guard hasReissues || !voids.isEmpty else { return [] }
        var wrong = try db.all(
            "SELECT dot FROM void WHERE NOT EXISTS (SELECT 1 FROM event WHERE dot = void.dot)"
        ) { $0.dotNumber(0) }
        var places = voids.subtracting(wrong)
        let origins = try db.all("SELECT DISTINCT origin, origin_seq FROM reissue") {
            Dot(device: $0.identifier(0), seq: $0.int(1))
        }
        for origin in origins { places.formUnion(try self.places(ofOrigin: origin, in: &db)) }
        for dot in places {
            // A skeleton changes nothing, and a device that rotates its ID is not done with its own events.
            guard let entry = try entry(dot, in: &db), !entry.isCompacted,
                entry.seal != nil || nextDevice == nil
            else { continue }
            let earlier = try sameName(entry.event.original.dot, in: &db).filter { twin in
                twin.dot != dot && twin.entry.seal != nil && Self.precedes(twin.entry, entry)
            }
            let isWrong =
                voids.contains(dot)
                // Whether an event that another one reissued says the same, its skeleton does not show.
                ? !earlier.contains { $0.entry.isCompacted || $0.entry.says(entry) }
                : earlier.contains { $0.entry.says(entry) }
            if isWrong { wrong.append(dot) }
        }
        return wrong
    }

    /// Makes the table of void events what the seals give. All entities have to be folded again.
    package mutating func correctVoids(in db: inout LogConnection) throws(LogError) {
        for dot in try wrongVoids(in: &db) {
            if voids.contains(dot) {
                try reinstate(dot, in: &db)
            } else {
                try void(dot, in: &db)
            }
        }
    }

    /// Makes own unsealed events count again that were void only because of an event sealed after a
    /// fork.
    ///
    /// They are reissued like the others, or recognised where the server has them after all: then
    /// every other device counts them, and this device must too. An event that is held only as a
    /// skeleton cannot be reissued; the event that made it void waits as an orphan.
    mutating func reconsiderOwn(in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction)
        assert(fork != nil && nextDevice != nil, "only a fork takes seals away")
        for dot in voids where dot.key == deviceKey && dot.seq > sealedSeq {
            var event: Event?
            try forEachUnsealed(dot.seq, in: &db) { event = $0.event }
            guard let mine = event.map({ LogEntry(.whole($0), nil) }) else { continue }
            let isSaid = try sameName(mine.event.original.dot, in: &db).contains { twin in
                twin.dot != dot && twin.entry.seal != nil && !voids.contains(twin.dot)
                    && twin.entry.says(mine)
            }
            if isSaid { continue }
            try reinstate(dot, in: &db)
        }
    }
}

extension LogEntry {
    /// Whether two events with different dots have the same content. Skeletons are compared by
    /// hash.
    fileprivate func says(_ other: LogEntry) -> Bool {
        switch (skeleton, other.skeleton) {
        case (nil, nil): event.said == other.event.said
        case (let skeleton?, nil): skeleton.says(other.event)
        case (nil, let skeleton?): skeleton.says(event)
        case (let skeleton?, let other?): skeleton.hash == other.hash
        }
    }
}
