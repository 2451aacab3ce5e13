package import Foundation

/// A program of this package, built together with the tests.
package enum BuiltProgram {
    /// - Throws: ``Missing`` if it is not beside the tests.
    package static func url(_ name: String) throws -> URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        if let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
            folder = URL(fileURLWithPath: link).deletingLastPathComponent()
        }
        // The runner of Swift's own toolchain loads the tests as a library that lies elsewhere.
        if let bundle = CommandLine.arguments.first(where: { $0.hasSuffix(".xctest") }) {
            folder = URL(fileURLWithPath: bundle).deletingLastPathComponent()
        }
        for _ in 0..<5 {
            let candidate = folder.appending(path: name)
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isFolder),
                !isFolder.boolValue
            {
                return candidate
            }
            folder.deleteLastPathComponent()
        }
        throw Missing(name: name)
    }

    package struct Missing: Error, CustomStringConvertible {
        package let name: String
        package var description: String { "the program `\(name)` was not built beside the tests" }
    }
}
