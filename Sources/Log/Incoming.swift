package import Events
package import SQLite

extension EventLog {
    /// Takes over the next page of the hub's log: events, seals, cursor and digest move together,
    /// and everything derived from them. Call inside a transaction.
    ///
    /// - Throws: ``LogError`` when the page is not what the protocol promises. The caller's
    ///   transaction then leaves no trace, and the caller restores its copy of this value.
    package mutating func apply(
        _ answer: SyncAnswer, in db: inout Connection, projecting projector: inout some Projector
    ) throws {
        if epoch != answer.epoch {
            guard epoch == 0 else { throw LogError(.divergent(n: cursor)) }
            try db.run("UPDATE replica SET epoch = ?", answer.epoch)
            epoch = answer.epoch
        }
        guard answer.admitted <= lastSeq else { throw LogError(.rolledBack(seq: answer.admitted)) }
        var fold = Fold()
        for row in answer.rows {
            let seal = Seal(n: cursor + 1, t: row.t)
            switch row.content {
            case .own(let seq): try sealOwn(seq, seal, folding: &fold, in: &db)
            case .event(let body): try take(body, seal, folding: &fold, in: &db)
            }
        }
        guard digest == answer.digest else { throw LogError(.divergent(n: cursor)) }
        try fold.flush(in: &db, keys: keysByDevice, projecting: &projector)
        try projector.flush(in: &db)
        if unsealedCount == 0 {
            try db.run("DELETE FROM clock WHERE seq < (SELECT max(seq) FROM clock)")
        }
    }

    /// Checks an answer that brings nothing new.
    package func check(_ answer: SyncAnswer) throws(LogError) {
        guard answer.admitted <= lastSeq else { throw LogError(.rolledBack(seq: answer.admitted)) }
        guard answer.epoch == epoch, digest == answer.digest else {
            throw LogError(.divergent(n: cursor))
        }
    }

    private mutating func take(
        _ body: [UInt8], _ seal: Seal, folding fold: inout Fold, in db: inout Connection
    ) throws {
        let event: Event
        do throws(CBORError) { event = try Event.decoded(body) } catch {
            throw LogError(.malformedEvent(error))
        }
        guard event.dot.device != device else { throw LogError(.rolledBack(seq: event.dot.seq)) }
        let key = try key(of: event.dot.device, in: &db)
        let last = try lastSealedSeqByKey[key] ?? Self.lastSealedSeq(of: key, in: &db)
        guard event.dot.seq == last + 1 else { throw LogError(.gap(expected: last + 1)) }
        lastSealedSeqByKey[key] = event.dot.seq
        try body.withUnsafeBytes { body in
            try db.run(
                "INSERT INTO event (dot, body) VALUES (?, ?)", DotNumber.of(key, event.dot.seq),
                body)
        }
        try append(seal, key: key, seq: event.dot.seq, body: body, in: &db)
        fold.add(
            event.changes, stamp: Stamp(dot: event.dot, base: event.base, seal: seal))
    }

    private mutating func sealOwn(
        _ seq: Int64, _ seal: Seal, folding fold: inout Fold, in db: inout Connection
    ) throws {
        guard seq == sealedSeq + 1 else { throw LogError(.gap(expected: sealedSeq + 1)) }
        guard
            let body = try db.first(
                "SELECT body FROM event WHERE dot = ?", DotNumber.of(deviceKey, seq),
                row: { $0.bytes(0) })
        else { throw LogError(.rolledBack(seq: seq)) }
        let event: Event
        do throws(CBORError) { event = try Event.decoded(body) } catch {
            throw LogError(.damaged(error))
        }
        sealedSeq = seq
        try append(seal, key: deviceKey, seq: seq, body: body, in: &db)
        fold.seal(event.dot, seal, of: event.changes)
    }

    private mutating func append(
        _ seal: Seal, key: Int64, seq: Int64, body: [UInt8], in db: inout Connection
    ) throws {
        digest.add(hash: body.withUnsafeBytes { SHA256.words($0) }, seal: seal)
        try db.run(
            "INSERT INTO seal (n, t, dot, digest) VALUES (?, ?, ?, ?)", seal.n, seal.t,
            DotNumber.of(key, seq), digest)
        cursor = seal.n
    }
}
