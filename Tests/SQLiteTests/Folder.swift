#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A folder of its own for one test, gone with the value.
final class Folder {
    let path: String

    init() {
        var template = Array("/tmp/macrolog-test-XXXXXX\0".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, mkdtemp(start) != nil else {
                fatalError("no temporary folder")
            }
            return String(cString: start)
        }
    }

    deinit {
        for name in files() { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The names of the files in it, sorted.
    func files() -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// The permissions of a file, such as 0o600.
    func permissions(_ name: String) -> UInt32 {
        var status = stat()
        guard stat(file(name), &status) == 0 else { return 0 }
        return UInt32(status.st_mode) & 0o777
    }

    /// The size of a file in bytes, or -1 where there is none.
    func size(_ name: String) -> Int {
        var status = stat()
        guard stat(file(name), &status) == 0 else { return -1 }
        return Int(status.st_size)
    }

    /// Replaces bytes of a file.
    func overwrite(_ name: String, at offset: Int, with bytes: [UInt8]) {
        let descriptor = open(file(name), O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        pwrite(descriptor, bytes, bytes.count, off_t(offset))
    }
}
