import MacrologArgumentParsing
import MacrologDrawing
import MacrologFaces
import MacrologSystem
import MacrologTerminal

/// A file that a picture is written to.
struct PictureFile {
    enum Format: String, CaseIterable { case svg, png, pdf }

    let format: Format
    let path: String

    init?(_ format: Format, _ path: String?) {
        guard let path else { return nil }
        (self.format, self.path) = (format, path)
    }
}

extension Form where Value == Picture.Theme {
    /// `light` or `dark`
    static var theme: Form {
        .choice(Picture.Theme.allCases.map { (word: $0.rawValue, value: $0) })
    }
}

extension Home {
    /// Writes a picture to files, after all of them are drawn, and reports it.
    ///
    /// - Parameters:
    ///   - theme: `nil` for an SVG file that follows the screen, and others for a light one.
    ///   - scale: Pixels of a PNG file for each point.
    mutating func write(
        _ picture: Picture, named name: String, to files: [PictureFile], _ theme: Picture.Theme?,
        scale: Int32 = 1, mayReplace: Bool, _ arguments: ParsedArguments
    ) throws {
        for file in files {
            try OutputFile.check(file.path, mayReplace: mayReplace, arguments)
        }
        let drawn = try files.map {
            try self.drawn(picture, as: $0.format, theme, scale, arguments)
        }
        for (file, bytes) in zip(files, drawn) {
            var output = try OutputFile.create(file.path, mayReplace: mayReplace, arguments)
            try output.write(bytes)
            try output.complete()
        }
        try show(FileJSON.pictures(files.map { ($0.format.rawValue, $0.path) })) { home in
            for file in files { home.say("Wrote \(name) to \(printable(file.path)).") }
        }
    }

    /// The bytes of a file of a picture.
    func drawn(
        _ picture: Picture, as format: PictureFile.Format, _ theme: Picture.Theme?, _ scale: Int32,
        _ arguments: ParsedArguments
    ) throws -> [UInt8] {
        let drawn: Drawn
        do throws(DrawingError) {
            switch format {
            case .svg: return Array(picture.svg(theme).utf8)
            case .png: drawn = try picture.png(theme ?? .light, scale: scale)
            case .pdf: drawn = try picture.pdf(theme ?? .light)
            }
        } catch {
            throw CommandError(error, format, arguments, instead: "write an SVG file")
        }
        warn(ofLettersWithoutFont: drawn.lettersWithoutFont)
        return drawn.bytes
    }

    func warn(ofLettersWithoutFont count: Int) {
        guard count > 0 else { return }
        let packages = Drawn.fontPackages.joined(separator: " ")
        warn(
            "\(counted(Int64(count), "letter")) without a font \(count == 1 ? "is" : "are") "
                + "drawn as boxes; install fonts: sudo apt-get install \(packages)")
    }
}

extension CommandError {
    /// - Parameter instead: What to type where the library is missing.
    init(
        _ error: DrawingError, _ format: PictureFile.Format, _ arguments: ParsedArguments,
        instead: String
    ) {
        let file = format.rawValue.asciiCapitals
        switch error {
        case .library(let error):
            self.init(
                .unavailable,
                "\(arguments.command): a \(file) file cannot be drawn: \(error.explanation)\n"
                    + "\(error.hint), or \(instead)")
        case .failed(let reason):
            self.init(
                .ioErr, "\(arguments.command): the \(file) file cannot be drawn: \(reason)")
        }
    }
}
