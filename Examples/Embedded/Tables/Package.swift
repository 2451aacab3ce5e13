// swift-tools-version: 6.2
import PackageDescription

// A package that an app has beside Macrolog, with targets of the same names as two of its rooms.
let package = Package(
    name: "Tables",
    products: [.library(name: "Tables", targets: ["SQLite", "JSON"])],
    targets: [.target(name: "SQLite"), .target(name: "JSON")])
