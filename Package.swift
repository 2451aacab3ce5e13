// swift-tools-version: 6.2
import PackageDescription

/// Every target obeys the same laws: Swift 6 strict concurrency, and no warning survives.
let laws: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// One C library behind a module map. `package` is its Debian package, `brew` its Homebrew name.
func system(_ name: String, pkgConfig: String?, package: String, brew: String?) -> Target {
    .systemLibrary(
        name: name, path: "Sources/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([package])] + (brew.map { [.brew([$0])] } ?? []))
}

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: laws)
}

func program(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil,
    exclude: [String] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: laws)
}

/// Tests are compiled plainly even in a release build: what they test is optimised, and building them
/// takes half as long.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude,
        swiftSettings: laws + [.unsafeFlags(["-Onone"], .when(configuration: .release))])
}

/// libFuzzer's program needs a linker's flag that no other target may have: `make fuzz` asks for it.
let fuzzer: [Target] =
    Context.environment["MACROLOG_FUZZ"] == nil ? [] : [program("fuzz", ["Fuzzing"])]

let package = Package(
    name: "macrolog",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Macrolog", targets: ["Macrolog"]),
        .executable(name: "macrolog", targets: ["macrolog-cli"]),
        .executable(name: "sync-server", targets: ["sync-server"]),
    ],
    targets: [
        // Cellar: C libraries.
        system("CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev", brew: "sqlite"),
        system("CCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev", brew: "curl"),
        system("CZlib", pkgConfig: "zlib", package: "zlib1g-dev", brew: "zlib"),
        system(
            "CMicroHTTPD", pkgConfig: "libmicrohttpd", package: "libmicrohttpd-dev",
            brew: "libmicrohttpd"),
        system("CSodium", pkgConfig: "libsodium", package: "libsodium-dev", brew: "libsodium"),
        system("CZstd", pkgConfig: "libzstd", package: "libzstd-dev", brew: "zstd"),
        system("CZxcvbn", pkgConfig: nil, package: "libzxcvbn-dev", brew: nil),

        // Ground floor: pure. No clock, file, socket, C or Foundation.
        room("Events"),
        room("Nutrition", ["Events"]),
        room("HTTP"),
        room("JSON"),
        room("Commands"),
        room("Images"),

        // First floor: each room is the only importer of its C library.
        room("SQLite", ["CSQLite"]),
        room("Gzip", ["CZlib"]),
        room("Zstd", ["CZstd"]),
        room(
            "HTTPClient",
            [.target(name: "CCurl", condition: .when(platforms: [.linux])), "HTTP"]),
        room("HTTPServer", ["CMicroHTTPD", "HTTP"]),
        room("Seal", ["CSodium"]),
        room(
            "Passwords", [.target(name: "CZxcvbn", condition: .when(platforms: [.linux]))]),

        // Second floor: the engine.
        room("Log", ["Events", "SQLite"]),
        room("Projections", ["Events", "Nutrition", "SQLite", "Log"]),
        room("Sync", ["Events", "HTTP", "JSON", "Gzip"]),
        room(
            "Service",
            ["Events", "HTTP", "JSON", "SQLite", "Seal", "Passwords", "Gzip", "Zstd"]),
        room(
            "Macrolog",
            [
                "Events", "Nutrition", "Images", "JSON", "SQLite", "Log", "Projections", "Sync",
                "HTTP", "HTTPClient",
            ]),

        // Third floor: files that people bring and take away.
        room(
            "Formats",
            ["Events", "Nutrition", "JSON", "SQLite", "Log", "Projections", "Macrolog"]),

        // Proofs of the first floor.
        tests("SQLiteTests", ["SQLite"]),
        tests("CompressionTests", ["Gzip", "Zstd"]),
        tests("HTTPServerTests", ["HTTPServer", "HTTP"]),
        tests("SealTests", ["Seal"]),
        tests("PasswordsTests", ["Passwords"], exclude: ["common.txt"]),
        tests("HTTPClientTests", ["HTTPClient", "HTTP", "Gzip"]),

        // Proofs of the second floor.
        tests(
            "ServiceTests",
            [
                "Service", "HTTPServer", "Events", "HTTP", "JSON", "SQLite", "CSQLite", "Seal",
                "Gzip", "Zstd",
            ]),

        // Workshop.
        .target(name: "CFaultDisk", dependencies: ["CSQLite"]),
        // Proving exclusive access at each step took a tenth of the samples of a model world's profile.
        .target(
            name: "Simulation",
            dependencies: [
                "CFaultDisk", "Events", "Nutrition", "JSON", "SQLite", "Log", "Projections", "Sync",
                "Macrolog", "Formats", "HTTP", "Seal", "Service", "Gzip",
            ],
            swiftSettings: laws + [
                .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))
            ]),
        room(
            "Fuzzing",
            [
                "Events", "Nutrition", "HTTP", "JSON", "Commands", "Images", "HTTPServer", "Seal",
                "Gzip", "Zstd", "Log", "Sync", "Service", "Macrolog", "Formats",
            ]),
        .executableTarget(
            name: "demo", dependencies: ["Commands", "JSON"], resources: [.copy("diary.csv")],
            swiftSettings: laws),
        program("story", ["Simulation"]),
        program(
            "benchmarks",
            [
                "Events", "Nutrition", "JSON", "SQLite", "CSQLite", "Log", "Projections", "Zstd",
                "CMicroHTTPD", "HTTP", "HTTPServer", "Seal", "Service", "Macrolog",
            ]),

        // Front doors.
        program(
            "macrolog-cli",
            [
                "Macrolog", "Formats", "Log", "Projections", "Sync", "SQLite", "Events",
                "Nutrition", "Commands", "JSON", "Gzip", "Passwords",
            ], path: "client-cli"),
        program(
            "sync-server",
            ["Service", "HTTPServer", "HTTP", "JSON", "SQLite", "Seal", "Commands"],
            path: "sync-server"),

        // Tests.
        tests("EventsTests", ["Events", "CSodium"], exclude: ["Vectors"]),
        tests("CommandsTests", ["Commands"]),
        tests(
            "CommandLineTests",
            [
                "macrolog-cli", "sync-server", "demo", "Commands", "JSON", "Events", "Nutrition",
                "Log", "Projections", "Macrolog", "Formats", "Simulation", "SQLite", "Gzip",
            ], exclude: ["Charts", "Transcripts"]),
        tests(
            "FormatsTests",
            ["Formats", "Events", "Nutrition", "JSON", "Log", "Projections", "Macrolog", "SQLite"]),
        tests("ProjectionsTests", ["Events", "Nutrition", "SQLite", "Log", "Projections"]),
        tests("JSONTests", ["JSON"]),
        tests("ImagesTests", ["Images"]),
        tests(
            "MacrologTests",
            [
                "Macrolog", "Log", "Projections", "Service", "Seal", "HTTPServer", "HTTP", "Sync",
                "sync-server", "Events", "Nutrition", "SQLite", "CSQLite", "Gzip",
            ], exclude: ["Golden"]),
        tests(
            "SimulationTests",
            ["Simulation", "Macrolog", "Formats", "Events", "Log", "JSON", "SQLite", "Sync"]),
        tests("SyncTests", ["Sync", "HTTP"]),
        tests("FuzzingTests", ["Fuzzing", "Events"], exclude: ["Corpus", "agree.py"]),
        tests("NutritionTests", ["Nutrition", "Events"]),
        tests("ProtocolTests", ["Events", "Nutrition"], exclude: ["avoided-phrases.txt"]),
    ] + fuzzer
)
