import MacrologTerminal

/// The form a typed word must have to be a value: how to read it and what to say when it is not one.
///
/// A program adds its own forms in an extension:
///
/// ```swift
/// extension Form where Value == Slot {
///     static var slot: Form { .choice(Slot.allCases.map { ($0.name, $0) }) }
/// }
/// ```
public struct Form<Value>: Sendable {
    /// The placeholder of the value in help: `GRAMS`.
    public let placeholder: String
    /// The values that a shell may offer.
    public let completion: Completion
    /// The value of a word.
    public let read: @Sendable (String) throws(BadValue) -> Value

    /// A form with its own reading. `read` has no effect but its result.
    public init(
        _ placeholder: String, completion: Completion = .nothing,
        read: @escaping @Sendable (String) throws(BadValue) -> Value
    ) {
        self.placeholder = placeholder
        self.completion = completion
        self.read = read
    }

    func readAll(_ words: [String]) throws(BadValue) -> [Value] {
        var values: [Value] = []
        for word in words { values.append(try read(word)) }
        return values
    }
}

/// The values that a shell may offer.
public enum Completion: Sendable {
    case nothing
    case files
    case directories
    /// These words, in this order.
    case words([String])
}

/// Why a typed word is not a value, as the rest of a sentence that begins with the word itself.
public struct BadValue: Error, Equatable, Sendable {
    /// `is not a date`
    public let problem: String
    /// What to type, after "type": `today, yesterday, -3 or 2026-11-20`.
    public let instead: String

    /// Says what is wrong with a typed word, and what to type instead.
    public init(_ problem: String, instead: String) {
        self.problem = problem
        self.instead = instead
    }
}

extension Form where Value == String {
    /// Any text that is not empty or blank, without white space at its ends.
    public static var text: Form { text("TEXT") }

    /// Any text that is not empty or blank, without white space at its ends, called `placeholder` in
    /// help.
    public static func text(_ placeholder: String) -> Form {
        Form(placeholder) { word throws(BadValue) in
            var scalars = try visible(word).unicodeScalars[...]
            while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
            while scalars.first?.properties.isWhitespace == true { scalars.removeFirst() }
            return String(Substring(scalars))
        }
    }

    /// The path of a file, as it is typed. Whether it exists is for the one who opens it to find out.
    public static var file: Form { Form("FILE", completion: .files, read: visible) }

    /// The path of a directory, as it is typed.
    public static var directory: Form { Form("DIRECTORY", completion: .directories, read: visible) }

    private static func visible(_ word: String) throws(BadValue) -> String {
        guard !word.isEmpty else { throw BadValue("is empty", instead: "at least one letter") }
        guard !word.unicodeScalars.allSatisfy({ $0.properties.isWhitespace }) else {
            throw BadValue("is blank", instead: "at least one letter")
        }
        return word
    }

    /// One of these words.
    public static func oneOf(_ words: String...) -> Form {
        .choice(words.map { (word: $0, value: $0) })
    }
}

extension Form where Value: Sendable {
    /// One of these words, each standing for a value. Small and capital letters A to Z are alike, unless two words
    /// differ in nothing else.
    public static func choice(_ choices: [(word: String, value: Value)]) -> Form {
        let words = choices.map { $0.word }
        return Form(words.joined(separator: "|"), completion: .words(words)) {
            word throws(BadValue) in
            for choice in choices where choice.word.isSame(as: word) { return choice.value }
            let alike = choices.filter { $0.word.smallASCII.elementsEqual(word.smallASCII) }
            if alike.count == 1 { return alike[0].value }
            // Of three letters one slip leaves too little to guess from.
            let near = word.utf8.count < 4 ? [] : nearest(to: word, among: words)
            throw BadValue(
                "is not one of the choices", instead: (near.isEmpty ? words : near).formattedList)
        }
    }
}

extension String {
    /// Its bytes, with small letters instead of A to Z.
    fileprivate var smallASCII: some Sequence<UInt8> {
        utf8.lazy.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
}

extension Form where Value == Int64 {
    /// A whole number within `range`.
    public static func integer(
        _ placeholder: String = "N", in range: ClosedRange<Int64>
    ) -> Form {
        Form(placeholder) { word throws(BadValue) in
            let instead = "a whole number from \(range.lowerBound) to \(range.upperBound)"
            guard let value = Int64(word) else {
                throw BadValue("is not a whole number", instead: instead)
            }
            guard range.contains(value) else { throw BadValue("is out of range", instead: instead) }
            return value
        }
    }

    /// A number with at most `places` decimals, as a whole number of its smallest parts.
    ///
    /// With three places `80.25` is 80,250. A comma is read as the decimal mark where only that can
    /// be meant; `1,234` could be either and is refused. `range` counts the smallest parts.
    public static func decimal(
        _ placeholder: String = "N", places: Int, in range: ClosedRange<Int64>
    ) -> Form {
        Form(placeholder) { word throws(BadValue) in
            let low = NumberFormat.plain.text(range.lowerBound, scale: places)
            let high = NumberFormat.plain.text(range.upperBound, scale: places)
            let instead = "a number from \(low) to \(high)"
            let value: Int64
            switch readDecimal(word, places: places) {
            case .value(let read): value = read
            case .notANumber: throw BadValue("is not a number", instead: instead)
            case .tooFine:
                throw BadValue(
                    "has too many decimals",
                    instead: places == 0 ? "a whole number" : "at most \(places) decimals")
            case .tooLarge: throw BadValue("is out of range", instead: instead)
            case .ambiguous(let either, let or):
                throw BadValue("can be read in two ways", instead: "\(either) or \(or)")
            }
            guard range.contains(value) else { throw BadValue("is out of range", instead: instead) }
            return value
        }
    }
}
