public import MacrologTerminal

/// From the words of a command line to a request, or to the mistake in them.

extension Program {
    /// Reads the words after the program's name. Every value is checked before anything is done.
    ///
    /// Options may stand anywhere, also before the verb. `--` ends them. A word that begins with a
    /// dash and a digit, such as `-3` or `-3d`, is a value. `-` alone is a value, too.
    ///
    /// - Parameters:
    ///   - style: How help is painted, if help is asked for.
    ///   - width: The columns that help may fill.
    public func read(
        _ tokens: [String], style: Style = .plain, width: Int = 80
    ) throws(UsageError) -> Request<Context, Failure> {
        #if DEBUG
            ParsedArguments.observer?(tokens)
        #endif
        let place = locate(tokens)
        let command = command(at: place.path)
        if let unknown = place.unknown, command == nil {
            if place.path.isEmpty, place.followsHelp, unknown.isSame(as: "all") {
                return .show(helpOnAll(style: style, width: width))
            }
            throw unknownVerb(unknown, after: place.path)
        }
        if place.asksHelp { return .show(help(for: place.path, style: style, width: width)) }
        if place.asksVersion, place.path.isEmpty { return .show("\(name) \(version)\n") }
        if let command {
            return .run(command, try read(tokens, for: command, skipping: place.isVerb))
        }
        if let option = tokens.first(where: looksLikeOption), place.path.isEmpty {
            _ = try expand(option, among: everywhere, in: formatted([]))
        }
        if place.path.isEmpty, tokens.isEmpty {
            return .show(help(for: [], style: style, width: width))
        }
        throw UsageError(
            command: formatted(place.path), argument: nil, problem: "needs a verb",
            instead: "Type one of \(nextWords(after: place.path).formattedList)")
    }
}

/// Where among the tokens the verb is.
private struct Place {
    var path: [String] = []
    /// For each token, whether it is part of the verb.
    var isVerb: [Bool]
    /// The first word that does not belong to the verb.
    var unknown: String?
    var asksHelp = false
    /// Whether `help` is the first word.
    var followsHelp = false
    var asksVersion = false
}

extension Program {
    /// Finds the verb: the longest one that the words, with all options left out, begin with.
    private func locate(_ tokens: [String]) -> Place {
        var place = Place(isVerb: Array(repeating: false, count: tokens.count))
        var index = 0
        while index < tokens.count, !tokens[index].isSame(as: "--") {
            let token = tokens[index]
            if token.isSame(as: "--version") {
                place.asksVersion = true
            } else if looksLikeOption(token) {
                let given = options(token, after: place.path)
                place.asksHelp =
                    place.asksHelp || given.contains { $0.specification.name.isSame(as: "help") }
                if let last = given.last, last.wantsNext, index + 1 < tokens.count,
                    !looksLikeOption(tokens[index + 1])
                {
                    index += 1
                }
            } else if place.unknown == nil {
                if commands.contains(where: { $0.path.begins(with: place.path + [token]) }) {
                    place.path.append(token)
                    place.isVerb[index] = true
                } else if token.isSame(as: "help"), place.path.isEmpty, !place.followsHelp {
                    (place.asksHelp, place.followsHelp) = (true, true)
                } else {
                    place.unknown = token
                }
            }
            index += 1
        }
        return place
    }

    /// The options that a token gives, of the verbs that begin with a path; none where one is unknown.
    private func options(_ token: String, after path: [String]) -> [Given] {
        // The parameters of a verb are made when they are asked for, which takes 3 ms for all verbs.
        if let given = try? expand(token, among: everywhere, in: name) { return given }
        let ofVerbs = commands.filter { $0.path.begins(with: path) }.flatMap { $0.parameters }
        return (try? expand(token, among: everywhere + ofVerbs, in: name)) ?? []
    }

