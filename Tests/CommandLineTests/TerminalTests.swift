import Foundation
import Testing

/// Goal: colours and lines where somebody looks, plain text everywhere else.
/// Method: the real program with a pseudo-terminal or a file as its output.
@Suite struct TerminalTests {
    /// Runs the program on a pseudo-terminal of 80 columns and returns what it wrote there.
    private func show(
        _ words: [String], on computer: Computer? = nil, typing answers: String? = nil,
        _ change: (inout [String: String]) -> Void = { _ in }
    ) throws -> String {
        let computer = try computer ?? Computer()
        let added = try computer.run(["quick", "250", "Cake", "--estimated"])
        #expect(added.status == 0)
        change(&computer.environment)
        let (main, side) = openTerminal()
        #expect(main >= 0 && side >= 0)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(side, UInt(TIOCSWINSZ), &size)
        let process = Process()
        let program: URL = try #require(Computer.program)
        process.executableURL = program
        process.arguments = words
        process.environment = computer.environment
        let terminal = FileHandle(fileDescriptor: side, closeOnDealloc: false)
        process.standardInput = answers == nil ? FileHandle.nullDevice : terminal
        process.standardOutput = terminal
        process.standardError = FileHandle.nullDevice
        let typed = Array((answers ?? "").utf8)
        #expect(write(main, typed, typed.count) == typed.count)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(main, &bytes, bytes.count)
        close(side)
        close(main)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test func `a terminal gets colours`() throws {
        #expect(try show(["day", "show"]).contains("\u{1B}["))
    }

    @Test func `nobody gets colours who refused them`() throws {
        #expect(!(try show(["day", "show", "--no-color"]).contains("\u{1B}")))
        #expect(!(try show(["day", "show"]) { $0["NO_COLOR"] = "1" }.contains("\u{1B}")))
        #expect(!(try show(["day", "show"]) { $0["TERM"] = "dumb" }.contains("\u{1B}")))
        #expect(!(try show(["day", "show"]) { $0["TERM"] = nil }.contains("\u{1B}")))
    }

    @Test func `a file gets neither colours nor, without UTF-8, anything but ASCII`() throws {
        let computer = try Computer()
        for words in [["quick", "250", "Cake"], ["goal", "set", "--kcal", "2100"]] {
            #expect(!(try computer.run(words).output.contains("\u{1B}")))
        }
        computer.environment["LANG"] = "C"
        for words in [
            ["day", "show"], ["meal", "list"], ["stats"], ["log"], ["goal", "show"], ["doctor"],
            ["--help"],
        ] {
            let result = try computer.run(words)
            #expect(result.status == 0)
            #expect(!result.output.contains("\u{1B}"))
        }
        let drawn = try computer.run(["day", "show"]).output.replacing("–", with: "")
        #expect(drawn.utf8.allSatisfy { $0 < 0x80 }, "\(drawn)")
    }

    @Test func `init asks in a terminal, asks again after a mistake, and nowhere else`() throws {
        let computer = try Computer()
        let answers = "Ada\nstone\nlb\n\n176,5\n\n\n\n\n2100\n\n"
        let text = try show(["init"], on: computer, typing: answers) { $0["NO_COLOR"] = "1" }
        #expect(text.contains("What shall I call you?"))
        #expect(text.contains("display name    Ada"))
        #expect(text.contains("weight unit     lb"))
        #expect(try computer.run(["weight", "list"]).output.contains("176.5 lb"))
        #expect(try computer.run(["goal", "show"]).output.contains("2,100 kcal"))
        let silent = try Computer().run(["init"], input: "Ben\n")
        #expect(silent.status == 0 && !silent.output.contains("What shall I call you?"))
        let told = try show(["init", "--name", "Eva"], typing: "Ben\n")
        #expect(!told.contains("What shall I call you?"))
    }

    @Test func `no line of a day is wider than the terminal`() throws {
        let text = try show(["day", "show"]) { $0["NO_COLOR"] = "1" }
        for line in text.split(separator: "\r\n") { #expect(line.count <= 80, "\(line)") }
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
