package import MacrologLog
import MacrologSQLite

extension Store {
    /// A store in memory that holds a part of this log and what is derived from it.
    ///
    /// - Parameter isIncluded: Whether to include an event.
    package mutating func past(where isIncluded: (LogEntry) -> Bool) throws(LogError) -> Store {
        let (log, models) = (log, models)
        var memory = try LogConnection.inMemory()
        try memory.migrate(EventLog.migrations)
        try memory.transaction { memory throws(LogError) in
            try models.makeTables(in: &memory)
            var fold = models.begin()
            try log.copy(where: isIncluded, from: &db, to: &memory, updating: &fold)
        }
        return try Store.open(memory, folding: models, newDevice: log.device)
    }
}
