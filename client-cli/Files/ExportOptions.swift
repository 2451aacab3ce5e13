import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// The destination of an export.
enum ExportOptions {
    static let file = Parameter.optionalArgument(
        "file", .file, "The file to write; otherwise standard output.")
    static let force = Parameter.flag("force", "Replace a file of that name.")

    /// The file that was typed; `nil` for standard output.
    static func path(_ arguments: ParsedArguments) -> String? {
        arguments[file].flatMap { $0.utf8.elementsEqual("-".utf8) ? nil : $0 }
    }

    /// Writes an export, and reports the result if it went to a file.
    ///
    /// - Parameter work: Writes the export, and returns what it holds, as text and counted.
    static func write(
        _ arguments: ParsedArguments, _ home: inout Home,
        _ work: (_ sink: ([UInt8]) throws -> Void) throws -> (
            text: String, counts: [FileJSON.Count]
        )
    ) throws {
        guard let path = path(arguments) else {
            var output = Output()
            _ = try work { bytes in
                output.write(bytes)
                try output.flush()
            }
            return
        }
        var file = try OutputFile.create(path, mayReplace: arguments[force], arguments)
        let (text, counts) = try work { try file.write($0) }
        try file.complete()
        try home.show(FileJSON.written(path, counts)) { home in
            home.say("Wrote \(text) to \(printable(path)).")
        }
    }
}
