import MacrologPlatform

/// The standard streams of this process.
public enum StandardStream: Int32, Sendable {
    /// Standard input.
    case input = 0
    /// Standard output.
    case output = 1
    /// Standard error.
    case error = 2

    /// Whether it is a terminal.
    public var isTerminal: Bool { isatty(rawValue) == 1 }

    /// The columns of its terminal; `nil` if it is none, or does not tell.
    public var columns: Int? {
        var size = winsize()
        guard isTerminal, ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes all bytes, unbuffered.
    public func write(_ bytes: [UInt8]) throws(SystemError) {
        try writeAll(bytes, to: rawValue)
    }

    /// Reads a line of standard input without showing it; `nil` if it ended.
    ///
    /// - Throws: ``SystemError`` if the terminal cannot hide what is typed.
    public static func readHiddenLine() throws(SystemError) -> String? {
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else { throw .last }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown) }
        return readLine(strippingNewline: true)
    }
}
