/// Writes whole lines to standard output and standard error, each with one call.
import MacrologSystem

enum Standard {
    // An error is not reported: there is no other place to write it to.
    static func output(_ text: String) { try? StandardStream.output.write(Array(text.utf8)) }
    static func error(_ text: String) { try? StandardStream.error.write(Array(text.utf8)) }
}
