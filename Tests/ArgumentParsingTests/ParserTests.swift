import MacrologArgumentParsing
import Testing

/// Goal: every way of typing a line that a person may expect to work works, and no other.
/// Method: lines for a small program, and the values or the mistake that come out.
@Suite struct ReadingTests {
    @Test func `arguments and options become values of their types`() throws {
        let words = try words("add", "Oats", "--grams", "60.5", "--tag=a", "-t", "b", "-e")
        #expect(words[Add.name] == "Oats")
        #expect(words[Add.grams] == 60_500)
        #expect(words[Add.tags] == ["a", "b"])
        #expect(words[Add.estimated])
        #expect(!words[Add.quiet])
        #expect(!words[Sample.json])
        #expect(words[Sample.date] == nil)
    }

    @Test func `what is left out has the value it was declared with`() throws {
        let words = try words("meal", "list")
        #expect(words[MealList.days] == 7)
        #expect(!words.has(MealList.days))
    }

    @Test(arguments: [
        ["--json", "--date", "-3", "add", "Oats"],
        ["add", "--json", "--date=-3", "Oats"],
        ["add", "Oats", "--date", "-3", "--json"],
        ["--json", "add", "--date=-3", "--", "Oats"],
    ])
    func `options may stand anywhere`(line: [String]) throws {
        guard case .run(let command, let words) = try Sample.program.read(line) else {
            throw NotARun()
        }
        #expect(command.path == ["add"])
        #expect(words[Add.name] == "Oats")
        #expect(words[Sample.date] == "-3")
        #expect(words[Sample.json])
    }

    @Test(arguments: ["lunch", "Lunch", "LUNCH"])
    func `capital letters choose the same word`(word: String) throws {
        #expect(try words("add", "Oats", "--slot", word)[Add.slot] == "lunch")
    }

    @Test func `of words that differ in capital letters alone the one that was typed is chosen`()
        throws
    {
        let form = Form<Int>.choice([(word: "g", value: 1), (word: "G", value: 2)])
        #expect(try form.read("g") == 1)
        #expect(try form.read("G") == 2)
    }

    @Test func `options may stand within the verb`() throws {
        #expect(try words("meal", "--days", "3", "list")[MealList.days] == 3)
        #expect(try words("--days", "3", "meal", "list")[MealList.days] == 3)
    }

    @Test(arguments: ["-3", "-3.5", "-.5", "-0"])
    func `a dash and a digit make a value`(word: String) throws {
        #expect(try words("weight", "log", word).has(WeightLog.change))
        #expect(try words("add", "x", "--date", word)[Sample.date] == word)
        #expect(try words("add", "x", "--date", "\(word)d")[Sample.date] == "\(word)d")
    }

    @Test func `after two dashes nothing is an option`() throws {
        #expect(try words("add", "--", "--grams")[Add.name] == "--grams")
        #expect(try words("meal", "edit", "--map", "x", "--", "-a", "-b")[MealEdit.note] == "-b")
    }

    @Test func `two dashes end the search for the verb`() {
        #expect(mistake("meal", "--", "list")?.problem == "needs a verb")
    }

    @Test func `a dash alone is a value`() throws {
        #expect(try words("add", "x", "--db", "-")[Sample.db] == "-")
    }

    @Test func `letters may be joined and may hold their value`() throws {
        let words = try words("add", "x", "-qeg60")
        #expect(words[Add.quiet] && words[Add.estimated])
        #expect(words[Add.grams] == 60_000)
    }

    @Test func `a flag may be typed twice and an option may not`() throws {
        #expect(try words("add", "x", "--json", "--json")[Sample.json])
        let twice = mistake("add", "x", "--grams", "1", "-g", "2")
        #expect(twice?.argument == "--grams")
        #expect(twice?.problem == "is given twice")
    }

    @Test func `words are handed to arguments in order`() throws {
        let words = try words("meal", "edit", "a3", "hello", "x", "y", "--map", "m")
        #expect(words[MealEdit.id] == "a3")
        #expect(words[MealEdit.note] == "hello")
        #expect(words[MealEdit.tags] == ["x", "y"])
        #expect(words[MealEdit.map] == "m")
    }

    @Test func `the longest verb wins and the shorter one still works`() throws {
        #expect(try words("sync", "--watch", "5").command == "macrolog sync")
        #expect(try words("sync", "status").command == "macrolog sync status")
    }

    @Test func `an option's value is not taken for a verb`() throws {
        #expect(try words("--db", "meal", "add", "x")[Sample.db] == "meal")
    }

    @Test func `a value that is empty is refused by the form of a text`() {
        #expect(
            mistake("add", "")?.description == """
                macrolog add: NAME "" is empty.
                Type at least one letter.
                See: macrolog add --help
                """)
    }

    @Test(arguments: [" ", "\n", " \u{00A0}\u{3000}"])
    func `a value that is blank is refused by the form of a text`(word: String) {
        #expect(mistake("add", word)?.description.contains(" is blank.\nType at least") == true)
    }

    @Test func `letters that look alike are not the same verb`() {
        #expect(mistake("\u{212A}")?.problem == "has no verb \"\u{212A}\"")
    }
}

