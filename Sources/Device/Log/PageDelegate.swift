package import MacrologEvents
import MacrologSQLite

/// Decides about the events of a page that are not simply the next ones of another device. The log
/// asks it inside the transaction of the page; `Recovery` implements it.
package protocol PageDelegate {
    /// An event under this device's ID came with its bytes, which happens while the device rotates
    /// its ID.
    ///
    /// - Returns: Whether this file holds the same event, which is sealed now. If not, the device
    ///   has taken its next ID, and the event is another device's.
    func recognize(
        _ entry: LogEntry, _ body: [UInt8], _ seal: Seal, by log: inout EventLog,
        folding fold: inout Fold, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) -> Bool

    /// Whether an event of another device, which has just been sealed, counts. If it does, this
    /// device's unsealed events with the same content become void.
    func counts(
        _ entry: LogEntry, at dot: DotNumber, by log: inout EventLog, in db: inout LogConnection
    ) throws(LogError) -> Bool

    /// An own event that is void has been sealed: it may be the first of those with its content.
    func sealedVoid(
        _ dot: DotNumber, by log: inout EventLog, in db: inout LogConnection
    ) throws(LogError)

    /// The log holds all that the server has.
    func reachedHead(
        by log: inout EventLog, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError)
}
