public import MacrologTerminal

/// `help` and `--help`: first the verbs of every day, then all of them, then one with examples.

extension Program {
    /// The help for a path; for the empty one the verbs of every day, or all where none are declared.
    /// Ends with a line feed.
    public func help(for path: [String], style: Style = .plain, width: Int = 80) -> String {
        var page = Page(style: style, width: max(40, width))
        if path.isEmpty { heading(on: &page) } else { title(of: path, on: &page) }
        if let command = command(at: path) { explain(command, on: &page) }
        guard path.isEmpty, !nextWords(after: []).isEmpty else {
            if !nextWords(after: path).isEmpty { list(under: path, on: &page) }
            page.section("Everywhere", everywhere.map(entry))
            return page.text
        }
        if daily.isEmpty {
            overview(on: &page)
            page.section("Everywhere", everywhere.map(entry))
            page.paragraph("More about a verb: \(name) VERB --help")
        } else {
            let verbs = daily.compactMap { words in
                command(at: words.parts(separatedBy: UInt8(ascii: " ")))
            }
            page.section("Every day", verbs.map(entry))
            page.section(
                "More",
                [
                    ("\(name) help all", "All verbs, and the options of every verb."),
                    ("\(name) help VERB", "One verb with its options and examples."),
                ])
        }
        return page.text
    }

    /// The help with every verb, one a line. Ends with a line feed.
    public func helpOnAll(style: Style = .plain, width: Int = 80) -> String {
        var page = Page(style: style, width: max(40, width))
        heading(on: &page)
        for chapter in chapters { page.section(chapter.title, chapter.commands.map(entry)) }
        page.section("Everywhere", everywhere.map(entry))
        page.paragraph("More about a verb: \(name) help VERB")
        return page.text
    }

    /// `macrolog weight log WEIGHT [OPTIONS]`
    func usageLine(of command: Verb) -> String {
        let arguments = command.parameters.filter { $0.kind == .argument }
        let required = command.parameters.filter { $0.kind != .argument && $0.isRequired }
        let free = command.parameters.contains { $0.kind != .argument && !$0.isRequired }
        return
            ([formatted(command.path)] + (arguments + required).map { $0.usage }
            + (free ? ["[OPTIONS]"] : [])).joined(separator: " ")
    }

    private func heading(on page: inout Page) {
        page.heading("\(name) \(version)", summary)
        if !nextWords(after: []).isEmpty { page.usage("\(name) VERB [WORDS] [OPTIONS]") }
    }

    /// The first words of all verbs, with those that may follow.
    private func overview(on page: inout Page) {
        for chapter in chapters {
            var entries: [(name: String, text: String)] = []
            for command in chapter.commands {
                guard let first = command.path.first, !entries.contains(where: { $0.name == first })
                else { continue }
                entries.append((first, line(for: [first])))
            }
            page.section(chapter.title, entries)
        }
    }

    /// The summary of a path, and the words that may follow it.
    private func line(for path: [String]) -> String {
        let words = nextWords(after: path)
        let summary = summary(of: path)
        return words.isEmpty ? summary : "\(summary) (\(words.joined(separator: ", ")))"
    }

    private func title(of path: [String], on page: inout Page) {
        page.heading(formatted(path), summary(of: path))
        if command(at: path) == nil { page.usage("\(formatted(path)) VERB [WORDS] [OPTIONS]") }
    }

    private func explain(_ command: Verb, on page: inout Page) {
        page.usage(usageLine(of: command))
        page.paragraph(command.explanation)
        page.section(
            "Arguments", command.parameters.filter { $0.kind == .argument }.map(entry))
        page.section("Options", options(at: command.path).filter(\.isListed).map(entry))
        page.verbatim(
            command.examples.count == 1 ? "Example" : "Examples",
            command.examples.map { "\(name) \($0)" })
    }

    private func list(under path: [String], on page: inout Page) {
        page.section(
            "Verbs",
            nextWords(after: path).map { word in
                (word, line(for: path + [word]))
            })
    }

    private func entry(_ command: Verb) -> (name: String, text: String) {
        (command.path.joined(separator: " "), command.summary)
    }

    private func entry(_ parameter: Specification) -> (name: String, text: String) {
        (parameter.title, parameter.explanation)
    }
}

extension Specification {
    /// Whether help and manual list it: an option of other verbs is listed with those.
    var isListed: Bool { !help.isEmpty }

    /// How lists call it: `WEIGHT`, `-n, --note TEXT`.
    var title: String {
        guard kind != .argument else { return placeholder }
        let letter = short.map { "-\($0), " } ?? ""
        return "\(letter)--\(name)" + (kind == .option ? " \(placeholder)" : "")
    }

    /// Its help, and what follows from the way it was declared.
    var explanation: String {
        var text = help
        if repeats, kind == .option { text += " May be repeated." }
        if let otherwise { text += " Otherwise \(otherwise)." }
        return text
    }
}

/// A page of help as it grows. Parts are separated by one empty line; empty parts leave no trace.
private struct Page {
    let style: Style
    let width: Int
    private(set) var text = ""

    init(style: Style, width: Int) {
        self.style = style
        self.width = width
    }

    mutating func heading(_ name: String, _ summary: String) {
        let title = style.paint(name, .bold) + (summary.isEmpty ? "" : ": \(summary)")
        part(wrapped(title, to: width))
    }

    mutating func usage(_ line: String) { part([style.paint("Usage", .bold) + ": \(line)"]) }

    mutating func paragraph(_ paragraph: String) {
        if !paragraph.isEmpty { part(wrapped(paragraph, to: width)) }
    }

    mutating func section(_ title: String, _ entries: [(name: String, text: String)]) {
        if entries.isEmpty { return }
        part([style.paint("\(title):", .bold)] + definitions(entries, width: width, style: style))
    }

    mutating func verbatim(_ title: String, _ lines: [String]) {
        part([style.paint("\(title):", .bold)] + lines.map { "  \($0)" })
    }

    private mutating func part(_ lines: [String]) {
        if !text.isEmpty { text += "\n" }
        for line in lines { text += line + "\n" }
    }
}
