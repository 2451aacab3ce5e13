package import MacrologEvents

/// How an event states that it was first recorded under another dot, which is not used any more.
///
/// A device whose file was restored or copied rotates its device ID and reissues its unsealed
/// events. It cannot know whether the server, or a copy of the file, has an event under its first
/// dot. So the reissued event contains its first dot, and of all events with one ``original`` only
/// the first that the server sealed takes effect; the others are void (`protocol.md`, "Restored or
/// copied devices").
extension Event {
    /// The key of the extra part that contains the first dot: `[device, seq]`.
    package static let reissuedFromKey: Int64 = 8

    /// The first dot; `nil` for an event that was not reissued.
    package var reissuedFrom: Dot? {
        guard let parts = extras.first(where: { $0.key == Self.reissuedFromKey })?.value.array,
            parts.count == 2, let bytes = parts[0].bytes, let device = Identifier(bytes: bytes),
            let seq = parts[1].int, seq > 0
        else { return nil }
        return Dot(device: device, seq: seq)
    }

    /// The event as first recorded: only the dot, and the part that states it, differ.
    package var original: Event {
        guard let reissuedFrom else { return self }
        var event = self
        event.dot = reissuedFrom
        event.extras.removeAll { $0.key == Self.reissuedFromKey }
        return event
    }

    /// The same event under a new dot. It contains the first dot if the map has room for it,
    /// because a duplicate is better than a lost event. Its base is that of the original.
    package func reissued(as dot: Dot) -> Event {
        var event = original
        let first = Value.array([.bytes(event.dot.device.bytes), .int(event.dot.seq.rawValue)])
        event.extras.removeAll { $0.key == Self.reissuedFromKey }
        event.dot = dot
        guard 7 + (group == nil ? 0 : 1) + event.extras.count < Limits.mapEntriesMax else {
            return event
        }
        event.extras.insert(Extra(key: Self.reissuedFromKey, value: first), at: 0)
        return event
    }
}

extension Event {
    /// The content that identifies duplicates: everything except the dot and the base. Of events
    /// with the same content, the one sealed first takes effect.
    package var said: [UInt8] {
        var event = original
        event.base = .none
        return event.encoded()
    }
}
