/// Input: the request for a share, or its document, which a stranger's browser is shown.
import MacrologEvents
import MacrologWire
import MacrologSharePage

extension FuzzTarget {
    static let share = FuzzTarget("share") { input in
        if let request = try? ShareRequest.decoded(input) {
            try promise(request.encoded() == input, "a request has one encoding")
        }
        guard let document = try? ShareDocument(input) else { return }
        let page = Array(
            SharePage(
                document, origin: "https://e.org", token: "0a", end: "2026-11-27T07:40:00Z"
            ).html.utf8)
        try promise(page.count < 30_000, "a page is small")
        try promise(
            !page.contains { $0 < 0x20 && $0 != 0x0A || $0 == 0x7F }, "a page has no controls")
        let names = page.indices.filter { page[$0] == UInt8(ascii: "<") }.map { place in
            page[(place + 1)...].prefix { $0 != UInt8(ascii: ">") && $0 != 0x20 }
        }
        for name in names {
            try promise(
                Self.elements.contains { $0.utf8.elementsEqual(name) },
                "a page has its own elements alone")
        }
    }

    /// What the elements of a page begin and end with.
    private static let elements =
        [
            "html", "head", "title", "style", "body", "main", "header", "div", "p", "h1", "bdi",
            "strong", "small", "span", "dl", "dt", "dd", "svg", "table", "caption", "tr", "th",
            "td",
            "footer", "a",
        ].flatMap { [$0, "/\($0)"] } + ["!DOCTYPE", "meta", "rect"]
}
