import MacrologEvents
import MacrologLog
package import MacrologReadModels
package import MacrologSQLite
import Synchronization

/// Notices that a database was restored from a backup or copied, before anything is recorded in it.
///
/// Beside the database lies a small file, `<database>.instance`, readable by its owner only. It
/// holds a secret, whose hash with the ``Place`` the database holds; the device that may record; and
/// a number up to which that device may, always at most ``block`` ahead of what is recorded. So the
/// database is another than it was when the file is missing, when the hash differs (a copy on
/// another machine, in another folder, or put in the place of the first), or when it has recorded
/// less than the file has allowed long ago. The device then takes a new name. What passes all of
/// this, such as the image of a whole machine, the hub notices.
package final class Incarnation: Sendable {
    /// Where and what a database is, beyond its contents.
    package struct Place: Hashable, Sendable {
        /// Names the machine, or is empty where nobody knows.
        package var machine: [UInt8]
        /// The file.
        package var file: FileBirth

        /// Collects the parts.
        package init(machine: [UInt8], file: FileBirth) {
            self.machine = machine
            self.file = file
        }

        /// Where a database is.
        package static func of(_ database: String) throws -> Place {
            Place(machine: Machine.name, file: try FileBirth(of: database))
        }

        /// The hash of a secret at this place, in hexadecimal digits.
        fileprivate func mark(_ secret: Identifier) -> String {
            var writer = CBORWriter(capacity: 256)
            writer.identifier(secret)
            writer.byteString(machine)
            writer.text(Text(Machine.keepsPaths ? file.path : ""))
            writer.int(Int64(bitPattern: file.inode))
            writer.int(file.birth)
            return SHA256.hash(writer.bytes).map(Self.hex).joined()
        }

        private static func hex(_ byte: UInt8) -> String {
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }

    /// How many events one writing of the file allows.
    package static let block: Int64 = 1_000

    private let file: InstanceFile
    private let allowed: Mutex<InstanceFile.Contents>

    private init(_ file: InstanceFile, _ contents: InstanceFile.Contents) {
        self.file = file
        allowed = Mutex(contents)
    }

    /// Compares a database that has just been opened with the file beside it, gives its device a new
    /// name where it has to, and holds it from then on to what the file allows.
    ///
    /// - Throws: ``InstanceFile/Failure`` when the file can't be read or written. Nothing can be
    ///   recorded then.
    package static func settle(
        _ store: inout Store, at database: String, place: Place,
        random: inout some RandomNumberGenerator, now: Int64
    ) throws {
        let file = InstanceFile(of: database)
        let known = try Memo.text(MemoName.incarnation, in: &store.db)
        if let contents = try file.load(), place.mark(contents.secret) == known,
            contents.allows(store.log)
        {
            return Incarnation(file, contents).guardEvents(of: &store)
        }
        let isNew = known == nil && store.log.lastSeq == 0 && store.log.cursor == 0
        let device =
            isNew ? store.log.device : Identifier.v7(milliseconds: now, random: &random)
        // The file goes first: if the rest fails, the next start finds another secret and comes
        // here again.
        try store.db.checkIsFlushed()
        let contents = InstanceFile.Contents(
            secret: Identifier.v4(random: &random), device: device,
            reserved: store.log.unsealedCount + block)
        try file.save(contents)
        Incarnation(file, contents).guardEvents(of: &store)
        let mark = place.mark(contents.secret)
        if isNew {
            try Memo.set(MemoName.incarnation, mark, in: &store.db)
        } else {
            try store.leaveDevice(for: device) { db in
                try Memo.set(MemoName.incarnation, mark, in: &db)
            }
        }
    }

    private func guardEvents(of store: inout Store) {
        store.reserve = { [self] device, last, count in
            try reserve(device, after: last, count)
        }
    }

    /// Writes the file when so many events more than it allows are about to be recorded.
    private func reserve(_ device: Identifier, after last: Int64, _ count: Int64) throws {
        try allowed.withLock { allowed in
            guard device != allowed.device || last + count > allowed.reserved else { return }
            var next = allowed
            next.device = device
            next.reserved = last + max(count, Self.block)
            try file.save(next)
            allowed = next
        }
    }
}

extension InstanceFile.Contents {
    /// Whether a log may be the one that this was written for.
    fileprivate func allows(_ log: EventLog) -> Bool {
        if device == log.nextDevice { return true }
        return device == log.device && log.lastSeq >= reserved - Incarnation.block
    }
}
