import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologSystem
import Synchronization

/// The photos on this device, beside the replica: one file for each, named by the SHA-256 of its
/// bytes, and the partial downloads of others.
///
/// A file gets its name only when all of it is on the disk, and what is read is checked: a damaged
/// file no longer counts as a photo, and is downloaded again. It may be the only copy, so it is kept
/// under another name until a whole one is here.
package struct BlobFolder: Sendable {
    package let path: String

    /// The photos of the replica in a file.
    package init(of replica: String) { path = "\(replica).blobs" }

    /// The path of a photo, whether or not it exists.
    package func path(of name: [UInt8]) -> String { "\(path)/\(hexadecimal(name))" }

    private func partialPath(of name: [UInt8]) -> String { path(of: name) + ".partial" }

    /// Where a damaged photo is kept.
    package func damagedPath(of name: [UInt8]) -> String { path(of: name) + Self.damagedSuffix }

    private static var damagedSuffix: String { ".damaged" }

    /// How long a photo is; `nil` where it is not here.
    package func bytes(of name: [UInt8]) -> Int64? { Self.size(path(of: name)) }

    /// How many bytes of an unfinished download have arrived.
    package func partialBytes(of name: [UInt8]) -> Int64 { Self.size(partialPath(of: name)) ?? 0 }

    /// Stores bytes durably.
    ///
    /// - Returns: Their name.
    package func keep(_ bytes: [UInt8]) throws -> [UInt8] {
        let name = SHA256.hash(bytes)
        guard self.bytes(of: name) != Int64(bytes.count) || (try? read(name)) == nil else {
            // Its bytes are on the disk, but its name is not if the process that created it was
            // interrupted.
            try flushNames()
            return name
        }
        try write(bytes, to: path(of: name))
        Files.remove(damagedPath(of: name))
        return name
    }

    private func write(_ bytes: [UInt8], to file: String) throws {
        do throws(SystemError) {
            try Files.makeFolder(path)
            try WholeFile.replace(file, with: bytes)
        } catch {
            throw PhotoError(path, error)
        }
        try flushNames()
    }

    /// A photo's bytes; `nil` if it is not here, or is damaged: then it is set aside.
    package func read(_ name: [UInt8]) throws -> [UInt8]? {
        guard let bytes = try Self.contents(path(of: name)) else { return nil }
        guard SHA256.hash(bytes) == name else {
            do throws(SystemError) {
                try Files.move(path(of: name), to: damagedPath(of: name))
            } catch {
                // The folder may be read-only: what the file holds is no photo all the same.
            }
            return nil
        }
        return bytes
    }

    /// Whether a photo is damaged, as far as is known without reading it, and no whole one is here.
    package func isSetAside(_ name: [UInt8]) -> Bool {
        bytes(of: name) == nil && Self.size(damagedPath(of: name)) != nil
    }

    /// Copies the photos into another folder, without partial downloads. Damaged ones are copied as
    /// what they are.
    ///
    /// - Parameter done: The names of files that are there already.
    /// - Returns: How many are damaged of the others, and what is there now.
    package func copy(
        to other: BlobFolder, except done: Set<String> = []
    ) throws -> (damaged: Int, names: Set<String>) {
        var (damaged, names) = (0, done)
        for file in Files.names(in: path) {
            let name = String(file.prefix(64))
            let isDamaged = file == name + Self.damagedSuffix
            guard !done.contains(file), isDamaged || file == name && name.utf8.count == 64,
                let bytes = try Self.contents("\(path)/\(file)")
            else { continue }
            names.insert(file)
            if hexadecimal(SHA256.hash(bytes)) == name {
                _ = try other.keep(bytes)
            } else if !isDamaged || !Files.exists("\(path)/\(name)") {
                try other.write(bytes, to: "\(other.path)/\(name)\(Self.damagedSuffix)")
                damaged += 1
            }
        }
        return (damaged, names)
    }

    /// Names a finished download, if its bytes match the name; otherwise deletes it.
    ///
    /// - Returns: Whether they match.
    package func finish(_ name: [UInt8]) throws -> Bool {
        guard let bytes = try Self.contents(partialPath(of: name)), SHA256.hash(bytes) == name
        else {
            removePartial(of: name)
            return false
        }
        try complete(name)
        return true
    }

    /// The photos of which there is a file, whole, damaged or partial.
    var names: Set<[UInt8]> {
        Set(Files.names(in: path).compactMap { BlobExchange.name(String($0.prefix(64))) })
    }

    /// Deletes all that is here of a photo.
    func remove(_ name: [UInt8]) {
        for file in [path(of: name), damagedPath(of: name), partialPath(of: name)] {
            Files.remove(file)
        }
    }

    /// Deletes what was downloaded of a photo.
    package func removePartial(of name: [UInt8]) { Files.remove(partialPath(of: name)) }

    private func complete(_ name: [UInt8]) throws {
        do throws(SystemError) {
            try Files.move(partialPath(of: name), to: path(of: name))
        } catch {
            throw PhotoError(path, error)
        }
        try flushNames()
        Files.remove(damagedPath(of: name))
    }

    /// Flushes the names of the photos, and that of the folder, which may be new.
    private func flushNames() throws {
        do throws(SystemError) {
            try Files.flush(path)
            try Files.flushFolder(of: path)
        } catch {
            throw PhotoError(path, error)
        }
    }

    /// An open file for the download of a photo.
    package final class Partial: Sendable {
        private let file: Mutex<File?>
        private let path: String
        /// Why the disk took no more; `nil` where it took everything.
        private let failure = Mutex<SystemError?>(nil)
        private let exceeds = Mutex(false)

        /// Whether a piece was refused because the photo would exceed the greatest size.
        package var isTooLarge: Bool { exceeds.withLock { $0 } }

        /// Opens the file to append after its first `count` bytes.
        package init(of name: [UInt8], keeping count: Int64, in folder: BlobFolder) throws {
            path = folder.partialPath(of: name)
            do throws(SystemError) {
                try Files.makeFolder(folder.path)
                file = Mutex(try File.resume(path, keeping: count))
            } catch {
                throw PhotoError(path, error)
            }
        }

        /// Truncates the file to its first bytes.
        package func cut(to count: Int64) -> Bool {
            file.withLock { file in
                do throws(SystemError) { try file?.cut(to: count) } catch { return note(error) }
                return true
            }
        }

        /// Appends a piece; false if it cannot be written, or if the photo would exceed the
        /// greatest size.
        package func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
            file.withLock { file in
                guard let before = file?.offset else { return false }
                guard before + Int64(bytes.count) <= Int64(Limits.blobBytesMax) else {
                    exceeds.withLock { $0 = true }
                    return false
                }
                do throws(SystemError) { try file?.write(bytes) } catch { return note(error) }
                return true
            }
        }

        private func note(_ error: SystemError) -> Bool {
            failure.withLock { $0 = error }
            return false
        }

        /// Flushes the file, and closes it.
        ///
        /// - Throws: ``PhotoError``, also for what the disk did not take before.
        package func close() throws {
            let failure = failure.withLock { $0 }
            try file.withLock { file in
                defer { file = nil }
                do throws(SystemError) { try file?.flush() } catch {
                    throw PhotoError(path, failure ?? error)
                }
                if let failure { throw PhotoError(path, failure) }
            }
        }
    }

    private static func size(_ path: String) -> Int64? {
        guard let status = FileStatus(of: path, followsLinks: false), status.isRegular else {
            return nil
        }
        return status.bytes
    }

    /// The whole file, which is never longer than a blob may be; `nil` where there is none.
    private static func contents(_ path: String) throws -> [UInt8]? {
        do throws(WholeFile.ReadError) {
            return try WholeFile.read(path, atMost: Limits.blobBytesMax + 1)
        } catch {
            throw PhotoError.storage("\(path) cannot be used: \(error)")
        }
    }
}

extension PhotoError {
    fileprivate init(_ path: String, _ error: SystemError) {
        self = .storage("\(path) cannot be used: \(error)")
    }
}
