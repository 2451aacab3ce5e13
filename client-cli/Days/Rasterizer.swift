import MacrologArgumentParsing
import MacrologSystem

/// Draws an SVG document as a PNG file, twice as large, with the program `rsvg-convert` of librsvg.
enum Rasterizer {
    static func draw(_ svg: String, into file: inout OutputFile, _ words: ParsedArguments) throws {
        let drawn: (status: Int32, bytes: [UInt8])
        do throws(SystemError) {
            // The document is an unnamed file, so that neither process blocks on the other.
            let document = try File.temporary()
            try document.write(Array(svg.utf8))
            document.rewind()
            let picture = try File.temporary()
            let status = try Running.run(
                ["rsvg-convert", "--format=png", "--zoom=2"], input: document, output: picture)
            picture.rewind()
            drawn = (status, try picture.read(atMost: bytesMax))
        } catch {
            throw error.isMissing ? noProgram(words) : failed(words, "\(error)")
        }
        guard drawn.status == 0 else {
            throw failed(words, "rsvg-convert ended with status \(drawn.status)")
        }
        try file.write(drawn.bytes)
    }

    /// More than any chart needs.
    private static let bytesMax = 64 << 20

    private static func noProgram(_ words: ParsedArguments) -> CommandError {
        CommandError(
            .unavailable,
            """
            \(words.command): drawing a PNG file needs the program rsvg-convert: \
            sudo apt-get install librsvg2-bin, or write --svg
            """)
    }

    private static func failed(_ words: ParsedArguments, _ reason: String) -> CommandError {
        CommandError(.ioErr, "\(words.command): the PNG file cannot be drawn: \(reason)")
    }
}
