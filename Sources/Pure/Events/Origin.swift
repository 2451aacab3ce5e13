/// How an event says that it was recorded before, under a name that is not to be used any more.
///
/// A device whose file was restored or copied takes a new name and issues anew what the hub had not
/// sealed. Whether the hub, or a copy of the file, has the event under its first name nobody can
/// know then; so the new event says the first name, and of all events with one ``original`` only
/// the first that the hub sealed counts (`protocol.md`, "Restored or copied devices").
extension Event {
    /// The key of the extra part that holds the first name: `[device, seq]`.
    package static let originKey: Int64 = 8

    /// The first name; `nil` for an event that was not issued anew.
    public var origin: Dot? {
        guard let parts = extras.first(where: { $0.key == Self.originKey })?.value.array,
            parts.count == 2, let bytes = parts[0].bytes, let device = Identifier(bytes: bytes),
            let seq = parts[1].int, seq > 0
        else { return nil }
        return Dot(device: device, seq: seq)
    }

    /// The event as it was first recorded: only the name and what tells of it differ.
    public var original: Event {
        guard let origin else { return self }
        var event = self
        event.dot = origin
        event.extras.removeAll { $0.key == Self.originKey }
        return event
    }

    /// The same event under a new name, which keeps the first one where the map has room for it:
    /// better twice than never. It claims to have seen what the original had seen, and no more.
    public func reissued(as dot: Dot) -> Event {
        var event = original
        let first = Value.array([.bytes(event.dot.device.bytes), .int(event.dot.seq.rawValue)])
        event.extras.removeAll { $0.key == Self.originKey }
        event.dot = dot
        guard 7 + (group == nil ? 0 : 1) + event.extras.count < Limits.mapEntriesMax else {
            return event
        }
        event.extras.insert(Extra(key: Self.originKey, value: first), at: 0)
        return event
    }
}

extension Event {
    /// What makes two events of several names one: everything but the name and the base. Of events
    /// that say the same, the one that was sealed first counts.
    package var said: [UInt8] {
        var event = original
        event.base = .none
        return event.encoded()
    }
}
