import MacrologPlatform
import MacrologSystem

/// A folder of its own for one test, gone with the value.
final class Folder: Sendable {
    let path: String

    init() {
        var template = Array("\(Environment.temporaryFolder)/system-XXXXXX\0".utf8)
        template.withUnsafeMutableBytes { bytes in
            let made = bytes.bindMemory(to: CChar.self).baseAddress.flatMap { mkdtemp($0) }
            precondition(made != nil, "no temporary folder")
        }
        path = String(decoding: template.dropLast(), as: UTF8.self)
    }

    deinit {
        for name in Files.names(in: path) { Files.remove(file(name)) }
        Files.removeFolder(path)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    var names: [String] { Files.names(in: path) }

    /// The size of a file in bytes, or -1 where there is none.
    func size(_ name: String) -> Int64 { FileStatus(of: file(name))?.bytes ?? -1 }

    func permissions(_ name: String) -> UInt32 { FileStatus(of: file(name))?.permissions ?? 0 }
}
