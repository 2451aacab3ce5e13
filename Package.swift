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

/// The module of a room: `Log` is `MacrologLog` and `CSQLite` is `CMacrologSQLite`, so that no other
/// package has a module of the same name. The libraries and the programs stand alone.
func module(_ room: String) -> String {
    let letters = Array(room)
    if ["Macrolog", "SyncLog"].contains(room) || letters[0].isLowercase { return room }
    if letters[0] == "C" && letters[1].isUppercase { return "CMacrolog" + room.dropFirst() }
    return "Macrolog" + room
}

func modules(_ rooms: [String]) -> [Target.Dependency] {
    rooms.map { .byName(name: module($0)) }
}

/// One C library behind a module map. `package` is its Debian package, `brew` its Homebrew name.
func system(_ name: String, pkgConfig: String?, package: String, brew: String?) -> Target {
    .systemLibrary(
        name: "CMacrolog\(name)", path: "Sources/C/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([package])] + (brew.map { [.brew([$0])] } ?? []))
}

/// A room, by its folder below `Sources`, and the rooms that it may import.
func room(
    _ folder: String, _ rooms: [String] = [], onLinux: [String] = [], exclude: [String] = [],
    settings: [SwiftSetting] = []
) -> Target {
    .target(
        name: module(String(folder.split(separator: "/").last ?? "")),
        dependencies: modules(rooms)
            + onLinux.map {
                .byName(name: module($0), condition: .when(platforms: [.linux]))
            },
        path: "Sources/\(folder)", exclude: exclude, swiftSettings: laws + settings)
}

func program(
    _ name: String, _ rooms: [String], path: String, exclude: [String] = [],
    resources: [Resource] = [], packageAccess: Bool = true
) -> Target {
    .executableTarget(
        name: name, dependencies: modules(rooms), path: path, exclude: exclude,
        resources: resources, packageAccess: packageAccess, swiftSettings: laws)
}

/// Tests are compiled plainly even in a release build: what they test is optimised, and building them
/// takes half as long.
func tests(_ name: String, _ rooms: [String], exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: modules(rooms), exclude: exclude,
        swiftSettings: laws + [.unsafeFlags(["-Onone"], .when(configuration: .release))])
}

/// libFuzzer's program needs a linker's flag that no other target may have: `make fuzz` asks for it.
let fuzzer: [Target] =
    Context.environment["MACROLOG_FUZZ"] == nil
    ? [] : [program("fuzz", ["Fuzzing", "Platform"], path: "Sources/Workshop/fuzz")]

