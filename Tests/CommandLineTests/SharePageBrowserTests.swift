import Foundation
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: a real browser shows the page of a share as it is meant: with its style, in light and in dark, and
/// without a complaint about its policy.
/// Method: headless Chromium, where installed, on the real server over loopback; what it logs to its console
/// and what it draws.
@Suite(.enabled("Chromium or the libraries that draw are not installed") { canLook })
struct SharePageBrowserTests {
    /// Opens an address, and gives what the browser made of it and what it logged.
    private func look(
        _ address: String, in folder: ScratchFolder, _ words: [String]
    ) throws -> (document: String, console: [Substring]) {
        let process = Process()
        process.executableURL = URL(filePath: try #require(browser))
        process.arguments =
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--enable-logging=stderr", "--user-data-dir=\(folder.file("profile"))",
            ] + words + [address]
        process.environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin"]
        let output = Pipe()
        process.standardOutput = output
        let log = URL(filePath: folder.file("log"))
        try Data().write(to: log)
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        let document = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let lines = String(decoding: try Data(contentsOf: log), as: UTF8.self)
            .split(separator: "\n").filter { $0.contains("CONSOLE") }
        return (String(decoding: document, as: UTF8.self), lines)
    }

    @Test func `a browser draws the page in light and in dark, and has nothing to complain about`()
        throws
    {
        let two = try SyncedDevices()
        try two.run(two.phone, "add Porridge --kcal 380 --p 14 --at 2024-03-10T07:40")
        let link = try #require(
            try two.json(two.phone, "share day 2024-03-10")["link"]?.string)
        let folder = ScratchFolder()
        let (document, console) = try look(link, in: folder, ["--dump-dom"])
        #expect(document.contains("<bdi>Porridge</bdi>"), "\(document)")
        #expect(console == [])
        var pictures: Set<Data> = []
        // 0 is dark, 1 is light; another style than the page's own would be the same in both.
        for scheme in [0, 1] {
            let picture = folder.file("page-\(scheme).png")
            let (_, console) = try look(
                link, in: folder,
                [
                    "--screenshot=\(picture)", "--window-size=500,740",
                    "--blink-settings=preferredColorScheme=\(scheme)",
                ])
            #expect(console == [])
            pictures.insert(try Data(contentsOf: URL(filePath: picture)))
        }
        #expect(pictures.count == 2)
    }
}

private let browser = [
    "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome",
].first { FileManager.default.isExecutableFile(atPath: $0) }

private let canLook = browser != nil && canDrawCards
