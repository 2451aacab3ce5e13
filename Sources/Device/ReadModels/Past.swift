package import MacrologLog
import MacrologSQLite

extension Store {
    /// A store in memory that holds a part of this one's log and what follows from it.
    ///
    /// - Parameter isIncluded: Whether an event is to be there.
    package mutating func past(where isIncluded: (LogEntry) -> Bool) throws -> Store {
        let log = log
        var memory = try Connection.open("", mode: .memory)
        try memory.migrate(EventLog.migrations)
        try memory.transaction { memory in
            try ReadModels.makeTables(in: &memory)
            var models = ReadModels()
            try log.copy(where: isIncluded, from: &db, to: &memory, projecting: &models)
        }
        return try Store.open(memory, newDevice: log.device)
    }
}
