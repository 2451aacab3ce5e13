import MacrologPlatform
import Synchronization

/// Questions and answers of one line each, between processes of one user on one machine, over a socket
/// in the file system that only its owner may use.
package enum LocalSocket {
    /// The most bytes of a line: far more than a list of four million accounts needs.
    static let lineBytesMax = 1 << 31

    /// Asks the process that answers at a path.
    ///
    /// - Returns: Its answer; `nil` if no process answers there.
    package static func ask(_ path: String, _ question: [UInt8]) throws(SystemError) -> [UInt8]? {
        let connection = try LocalConnection()
        guard try connection.connect(to: path) else { return nil }
        connection.limitWaiting(seconds: 300)
        try connection.write(question + [UInt8(ascii: "\n")])
        return try connection.readLine()
    }
}

/// The process that answers questions at a path.
package final class LocalAnswerer: Sendable {
    private let path: String
    /// The socket as it was made. Another process may have put one in its place.
    private let made: FileStatus?
    private let isClosing: Stopping
    private let worker: Worker

    private final class Stopping: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    /// Answers questions, one after another, on a thread of its own.
    ///
    /// - Parameters:
    ///   - path: What another process has left there is removed: the caller must know that none
    ///     answers.
    ///   - seconds: How long it waits for a process that neither writes nor reads.
    package init(
        at path: String, waitingSeconds seconds: Int = 5,
        _ answer: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) throws(SystemError) {
        Files.remove(path)
        let listening = try LocalConnection()
        try listening.listen(at: path)
        let isClosing = Stopping()
        self.path = path
        made = FileStatus(of: path)
        self.isClosing = isClosing
        worker = Worker.start {
            while !isClosing.isSet.load(ordering: .acquiring) {
                guard let connection = listening.accept() else {
                    SystemClock.sleep(milliseconds: 100)
                    continue
                }
                connection.limitWaiting(seconds: seconds)
                guard let question = try? connection.readLine() else { continue }
                try? connection.write(answer(question) + [UInt8(ascii: "\n")])
            }
        }
    }

    /// Answers what is being asked, and removes the socket.
    package func close() {
        isClosing.isSet.store(true, ordering: .releasing)
        // A connection wakes the thread, unless the socket was removed, or is another process's.
        let isOwn = isInPlace
        let isAwake = isOwn && (try? LocalConnection().connect(to: path)) ?? false
        if isAwake { worker.join() } else { worker.detach() }
        if isOwn { Files.remove(path) }
    }

    /// Whether the socket at the path is the one that was made.
    private var isInPlace: Bool {
        guard let made, let found = FileStatus(of: path) else { return false }
        // A file system may give a new socket the inode of a removed one.
        return found.inode == made.inode && found.device == made.device
            && found.modified == made.modified
    }
}

/// A socket, closed when its owner releases it.
private final class LocalConnection: Sendable {
    private let file: File

    init() throws(SystemError) {
        file = try File.socket()
    }

    private init(_ file: consuming File) {
        self.file = file
    }

    /// Whether a process answers at a path.
    func connect(to path: String) throws(SystemError) -> Bool {
        let status = try withAddress(path) { systemConnect(file.descriptor, $0, $1) }
        guard status != 0 else { return true }
        guard errno == ENOENT || errno == ECONNREFUSED else { throw .last }
        return false
    }

    func listen(at path: String) throws(SystemError) {
        guard try withAddress(path, { bind(file.descriptor, $0, $1) }) == 0,
            chmod(path, 0o600) == 0, systemListen(file.descriptor, 8) == 0
        else { throw .last }
    }

    /// The next connection; `nil` if the system has none to give.
    func accept() -> LocalConnection? {
        guard let accepted = try? File.accepted(from: file.descriptor) else { return nil }
        return LocalConnection(accepted)
    }

    func write(_ bytes: [UInt8]) throws(SystemError) { try file.write(bytes) }

    /// Makes a read or a write fail that waits longer for the other process.
    func limitWaiting(seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                file.descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Reads a line without its end.
    func readLine() throws(SystemError) -> [UInt8] {
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            let piece = try file.readSome()
            guard !piece.isEmpty, line.count <= LocalSocket.lineBytesMax else {
                throw SystemError(number: EPIPE)
            }
            line += piece
        }
        return line.dropLast()
    }

    private func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) throws(SystemError) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else { throw SystemError(number: ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

private func systemConnect(
    _ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ size: socklen_t
) -> CInt { connect(descriptor, address, size) }

private func systemListen(_ descriptor: CInt, _ count: CInt) -> CInt { listen(descriptor, count) }
