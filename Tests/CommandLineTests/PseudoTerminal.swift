import MacrologTestSupport
import Foundation
import Synchronization
import Testing

extension Computer {
    /// Runs the program on a pseudo-terminal and returns what it wrote there.
    ///
    /// - Parameters:
    ///   - answers: What is typed there; nothing, and the input is no terminal, when not given.
    ///   - columns: How wide the terminal is.
    ///   - status: The exit code; other than 0, what it writes to standard error is returned, too.
    func show(
        _ words: [String], typing answers: String? = nil, columns: UInt16 = 80, status: Int32 = 0
    ) throws -> String {
        let (main, side) = openTerminal()
        #expect(main >= 0 && side >= 0)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(side, UInt(TIOCSWINSZ), &size)
        let process = Process()
        let program = try BuiltProgram.url("macrolog")
        process.executableURL = program
        process.arguments = words
        process.environment = environment
        let terminal = FileHandle(fileDescriptor: side, closeOnDealloc: false)
        process.standardInput = answers == nil ? FileHandle.nullDevice : terminal
        process.standardOutput = terminal
        process.standardError = status == 0 ? FileHandle.nullDevice : terminal
        let typed = Array((answers ?? "").utf8)
        #expect(write(main, typed, typed.count) == typed.count)
        // What the program writes is taken at once: a terminal holds back who writes too much.
        let gathered = Gathered()
        let isRead = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(main, &bytes, bytes.count)
                guard count > 0 else { break }
                let more = Array(bytes.prefix(count))
                gathered.bytes.withLock { $0 += more }
            }
            isRead.signal()
        }
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == status)
        // No one holds the other end any more, so that reading comes to its end.
        close(side)
        isRead.wait()
        close(main)
        return String(decoding: gathered.bytes.withLock { $0 }, as: UTF8.self)
    }

    private final class Gathered: Sendable {
        let bytes = Mutex<[UInt8]>([])
    }
}

/// Both ends of a new pseudo-terminal: where one reads, and what a program takes for a terminal.
private func openTerminal() -> (main: CInt, side: CInt) {
    #if os(Linux)
        // The C library hides `posix_openpt` and its like from Swift; these are what they do.
        let main = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var unlock: CInt = 0
        var number: CUnsignedInt = 0
        guard main >= 0, ioctl(main, UInt(0x4004_5431), &unlock) == 0,
            ioctl(main, UInt(0x8004_5430), &number) == 0
        else { return (-1, -1) }
        return (main, open("/dev/pts/\(number)", O_RDWR | O_NOCTTY))
    #else
        let main = posix_openpt(O_RDWR | O_NOCTTY)
        guard main >= 0, grantpt(main) == 0, unlockpt(main) == 0, let name = ptsname(main) else {
            return (-1, -1)
        }
        return (main, open(name, O_RDWR | O_NOCTTY))
    #endif
}
