import MacrologTerminal

/// The words of one command line, read and checked: ask it for a parameter and it gives the value.
public struct ParsedArguments: Sendable {
    /// The program and the verb: `macrolog weight log`.
    public let command: String
    let specifications: [Specification]
    /// The typed values of each parameter, in the same order.
    let typed: [[String]]
    /// What ``filled(_:)`` gives for each parameter, in the same order.
    private var filling: [[String]]

    #if DEBUG
        /// Gets the words of each command line that the task reads, for tests that count.
        @TaskLocal package static var observer: (@Sendable ([String]) -> Void)?
    #endif

    init(command: String, specifications: [Specification], typed: [[String]]) {
        self.command = command
        self.specifications = specifications
        self.typed = typed
        filling = typed.map { _ in [] }
    }

    /// The same words; for each option and flag that was not typed, those of another source, such as
    /// a configuration file. An earlier filling is dropped.
    ///
    /// - Parameter words: The words for a parameter, each of which has passed its check.
    public func filled(_ words: (Specification) -> [String]) -> ParsedArguments {
        var filled = self
        filled.filling = specifications.map { $0.kind == .argument ? [] : words($0) }
        return filled
    }

    /// The words typed or filled in for the parameter of a name; `nil` if the verb declares none.
    public func given(_ name: String) -> [String]? {
        specifications.first { $0.name.isSame(as: name) }.map { words(for: $0) }
    }

    /// The words typed for the parameter of a name; `nil` if the verb declares none.
    public func typed(_ name: String) -> [String]? {
        specifications.firstIndex { $0.name.isSame(as: name) }.map { typed[$0] }
    }

    /// The options and flags that were typed, as words that can be typed again.
    public var typedOptions: [String] {
        zip(specifications, typed).filter { $0.0.kind != .argument }.flatMap {
            specification, words in
            words.map { word in
                specification.kind == .flag ? specification.label : "\(specification.label)=\(word)"
            }
        }
    }

    /// The value of a parameter that the verb, or the program for all verbs, declares.
    public subscript<Value>(parameter: Parameter<Value>) -> Value {
        do {
            return try parameter.value(words(for: parameter.specification))
        } catch {
            preconditionFailure("A word passed its check and then could not be read.")
        }
    }

    /// Whether it was given, as opposed to left out.
    public func has<Value>(_ parameter: Parameter<Value>) -> Bool {
        !words(for: parameter.specification).isEmpty
    }

    /// An error that only the verb can detect, such as an end before its beginning.
    ///
    /// `problem` is the rest of a sentence that begins with the parameter; `instead` follows "type".
    public func usageError<Value>(
        of parameter: Parameter<Value>, _ problem: String, instead: String
    ) -> UsageError {
        UsageError(
            command: command, argument: parameter.specification.label, problem: problem,
            instead: "Type \(instead)")
    }

    /// An error about parameters that exclude each other: `--at and --time cannot be combined`.
    public func usageError(combining labels: String...) -> UsageError {
        UsageError(
            command: command, argument: nil,
            problem: labels.joined(separator: " and ") + " cannot be combined", instead: nil)
    }

    private func words(for specification: Specification) -> [String] {
        for (index, declared) in specifications.enumerated()
        where declared.kind == specification.kind && declared.name.isSame(as: specification.name) {
            return typed[index].isEmpty ? filling[index] : typed[index]
        }
        preconditionFailure("The verb does not declare the parameter it asks for.")
    }
}