    private func unknownVerb(_ word: String, after path: [String]) -> UsageError {
        var guesses = nearest(to: word, among: nextWords(after: path)).map {
            (path + [$0]).joined(separator: " ")
        }
        if guesses.isEmpty, path.isEmpty {
            // Perhaps the end of a longer verb: `trend` for `weight trend`.
            guesses = commands.filter {
                $0.path.count > 1 && $0.path.last?.isSame(as: word) == true
            }
            .map { $0.path.joined(separator: " ") }
        }
        return UsageError(
            command: formatted(path), argument: nil, problem: "has no verb \(quoted(word))",
            instead: guesses.isEmpty
                ? path.isEmpty ? nil : "Type one of \(nextWords(after: path).formattedList)"
                : "Did you mean \(Array(guesses.prefix(4)).formattedList)?")
    }
}

extension Program {
    /// Reads all tokens but those of the verb.
    private func read(
        _ tokens: [String], for command: Verb, skipping isVerb: [Bool]
    ) throws(UsageError) -> ParsedArguments {
        let name = formatted(command.path)
        let known = command.parameters + everywhere
        var typed = [[String]](repeating: [], count: known.count)
        var loose: [String] = []
        var optionsEnded = false
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            index += 1
            if isVerb[index - 1] { continue }
            if optionsEnded || !looksLikeOption(token) {
                loose.append(token)
                continue
            }
            if token.isSame(as: "--") {
                optionsEnded = true
                continue
            }
            for given in try expand(token, among: known, in: name) {
                let label = given.specification.label
                var word = given.value ?? ""
                if given.wantsNext {
                    guard index < tokens.count, !looksLikeOption(tokens[index]) else {
                        throw UsageError(
                            command: name, argument: label, problem: "needs a value",
                            instead: "Type \(label) \(given.specification.placeholder), "
                                + "or \(label)=VALUE if the value begins with a dash")
                    }
                    word = tokens[index]
                    index += 1
                }
                if !typed[given.index].isEmpty, given.specification.kind == .option,
                    !given.specification.repeats
                {
                    throw UsageError(
                        command: name, argument: label, problem: "is given twice",
                        instead: "Type it once")
                }
                typed[given.index].append(word)
            }
        }
        try distribute(loose, to: command, in: name, typed: &typed)
        for (specification, words) in zip(known, typed) {
            if words.isEmpty, specification.isRequired {
                throw UsageError(
                    command: name, argument: specification.label, problem: "is missing",
                    instead: "Type \(usageLine(of: command))")
            }
            for word in words { try check(word, against: specification, in: name) }
        }
        return ParsedArguments(command: name, specifications: known, typed: typed)
    }

    /// Gives the words that are no options to the arguments, in order.
    private func distribute(
        _ loose: [String], to command: Verb, in name: String, typed: inout [[String]]
    ) throws(UsageError) {
        var left = loose[...]
        for (index, parameter) in command.parameters.enumerated()
        where parameter.kind == .argument {
            let taken = parameter.repeats ? left.count : min(1, left.count)
            typed[index] = Array(left.prefix(taken))
            left = left.dropFirst(taken)
        }
        guard let surplus = left.first else { return }
        let guesses = nearest(to: surplus, among: nextWords(after: command.path))
        var instead: String?
        if !guesses.isEmpty {
            instead = "Did you mean \(name) \(guesses.formattedList)?"
        } else if let meant = option(of: command, meantBy: surplus)
            ?? option(of: command, meantBy: left.prefix(2).joined())
        {
            instead = "Did you mean \(meant)?"
        } else if let last = command.parameters.last(where: { $0.kind == .argument }) {
            let isOfText = zip(command.parameters, typed).contains { parameter, words in
                guard parameter.kind == .argument, let word = words.last else { return false }
                return (try? parameter.check("\(word) \(surplus)")) != nil
            }
            instead =
                isOfText
                ? "Put words that belong together in quotes" : "It takes one \(last.label)"
        }
        throw UsageError(
            command: name, argument: nil,
            problem: "does not know what to do with \(quoted(surplus))",
            instead: instead)
    }

    /// `--kcal 500` for `500kcal`, where the verb has that option.
    private func option(of command: Verb, meantBy word: String) -> String? {
        let number = word.utf8.prefix {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
                || $0 == UInt8(ascii: ",")
        }
        let name = String(Substring(word.utf8.dropFirst(number.count)))
        guard !number.isEmpty,
            command.parameters.contains(where: {
                $0.kind != .argument && $0.name.isSame(as: name)
            })
        else { return nil }
        return "--\(name) \(Substring(number))"
    }

    private func check(
        _ word: String, against specification: Specification, in name: String
    ) throws(UsageError) {
        do {
            try specification.check(word)
        } catch {
            throw UsageError(
                command: name, argument: specification.label,
                problem: "\(quoted(word)) \(error.problem)", instead: "Type \(error.instead)")
        }
    }
}

