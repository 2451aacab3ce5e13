import MacrologPlatform

/// A shared library that is opened when it is first needed, and never closed: the linker would load
/// it at every start of the program.
package struct Library: Sendable {
    private let file: String
    private let package: String
    /// The system allows any thread to look for names.
    private nonisolated(unsafe) let handle: UnsafeMutableRawPointer

    /// Opens a library.
    ///
    /// - Parameters:
    ///   - file: Its file name with the version of its interface, such as `libcurl.so.4`.
    ///   - package: The Debian package that installs it.
    package static func open(
        _ file: String, package: String
    ) throws(LibraryError) -> Library {
        guard let handle = dlopen(file, RTLD_NOW | RTLD_LOCAL) else {
            throw LibraryError(file: file, package: package, detail: reason())
        }
        return Library(file: file, package: package, handle: handle)
    }

    /// A function of the library. Its type is that of the variable to which it is assigned, which
    /// must be the one that the library's header declares.
    package func function<Function>(_ name: String) throws(LibraryError) -> Function {
        guard let address = dlsym(handle, name) else {
            throw LibraryError(file: file, package: package, detail: Self.reason())
        }
        return unsafeBitCast(address, to: Function.self)
    }

    private static func reason() -> String {
        dlerror().map { String(cString: $0) } ?? "no such library"
    }
}

/// Why a ``Library`` cannot be used.
public struct LibraryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file name.
    package let file: String
    /// The Debian package that installs it.
    package let package: String
    /// The system's words.
    package let detail: String

    /// What happened.
    public var explanation: String { "the library \(file) cannot be used: \(detail)" }
    /// What a person can do about it.
    public var hint: String { "install it: sudo apt-get install \(package)" }
    /// One line: what happened, and what to do.
    public var description: String { "\(explanation); \(hint)" }
}
