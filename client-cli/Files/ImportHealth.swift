import Macrolog
import MacrologArgumentParsing
import MacrologFormats

/// `import apple-health`: what a phone and a watch counted.
enum ImportHealth {
    static let command = Verb(
        "import apple-health",
        "Bring in what Apple's Health app counted and measured.",
        example: "import apple-health export.xml --dry-run",
        explanation: """
            In the Health app choose your picture, then Export All Health Data, and take export.xml out of
            the zip file, or type: unzip -p export.zip '*/export.xml' | macrolog import apple-health -
            However long the file is, it is read piece by piece, and nothing is written before its end was
            read. Taken are steps and active energy of each day; sleep, resting heart rate and its
            variability as the day's check-in; weights, body fat and workouts. The rest is left out.

            A phone and a watch count the same steps: each day has the numbers of the source that counted
            most, never their sum. Two records of one workout count once. A record belongs to the day of its
            own time and offset; sleep belongs to the day on which it ends, or to the next one if it ends at
            18:00 or later. The check-in of a day comes in once the day is over.

            Importing again doubles nothing: steps and energy of a day become as the file says, which --dry-run
            shows; weights, body fat, workouts and what a check-in says already stay, and so does what you
            deleted. One `undo` undoes the whole import.
            """, run: run
    ) {
        ImportCSV.file
        ImportCSV.dryRun
    }

    private static func run(_ arguments: ParsedArguments, _ home: inout Home) throws {
        let pieces = try InputPieces(arguments[ImportCSV.file], arguments)
        var bar = ProgressLine("Reading", home)
        let total = pieces.count
        let source = try HealthImport(
            pieces.next, preferences: try home.preferences,
            progress: { bar.show(Int64($0), total) })
        bar.end()
        let replica = try home.replica
        let isDry = arguments[ImportCSV.dryRun]
        let result =
            isDry
            ? (parts: try source.plan(in: replica), group: nil) : try source.run(in: replica)
        try ImportLines.tell(
            result, isDry: isDry, ifEmpty: "The file has nothing to import.", &home)
        try ImportLines.refuse(result.parts, arguments, isDry: isDry)
    }
}
