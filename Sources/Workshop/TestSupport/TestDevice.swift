package import MacrologEvents
package import MacrologWire

/// A device as a test plays it: it records, and keeps what it has seen of the log.
package struct TestDevice {
    package let id: Identifier
    package var seq: Int64 = 0
    package var epoch: UInt32 = 0
    package var cursor: Int64 = 0
    package var digest = PrefixDigest.empty
    /// What it recorded and has not been told to be admitted.
    package var waiting: [SyncRequest.Pushed] = []
    /// Hashes of the log as it knows it.
    package var log: [[UInt8]] = []
    /// Its own bodies by number.
    package var own: [[UInt8]] = []

    package init(_ number: UInt64) { id = Identifier(high: number, low: number) }

    package mutating func record(_ text: String = "x", age: Int64 = 0) {
        record([.set(["name": .text(UTF8Text(text))])], age: age)
    }

    /// Does something with a meal of its own.
    package mutating func record(_ operations: [MacrologEvents.CellOperation], age: Int64 = 0) {
        record([Change(EntityKey("meal", id), operations)], age: age)
    }

    package mutating func record(_ changes: [Change], age: Int64 = 0) {
        seq += 1
        let event = Event(
            dot: Dot(device: id, seq: seq), base: Base(epoch: epoch, n: cursor), wall: 0,
            type: "meal.added", version: 1,
            changes: changes)
        own.append(event.encoded())
        waiting.append(SyncRequest.Pushed(age: age, body: event.encoded()))
    }

    package var request: SyncRequest {
        SyncRequest(device: id, epoch: epoch, cursor: cursor, digest: digest, pushed: waiting)
    }

    /// Takes an answer in.
    ///
    /// - Throws: ``OtherDigest`` if its digest is not that of the events and seals.
    package mutating func fold(_ answer: [UInt8]) throws -> SyncAnswer {
        let answer = try SyncAnswer.decoded(answer)
        for row in answer.rows {
            cursor += 1
            let body: [UInt8] =
                switch row.content {
                case .event(let body): body
                case .own(let seq): own[Int(seq.rawValue - 1)]
                }
            digest.add(
                hash: body.withUnsafeBytes { SHA256.words($0) }, seal: Seal(n: cursor, t: row.t))
            log.append(SHA256.hash(body))
        }
        guard digest == answer.digest else { throw OtherDigest() }
        epoch = answer.epoch
        waiting.removeAll { pushed in
            (try? EventHeader.checked(pushed.body).dot.seq <= answer.admitted) ?? false
        }
        return answer
    }

    package struct OtherDigest: Error {}
}
