import MacrologPlatform

/// The service manager that started this process, such as systemd, and waits for its messages
/// (sd_notify(3): one datagram each, to the socket that `NOTIFY_SOCKET` names).
package struct ServiceManager: Sendable {
    private let path: String
    /// How often the manager wants to hear ``Message/alive``, in milliseconds; `nil` if it does not.
    package let watchdogMilliseconds: Int64?

    /// What can be told.
    package enum Message: String, Sendable {
        /// Requests are answered.
        case ready = "READY=1"
        /// The configuration is being read again, until ``ready`` follows.
        case reloading = "RELOADING=1"
        /// The end has begun.
        case stopping = "STOPPING=1"
        /// The process still works.
        case alive = "WATCHDOG=1"
    }

    /// The manager that the environment names; `nil` without one.
    package init?() {
        guard let path = Environment["NOTIFY_SOCKET"], let first = path.utf8.first,
            first == UInt8(ascii: "/") || first == UInt8(ascii: "@")
        else { return nil }
        self.path = path
        let isMine = Environment["WATCHDOG_PID"].map { Int32($0) == getpid() } ?? true
        let interval = Environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogMilliseconds = isMine && interval > 0 ? max(1, interval / 1_000) : nil
    }

    /// Sends a message. A manager that does not listen is not an error: the service is the same.
    package func tell(_ message: Message) {
        var text = message.rawValue
        if message == .reloading {
            text += "\nMONOTONIC_USEC=\(SystemClock.monotonicMilliseconds * 1_000)"
        }
        sendDatagram(Array(text.utf8), to: path)
    }
}

/// Sends bytes to a socket of this machine; `@` begins an abstract name, which is no file.
private func sendDatagram(_ bytes: [UInt8], to path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(path.utf8)
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    if name.first == UInt8(ascii: "@") { name[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let descriptor = socket(AF_UNIX, number(SOCK_DGRAM), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let before = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    // The name of a file ends with a zero byte, an abstract one with its last byte.
    let length = socklen_t(before + name.count + (name.first == 0 ? 0 : 1))
    _ = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            sendto(descriptor, bytes, bytes.count, 0, $0, length)
        }
    }
}
