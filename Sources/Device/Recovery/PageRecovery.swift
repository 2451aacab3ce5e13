package import MacrologEvents
package import MacrologWire
package import MacrologLog
import MacrologSQLite

/// Decides about the events of a page that are not simply the next ones of another device.
package struct PageRecovery: PageDelegate {
    /// Decides by what the log holds.
    package init() {}

    package func recognize(
        _ entry: LogEntry, _ body: [UInt8], _ seal: Seal, by log: inout EventLog,
        folding fold: inout Fold, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) -> Bool {
        try log.recognize(entry, body, seal, folding: &fold, in: &db, updating: &readModels)
    }

    package func counts(
        _ entry: LogEntry, at dot: DotNumber, by log: inout EventLog, in db: inout LogConnection
    ) throws(LogError) -> Bool {
        try log.counts(entry, at: dot, in: &db)
    }

    package func sealedVoid(
        _ dot: DotNumber, by log: inout EventLog, in db: inout LogConnection
    ) throws(LogError) {
        try log.touchAgain(try log.decideAgain(dot, in: &db), in: &db)
    }

    package func reachedHead(
        by log: inout EventLog, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        try log.finishRotation(in: &db, updating: &readModels)
    }
}

extension EventLog {
    /// Applies the next page of the server's log, whatever this device recovers from.
    package mutating func apply(
        _ answer: SyncAnswer, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        try apply(answer, by: PageRecovery(), in: &db, updating: &readModels)
    }
}
