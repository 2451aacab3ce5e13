public import MacrologEngine
package import MacrologLog
import MacrologNutritionModels

/// Opening a nutrition log.
///
///     let replica = try Replica.open(at: path)
///     try replica.write { try $0.add(meal) }
///     let today = try replica.read { try $0.summary(of: $0.today()) }
extension Replica {
    /// Opens the replica in a file. A file that does not exist is created for a new device.
    ///
    /// One process at a time holds a replica; another waits up to five seconds. A file that cannot
    /// be written, as on a read-only disk, can still be read; every write throws ``ReplicaError``
    /// with code `readOnly`.
    ///
    /// - Parameter path: A file in a folder that exists. A log is never kept in memory alone: `:memory:`
    ///   is refused.
    /// - Throws: ``ReplicaError``, which says which process holds the file, or what is wrong with it.
    public static func open(at path: String) throws -> Replica {
        try open(at: path, folding: .nutrition)
    }

    /// Opens the replica with the caller's clocks.
    package static func open(at path: String, clock: DeviceClock) throws -> Replica {
        try open(at: path, clock: clock, folding: .nutrition)
    }
}
