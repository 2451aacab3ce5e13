package import MacrologEvents
import MacrologWire
package import MacrologLog
import MacrologSQLite

/// Writes the result of a recovery into the log. Damaged rows are replaced by the server's rows, and
/// nothing else is changed.
///
/// A row is damaged when it does not match the digest that was stored with it. A row that matches
/// its digest but differs from the server's row is not damaged: the server's log has forked, and
/// this device keeps what it holds (``goBack(to:epoch:as:in:updating:)``).
extension EventLog {
    /// Writes the result of a recovery into the log: follows the server's log, replaces damaged rows
    /// and folds again the entities that the old or the new events touch, or goes back to a fork.
    ///
    /// - Parameter next: The device ID to take if the server's log has forked.
    package mutating func recover(
        _ found: Recovering, as next: Identifier, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) -> RecoveryResult {
        assert(db.isInTransaction)
        guard case .finish(let decision) = found.action else {
            assertionFailure("the recovery has not finished")
            throw LogError(.contradiction)
        }
        assert(found.epoch != 0)
        var result = RecoveryResult()
        // Another process may have changed the log meanwhile: the next exchange begins again.
        guard cursor == found.cursor else { return result }
        result.given = found.given
        switch decision {
        case .follow:
            if !found.held.isExact {
                let digest = found.held.digest(after: 0, through: cursor)
                result.digests = try recomputeDigests(through: cursor, to: digest, in: &db)
            }
            result.isMoved = epoch != found.epoch
            if result.isMoved {
                if try hasLostTail(in: &db) { try refold(in: &db, updating: &readModels) }
                try adopt(found.epoch, in: &db)
            }
        case .replace: try replace(found, &result, in: &db, updating: &readModels)
        case .fork(let n): result.fork = n
        }
        if let fork = result.fork {
            try goBack(to: fork, epoch: found.epoch, as: next, in: &db, updating: &readModels)
        }
        return result
    }

    private mutating func replace(
        _ found: Recovering, _ result: inout RecoveryResult, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        assert(zip(found.rows, found.rows.dropFirst()).allSatisfy { $0.seal.n < $1.seal.n })
        var damaged: [(row: Recovering.Row, held: StoredRow?)] = []
        for row in found.rows {
            let n = row.seal.n.rawValue
            let held = try StoredRow.at(n, in: &db)
            // The skeleton replaces the event.
            if let held, held.summand == (try Self.summand(of: row)) { continue }
            // In another log a damaged row is the server's only if the digest that was sealed with
            // it is.
            let isSameLog =
                found.epoch == epoch && found.end == cursor || held?.digest == row.digest
            guard isSameLog, found.held.hasDamage(after: n - 1, through: n) else {
                result.fork = n - 1
                break
            }
            damaged.append((row, held))
        }
        var dots = Set(damaged.compactMap { $0.held?.dot })
        for (row, held) in damaged {
            dots.insert(try replace(held, by: row, in: &db))
            if result.rows == 0 { result.first = row.seal.n.rawValue }
            result.last = row.seal.n.rawValue
            result.rows += 1
        }
        assert(result.first <= result.last && result.rows == Int64(damaged.count))
        for dot in dots { dots.formUnion(try decideAgain(dot, in: &db)) }
        try touchAgain(dots, in: &db)
        try reload(in: &db)
        if found.hasAllDifferences, result.fork == nil, found.end == found.cursor,
            let digest = found.digest
        {
            result.digests = try recomputeDigests(through: found.cursor, to: digest, in: &db)
        }
        try refoldStale(in: &db, updating: &readModels, passing: true)
        try readModels.flush(in: &db)
    }

    private static func summand(of row: Recovering.Row) throws(LogError) -> PrefixDigest {
        do throws(CBORError) {
            return PrefixDigest.summand(hash: try StoredEvent.hash(of: row.body), seal: row.seal)
        } catch { throw LogError(.malformedEvent(error)) }
    }

    /// Replaces a damaged row with the server's row. The damaged bytes are set aside.
    private mutating func replace(
        _ held: StoredRow?, by row: Recovering.Row, in db: inout LogConnection
    ) throws(LogError) -> DotNumber {
        let stored: StoredEvent
        do throws(CBORError) { stored = try StoredEvent.decoded(row.body) } catch {
            throw LogError(.malformedEvent(error))
        }
        let header = stored.header
        let dot =
            if let held, held.device == header.dot.device {
                try DotNumber(held.dot.key, header.dot.seq)
            } else {
                try place(toRestore: header.dot, in: &db)
            }
        try put(stored, row.body, at: dot, in: &db)
        // An event is sealed only once: a second row for this dot is damaged too.
        if let other = try seal(of: dot, besides: row.seal.n, in: &db) {
            let previous = try StoredRow.digest(upTo: other.n &- 1, in: &db)
            guard !other.isSound(after: previous) else { throw LogError(.contradiction) }
            try removeSeal(other, in: &db)
        }
        try replaceSeal(held, by: row.seal, of: dot, row.digest, in: &db)
        return dot
    }

    private mutating func put(
        _ stored: StoredEvent, _ body: [UInt8], at dot: DotNumber, in db: inout LogConnection
    ) throws(LogError) {
        if let (old, hash) = try storedBody(at: dot, in: &db) {
            guard old != body else { return }
            // An event that this device recorded and the server has not sealed must not be changed.
            if dot.key == deviceKey, dot.seq > sealedSeq, RecordedHash.fits(old, hash: hash),
                let held = try? Event.decoded(old), held.dot == stored.header.dot
            {
                throw LogError(.rolledBack(seq: dot.seq))
            }
            try replaceBody(at: dot, old, by: body, in: &db)
        } else {
            try insertBody(body, at: dot, in: &db)
        }
        switch stored {
        case .whole(let event): try note(event, at: dot, in: &db)
        case .skeleton(let skeleton): try remember(skeleton, in: &db)
        }
    }

    /// Records which entities the events at some places touch now, and which they touched before.
    mutating func touchAgain(
        _ dots: Set<DotNumber>, in db: inout LogConnection
    ) throws(LogError) {
        assert(db.isInTransaction)
        markStale(try touched(by: dots, in: &db))
        for dot in dots where !voids.contains(dot) {
            var found: LogEntry?
            do throws(LogError) { found = try entry(dot, in: &db) } catch {
                guard case .damaged = error.code else { throw error }
                // The next repair fetches what cannot be read.
                continue
            }
            for change in found?.event.changes ?? [] {
                try touch(change.entity, by: dot, in: &db)
            }
        }
    }

    /// Computes every stored digest from the rows, now that the rows are the server's. If a row
    /// differs from the server's, because it was damaged after the comparison, nothing is changed:
    /// with a digest of its own the row would look sound.
    ///
    /// - Returns: How many digests were wrong.
    private mutating func recomputeDigests(
        through last: Int64, to digest: PrefixDigest, in db: inout LogConnection
    ) throws(LogError) -> Int64 {
        assert(db.isInTransaction)
        var sum = PrefixDigest.empty
        var wrong: [(Int64, PrefixDigest)] = []
        try StoredRow.forEach(after: 0, through: last, in: &db) { row in
            if let summand = row.summand { sum.add(summand) }
            if row.digest != sum { wrong.append((row.n, sum)) }
        }
        guard sum == digest else { return 0 }
        for (n, digest) in wrong {
            try storeDigest(digest, at: n, in: &db)
        }
        try reload(in: &db)
        return Int64(wrong.count)
    }
}
