import MacrologEvents

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Identifies this machine, to detect a file that was copied from another one.
enum Machine {
    #if os(macOS)
        /// The hash of the hardware's UUID, from `gethostuuid(2)`.
        static let name: [UInt8] = {
            var uuid = [UInt8](repeating: 0, count: 16)
            var wait = timespec(tv_sec: 0, tv_nsec: 0)
            return gethostuuid(&uuid, &wait) == 0 ? SHA256.hash(uuid) : []
        }()

        /// A file stays in its folder.
        static let keepsPaths = true
    #elseif canImport(Darwin)
        /// iOS has no such identifier for apps. There, ``InstanceFile`` is excluded from every
        /// backup instead, so that a restored or a new phone has none (Apple, Technical Q&A
        /// QA1719).
        static let name: [UInt8] = []

        /// An update of the app moves its folder.
        static let keepsPaths = false
    #else
        /// The hash of `/etc/machine-id` (machine-id(5): it must not be shown as it is); empty
        /// where there is none.
        static let name: [UInt8] = {
            let file = open("/etc/machine-id", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return [] }
            defer { close(file) }
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(file, &bytes, bytes.count)
            return count > 0 ? SHA256.hash(Array("macrolog".utf8) + bytes.prefix(count)) : []
        }()

        /// A file stays in its folder.
        static let keepsPaths = true
    #endif
}
