import MacrologArgumentParsing
import MacrologTerminal

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Facts about standard input, output and error.
enum Terminal {
    static var showsOutput: Bool { isatty(STDOUT_FILENO) == 1 }
    static var showsErrors: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether a person can be asked: both input and output are a terminal.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && showsOutput }

    /// The columns of the output's terminal; `nil` when output is not a terminal.
    static var width: Int? {
        var size = winsize()
        guard showsOutput, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20
        else { return showsOutput ? 80 : nil }
        return Int(size.ws_col)
    }

    /// Whether colours and Unicode characters can be used.
    static func style(refused: Bool) -> Style {
        .fitting(
            isTerminal: showsOutput, refused: refused, noColor: variable("NO_COLOR"),
            term: variable("TERM"),
            locale: ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { variable($0) }.first {
                !$0.isEmpty
            })
    }

    /// A variable of the environment.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// A line on standard error.
    static func complain(_ line: String) {
        _ = write(Array((line + "\n").utf8), to: STDERR_FILENO)
    }

    /// Replaces the last line of standard error.
    static func replaceLine(_ text: String) {
        _ = write(Array(("\r" + text).utf8), to: STDERR_FILENO)
    }

    /// Writes all bytes.
    ///
    /// - Returns: `nil`, or `errno`.
    static func write(_ bytes: [UInt8], to file: CInt) -> CInt? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                return errno
            }
            rest = rest.dropFirst(count)
        }
        return nil
    }
}

private func systemWrite(_ file: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, bytes, count)
}
