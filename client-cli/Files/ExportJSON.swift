import MacrologArgumentParsing
import MacrologFormats
import Macrolog
import MacrologFaces

/// `export json`: exports everything, without loss.
enum ExportJSON {
    static let command = Verb(
        "export json", "Export the whole log as JSON, without loss.",
        example: "export json diary.json", "export json | gzip > diary.json.gz",
        explanation: """
            Every event with its exact bytes, its vector clock and its number in the server's log,
            and the current entities: an archive that other programs can read. No command reads it
            back: a new file gets the log by syncing, or its meals, weigh-ins and water from what
            `export csv` wrote.
            """, run: run
    ) {
        ExportOptions.file
        ExportOptions.force
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        try home.requireLog()
        let replica = try home.replica
        var line = ProgressLine("Exporting", home)
        try ExportOptions.write(arguments, &home) { sink in
            let counts = try JSONExport.write(
                replica, progress: { line.show($0, $1) }, to: { try sink(Array($0.utf8)) })
            line.end()
            return (
                counted(counts.events, "event"),
                [.events(counts.events), .entities(counts.entities)]
            )
        }
    }
}
