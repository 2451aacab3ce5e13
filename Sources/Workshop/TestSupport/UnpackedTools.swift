import Foundation

/// Servers that `.ci/servers` has unpacked from Debian's packages into `.build/tools`, one folder a name.
package struct UnpackedTools: Sendable {
    /// The name, such as `postgresql`.
    package let name: String

    package init(_ name: String) { self.name = name }

    /// The folder that stands for `/`.
    package var root: String { Self.checkout + ".build/tools/" + name }

    /// The folder of this package, with a slash at its end.
    static let checkout = #filePath.components(separatedBy: "Sources/Workshop/TestSupport/")[0]

    /// Why tests are skipped without them.
    package var missing: String { "`.ci/servers \(name)` has not unpacked its packages" }

    /// The path of a program: the unpacked one, else this machine's; `nil` if there is none.
    ///
    /// - Parameter path: Such as `usr/sbin/haproxy`.
    package func program(_ path: String) -> String? {
        [root, ""].map { "\($0)/\(path)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    /// The environment of this process, with the unpacked libraries.
    package var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        let libraries = "\(root)/usr/lib"
        let folders = ((try? FileManager.default.contentsOfDirectory(atPath: libraries)) ?? [])
            .filter { $0.hasSuffix("-linux-gnu") }.map { "\(libraries)/\($0)" }
        if !folders.isEmpty { environment["LD_LIBRARY_PATH"] = folders.joined(separator: ":") }
        return environment
    }
}
