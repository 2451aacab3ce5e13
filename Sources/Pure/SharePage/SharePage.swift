/// The public page of a share: HTML without scripts, with its style inside, escaped and isolated.
import MacrologTerminal

/// The page of one share.
package struct SharePage: Sendable {
    private let document: ShareDocument
    /// Where the page is, and where its card is; absolute, for programs that draw previews.
    private let address: String
    private let cardAddress: String
    /// Where the card is, seen from the page.
    private let card: String
    /// Until when it can be seen.
    private let end: String

    /// A page at `origin/s/token`, whose card is at `origin/s/card/token`.
    ///
    /// - Parameters:
    ///   - origin: Such as `https://sync.example.org`, without a slash at its end.
    ///   - token: As it stands in the address.
    ///   - end: Until when it can be seen, such as `2026-11-27T07:40:00Z`.
    package init(_ document: ShareDocument, origin: String, token: String, end: String) {
        self.document = document
        address = "\(origin)/s/\(token)"
        cardAddress = "\(origin)/s/card/\(token)"
        card = "card/\(token)"
        self.end = SharePage.words(end)
    }

    /// The whole page.
    package var html: String {
        SharePage.page(
            title: "\(document.title) – Macrolog", head: preview,
            body: heading + energy + macros + parts + footer)
    }

    /// The page in place of a share that is not there, for whichever reason.
    package static let nothing = page(
        title: "Nothing here – Macrolog", head: "",
        body: """
            <h1>Nothing is shown here</h1>
            <p>The link is incomplete, or what it showed has expired or is no longer shared.</p>
            <p>Ask the person who sent it for another one.</p>

            """)

    private static func page(title: String, head: String, body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(escaped(title))</title>
        <meta name="robots" content="noindex, nofollow, noarchive">
        <meta name="referrer" content="no-referrer">
        <meta name="color-scheme" content="light dark">
        \(head)<style>\(style)</style>
        </head>
        <body>
        <main>
        \(body)</main>
        </body>
        </html>

        """
    }

    // MARK: What others show of a link

    /// Open Graph, and what Twitter needs beside it.
    private var preview: String {
        let text = escaped(document.text)
        let title = escaped(document.title)
        return """
            <meta name="description" content="\(text)">
            <meta property="og:type" content="article">
            <meta property="og:site_name" content="Macrolog">
            <meta property="og:title" content="\(title)">
            <meta property="og:description" content="\(text)">
            <meta property="og:url" content="\(escaped(address))">
            <meta property="og:image" content="\(escaped(cardAddress))">
            <meta property="og:image:type" content="image/png">
            <meta property="og:image:width" content="1200">
            <meta property="og:image:height" content="630">
            <meta property="og:image:alt" content="\(text)">
            <meta name="twitter:card" content="summary_large_image">
            <meta name="twitter:title" content="\(title)">
            <meta name="twitter:description" content="\(text)">
            <meta name="twitter:image" content="\(escaped(cardAddress))">
            <meta name="twitter:image:alt" content="\(text)">

            """
    }

    // MARK: The parts of the page

    private var heading: String {
        """
        <header>
        <div>
        <p class="quiet">\(escaped(occasion))</p>
        <h1>\(isolated(document.title))</h1>
        </div>
        \(score)</header>

        """
    }

    /// `Lunch, 20 November 2026`
    private var occasion: String {
        switch document.kind {
        case .meal:
            (document.slot.map { capitalised($0) + ", " } ?? "") + document.from.words
        case .day: "What I ate"
        case .range: "What I ate, on average"
        }
    }

    private var score: String {
        guard let score = document.score else { return "" }
        let diet = escaped(withHyphens(score.diet))
        return """
            <p class="score \(score.band.rawValue)">
            <strong>\(score.points)</strong>
            <span><span class="unseen">of 100 for the diet </span>\(diet)</span>
            </p>

            """
    }

    private var energy: String {
        guard let energy = document.energy else {
            return "<p class=\"energy\">Energy unknown</p>\n"
        }
        let period = document.kind == .range ? " a day" : ""
        let text = inUnit(energy)
        let bound = isBound("energy") ? "<small>at least</small> " : ""
        return """
            <p class="energy">\(bound)<strong>\(text)</strong> \(unit)\(period)</p>

            """
    }

    private var macros: String {
        var rows = ""
        for nutrient in ShareDocument.Nutrient.allCases {
            rows += """
                <div class="\(nutrient.rawValue)"><dt>\(name(nutrient))</dt><dd>\(amount(nutrient))</dd></div>

                """
        }
        return "\(bar)<dl>\n\(rows)</dl>\n"
    }

    /// How much of the energy comes from protein, carbs and fat; only where all of them are known.
    private var bar: String {
        let nutrients: [ShareDocument.Nutrient] = [.protein, .carbs, .fat]
        var energies: [Int64] = []
        for nutrient in nutrients {
            guard let amount = document.nutrients[nutrient], !isBound(nutrient.rawValue) else {
                return ""
            }
            energies.append(amount * (nutrient == .fat ? 9 : 4))
        }
        let all = energies[0] + energies[1] + energies[2]
        guard all > 0 else { return "" }
        var (rectangles, left) = ("", Int64(0))
        for (nutrient, energy) in zip(nutrients, energies) {
            let width = energy * 1_000 / all
            rectangles += """
                <rect class="\(nutrient.rawValue)" x="\(left)" width="\(width)" height="10"/>
                """
            left += width
        }
        return """
            <svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">\(rectangles)</svg>

            """
    }

    private var parts: String {
        guard !document.parts.isEmpty else { return "" }
        var rows = ""
        for part in document.parts {
            let energy = part.energy.map { "\(inUnit($0)) \(unit)" } ?? "unknown"
            rows += "<tr><th scope=\"row\">\(isolated(part.title))</th><td>\(energy)</td></tr>\n"
        }
        if document.leftOutCount > 0 {
            rows += """
                <tr><th scope="row">and \(document.leftOutCount) more</th><td></td></tr>

                """
        }
        return """
            <table>
            <caption>\(partsName)</caption>
            \(rows)</table>

            """
    }

    private var partsName: String {
        switch document.kind {
        case .meal: "Items"
        case .day: "Meals"
        case .range: "Days"
        }
    }

    private var footer: String {
        var lines = ""
        if let logged = document.loggedDays {
            lines += "<p>The means of \(logged) \(logged == 1 ? "day" : "days") with food.</p>\n"
        }
        if !document.incomplete.isEmpty {
            lines += "<p>“At least”: some part of the sum is unknown.</p>\n"
        }
        return """
            <footer>
            \(lines)<p><a href="\(card)">The same as a picture</a></p>
            <p>Shown until \(escaped(end)). Shared with Macrolog.</p>
            </footer>

            """
    }

    /// `27 November 2026, 07:40 UTC`
    private static func words(_ moment: String) -> String {
        let day = ShareDay(String(moment.prefix(10)))?.words ?? ""
        return "\(day), \(moment.dropFirst(11).prefix(5)) UTC"
    }

    // MARK: Words and numbers

    private func name(_ nutrient: ShareDocument.Nutrient) -> String {
        switch nutrient {
        case .protein: "Protein"
        case .carbs: "Carbs"
        case .fat: "Fat"
        case .fiber: "Fibre"
        }
    }

    private func isBound(_ name: String) -> Bool {
        document.incomplete.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    /// `9.5 g`, `24 g`, `at least 24 g`, `unknown`; the unit stays with its number.
    private func amount(_ nutrient: ShareDocument.Nutrient) -> String {
        guard let amount = document.nutrients[nutrient] else { return "unknown" }
        let decimals = amount == 0 || amount >= 10_000 ? 0 : 1
        let number = NumberFormat.grouped.text(amount, scale: 3, decimals: decimals)
        return "\(isBound(nutrient.rawValue) ? "<small>at least</small> " : "")\(number)\u{A0}g"
    }

    private var unit: String { document.isInKilojoules ? "kJ" : "kcal" }

    /// Thousandths of a kilocalorie as a whole number of the person's unit.
    private func inUnit(_ energy: Int64) -> String {
        let value =
            document.isInKilojoules
            ? energy / 1_000 * 4_184 + energy % 1_000 * 4_184 / 1_000 : energy
        return NumberFormat.grouped.text(value, scale: 3, decimals: 0)
    }
}

/// `Lunch` for `lunch`; a letter beyond ASCII stays.
private func capitalised(_ word: String) -> String {
    var bytes = Array(word.utf8)
    if let first = bytes.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) {
        bytes[0] = first - 32
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// `low-carb` for `low_carb`.
private func withHyphens(_ name: String) -> String {
    String(
        decoding: name.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }, as: UTF8.self)
}

/// The longest text on the page, in bytes as they are written: so that fifty parts whose names are all
/// quotes leave it small.
private let escapedBytesMax = 300

/// A text in which no letter means anything to HTML, and none is invisible or turns the direction.
private func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    for character in printable(text) {
        let letter = escaped(character)
        guard bytes.count + letter.count <= escapedBytesMax else {
            bytes += Array("…".utf8)
            break
        }
        bytes += letter
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// Byte by byte: `<` with a mark above it is one character, and is not `<`.
private func escaped(_ character: Character) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in String(character).utf8 {
        switch byte {
        case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
        case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
        case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
        case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
        case UInt8(ascii: "'"): bytes += Array("&#39;".utf8)
        default: bytes.append(byte)
        }
    }
    return bytes
}

/// A name of any script, whose direction stays its own.
private func isolated(_ name: String) -> String { "<bdi>\(escaped(name))</bdi>" }
