import MacrologPlatform

/// A folder for the databases of one run, beside the program: temporary folders may lie in memory,
/// where a flush costs nothing.
struct Folder {
    let path: String

    /// The folder of this program.
    static var ofProgram: String {
        let program = CommandLine.arguments[0]
        return program.lastIndex(of: "/").map { String(program[..<$0]) } ?? "."
    }

    static func create() throws -> Folder {
        // The system puts letters of its own in the place of the six X, so that no two runs meet.
        var template = Array("\(ofProgram)/bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw BenchmarkError(description: "no folder can be made in \(ofProgram)")
        }
        return Folder(path: String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self))
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The bytes of a database with its WAL.
    func bytes(of name: String) -> Int {
        Self.size(file(name)) + Self.size(file(name) + "-wal")
    }

    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Removes a database and the files that SQLite keeps beside it.
    func removeDatabase(_ name: String) {
        for suffix in ["", "-wal", "-shm"] { unlink(file(name) + suffix) }
    }

    /// Copies a database that no one has open, in place of another.
    func copyDatabase(_ name: String, to other: String) throws {
        removeDatabase(other)
        try Files.write(try Files.read(file(name)), to: file(other))
    }

    func remove() {
        guard let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { unlink(file(name)) }
        }
        closedir(folder)
        rmdir(path)
    }
}

/// Why a benchmark cannot run.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
}
