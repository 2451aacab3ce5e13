import Events
import Log
import Projections
import SQLite

extension Replica {
    /// The shape of the log, for whoever looks for the reason of something strange.
    ///
    /// - Parameter progress: Told how many events have been read, of how many.
    package func logShape(
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> LogShape {
        try withStore { try $0.logShape(progress: progress) }
    }
}

extension Store {
    /// The shape of the log.
    package mutating func logShape(
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> LogShape {
        let log = log
        var shape = LogShape()
        var redaction = Redaction()
        var digest = PrefixDigest.empty
        var isSound = true
        var done: Int64 = 0
        let total = log.cursor + log.unsealedCount
        try log.walk(in: &db) { stored in
            if let seal = stored.seal {
                digest.add(hash: stored.hash, seal: seal)
                isSound =
                    isSound && seal.n == shape.soundUpTo + 1 && digest == stored.digest
                if isSound { shape.soundUpTo = seal.n }
            }
            if let event = stored.event {
                shape.events.append(redaction.shape(event, stored.seal))
            } else {
                let device = redaction.device(stored.dot.device)
                shape.damaged.append(LogShape.Name(device: device, seq: stored.dot.seq))
            }
            done += 1
            progress(done, total)
        }
        shape.this = redaction.device(log.device)
        shape.epoch = redaction.epoch(log.epoch)
        let ordered = redaction.devices.sorted()
        shape.ranks = redaction.devices.map { ordered.firstIndex(of: $0) ?? 0 }
        try noteState(in: &shape)
        return shape
    }

    /// What is known beside the events.
    private mutating func noteState(in shape: inout LogShape) throws {
        let marks = try log.clockMarks(in: &db)
        var boots: [Identifier] = []
        for mark in marks where !boots.contains(mark.boot) { boots.append(mark.boot) }
        shape.marks = marks.map { mark in
            LogShape.Mark(
                seq: mark.seq, boot: boots.firstIndex(of: mark.boot) ?? 0,
                offset: mark.offset &- marks[0].offset)
        }
        shape.conflicts = try db.first("SELECT count(*) FROM conflict") { $0.int(0) } ?? 0
        shape.entities = try db.first("SELECT count(*) FROM entity") { $0.int(0) } ?? 0
        shape.fork = log.forkedAt
        shape.isLeaving = log.nextDevice != nil
        shape.orphans = log.orphans
        shape.hasFormerName = try log.hasFormerName(in: &db)
    }
}
