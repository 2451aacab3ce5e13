import MacrologPlatform

/// Whole files.
enum Files {
    static func read(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw BenchmarkError(description: "\(path) cannot be read") }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = piece.withUnsafeMutableBytes { readSome(file, $0) }
            guard count > 0 else { return bytes }
            bytes += piece.prefix(count)
        }
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw BenchmarkError(description: "\(path) cannot be written") }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { writeSome(file, $0) }
            guard count > 0 else {
                throw BenchmarkError(description: "\(path) cannot be written")
            }
            rest = rest.dropFirst(count)
        }
    }
}

// Outside of `Files`, where the system's own names are not shadowed.
private func readSome(_ file: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    read(file, bytes.baseAddress, bytes.count)
}

private func writeSome(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(file, bytes.baseAddress, bytes.count)
}
