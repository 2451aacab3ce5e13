import MacrologArgumentParsing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Standard output, buffered and written at once: the output is complete, or there is an error.
struct Output: Sendable {
    private var bytes: [UInt8] = []

    mutating func write(_ text: String) {
        bytes += Array(text.utf8)
    }

    /// Writes the buffer.
    mutating func flush() throws(OutputError) {
        defer { bytes.removeAll(keepingCapacity: true) }
        guard let error = Terminal.write(bytes, to: STDOUT_FILENO) else { return }
        // A reader that closes the pipe has read enough, as `head` does.
        if error == EPIPE { Main.leave(.ok) }
        throw OutputError(problem: String(cString: strerror(error)))
    }
}

/// Standard output could not be written.
struct OutputError: Error {
    let problem: String
}
