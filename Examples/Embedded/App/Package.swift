// swift-tools-version: 6.2
import PackageDescription

// An app in a package of its own, which depends on Macrolog by its tag, as a reader of the README would
// write it, and on two packages whose targets have the names of Macrolog's rooms. `.ci/embed` builds and
// runs it, and says where the repository is.
let package = Package(
    name: "app",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: Context.environment["MACROLOG_URL"] ?? "", from: "0.1.0"),
        .package(path: "../Tables"),
        .package(path: "../Notes"),
    ],
    targets: [
        .target(name: "StandInUI"),
        .executableTarget(
            name: "App",
            dependencies: [
                "StandInUI",
                .product(name: "Macrolog", package: "macrolog"),
                .product(name: "MacrologFormats", package: "macrolog"),
                .product(name: "Tables", package: "Tables"),
                .product(name: "Notes", package: "Notes"),
            ]),
    ])
