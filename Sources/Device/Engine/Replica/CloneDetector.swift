import MacrologEvents
import MacrologWire
import MacrologLog
package import MacrologReadModels
import MacrologSQLite
package import MacrologSystem
import Synchronization

/// Detects that a database was restored from a backup or copied, before anything is recorded in it.
///
/// Beside the database lies a small file, `<database>.instance`, readable by its owner only. It
/// holds a secret, whose hash with the ``Place`` is stored in the database; the device that may
/// record; a number up to which that device may record, ``block`` ahead or as many as one transaction
/// records; and how many events were recorded when the file was written. So the database was restored
/// or copied if the file is missing, if the hash differs (a copy on another machine, in another
/// folder, or in the place of the original), or if the database has recorded less than that number.
/// The device then rotates its ID. Cases
/// that this does not detect, such as the image of a whole machine, the server detects.
package final class CloneDetector: Sendable {
    /// Where and what a database is, beyond its contents.
    package struct Place: Hashable, Sendable {
        /// Identifies the machine; empty where that is unknown.
        package var machine: [UInt8]
        /// The file.
        package var file: FileBirth

        /// Creates a place from its parts.
        package init(machine: [UInt8], file: FileBirth) {
            self.machine = machine
            self.file = file
        }

        /// Where a database is.
        package static func of(_ database: String) throws -> Place {
            // machine-id(5): the identity must not be stored as it is.
            let identity = Machine.identity
            let machine =
                identity.isEmpty ? [] : SHA256.hash(Array("macrolog".utf8) + identity)
            return Place(machine: machine, file: try FileBirth.read(database))
        }

        /// The hash of a secret at this place, in hexadecimal digits.
        fileprivate func mark(_ secret: Identifier) -> String {
            var writer = CBORWriter(capacity: 256)
            writer.identifier(secret)
            writer.byteString(machine)
            writer.text(UTF8Text(Machine.keepsPaths ? file.path : ""))
            writer.int(Int64(bitPattern: file.inode))
            writer.int(file.birth)
            return hexadecimal(writer.withBytes { SHA256.hash($0) })
        }
    }

    /// How many events one write of the file allows.
    package static let block: Int64 = 1_000

    private let file: InstanceFile
    private let allowed: Mutex<InstanceFile.Contents>

    private init(_ file: InstanceFile, _ contents: InstanceFile.Contents) {
        self.file = file
        allowed = Mutex(contents)
    }

    /// Compares a database that has just been opened with the file beside it, rotates its device ID
    /// if necessary, and from then on limits its recording to what the file allows.
    ///
    /// - Throws: ``InstanceFileError`` when the file cannot be read or written. Nothing can be
    ///   recorded then.
    package static func detect(
        _ store: inout Store, at database: String, place: Place,
        random: inout some RandomNumberGenerator, now: Int64
    ) throws {
        let file = InstanceFile(of: database)
        let known =
            try store.db.first("SELECT clone_mark FROM maintenance") { $0.textOrNull(0) } ?? nil
        if let contents = try file.load(), place.mark(contents.secret) == known,
            contents.allows(store.log)
        {
            return CloneDetector(file, contents).guardEvents(of: &store)
        }
        let isNew = known == nil && store.log.lastSeq == 0 && store.log.cursor == 0
        let device =
            isNew ? store.log.device : Identifier.v7(milliseconds: now, random: &random)
        // The file is written first: if the rest fails, the next start finds another secret and
        // repeats this.
        try store.db.checkIsFlushed()
        let contents = InstanceFile.Contents(
            secret: Identifier.v4(random: &random), device: device,
            reserved: store.log.unsealedCount + block, recorded: store.log.unsealedCount)
        try file.save(contents)
        CloneDetector(file, contents).guardEvents(of: &store)
        let mark = place.mark(contents.secret)
        if isNew {
            try remember(mark, in: &store.db)
        } else {
            try store.beginRotation(to: device) { db throws(LogError) in
                try remember(mark, in: &db)
            }
        }
    }

    private static func remember(
        _ mark: String, in db: inout LogConnection
    ) throws(LogError) {
        try db.run("UPDATE maintenance SET clone_mark = ?", mark)
    }

    private func guardEvents(of store: inout Store) {
        store.reserve = { [self] device, last, count throws(LogError) in
            do throws(InstanceFileError) {
                try reserve(device, after: last, count)
            } catch {
                throw LogError(.notReserved(reason: error.explanation))
            }
        }
    }

    /// Writes the file when more events than it allows are about to be recorded.
    ///
    /// - Parameters:
    ///   - last: The number of the last event that is recorded durably.
    ///   - count: How many events the transaction will have recorded after it.
    private func reserve(
        _ device: Identifier, after last: Int64, _ count: Int64
    ) throws(InstanceFileError) {
        try allowed.withLock { allowed throws(InstanceFileError) in
            guard device != allowed.device || last + count > allowed.reserved else { return }
            var next = allowed
            next.device = device
            next.reserved = last + max(count, Self.block)
            next.recorded = last
            try file.save(next)
            allowed = next
        }
    }
}

extension InstanceFile.Contents {
    /// Whether this file may have been written for a log.
    fileprivate func allows(_ log: EventLog) -> Bool {
        if device == log.nextDevice { return true }
        return device == log.device && log.lastSeq >= recorded
    }
}
