import MacrologEvents
import MacrologLog
import MacrologReadModels

/// What is known about syncing without asking the network.
public struct SyncStatus: Hashable, Sendable {
    /// Events of this device that the server has not sealed yet.
    public let unsealed: Int64
    /// How many of the server's events this device holds.
    public let cursor: Int64
    /// How many the server had at the last contact. Fewer than ``cursor`` after the log moved to another
    /// account: until a sync has succeeded there, its server may lack everything.
    public let head: Int64
    /// When a sync with the account last succeeded, in milliseconds since 1970 UTC; `nil` for never.
    public let lastSuccess: Int64?
    /// Why the last sync failed, in a sentence; `nil` when it did not.
    public let lastError: String?
    /// What happened when the server was last found restored or moved; `nil` for never.
    public let lastRecovery: SyncRecovery?
    /// Milliseconds since the last success; `nil` for never.
    public let sinceSuccess: Int64?
    /// Milliseconds since the first failure after the last success; `nil` when the last sync did
    /// not fail.
    public let failingFor: Int64?
    /// Whether the last sync failed because the server could not be reached.
    public let isOffline: Bool
    /// Which devices have what; `nil` until a server has answered.
    public let receipts: DeviceReceipts?
    /// The difference between this device's clock and the server's; `nil` until a server has
    /// answered.
    public let clock: ClockComparison?
    /// When this device last rotated its ID, because its file had been restored or copied or the
    /// server's log had changed: by its clock, in milliseconds since 1970 UTC. `nil` for never.
    public let lastRotation: Int64?
    /// The last damage that was found here and repaired; `nil` for never.
    public let lastRepair: SyncRepair?
}

extension Replica {
    /// What is known about syncing without asking the network.
    public func syncStatus() throws -> SyncStatus {
        let now = clock.read()
        return try withStore { store in
            let last = try SyncMemory.read(now: now, in: &store.db)
            let (device, cursor) = (store.log.device, store.log.cursor)
            let head = last?.head ?? 0
            return SyncStatus(
                unsealed: store.log.unsealedCount, cursor: cursor,
                head: last?.isNewToAccount == true ? head : max(cursor, head),
                lastSuccess: last?.lastSuccess,
                lastError: last?.lastError,
                lastRecovery: try SyncRecovery.remembered(in: &store.db),
                sinceSuccess: last?.sinceSuccess, failingFor: last?.failingFor,
                isOffline: last?.isOffline ?? false,
                receipts: try DeviceReceipts.remembered(now: now, in: &store)?.receipts,
                clock: try ServerClock.remembered(in: &store.db)?.comparison(now: now),
                lastRotation: try store.log.hasFormerName(in: &store.db)
                    ? device.v7Milliseconds : nil,
                lastRepair: try SyncRepair.remembered(in: &store.db))
        }
    }
}
