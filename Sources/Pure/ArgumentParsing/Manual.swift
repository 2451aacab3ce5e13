import MacrologTerminal

/// The manual page of the whole program, in the language of `man(7)`.

extension Program {
    /// The page for section 1. Pure ASCII, with any texts, so that any roff can show it.
    public func manual() -> String {
        var page = Roff()
        page.request("TH", [name.asciiCapitals, "1", "", "\(name) \(version)"])
        page.request("SH", ["NAME"])
        // The index of manual pages wants the summary without its full stop.
        page.text("\(name) - \(summary.utf8.last == 46 ? String(summary.dropLast()) : summary)")
        page.request("SH", ["SYNOPSIS"])
        if let root = command(at: []) { page.text(usageLine(of: root)) }
        if !nextWords(after: []).isEmpty {
            page.text("\(name) VERB [WORDS] [OPTIONS]")
            page.request("PP", [])
            page.text("\(name) help [all|VERB]")
        }
        if !explanation.isEmpty {
            page.request("SH", ["DESCRIPTION"])
            page.text(explanation)
        }
        for chapter in chapters {
            page.request("SH", [chapter.title.asciiCapitals])
            for command in chapter.commands { tell(command, on: &page) }
        }
        page.request("SH", ["OPTIONS"])
        page.text("Understood by every verb:")
        for option in everywhere { tell(option, on: &page) }
        for note in notes {
            page.request("SH", [note.title.asciiCapitals])
            page.text(note.text)
        }
        page.request("SH", ["EXIT STATUS"])
        for code in ExitCode.all {
            page.request("TP", [])
            page.text(String(code.value))
            page.text(code.meaning)
        }
        return page.source
    }

    private func tell(_ command: Verb, on page: inout Roff) {
        page.request("SS", [usageLine(of: command)])
        page.text(command.summary)
        if !command.explanation.isEmpty {
            page.request("PP", [])
            page.text(command.explanation)
        }
        for parameter in command.parameters where parameter.isListed { tell(parameter, on: &page) }
        page.request("PP", [])
        page.text(command.examples.count == 1 ? "Example:" : "Examples:")
        page.verbatim(command.examples.map { "\(name) \($0)" })
    }

    private func tell(_ parameter: Specification, on page: inout Roff) {
        page.request("TP", [])
        page.request("B", [parameter.title])
        page.text(parameter.explanation)
    }
}

/// A roff document as it grows.
private struct Roff {
    private(set) var source = ""

    /// A line that is a request, with its arguments in quotes.
    mutating func request(_ name: String, _ arguments: [String]) {
        source += ".\(name)"
        for argument in arguments {
            source += " \"\(escaped(argument).replacing(UInt8(ascii: "\""), with: "\\(dq"))\""
        }
        source += "\n"
    }

    /// Paragraphs with empty lines between them; lines that begin with a space stay as they are.
    mutating func text(_ text: String) {
        var lines = text.parts(separatedBy: UInt8(ascii: "\n"))[...]
        while let line = lines.popFirst() {
            if line.isEmpty {
                request("PP", [])
            } else if line.begins(with: " ") {
                var kept = [line]
                while let next = lines.first, next.begins(with: " ") {
                    kept.append(next)
                    lines.removeFirst()
                }
                verbatim(kept)
            } else {
                source += protected(line) + "\n"
            }
        }
    }

    /// Lines set as they are, indented.
    mutating func verbatim(_ lines: [String]) {
        source += ".RS 4\n.nf\n"
        for line in lines { source += protected(line) + "\n" }
        source += ".fi\n.RE\n"
    }

    /// A line of text that roff cannot mistake for a request.
    private func protected(_ line: String) -> String {
        let isRequest = line.begins(with: ".") || line.begins(with: "'")
        return (isRequest ? "\\&" : "") + escaped(line)
    }

    private func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default:
                let hex = String(scalar.value, radix: 16).asciiCapitals
                let zeros = String(repeating: "0", count: max(0, 4 - hex.utf8.count))
                result += "\\[u\(zeros)\(hex)]"
            }
        }
        return result
    }
}
