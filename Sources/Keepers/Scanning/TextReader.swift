import CMacrologScanning
public import MacrologLabels

/// Reads printed English text, with tesseract. It keeps the letters that it has loaded; one thread at a
/// time may use it.
public struct TextReader: ~Copyable {
    private let tesseract: macrolog_tesseract
    private let reader: OpaquePointer

    /// Loads the letters of English.
    public init() throws(ScanError) {
        let tesseract = try ScanError.library(of: macrolog_tesseract.opened)
        guard let reader = tesseract.create() else { throw .memory }
        // What it would write to standard error is thrown as an error here.
        _ = tesseract.set_variable(reader, "debug_file", "/dev/null")
        guard tesseract.start(reader, nil, "eng") == 0 else {
            tesseract.destroy(reader)
            throw .letters
        }
        tesseract.set_mode(reader, Self.oneBlock)
        (self.tesseract, self.reader) = (tesseract, reader)
    }

    deinit { tesseract.destroy(reader) }

    /// The nutrition label in a picture, upright or turned by right angles. It is looked at twice, and up
    /// to nine times where a doubt is left.
    public mutating func label(
        in picture: borrowing GrayPicture
    ) throws(ScanError) -> NutritionLabel {
        try Self.label { quarters, look throws(ScanError) in
            try lines(of: picture, quarters: quarters, look: look)
        }
    }

    /// The label that looks give.
    ///
    /// - Parameter lines: The words of each line, of a picture turned by some right angles, in a look.
    package static func label(
        _ lines: (_ quarters: Int32, _ look: Int) throws(ScanError) -> [[PrintedWord]]
    ) throws(ScanError) -> NutritionLabel {
        for quarters in [0, 1, 3, 2] as [Int32] {
            var looks: [NutritionLabel] = []
            for look in Self.looks.indices {
                let read = NutritionLabel(reading: try lines(quarters, look))
                if read.isFound { looks.append(read) }
                // What is the wrong way up is no label in the first two looks.
                if looks.isEmpty, look > 0 { break }
                guard looks.count > 1 else { continue }
                let label = NutritionLabel(looks: looks)
                if label.doubts.isEmpty || look == Self.looks.count - 1 { return label }
            }
            if !looks.isEmpty { return NutritionLabel(looks: looks) }
        }
        return NutritionLabel(reading: [])
    }

    /// By how much a picture is made larger, and whether noise is taken out of it, look by look.
    private static let looks: [(scale: Float, isSmooth: Bool)] = [
        (1, true), (2, false), (0.8, true), (1.5, false), (1, false), (1.25, true), (1.75, false),
        (0.9, false), (1.5, true),
    ]

    /// The words of each line from top to bottom.
    ///
    /// - Parameters:
    ///   - quarters: By how many right angles the picture is turned first, clockwise.
    ///   - look: Which of the looks.
    package mutating func lines(
        of picture: borrowing GrayPicture, quarters: Int32, look: Int
    ) throws(ScanError) -> [[PrintedWord]] {
        let (scale, isSmooth) = Self.looks[look]
        let side = Float(max(picture.width, picture.height))
        let factor = min(max(1_000 / side, 1), min(1_600 / side, 1)) * scale
        let clear = try isSmooth ? picture.smoothed() : picture.scaled(1)
        let level = try clear.scaled(factor).turned(quarters).levelled()
        tesseract.set_image(reader, level.pixels)
        tesseract.set_resolution(reader, 300)
        guard let table = tesseract.get_table(reader, 0) else { throw .memory }
        defer { tesseract.delete_text(table) }
        return Self.lines(String(cString: table), Glyphs(level))
    }

    /// Reads the rows of words, level 5: level, page, block, paragraph, line, word, left, top, width,
    /// height, certainty, text.
    private static func lines(_ table: String, _ glyphs: Glyphs) -> [[PrintedWord]] {
        var lines: [[PrintedWord]] = []
        var last: [Substring] = []
        for row in table.split(separator: "\n") {
            let cells = row.split(separator: "\t", omittingEmptySubsequences: false)
            guard cells.count == 12, cells[0] == "5" else { continue }
            let numbers = cells[6...9].compactMap { Int($0) }
            let certainty = Int(cells[10].prefix { $0 != "." }) ?? 0
            let text =
                numbers.count == 4
                ? glyphs.corrected(
                    String(cells[11]), x: numbers[0]..<numbers[0] + max(numbers[2], 0),
                    y: numbers[1]..<numbers[1] + max(numbers[3], 0)) : String(cells[11])
            let word = PrintedWord(text, certainty: certainty)
            let place = Array(cells[1...4])
            if place == last { lines[lines.count - 1].append(word) } else { lines.append([word]) }
            last = place
        }
        return lines
    }

    /// Of publictypes.h: PSM_SINGLE_BLOCK. A table is not cut into columns.
    private static let oneBlock: UInt32 = 6
}
