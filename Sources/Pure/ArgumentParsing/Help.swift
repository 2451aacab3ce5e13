public import MacrologTerminal

/// `--help`: the help of the program, of a group of verbs or of one verb.

extension Program {
    /// The help for a path. Ends with a line feed.
    public func help(for path: [String], style: Style = .plain, width: Int = 80) -> String {
        var page = Page(style: style, width: max(40, width))
        if path.isEmpty { overview(on: &page) } else { title(of: path, on: &page) }
        if let command = command(at: path) { explain(command, on: &page) }
        if !path.isEmpty, !nextWords(after: path).isEmpty { list(under: path, on: &page) }
        page.section("Everywhere", everywhere.map(entry))
        if path.isEmpty, !nextWords(after: []).isEmpty {
            page.paragraph("More about a verb: \(name) VERB --help")
        }
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

    private func overview(on page: inout Page) {
        page.heading("\(name) \(version)", summary)
        if nextWords(after: []).isEmpty { return }
        page.usage("\(name) VERB [WORDS] [OPTIONS]")
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
        page.section("Options", command.parameters.filter { $0.kind != .argument }.map(entry))
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

    private func entry(_ parameter: Specification) -> (name: String, text: String) {
        (parameter.title, parameter.explanation)
    }
}

extension Specification {
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