/// One option or flag as it was typed.
private struct Given {
    let index: Int
    let specification: Specification
    /// The value when it was typed in the same word.
    let value: String?
    /// Whether the next word is its value.
    var wantsNext: Bool { specification.kind == .option && value == nil }
}

/// The meaning of one token such as `--name`, `--name=VALUE`, `-n`, `-nVALUE` or `-qj`.
private func expand(
    _ token: String, among known: [Specification], in command: String
) throws(UsageError) -> [Given] {
    guard token.begins(with: "--") else {
        return try expandLetters(token.dropFirst(), among: known, in: command)
    }
    let halves = token.utf8.dropFirst(2).split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(Substring(halves[0]))
    for (index, specification) in known.enumerated()
    where specification.kind != .argument && specification.name.isSame(as: name) {
        if halves.count == 2, specification.kind == .flag {
            throw UsageError(
                command: command, argument: "--\(name)", problem: "takes no value",
                instead: "Type --\(name) alone")
        }
        let value = halves.count == 2 ? String(Substring(halves[1])) : nil
        return [Given(index: index, specification: specification, value: value)]
    }
    let options = known.filter { $0.kind != .argument }
    var guesses = nearest(to: name, among: options.map { $0.name })
    if guesses.isEmpty {
        // Perhaps what an option takes: `--day` for `--date DAY`.
        guesses = options.filter { $0.placeholder.asciiSmall.isSame(as: name) }.map { $0.name }
    }
    guesses = guesses.map { "--\($0)" }
    throw UsageError(
        command: command, argument: nil, problem: "has no option \(quoted("--\(name)"))",
        instead: guesses.isEmpty ? nil : "Did you mean \(guesses.formattedList)?")
}

private func expandLetters(
    _ letters: Substring, among known: [Specification], in command: String
) throws(UsageError) -> [Given] {
    var given: [Given] = []
    var rest = letters
    while let letter = rest.popFirst() {
        guard let index = known.firstIndex(where: { $0.short == letter }) else {
            throw UsageError(
                command: command, argument: nil, problem: "has no option \(quoted("-\(letter)"))",
                instead: "If it is a value, type -- before it")
        }
        let takesRest = known[index].kind == .option && !rest.isEmpty
        given.append(
            Given(
                index: index, specification: known[index], value: takesRest ? String(rest) : nil))
        if known[index].kind == .option { break }
    }
    return given
}

/// Whether a token is an option rather than a value: `-n` and `--name`, but not `-`, `-3` or `-.5`.
private func looksLikeOption(_ token: String) -> Bool {
    var bytes = token.utf8.makeIterator()
    guard bytes.next() == UInt8(ascii: "-"), let second = bytes.next() else { return false }
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    if second == UInt8(ascii: ".") || second == UInt8(ascii: ",") {
        return !(bytes.next().map(digits.contains) ?? false)
    }
    return !digits.contains(second)
}

/// A word of the command line as an error quotes it: in quotes, printable, and not too long.
private func quoted(_ word: String) -> String {
    "\"\(truncated(printable(word), to: 60, style: .plain))\""
}
