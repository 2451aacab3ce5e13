import MacrologReadModels
import MacrologSQLite
import MacrologSystem

extension Replica {
    /// Writes a copy of the log into a file, and of the photos on this device into a folder next to
    /// it, whose name ends in `.blobs`. The log may be in use meanwhile: other calls wait for its copy, and
    /// not for those of the photos.
    ///
    /// A copy that is opened is another device: what it records gets a new device ID, and syncing
    /// brings what is newer. The file appears under its name only when all of it is there.
    ///
    /// - Parameter path: A file that does not exist yet, in a folder that exists and can be written.
    /// - Returns: How many photos are damaged; what is left of them is copied.
    /// - Throws: ``PhotoError`` when a photo cannot be copied, ``ReplicaError`` when the log cannot: with
    ///   code `cannotOpen` where nothing can be written under that name.
    @discardableResult
    public func backUp(to path: String) throws -> Int {
        guard !path.isEmpty, !Files.exists(path) else {
            throw ReplicaError(
                .cannotOpen, cannot: "back up the log",
                path.isEmpty ? "the copy has no name" : "\(path): the file exists already",
                hint: "choose a name that no file has")
        }
        guard Files.isWritable(Files.folder(of: path)) else {
            throw ReplicaError(
                .cannotOpen, cannot: "back up the log",
                "\(Files.folder(of: path)): nothing can be written there",
                hint: "choose a folder that exists and that you may write to")
        }
        let folder = BlobFolder(of: path)
        let photos = try blobs.copy(to: folder)
        return try withStore { store in
            // Those that came meanwhile: an event that names a photo is in no copy without it.
            let late = try blobs.copy(to: folder, except: photos.names)
            try store.db.backup(to: path)
            return photos.damaged + late.damaged
        }
    }
}