/// Goal: a mistake says where it is, what it is, and what to type instead.
@Suite struct UsageErrorTests {
    @Test(arguments: [
        (["mael", "list"], "macrolog: has no verb \"mael\".\nDid you mean meal?"),
        (["meal", "lits"], "macrolog meal: has no verb \"lits\".\nDid you mean meal list?"),
        (["status"], "macrolog: has no verb \"status\".\nDid you mean sync status?"),
        (
            ["meal", "frobnicate"],
            "macrolog meal: has no verb \"frobnicate\".\nType one of list or edit."
        ),
        (["frobnicate"], "macrolog: has no verb \"frobnicate\"."),
        (["meal"], "macrolog meal: needs a verb.\nType one of list or edit."),
        (["--json"], "macrolog: needs a verb.\nType one of add, meal, weight or sync."),
        (["--josn"], "macrolog: has no option \"--josn\".\nDid you mean --json?"),
        (
            ["add", "x", "--gram", "3"],
            "macrolog add: has no option \"--gram\".\nDid you mean --grams?"
        ),
        (
            ["add", "x", "-z"],
            "macrolog add: has no option \"-z\".\nIf it is a value, type -- before it."
        ),
        (["add"], "macrolog add: NAME is missing.\nType macrolog add NAME [OPTIONS]."),
        (
            ["meal", "edit", "a"],
            "macrolog meal edit: --map is missing.\n"
                + "Type macrolog meal edit ID [NOTE] [TAGS...] --map FIELDS."
        ),
        (
            ["add", "Greek", "yogurt"],
            "macrolog add: does not know what to do with \"yogurt\".\n"
                + "Put words that belong together in quotes."
        ),
        (
            ["weight", "log", "80", "81"],
            "macrolog weight log: does not know what to do with \"81\".\nIt takes one CHANGE."
        ),
        (
            ["sync", "stauts"],
            "macrolog sync: does not know what to do with \"stauts\".\n"
                + "Did you mean macrolog sync status?"
        ),
        (
            ["add", "x", "--grams"],
            "macrolog add: --grams needs a value.\n"
                + "Type --grams GRAMS, or --grams=VALUE if the value begins with a dash."
        ),
        (
            ["add", "x", "--grams", "--json"],
            "macrolog add: --grams needs a value.\n"
                + "Type --grams GRAMS, or --grams=VALUE if the value begins with a dash."
        ),
        (
            ["add", "x", "--json=yes"],
            "macrolog add: --json takes no value.\nType --json alone."
        ),
        (
            ["add", "x", "--slot", "diner"],
            "macrolog add: --slot \"diner\" is not one of the choices.\nType dinner."
        ),
        (
            ["add", "x", "--slot", "tea"],
            "macrolog add: --slot \"tea\" is not one of the choices.\n"
                + "Type breakfast, lunch, dinner or snack."
        ),
        (
            ["add", "x", "--slot", "lun"],
            "macrolog add: --slot \"lun\" is not one of the choices.\n"
                + "Type breakfast, lunch, dinner or snack."
        ),
        (
            ["meal", "list", "--days", "0"],
            "macrolog meal list: --days \"0\" is out of range.\n"
                + "Type a whole number from 1 to 365."
        ),
        (
            ["add", "x", "-g", "1,234"],
            "macrolog add: --grams \"1,234\" can be read in two ways.\nType 1234 or 1.234."
        ),
        (
            ["add", "x", "-g", "1.2345"],
            "macrolog add: --grams \"1.2345\" has too many decimals.\nType at most 3 decimals."
        ),
        (["help", "mael"], "macrolog: has no verb \"mael\".\nDid you mean meal?"),
    ])
    func `a mistake is explained in full`(line: [String], expected: String) throws {
        let error = #expect(throws: UsageError.self) { try Sample.program.read(line) }
        let lines = (error?.description ?? "").split(separator: "\n")
        #expect(lines.dropLast().joined(separator: "\n") == expected)
        #expect(lines.last?.hasPrefix("See: macrolog") == true)
    }

    @Test func `a mistake quotes no control characters and nothing endless`() {
        let problem =
            mistake("add", "x", "--slot", "\u{1B}[2J\u{202E}" + String(repeating: "x", count: 99))?
            .problem ?? ""
        #expect(!problem.contains("\u{1B}"))
        #expect(problem.contains("\u{FFFD}[2J\u{FFFD}xxx"))
        #expect(problem.count < 120)
    }

    @Test func `a verb can refuse a word with the same sentence`() throws {
        let words = try words("meal", "list")
        #expect(
            words.usageError(of: MealList.days, "reach before the first day", instead: "less")
                .description.hasPrefix(
                    "macrolog meal list: --days reach before the first day.\nType less.")
        )
    }

    @Test(arguments: [
        ("kitten", "kitten", 0), ("lsit", "list", 1), ("ca", "abc", 3), ("", "abc", 3),
        ("weigth", "weight", 1), ("edti", "edit", 1), ("mael", "meal", 1),
    ])
    func `swapped neighbours count as one slip`(left: String, right: String, slips: Int) {
        let found = nearest(to: left, among: [right])
        #expect(found.isEmpty == (slips > (left.utf8.count < 6 ? 1 : 2)))
    }

    @Test func `the beginning of a word suggests it`() {
        #expect(nearest(to: "unc", among: ["consume", "unconsume"]) == ["unconsume"])
    }

    @Test func `the codes are those of sysexits`() {
        #expect(
            ExitCode.all.map(\.value) == [0, 64, 65, 66, 69, 70, 73, 74, 75, 76, 77, 78])
        #expect(ExitCode.usage.value == 64 && ExitCode.config.value == 78)
    }
}
