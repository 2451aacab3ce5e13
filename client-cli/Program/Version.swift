import MacrologArgumentParsing
import MacrologJSON

/// `version`: prints the version.
enum Version {
    static let number = "0.1.0"

    static let command = Verb(
        "version", "Print the version.", example: "version", "version --json", run: run)

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        try home.show(.object([JSON.Member("version", .string(number))])) { home in
            home.output.write("macrolog \(number)\n")
        }
    }
}
