import MacrologArgumentParsing
import MacrologSystem

/// Standard output, buffered and written at once: the output is complete, or there is an error.
struct Output: Sendable {
    private var bytes: [UInt8] = []

    mutating func write(_ text: String) { write(Array(text.utf8)) }

    mutating func write(_ more: [UInt8]) { bytes += more }

    /// Writes the buffer.
    mutating func flush() throws(OutputError) {
        defer { bytes.removeAll(keepingCapacity: true) }
        do throws(SystemError) { try StandardStream.output.write(bytes) } catch {
            // A reader that closes the pipe has read enough, as `head` does.
            if error.isClosedPipe { Main.leave(.ok) }
            throw OutputError(problem: "\(error)")
        }
    }
}

/// Standard output could not be written.
struct OutputError: Error {
    let problem: String
}
