import Foundation
import MacrologHTTP
import MacrologHTTPClient
import MacrologJSON
import MacrologTestSupport

/// Headless Chromium, which is asked over WebDriver.
final class Browser {
    /// A screen.
    struct Screen: CustomStringConvertible {
        let width: Int
        let height: Int
        let isPhone: Bool
        let isDark: Bool

        static let all: [Screen] = [true, false].flatMap { isDark in
            [
                Screen(width: 390, height: 844, isPhone: true, isDark: isDark),
                Screen(width: 1_280, height: 800, isPhone: false, isDark: isDark),
            ]
        }

        var description: String {
            "\(isPhone ? "phone" : "desktop")-\(isDark ? "dark" : "light")"
        }
    }

    /// The browser has not done what it was asked.
    struct Failed: Error { let text: String }

    private static let program = ["/usr/bin/chromium", "/usr/bin/google-chrome"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    private static let driver = "/usr/bin/chromedriver"

    /// Whether the programs are installed.
    static let isThere = program != nil && FileManager.default.isExecutableFile(atPath: driver)

    /// The rules of accessibility of axe-core, as one script; `nil` where `.ci/python` has not installed them.
    static let axe: String? = {
        let libraries = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: ".build/python/lib").path
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: libraries)) ?? []
        return versions.lazy.compactMap { version in
            try? String(
                contentsOfFile:
                    "\(libraries)/\(version)/site-packages/axe_playwright_python/axe.min.js",
                encoding: .utf8)
        }.first
    }()

    private let folder = ScratchFolder()
    private let process: UnpackedProcess
    private let transport = HTTPTransport()
    private let origin: Origin
    private var session = ""

    init() throws {
        let port = Loopback.freePort()
        process = try UnpackedProcess(
            Self.driver, ["--port=\(port)"], of: UnpackedTools("chromium"),
            log: folder.file("log"), lastSignal: SIGKILL, keepsUser: true,
            variables: ["HOME": folder.path])
        origin = try Origin("http://127.0.0.1:\(port)")
        eventually { [process] in Loopback.isOpen(port) || !process.isRunning }
        let words = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--user-data-dir=\(folder.file("profile"))",
        ]
        let answer = try send(
            "POST", "/session",
            [
                "capabilities": [
                    "alwaysMatch": [
                        "goog:loggingPrefs": ["browser": "ALL"],
                        "goog:chromeOptions": [
                            "binary": .string(Self.program ?? ""),
                            "args": .array(words.map { .string($0) }),
                        ],
                    ]
                ]
            ])
        session = "/session/\(answer["sessionId"]?.string ?? "")"
        _ = try send(
            "POST", "\(session)/timeouts", ["script": 600_000, "pageLoad": 600_000])
    }

    deinit {
        _ = try? send("DELETE", session)
        process.end()
    }

    private func send(_ method: String, _ path: String, _ body: JSON? = nil) throws -> JSON {
        let answer = try transport.send(
            HTTPRequest(
                method: method, path: path,
                fields: [HTTPField("content-type", "application/json")],
                body: body.map { Array($0.compact.utf8) } ?? []),
            to: origin,
            limits: ExchangeLimits(exchangeMilliseconds: 600_000, stallSeconds: 600))
        let value = try JSON.parse(answer.body)["value"]
        guard answer.status == 200, let value else {
            throw Failed(text: "\(path): \(value?["message"]?.string ?? "\(answer.status)")")
        }
        return value
    }

    private func developer(_ command: String, _ parameters: JSON) throws -> JSON {
        try send(
            "POST", "\(session)/goog/cdp/execute",
            ["cmd": .string(command), "params": parameters])
    }

    func use(_ screen: Screen) throws {
        _ = try developer(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .integer(Int64(screen.width)), "height": .integer(Int64(screen.height)),
                "deviceScaleFactor": screen.isPhone ? 2 : 1, "mobile": .bool(screen.isPhone),
            ])
        _ = try developer(
            "Emulation.setEmulatedMedia",
            [
                "features": [
                    [
                        "name": "prefers-color-scheme", "value": screen.isDark ? "dark" : "light",
                    ]
                ]
            ])
    }

    func open(_ address: String) throws {
        _ = try send("POST", "\(session)/url", ["url": .string(address)])
    }

    /// What an expression in JavaScript comes to on the page.
    func value(_ expression: String) throws -> JSON {
        try send(
            "POST", "\(session)/execute/sync",
            ["script": .string("return \(expression)"), "args": []])
    }

    /// What the browser has written to its console since the last call.
    func console() throws -> [String] {
        try send("POST", "\(session)/se/log", ["type": "browser"]).array?.compactMap {
            $0["message"]?.string
        } ?? []
    }

    /// What axe-core finds wrong on the page, or cannot decide.
    func faults(_ axe: String) throws -> [String] {
        _ = try send(
            "POST", "\(session)/execute/sync", ["script": .string(axe), "args": []])
        let found = try send(
            "POST", "\(session)/execute/async",
            [
                "script": """
                const done = arguments[0]
                axe.run().then(found => done(
                    found.passes.length == 0 ? ["no rule was tried"] :
                    found.violations.concat(found.incomplete).flatMap(rule =>
                        rule.nodes.map(node => rule.id + ": " + node.html + ": " + node.failureSummary))),
                    error => done([String(error)]))
                """, "args": [],
            ])
        return found.array?.compactMap { $0.string } ?? ["no answer"]
    }

    /// The page as a PNG file, as much as fits 4,000 pixels.
    func picture() throws -> Data {
        let height = min(try value("document.documentElement.scrollHeight").integer ?? 0, 4_000)
        let width = try value("document.documentElement.scrollWidth")
        let answer = try developer(
            "Page.captureScreenshot",
            [
                "captureBeyondViewport": true,
                "clip": ["x": 0, "y": 0, "width": width, "height": .integer(height), "scale": 1],
            ])
        guard let data = answer["data"]?.string.flatMap({ Data(base64Encoded: $0) }) else {
            throw Failed(text: "no picture")
        }
        return data
    }
}