let package = Package(
    name: "macrolog",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Macrolog", targets: ["Macrolog"]),
        .library(name: "SyncLog", targets: ["SyncLog"]),
        .library(name: "MacrologFormats", targets: ["MacrologFormats"]),
        .executable(name: "macrolog", targets: ["macrolog-cli"]),
        .executable(name: "sync-server", targets: ["sync-server"]),
    ],
    targets: [
        // C libraries.
        system("SQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev", brew: "sqlite"),
        // Curl, Zxcvbn, Crypt, Cairo, PostgreSQL and Scanning: headers only; the libraries are opened when they are first needed.
        system("Curl", pkgConfig: nil, package: "libcurl4-openssl-dev", brew: nil),
        system("System", pkgConfig: nil, package: "libc6-dev", brew: nil),
        system("Zlib", pkgConfig: "zlib", package: "zlib1g-dev", brew: "zlib"),
        system(
            "MicroHTTPD", pkgConfig: "libmicrohttpd", package: "libmicrohttpd-dev",
            brew: "libmicrohttpd"),
        system("Sodium", pkgConfig: "libsodium", package: "libsodium-dev", brew: "libsodium"),
        system("Zstd", pkgConfig: "libzstd", package: "libzstd-dev", brew: "zstd"),
        system("Zxcvbn", pkgConfig: nil, package: "libzxcvbn-dev", brew: nil),
        system("Crypt", pkgConfig: nil, package: "libcrypt-dev", brew: nil),
        system("Cairo", pkgConfig: nil, package: "libpangocairo-1.0-0", brew: nil),
        system("PostgreSQL", pkgConfig: nil, package: "libpq5", brew: nil),
        system("Scanning", pkgConfig: nil, package: "libzbar0", brew: nil),

        // The one C source of our own: instructions that have no names in Swift.
        .target(name: module("CSHA256"), path: "Sources/C/SHA256"),

        // Pure: no clock, file, socket, C or Foundation; Wire computes without its C, too.
        room("Pure/Events"),
        room("Pure/Wire", ["CSHA256", "Events"]),
        room("Pure/Nutrition", ["Events"]),
        room("Pure/HTTP"),
        room("Pure/JSON"),
        room("Pure/Images"),
        room("Pure/Terminal", ["JSON"]),
        room("Pure/ArgumentParsing", ["Terminal"]),
        room("Pure/Faces", ["Events", "Wire", "Nutrition", "JSON", "Terminal"]),
        room("Pure/SharePage", ["JSON", "Terminal"]),
        room("Pure/Legacy", ["JSON"]),
        room("Pure/Labels", ["Events", "Nutrition"]),

        // Keepers: each is the only importer of its C library.
        room("Keepers/Platform"),
        room("Keepers/System", ["Platform", "CSystem"]),
        room("Keepers/SQLite", ["CSQLite", "System"]),
        room("Keepers/PostgreSQL", ["CPostgreSQL", "Platform", "System"]),
        room("Keepers/Compression/Gzip", ["CZlib"]),
        room("Keepers/Compression/Zstd", ["CZstd"]),
        room("Keepers/HTTPClient", ["HTTP", "System"], onLinux: ["CCurl"]),
        room("Keepers/HTTPServer", ["CMicroHTTPD", "HTTP", "Platform", "System"]),
        room("Keepers/Cryptography", ["CSodium", "System"], onLinux: ["CCrypt"]),
        room("Keepers/Passwords", ["System"], onLinux: ["CZxcvbn"]),
        room("Keepers/Drawing", ["CCairo", "Faces", "System"]),
        room("Keepers/Scanning", ["CScanning", "Images", "Labels", "System"]),

        // A person's device.
        room("Device/Log", ["Events", "Wire", "SQLite", "System"]),
        room("Device/Recovery", ["Events", "Wire", "SQLite", "Log"], exclude: ["CASES.md"]),
        room("Device/ReadModels", ["Events", "Wire", "SQLite", "Log", "Recovery"]),
        room(
            "Device/NutritionModels",
            ["Events", "Wire", "Nutrition", "SQLite", "Log", "ReadModels"]),
        room(
            "Device/Diary",
            ["Events", "Wire", "Nutrition", "SQLite", "Log", "ReadModels", "NutritionModels"]),
        room(
            "Device/Engine",
            [
                "Events", "Wire", "Images", "JSON", "SQLite", "Log", "Recovery", "ReadModels",
                "HTTP",
                "HTTPClient", "Gzip", "System",
            ]),
        room("Device/SyncLog", ["Events", "SQLite", "Log", "ReadModels", "Engine"]),
        room(
            "Device/Macrolog",
            [
                "Events", "Wire", "Nutrition", "Images", "SQLite", "Log", "ReadModels",
                "NutritionModels",
                "Diary", "Engine", "System",
            ]),
        room(
            "Formats",
            [
                "Events", "Wire", "Nutrition", "JSON", "Legacy", "SQLite", "Log", "ReadModels",
                "NutritionModels", "Macrolog",
            ]),

        room(
            "Analysis",
            [
                "Events", "Nutrition", "Images", "JSON", "Faces", "HTTP", "HTTPClient", "Formats",
                "Log", "NutritionModels", "Diary", "Engine", "Macrolog", "System",
            ]),

        // The server of many people.
        room(
            "Server/Service",
            [
                "Events", "Wire", "HTTP", "JSON", "Images", "SharePage", "SQLite", "PostgreSQL",
                "Cryptography",
                "Passwords",
                "Gzip", "Zstd", "System",
            ],
            // The SQL of a store is written once, for connections that nothing can copy.
            settings: [.enableExperimentalFeature("SuppressedAssociatedTypes")]),

        room(
            "Server/ObjectStorage",
            ["Events", "Wire", "HTTP", "HTTPClient", "Cryptography", "Service", "System"]),

        room(
            "Server/Gateway",
            [
                "Macrolog", "Analysis", "Diary", "Engine", "Log", "NutritionModels", "Events",
                "Wire",
                "Nutrition", "Faces", "Formats", "Drawing", "HTTP", "HTTPClient", "JSON", "Images",
                "Service", "System",
            ]),

        // Front doors. The command line is compiled as another package would be: what it does, an app
        // can do.
        program(
            "macrolog-cli",
            [
                "Macrolog", "Analysis", "Faces", "Formats", "ArgumentParsing", "Terminal", "JSON",
                "Gzip", "Passwords", "Drawing", "Scanning", "Labels", "System",
            ], path: "client-cli", exclude: ["README.md"], packageAccess: false),
        program(
            "sync-server",
            [
                "Events", "Wire", "Service", "ObjectStorage", "Gateway", "Analysis", "HTTPServer",
                "HTTP", "JSON", "Legacy",
                "Passwords",
                "SQLite", "PostgreSQL", "System", "Cryptography", "ArgumentParsing", "Terminal",
            ], path: "sync-server", exclude: ["README.md", "deploy"]),

        // Workshop: what tests, measures and shows all of it. In no product.
        .target(
            name: "CMacrologFaultDisk", dependencies: modules(["CSQLite"]),
            path: "Sources/Workshop/FaultDisk"),
        .target(
            name: "CMacrologPeer", dependencies: modules(["CSQLite", "CSHA256"]),
            path: "Sources/Workshop/Peer"),
        room("Workshop/TestSupport", ["Events", "Wire", "JSON", "HTTP", "HTTPServer"]),
        // Proving exclusive access at each step took a tenth of the samples of a model world's profile.
        room(
            "Workshop/Simulation",
            [
                "CFaultDisk", "Events", "Wire", "Nutrition", "JSON", "SQLite", "Log", "Recovery",
                "ReadModels", "NutritionModels", "Engine", "Macrolog", "Formats", "HTTP",
                "Cryptography",
                "Service", "Gzip", "Platform", "System", "TestSupport",
            ],
            settings: [
                .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))
            ]),
        room(
            "Workshop/Fuzzing",
            [
                "Events", "Wire", "Nutrition", "HTTP", "JSON", "ArgumentParsing", "Terminal",
                "Images",
                "HTTPServer", "Cryptography", "Gzip", "Zstd", "Log", "Engine", "Service", "Gateway",
                "Macrolog",
                "Formats", "Analysis", "SharePage", "Platform", "TestSupport",
            ]),
        program(
            "demo", ["ArgumentParsing", "Terminal", "JSON"], path: "Sources/Workshop/demo",
            resources: [.copy("diary.csv")]),
        program("story", ["Simulation", "Platform"], path: "Sources/Workshop/story"),
        program(
            "benchmarks",
            [
                "Events", "Wire", "Nutrition", "JSON", "SQLite", "CSQLite", "Log", "ReadModels",
                "NutritionModels", "Zstd", "CMicroHTTPD", "HTTP", "HTTPServer", "Cryptography",
                "Service",
                "Macrolog", "Platform", "System", "TestSupport", "CPeer", "PostgreSQL",
                "CPostgreSQL",
            ], path: "Sources/Workshop/Benchmarks",
            exclude: ["README.md", "Peers", "Records"]),

        // Tests, one target a room.
        tests("EventsTests", ["Events", "Wire", "CSodium", "TestSupport"], exclude: ["Vectors"]),
        tests("NutritionTests", ["Nutrition", "Events", "TestSupport"]),
        tests("JSONTests", ["JSON", "TestSupport"]),
        tests("LegacyTests", ["Legacy", "JSON", "TestSupport"]),
        tests("ImagesTests", ["Images", "TestSupport"]),
        tests("ArgumentParsingTests", ["ArgumentParsing", "Terminal", "TestSupport"]),
        tests("SystemTests", ["System", "Platform", "TestSupport"]),
        tests("SQLiteTests", ["SQLite", "TestSupport"]),
        tests("PostgreSQLTests", ["PostgreSQL", "System", "TestSupport"]),
        tests("CompressionTests", ["Gzip", "Zstd", "TestSupport"]),
        tests("HTTPClientTests", ["HTTPClient", "HTTP", "Gzip"]),
        tests("HTTPServerTests", ["HTTPServer", "HTTP", "TestSupport"]),
        tests("CryptographyTests", ["Cryptography"]),
        tests("PasswordsTests", ["Passwords"], exclude: ["common.txt"]),
        tests("DrawingTests", ["Drawing", "Faces", "CZlib", "TestSupport"]),
        tests("LabelsTests", ["Labels", "Events", "Nutrition"]),
        tests(
            "ScanningTests",
            ["Scanning", "Labels", "Nutrition", "Drawing", "Faces", "System", "TestSupport"]),
        tests(
            "FacesTests", ["Faces", "Events", "Nutrition", "JSON"], exclude: ["Golden"]),
        tests("SharePageTests", ["SharePage", "Faces", "JSON"]),
        // Compiled as another package would be, so that it can use only what is public.
        .target(
            name: "MacrologTodo", dependencies: modules(["SyncLog"]), path: "Examples/Todo",
            packageAccess: false, swiftSettings: laws),
        .target(
            name: "MacrologGuide", dependencies: modules(["Macrolog", "Formats"]),
            path: "Examples/Guide", packageAccess: false, swiftSettings: laws),
        tests(
            "SyncLogTests",
            ["SyncLog", "Macrolog", "Todo", "SQLite", "ReadModels", "sync-server", "TestSupport"]),
        tests("EngineTests", ["Engine", "HTTP", "Events", "TestSupport"]),
        tests(
            "ReadModelsTests",
            [
                "Events", "Wire", "Nutrition", "SQLite", "Log", "Recovery", "ReadModels",
                "NutritionModels", "TestSupport", "CPeer",
            ]),
        tests(
            "MacrologTests",
            [
                "Macrolog", "Guide", "Formats", "Images", "Log", "ReadModels", "NutritionModels",
                "Service",
                "Cryptography",
                "HTTPServer", "HTTP", "Engine", "sync-server", "Events", "Wire", "Nutrition",
                "SQLite",
                "CSQLite", "Gzip", "System", "TestSupport",
            ], exclude: ["Golden"]),
        tests(
            "FormatsTests",
            [
                "Formats", "Events", "Wire", "Nutrition", "JSON", "Log", "ReadModels",
                "NutritionModels",
                "Macrolog", "SQLite", "TestSupport",
            ]),
        tests(
            "AnalysisTests",
            [
                "Analysis", "HTTP", "JSON", "Macrolog", "Diary", "Nutrition", "Events",
                "System", "TestSupport",
            ]),
        tests(
            "ServiceTests",
            [
                "Service", "ObjectStorage", "HTTPServer", "Events", "Wire", "HTTP", "JSON",
                "SQLite", "CSQLite", "PostgreSQL", "Cryptography", "System", "sync-server",
                "Gzip", "Zstd", "TestSupport",
            ]),
        tests(
            "ObjectStorageTests",
            [
                "ObjectStorage", "Service", "Cryptography", "Events", "Wire", "HTTP",
                "TestSupport",
            ]),
        tests(
            "GatewayTests",
            [
                "Gateway", "Analysis", "Service", "PostgreSQL", "Macrolog", "Diary", "Engine",
                "Faces", "Events", "Wire", "Nutrition", "HTTP", "HTTPServer", "JSON", "SQLite",
                "Cryptography", "System", "TestSupport",
            ]),
        tests(
            "CommandLineTests",
            [
                "macrolog-cli", "sync-server", "demo", "ArgumentParsing", "Terminal", "JSON",
                "Events", "Wire", "Nutrition", "Log", "ReadModels", "NutritionModels", "Faces",
                "Macrolog",
                "Formats", "Simulation", "Service", "HTTP", "HTTPClient", "SQLite", "Gzip",
                "Cryptography",
                "Drawing", "System", "TestSupport",
            ], exclude: ["Charts", "Transcripts"]),
        tests(
            "SimulationTests",
            [
                "Simulation", "Macrolog", "Formats", "Events", "Wire", "Log", "Recovery", "JSON",
                "SQLite", "PostgreSQL", "Service", "Engine", "System", "TestSupport",
            ]),
        tests(
            "FuzzingTests", ["Fuzzing", "Events", "Wire", "TestSupport"],
            exclude: ["Corpus", "agree.py"]),
        tests(
            "ProtocolTests", ["Events", "Wire", "Nutrition", "JSON", "Service"],
            exclude: ["avoided-phrases.txt"]),
    ] + fuzzer
)

// `MACROLOG_TESTS=Log,Service swift test` compiles only these test targets and what they need.
if let chosen = Context.environment["MACROLOG_TESTS"] {
    let names = chosen.split(separator: ",").map { "\($0)Tests" }
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}
