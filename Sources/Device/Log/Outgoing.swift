import MacrologEvents
package import MacrologWire
import MacrologSQLite

extension EventLog {
    /// The next of this device's events for the server, in order, from the first after the last
    /// sealed one.
    ///
    /// - Parameters:
    ///   - after: The greatest `seq` that the server is known to have, if it is beyond the sealed
    ///     ones.
    ///   - eventsMax: The maximum number of events.
    ///   - bytesMax: The maximum number of bytes of all bodies, though never less than one event.
    ///   - serverNow: The server's clock, as far as it is known.
    package func outgoing(
        after: Int64 = 0, eventsMax: Int, bytesMax: Int, now: ClockSample,
        serverNow: Int64? = nil, in db: inout LogConnection
    ) throws(LogError) -> [SyncRequest.Pushed] {
        guard eventsMax > 0, lastSeq > max(after, sealedSeq) else { return [] }
        let segments = try clockSegments(in: &db)
        var pushed: [SyncRequest.Pushed] = []
        var bytes = 0
        try db.forEachWhile(
            "SELECT dot, body, hash FROM event WHERE dot > ? AND dot <= ? ORDER BY dot LIMIT ?",
            DotNumber(deviceKey, max(after, sealedSeq)), DotNumber.last(of: deviceKey), eventsMax
        ) { row throws(LogError) in
            let body = row.bytes(1)
            guard RecordedHash.fits(body, hash: row.intOrNull(2)) else {
                throw LogError(.altered(seq: row.dotNumber(0).seq))
            }
            bytes += body.count
            guard pushed.isEmpty || bytes <= bytesMax else { return false }
            let header = try body.withBytes { body throws(LogError) in try Self.header(body) }
            let segment = segments.last { $0.seq <= header.dot.seq } ?? .unknown
            pushed.append(
                SyncRequest.Pushed(
                    age: segment.age(of: header.wall, now: now, serverNow: serverNow), body: body))
            return true
        }
        return pushed
    }

    private static func header(
        _ bytes: UnsafeRawBufferPointer
    ) throws(LogError) -> EventHeader {
        do { return try EventHeader.peeked(bytes) } catch { throw LogError(.damaged(error)) }
    }
}
