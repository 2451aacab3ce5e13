import MacrologArgumentParsing

/// `man`: the manual page.
enum PrintManual {
    static let command = Verb(
        "man", "Print the manual page.", example: "man | man -l -", run: run)

    static func run(arguments: ParsedArguments, home: inout Home) {
        home.output.write(program.manual())
    }
}
