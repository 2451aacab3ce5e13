package import MacrologEvents
package import MacrologWire
import MacrologSQLite

extension EventLog {
    /// Applies the next page of the server's log: events, seals, cursor, digest and everything
    /// derived from them change together.
    ///
    /// - Parameter delegate: Decides what the page alone does not.
    /// - Throws: ``LogError`` when the page is not what the protocol promises. The caller then
    ///   rolls the transaction back and restores its copy of this value.
    package mutating func apply(
        _ answer: SyncAnswer, by delegate: some PageDelegate, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        assert(db.isInTransaction)
        assert(stale.isEmpty, "the transaction before has folded everything")
        if epoch != answer.epoch {
            guard epoch == 0 else { throw LogError(.divergent(n: cursor)) }
            try db.run("UPDATE replica SET epoch = ?", answer.epoch)
            epoch = answer.epoch
        }
        try checkAdmitted(answer)
        try checkHead(answer)
        var fold = Fold()
        var own: ArraySlice<OwnRow> = []
        var ownLeft = answer.rows.count { if case .own = $0.content { true } else { false } }
        for row in answer.rows {
            guard let n = LogNumber(cursor).successor() else { throw LogError(.contradiction) }
            let seal = Seal(n: n, t: row.t)
            switch row.content {
            case .own(let seq):
                guard nextDevice == nil else { throw LogError(.rolledBack(seq: seq.rawValue)) }
                if own.isEmpty { own = try nextOwnRows(ownLeft, in: &db) }
                ownLeft -= 1
                try sealOwn(
                    seq.rawValue, seal, held: own.popFirst(), by: delegate, folding: &fold, in: &db)
            case .event(let body):
                try take(
                    body, seal, by: delegate, folding: &fold, in: &db, updating: &readModels)
            }
        }
        guard digest == answer.digest else { throw LogError(.divergent(n: cursor)) }
        try writeRows(in: &db)
        try fold.flush(in: &db, keys: keys, updating: &readModels)
        try refoldStale(in: &db, updating: &readModels)
        if cursor >= answer.head {
            try delegate.reachedHead(by: &self, in: &db, updating: &readModels)
        }
        assert(stale.isEmpty && unwritten.isEmpty, "a page leaves nothing to fold or to write")
        try readModels.flush(in: &db)
        if unsealedCount == 0 {
            try db.run("DELETE FROM clock WHERE seq < (SELECT max(seq) FROM clock)")
        }
    }

    /// Checks an answer that brings nothing new.
    package func check(_ answer: SyncAnswer) throws(LogError) {
        try checkAdmitted(answer)
        guard answer.epoch == epoch, digest == answer.digest else {
            throw LogError(.divergent(n: cursor))
        }
        try checkHead(answer)
    }

    /// No row lies beyond the end of the log, and the log does not end before what this device
    /// holds.
    private func checkHead(_ answer: SyncAnswer) throws(LogError) {
        guard let end = LogNumber(cursor).adding(Int64(answer.rows.count)), answer.head >= end
        else {
            throw LogError(.contradiction)
        }
    }

    /// The server cannot have more events of the asking device than that device has.
    func checkAdmitted(_ answer: SyncAnswer) throws(LogError) {
        guard answer.admitted <= (nextDevice == nil ? lastSeq : 0) else {
            throw LogError(.rolledBack(seq: answer.admitted.rawValue))
        }
    }

    /// An event that had seen itself, or an event sealed after it, would have happened before
    /// itself.
    private static func checkBase(_ event: Event, _ seal: Seal) throws(LogError) {
        guard event.base.n < seal.n else { throw LogError(.contradiction) }
    }

    private mutating func take(
        _ body: [UInt8], _ seal: Seal, by delegate: some PageDelegate, folding fold: inout Fold,
        in db: inout LogConnection, updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        let entry: LogEntry
        do throws(CBORError) { entry = LogEntry(try StoredEvent.decoded(body), seal) } catch {
            throw LogError(.malformedEvent(error))
        }
        let event = entry.event
        try Self.checkBase(event, seal)
        if event.dot.device == device {
            guard nextDevice != nil else {
                throw LogError(.rolledBack(seq: event.dot.seq.rawValue))
            }
            try writeRows(in: &db)
            let isHeld = try delegate.recognize(
                entry, body, seal, by: &self, folding: &fold, in: &db, updating: &readModels)
            if isHeld { return }
        }
        let key = try key(of: event.dot.device, in: &db)
        let last =
            if let known = lastSealedSeqByKey[key] { known } else {
                try Self.lastSealedSeq(of: key, in: &db)
            }
        guard event.dot.seq == last + 1 else { throw LogError(.gap(expected: last + 1)) }
        lastSealedSeqByKey[key] = event.dot.seq.rawValue
        let dot = try DotNumber(key, event.dot.seq)
        unwritten.add(body, at: dot)
        append(seal, of: dot, hash: try Self.hash(of: body))
        if let skeleton = entry.skeleton { try remember(skeleton, in: &db) }
        guard try delegate.counts(entry, at: dot, by: &self, in: &db) else { return }
        fold.add(event.changes, stamp: Stamp(dot: event.dot, base: event.base, seal: seal))
    }

    /// Seals the next of this device's events.
    ///
    /// - Parameter held: The event as it is stored, where that was read before.
    package mutating func sealOwn(
        _ seq: Int64, _ seal: Seal, held: OwnRow? = nil, by delegate: some PageDelegate,
        folding fold: inout Fold, in db: inout LogConnection
    ) throws(LogError) {
        assert(db.isInTransaction)
        guard seq == sealedSeq + 1 else { throw LogError(.gap(expected: sealedSeq + 1)) }
        let dot = try DotNumber(deviceKey, Seq(seq))
        let stored = held?.dot == dot ? held : try ownRows(from: seq, limit: 1, in: &db).first
        guard let stored, stored.dot == dot, let hash = try stored.hash() else {
            throw LogError(.rolledBack(seq: seq))
        }
        let event = try Self.entry(stored.body, seal).event
        try Self.checkBase(event, seal)
        sealedSeq = seq
        append(seal, of: dot, hash: hash)
        fold.seal(event.changes, Stamp(dot: event.dot, base: event.base, seal: seal))
        if voids.contains(dot) {
            try writeRows(in: &db)
            try delegate.sealedVoid(dot, by: &self, in: &db)
        }
    }
}
