import MacrologArgumentParsing
import Foundation
import Testing

/// Goal: the generated scripts and the manual page are understood by those who read them.
/// Method: the real shells and the real `groff`; where one is not installed its tests say so.
@Suite struct ShellTests {
    @Test(.enabled("bash is not installed") { find("bash") != nil })
    func `bash understands its script`() throws {
        let script = Sample.program.completionScript(for: .bash)
        let result = try run("bash", ["-n"], input: script)
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test(
        .enabled("bash is not installed") { find("bash") != nil },
        arguments: [
            (["m"], "meal"), (["meal", ""], "list edit"),
            (["meal", "list", "--d"], "--days --db --date"),
            (["add", "x", "--slot", ""], "breakfast lunch dinner snack"),
            (["add", "x", "--slot", "=", "l"], "lunch"),
            (
                ["add", "x", "--slot", "="],
                "breakfast lunch dinner snack"
            ),
            (["--date", "meal", "wei"], "weight"), (["sync", ""], "status"), (["he"], "help"),
            (["help", "a"], "add all"), (["help", "meal", "e"], "edit"),
            (["help", "meal", "a"], ""),
            (["sync", "--watch", ""], ""),
            (["--json", "sync", "status", "--"], "--json --db --date --help"),
            (
                ["add", "x", "-"],
                "--grams -g --slot --tag -t --estimated -e --quiet -q --json --db "
                    + "--date --help -h"
            ),
            (["add", "--db", "Packa"], "Package.swift"),
            (["weight", "log", "1", "--into", "Source"], "Sources"),
        ])
    func `bash offers what fits`(typed: [String], offered: String) throws {
        let words = (["macrolog"] + typed).map { "'\($0)'" }.joined(separator: " ")
        let script =
            Sample.program.completionScript(for: .bash) + """

                COMP_WORDS=(\(words))
                COMP_CWORD=\(typed.count)
                _macrolog
                echo "${COMPREPLY[*]}"
                """
        let result = try run("bash", [], input: script)
        #expect(result.output == offered + "\n", "\(result.errors)")
        #expect(result.errors == "")
    }

    @Test(.enabled("zsh is not installed") { find("zsh") != nil })
    func `zsh understands its script`() throws {
        let script = Sample.program.completionScript(for: .zsh)
        let result = try run("zsh", ["-n"], input: script)
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test(.enabled("fish is not installed") { find("fish") != nil })
    func `fish understands its script`() throws {
        let script = Sample.program.completionScript(for: .fish)
        let result = try run("fish", ["--no-execute"], input: script)
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test(
        .enabled("fish is not installed") { find("fish") != nil },
        arguments: [
            ("macrolog m", "meal"), ("macrolog meal ", "list edit"),
            ("macrolog meal list --d", "--days --db --date"),
            ("macrolog add x --slot l", "lunch"), ("macrolog add x --slot=l", "--slot=lunch"),
            ("macrolog --date meal wei", "weight"), ("macrolog he", "help"),
            ("macrolog help a", "add all"), ("macrolog help meal e", "edit"),
            ("macrolog help meal a", ""), ("macrolog a", "add"),
        ])
    func `fish offers what fits`(typed: String, offered: String) throws {
        let script =
            Sample.program.completionScript(for: .fish)
            + "\nfor line in (complete -C '\(typed)'); string split -f1 \\t -- $line; end\n"
        let result = try run("fish", ["--no-config"], input: script)
        let words = result.output.split(separator: "\n").map(String.init).sorted()
        #expect(
            words == offered.split(separator: " ").map(String.init).sorted(), "\(result.errors)")
    }

    @Test(.enabled("groff is not installed") { find("groff") != nil })
    func `groff sets the manual page without a warning`() throws {
        let manual = Sample.program.manual()
        #expect(manual.utf8.allSatisfy { $0 < 0x80 })
        let result = try run(
            "groff", ["-Tutf8", "-man", "-ww", "-P-c", "-P-b", "-P-u"], input: manual)
        #expect(result.status == 0)
        #expect(result.errors == "")
        #expect(result.output.contains("macrolog - A food diary that works without a network"))
        #expect(result.output.contains("macrolog meal edit ID [NOTE] [TAGS...] --map FIELDS"))
        #expect(result.output.contains("It's yours."))
        #expect(result.output.contains("--slot breakfast|lunch|dinner|snack"))
        #expect(
            result.output.contains(
                "The diary is `~/.macrolog/diary.db`.  .hidden 'quoted' \\ « é\" ^~"))
        #expect(result.output.contains("64"))
    }

    @Test func `the manual page tells of every verb`() {
        let manual = Sample.program.manual()
        for command in Sample.program.commands {
            #expect(manual.contains(".SS \"macrolog \(command.path.joined(separator: " "))"))
        }
    }
}

private struct Ran {
    let status: Int32
    let output: String
    let errors: String
}

/// The path of a program, if it is installed.
private func find(_ program: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
}

/// Runs a program with a text as its input. The text is small enough for a file's buffer.
private func run(_ program: String, _ arguments: [String], input: String) throws -> Ran {
    let process = Process()
    let path = try #require(find(program))
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
        "commands-\(UUID().uuidString)")
    try Data(input.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments + [file.path]
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let outputData = output.fileHandleForReading.readDataToEndOfFile()
    let errorData = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Ran(
        status: process.terminationStatus, output: String(decoding: outputData, as: UTF8.self),
        errors: String(decoding: errorData, as: UTF8.self))
}
