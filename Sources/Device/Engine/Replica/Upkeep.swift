import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import MacrologSystem

/// Maintenance of the file as a whole.
extension Replica {
    /// The prefix of problems with derived data.
    private static let derivedPrefix = "the read models"

    /// Everything that is wrong with the file: its structure, every stored event (each is read
    /// once), derived data, which is compared with the result of folding again, and the photos on
    /// this device.
    ///
    /// - Parameter isQuick: Skips the comparison, which takes as long as folding everything, and the
    ///   photos.
    /// - Returns: One line for each problem; empty for a sound file.
    public func check(isQuick: Bool = false) throws -> [String] {
        var problems = try checkEvents()
        guard !isQuick, problems.isEmpty else { return problems }
        let wrong = try wrongTables()
        if !wrong.isEmpty {
            problems.append(
                "\(Self.derivedPrefix) differ from the events, in " + wrong.joined(separator: ", "))
        }
        return try problems + damagedPhotos()
    }

    private func damagedPhotos() throws -> [String] {
        let folder = blobs
        return try withStore { try $0.blobNames() }.compactMap { name in
            guard try folder.read(name) == nil, hasDamagedPhoto(name) else { return nil }
            return "photo \(hexadecimal(name).prefix(8)) is damaged on this device"
        }
    }

    private func wrongTables() throws -> [String] {
        do { return try withStore { try $0.wrongTables() } } catch let error as ReplicaError
            where error.code == .readOnly
        {
            // Folding again writes: where the file is read-only, a copy is folded.
            let folders = [Environment.temporaryFolder, "/tmp", "/var/tmp"]
            let folder = folders.first { Files.isWritable($0) } ?? Environment.temporaryFolder
            return try wrongTables(ofCopyIn: folder)
        }
    }

    private func wrongTables(ofCopyIn folder: String) throws -> [String] {
        var random = SystemRandomNumberGenerator()
        let name = Identifier.v7(milliseconds: clock.read().wall, random: &random)
        let copy = "\(folder)/macrolog-check-\(name).db"
        defer { for suffix in ["", "-wal", "-shm"] { Files.remove(copy + suffix) } }
        try withStore { try $0.db.backup(to: copy) }
        return try ReplicaError.passingOn {
            var store = try Store.open(
                try LogConnection.open(copy), folding: models, newDevice: name)
            return try store.wrongTables()
        }
    }

    private func checkEvents() throws -> [String] {
        try withStore { store in
            var problems = try store.db.integrityCheck()
            if try !store.isLogSound() {
                problems.append("the log has damaged rows: the next sync fetches them again")
            }
            let waiting = try store.log.verifyUnsealed(in: &store.db)
            if waiting.isInTheWay {
                problems.append(
                    "unsealed events are not what was recorded: the next sync sets them aside")
            }
            // What was after a fork, and neither is here again nor waits, belongs to no log: a
            // device that holds it sound has recorded it again, and no sync fetches it.
            try store.db.forEach(
                """
                SELECT device.id, dot & 0xFFFFFFFFFF, body FROM event JOIN device ON key = dot >> 40
                WHERE NOT EXISTS (SELECT 1 FROM void WHERE void.dot = event.dot)
                AND (EXISTS (SELECT 1 FROM seal WHERE seal.dot = event.dot)
                    OR event.dot IN (SELECT dot FROM orphan)
                    OR event.dot >> 40 = (SELECT device FROM replica))
                """
            ) {
                row in
                let (device, seq) = (row.identifier(0), row.int(1))
                row.withBytes(2) { body in
                    do throws(CBORError) {
                        let event = try StoredEvent.decoded(body).header
                        if event.dot != Dot(device: device, seq: seq) {
                            problems.append("event \(device) \(seq) says that it is another one")
                        }
                    } catch {
                        problems.append("event \(device) \(seq) cannot be read: \(error)")
                    }
                }
            }
            if problems.isEmpty, try !store.log.wrongVoids(in: &store.db).isEmpty {
                problems.append(
                    "\(Self.derivedPrefix) count events that they should not, or leave out others")
            }
            return problems
        }
    }

    /// Deletes everything that is derived from the events and folds it again.
    ///
    /// - Parameter progress: Called with how many events have been folded, of how many.
    /// - Returns: The hashes of derived data, before and after. They are equal unless the tables
    ///   were damaged or folded by an older version.
    public func rebuild(
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> (before: [UInt8], after: [UInt8]) {
        try withStore { store in
            let before = try store.stateHash()
            try store.rebuild(progress: progress)
            return (before, try store.stateHash())
        }
    }
}
