/// Writes whole lines to standard output and standard error, each with one call.
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

enum Standard {
    static func output(_ text: String) { put(text, on: 1) }
    static func error(_ text: String) { put(text, on: 2) }

    private static func put(_ text: String, on descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = write(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
