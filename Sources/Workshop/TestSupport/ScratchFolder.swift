package import Foundation

/// An empty folder of its own, deleted with the value.
package final class ScratchFolder: Sendable {
    package let path: String

    /// - Parameter inMemory: Whether it lies in memory where the system has a folder there, so that
    ///   a flush costs nothing.
    package init(inMemory: Bool = false) {
        let files = FileManager.default
        let memory = "/dev/shm"
        let parent =
            inMemory && files.isWritableFile(atPath: memory)
            ? URL(filePath: memory) : files.temporaryDirectory
        let folder = parent.appending(path: "macrolog-\(UUID().uuidString)")
        do {
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            // Without a folder no test can run, and a stored property cannot throw.
            fatalError("no folder in \(parent.path): \(error)")
        }
        path = folder.path
    }

    deinit { remove() }

    /// Lends one in memory while a body runs.
    package static func lend<T>(_ body: (_ path: String) throws -> T) rethrows -> T {
        let folder = ScratchFolder(inMemory: true)
        defer { folder.remove() }
        return try body(folder.path)
    }

    package var url: URL { URL(filePath: path) }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The names of what is in it, sorted.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// The paths within it of the files, at any depth, that hold some bytes.
    package func files(holding bytes: [UInt8]) throws -> [String] {
        let all = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }
        return try (all ?? []).filter { name in
            let url = url.appending(path: name)
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
                return false
            }
            return try Data(contentsOf: url).range(of: Data(bytes)) != nil
        }
    }

    /// The size of a file in bytes; -1 if there is none.
    package func size(_ name: String) -> Int64 {
        (attribute(.size, of: name) as? NSNumber)?.int64Value ?? -1
    }

    /// The permissions of a file, such as 0o600; 0 if there is none.
    package func permissions(_ name: String) -> UInt32 {
        (attribute(.posixPermissions, of: name) as? NSNumber)?.uint32Value ?? 0
    }

    private func attribute(_ key: FileAttributeKey, of name: String) -> Any? {
        try? FileManager.default.attributesOfItem(atPath: file(name))[key]
    }

    /// Deletes it with everything in it; open files can still be used.
    package func remove() { try? FileManager.default.removeItem(atPath: path) }
}
