// swift-tools-version: 6.2
import PackageDescription

// A package that an app has beside Macrolog, with a target of the same name as one of its rooms.
let package = Package(
    name: "Notes",
    products: [.library(name: "Notes", targets: ["Log"])],
    targets: [.target(name: "Log")])
