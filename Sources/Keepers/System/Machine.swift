import MacrologPlatform

/// This machine.
public enum Machine {
    /// Bytes that no other machine has, not to be shown as they are; empty if it has none.
    package static var identity: [UInt8] { machineIdentity() }

    /// Whether a file stays in its folder, unless a person moves it.
    package static var keepsPaths: Bool { MacrologSystem.keepsPaths }

    /// Its name in the network; `nil` if it has none.
    public static var name: String? {
        var name = [UInt8](repeating: 0, count: 256)
        let status = name.withUnsafeMutableBytes { buffer in
            buffer.bindMemory(to: CChar.self).baseAddress.map {
                gethostname($0, buffer.count - 1)
            } ?? -1
        }
        guard status == 0, name[0] != 0 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// How many threads it runs at once.
    package static var processors: Int { max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }
}

/// The environment of this process. Only a program may change it, before it starts threads.
public enum Environment {
    /// A variable; `nil` if it is not set.
    public static subscript(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The names of the variables that begin with a text, in order.
    package static func names(beginning start: String) -> [String] {
        var names: [String] = []
        var next = environ
        while let text = next.pointee {
            let name = String(cString: text).prefix { $0 != "=" }
            if name.hasPrefix(start) { names.append(String(name)) }
            next += 1
        }
        return names.sorted()
    }

    /// Sets a variable that is not set, for libraries that are opened later.
    package static func suggest(_ name: String, _ value: String) { setenv(name, value, 0) }

    /// Removes a variable.
    public static func remove(_ name: String) { unsetenv(name) }

    /// The folder for temporary files.
    package static var temporaryFolder: String { self["TMPDIR"] ?? "/tmp" }
}
