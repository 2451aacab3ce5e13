/// The ink of a picture, where letters are told apart that the reader of text confuses.
struct Glyphs {
    private let bytes: [UInt8]
    private let width: Int
    private let height: Int

    init(_ picture: borrowing GrayPicture) {
        (bytes, width, height) = (picture.bytes, picture.width, picture.height)
    }

    /// The number with a mark that was overlooked, and with `g` in the place of a last digit that reaches
    /// below the line: `12.59` and `1256` were `12.5 g`. To the reader a `g` after digits is one more digit.
    ///
    /// - Parameters:
    ///   - x: The columns of the word.
    ///   - y: Its rows.
    func corrected(_ word: String, x: Range<Int>, y: Range<Int>) -> String {
        var letters = Array(word.unicodeScalars)
        guard let first = letters.firstIndex(where: { Self.isDigit($0) }),
            var last = letters.lastIndex(where: { Self.isDigit($0) }),
            letters[first...last].allSatisfy({
                Self.isDigit($0) || $0 == "." || $0 == "," || $0 == "l"
            })
        else { return word }
        let (columns, rows) = (x.clamped(to: 0..<width), y.clamped(to: 0..<height))
        guard rows.count > 5, columns.count > 2 else { return word }
        let ink = threshold(columns, rows)
        let spans = spans(columns, rows, ink)
        guard spans.count >= letters.count, spans.count > first,
            let top = rows.first(where: { hasInk(spans[first], $0, ink) }),
            let line = rows.last(where: { hasInk(spans[first], $0, ink) }), line - top > 5
        else { return word }
        let tall = line - top
        if spans.count == letters.count + 1, !letters.contains("."), !letters.contains(",") {
            let small = spans.indices.filter { index in
                guard index > first, index <= last + 1,
                    let head = rows.first(where: { hasInk(spans[index], $0, ink) })
                else { return false }
                return (line - head) * 3 < tall
            }
            guard small.count == 1, small[0] <= last else { return word }
            letters.insert(".", at: small[0])
            last += 1
        }
        // A descender is a quarter of a digit's height; a crooked line is less.
        if spans.count == letters.count, last > first,
            letters[(last + 1)...].allSatisfy({ ")]|.,;".unicodeScalars.contains($0) }),
            let foot = rows.last(where: { hasInk(spans[last], $0, ink) }), (foot - line) * 8 >= tall
        {
            letters[last] = "g"
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: letters)
        return String(text)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        (0x30...0x39).contains(scalar.value)
    }

    /// The columns of each letter from left to right, parted by columns without ink.
    private func spans(_ columns: Range<Int>, _ rows: Range<Int>, _ ink: UInt8) -> [Range<Int>] {
        var spans: [Range<Int>] = []
        var start: Int?
        for column in columns {
            let isInked = rows.contains { bytes[$0 * width + column] < ink }
            if isInked, start == nil { start = column }
            if !isInked, let from = start {
                spans.append(from..<column)
                start = nil
            }
        }
        if let from = start { spans.append(from..<columns.upperBound) }
        return spans
    }

    /// Halfway between the darkest and the lightest of a word.
    private func threshold(_ columns: Range<Int>, _ rows: Range<Int>) -> UInt8 {
        var (dark, light): (UInt8, UInt8) = (255, 0)
        for row in rows {
            for column in columns {
                let shade = bytes[row * width + column]
                dark = min(dark, shade)
                light = max(light, shade)
            }
        }
        return UInt8((Int(dark) + Int(light)) / 2)
    }

    private func hasInk(_ columns: Range<Int>, _ row: Int, _ ink: UInt8) -> Bool {
        columns.contains { bytes[row * width + $0] < ink }
    }
}
