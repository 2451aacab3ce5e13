import MacrologArgumentParsing
import MacrologTerminal
import Testing

/// Goal: what is drawn for the terminal has the width it claims and shows the value it was given.
@Suite struct DrawingTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("食べ物", 6), ("ｱ", 1), ("Ａ", 2),
        ("🍎", 2), ("👩‍👩‍👧", 2), ("🇨🇭", 2), ("❤️", 2), ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2),
        ("a\u{200B}b", 2), ("\u{1B}[31mred\u{1B}[0m", 3), ("…", 1), ("█", 1), ("\u{301}", 0),
        ("½", 1),
        ("中文\u{1B}[1;32m字\u{1B}[0m", 6), ("𠀀", 2), ("Å", 1), ("\u{1B}[2K", 0),
    ])
    func `the width of a text is what a terminal shows`(text: String, width: Int) {
        #expect(displayWidth(text) == width)
    }

    @Test(arguments: [
        ("porridge", 8, "porridge"), ("porridge", 7, "porrid…"), ("食べ物", 5, "食べ…"),
        ("食べ物", 4, "食…"), ("porridge", 1, "…"), ("porridge", 0, ""),
        ("cafe\u{301}s!", 5, "cafe\u{301}…"),
        ("\u{1B}[31mred wine\u{1B}[0m", 4, "\u{1B}[31mred…\u{1B}[0m"),
    ])
    func `a text is cut between letters`(text: String, width: Int, expected: String) {
        let cut = truncated(text, to: width, style: .plain)
        #expect(Array(cut.utf8) == Array(expected.utf8))
        #expect(displayWidth(cut) <= width)
    }

    @Test func `without blocks a text is cut with points`() {
        #expect(truncated("porridge", to: 6, style: .ascii) == "por...")
        #expect(truncated("porridge", to: 2, style: .ascii) == "..")
    }

    @Test func `text of others cannot move the cursor`() {
        #expect(
            printable("a\u{1B}[2J\nb\u{202E}c\u{9B}d") == "a\u{FFFD}[2J b\u{FFFD}c\u{FFFD}d")
        #expect(printable("a\u{61C}b\u{200F}c\u{2028}d") == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d")
        #expect(printable("Crème brûlée 🍮") == "Crème brûlée 🍮")
    }

    @Test func `a finished line keeps its colours and its line feeds, and nothing else that moves`()
    {
        let line = Style.colorful.paint("a", .bold, .red) + "\n" + Style.colorful.paint("é", .dim)
        #expect(guarded(line) == line)
        for evil in [
            "\u{1B}[2J", "\u{1B}]0;title\u{7}", "\u{1B}[8m", "\u{1B}[1;8m", "\u{1B}[m",
            "\u{1B}[38;5;1m",
            "\u{1B}[300m", "\u{1B}", "\u{1B}[", "\u{1B}[1", "\u{9B}31m", "\r", "\u{202E}",
            "\u{61C}",
        ] {
            let shown = guarded("é\(evil)b")
            #expect(shown.hasPrefix("é\u{FFFD}") && shown.hasSuffix("b"), "\(shown)")
            #expect(!shown.contains("\u{1B}"), "\(shown)")
        }
    }

    @Test func `colours need a terminal that no one refused`() {
        func style(
            _ isTerminal: Bool, _ refused: Bool, _ noColor: String?, _ term: String?
        ) -> Bool {
            Style.fitting(
                isTerminal: isTerminal, refused: refused, noColor: noColor, term: term,
                locale: "de_CH.UTF-8"
            ).colors
        }
        #expect(style(true, false, nil, "xterm"))
        #expect(style(true, false, "", "xterm"))
        #expect(!style(false, false, nil, "xterm"))
        #expect(!style(true, true, nil, "xterm"))
        #expect(!style(true, false, "1", "xterm"))
        #expect(!style(true, false, nil, "dumb"))
        #expect(!style(true, false, nil, nil))
    }

    @Test(arguments: [
        ("C", false), ("C.UTF-8", true), ("en_GB.utf8", true), (nil, false), ("POSIX", false),
        ("de_CH.ISO-8859-1", false), ("ca_ES.UTF-8@valencia", true),
    ])
    func `blocks need a locale with UTF-8`(locale: String?, blocks: Bool) {
        #expect(
            Style.fitting(
                isTerminal: true, refused: false, noColor: nil, term: "xterm", locale: locale
            ).blocks == blocks)
    }

    @Test func `paint is only used where there are colours`() {
        #expect(Style.colorful.paint("x", .bold, .red) == "\u{1B}[1;31mx\u{1B}[0m")
        #expect(Style.plain.paint("x", .bold) == "x")
        #expect(Style.colorful.paint("", .bold) == "")
    }

    @Test func `a table lines up`() {
        var table = Table(.init("Food"), .init("Amount", .decimal), .init("kcal", .right))
        table.add("Oats", "60 g", "228")
        table.add("味噌汁", "1.25 l", "1,040")
        table.add("Café", Table.Cell("10.5 g", .green))
        table.totals = ["Total", "", "1,268"]
        #expect(
            table.lines(style: .plain, width: nil)
                == [
                    "Food     Amount   kcal",
                    "──────  ───────  ─────",
                    "Oats    60 g       228",
                    "味噌汁   1.25 l  1,040",
                    "Café    10.5 g",
                    "──────  ───────  ─────",
                    "Total            1,268",
                ].map { $0 })
    }

    @Test func `a table gives way where it is widest`() {
        var table = Table(.init("Food"), .init("Remark"), .init("kcal", .right))
        table.add("Oats", "a very long remark about the oats", "228")
        let lines = table.lines(style: .ascii, width: 24)
        #expect(
            lines == [
                "Food  Remark        kcal",
                "----  ------------  ----",
                "Oats  a very lo...   228",
            ])
    }

    @Test func `a table that would cut short texts becomes titles and cells`() {
        var table = Table(
            .init(""), .init("day"), .init("name"), .init("kcal", .decimal), .init("fat", .decimal))
        table.add("3f2a", "2026-11-20", "Lentil soup", "1,440", "–")
        table.add("77b0", "2026-11-20", "", "95.5", "7")
        table.totals = ["total", "", "", "1,535.5"]
        #expect(
            table.lines(style: .plain, width: 30) == [
                "3f2a  day 2026-11-20",
                "  name Lentil soup  kcal 1,440",
                "77b0  day 2026-11-20",
                "  kcal 95.5  fat 7",
                "total  kcal 1,535.5",
            ])
        let narrow = table.lines(style: .plain, width: 12)
        #expect(narrow.allSatisfy { displayWidth($0) <= 12 }, "\(narrow)")
    }

    @Test func `cells are painted without losing their places`() {
        var table = Table(.init("A"), .init("B", .right))
        table.add(Table.Cell("x", .red), "12")
        #expect(
            table.lines(style: .colorful, width: nil).last == "\u{1B}[31mx\u{1B}[0m  12")
    }

    @Test(arguments: [
        (Int64(0), "    "), (1, "▏   "), (8, "█   "), (12, "█▌  "), (31, "███▉"), (32, "████"),
        (99, "████"), (-5, "    "),
    ])
    func `a bar has eighths`(value: Int64, expected: String) {
        #expect(bar(value, of: 32, width: 4, style: .plain) == expected)
    }

    @Test func `a bar does with ASCII and with the largest numbers`() {
        #expect(bar(1, of: 2, width: 4, style: .ascii) == "##  ")
        #expect(bar(.max / 2, of: .max, width: 4, style: .ascii) == "#   ")
        #expect(bar(.max - 1, of: .max, width: 4, style: .plain) == "███▉")
        #expect(bar(5, of: 0, width: 2, style: .plain) == "  ")
    }

    @Test func `a meter shows its target`() {
        #expect(meter(60, target: 100, width: 12, style: .plain) == "██████    │   60%")
        #expect(meter(120, target: 100, width: 12, style: .plain) == "██████████┃█ 120%")
        #expect(meter(60, target: 100, width: 12, style: .ascii) == "######    |   60%")
        #expect(meter(0, target: 0, width: 12, style: .plain) == "            ")
        #expect(displayWidth(meter(.max, target: 1, width: 12, style: .plain)) == 17)
    }

    @Test(arguments: [
        (Int64(1), Int64(3), Int64(33)), (2, 3, 67), (1, 200, 1), (1, 201, 0), (-1, 2, -50),
        (.max, .max, 100), (.max, 1, 9_999), (.min, .max, -100), (5, 0, 0),
    ])
    func `a percentage is rounded`(value: Int64, whole: Int64, expected: Int64) {
        #expect(percentage(value, of: whole) == expected)
    }

    @Test func `a sparkline reaches from the least to the greatest`() {
        #expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7], style: .plain) == "▁▂▃▄▅▆▇█")
        #expect(sparkline([3, nil, 5], style: .plain) == "▁ █")
        #expect(sparkline([4, 4], style: .plain) == "▅▅")
        #expect(sparkline([], style: .plain) == "")
        #expect(sparkline([nil], style: .plain) == " ")
        #expect(sparkline([.min, 0, .max], style: .ascii) == "_-^")
    }

    @Test func `two blocks stand side by side`() {
        #expect(
            sideBySide(
                ("phone", ["Oats 60 g", "食べ物食べ物食べ物"]), ("laptop", ["Oats 70 g"]), width: 25,
                style: .plain) == [
                    "phone       │ laptop",
                    "────────────┼────────────",
                    "Oats 60 g   │ Oats 70 g",
                    "食べ物食べ… │",
                ])
    }

    @Test func `progress is silent for a second`() {
        let progress = Progress("Importing", done: 50, total: 200)
        #expect(progress.line(elapsedMilliseconds: 999, width: 60, style: .plain) == nil)
        #expect(
            progress.line(elapsedMilliseconds: 2_000, width: 60, style: .plain)
                == "Importing  █████▊                   25%  50 of 200, 6 s left")
        #expect(
            Progress("Reading", done: 1_234, total: nil)
                .line(elapsedMilliseconds: 5_000, width: 20, style: .plain)
                == "Reading  1,234      ")
        for width in 1...90 {
            let line = progress.line(elapsedMilliseconds: 3_000, width: width, style: .plain)
            #expect(displayWidth(line ?? "") == width)
        }
        // A server may say that its log has any length.
        for total in [Int64.min, -1, 0, 1, 1 << 53, .max - 1, .max] {
            for done in [Int64.min, -1, 0, 1, 1 << 53, .max] {
                let line = Progress("Syncing", done: done, total: total)
                    .line(elapsedMilliseconds: 60_000, width: 60, style: .plain)
                #expect(displayWidth(line ?? "") == 60)
            }
        }
    }

    @Test(arguments: [
        (Int64(0), "just now"), (9_999, "just now"), (10_000, "10 seconds ago"),
        (60_000, "1 minute ago"), (179_999, "2 minutes ago"), (180_000, "3 minutes ago"),
        (7_200_000, "2 hours ago"), (-172_800_000, "in 2 days"), (604_800_000, "1 week ago"),
        (2_629_800_000, "1 month ago"), (31_557_600_000, "1 year ago"),
        (.min, "in 292271023 years"),
    ])
    func `time is shown in words`(milliseconds: Int64, words: String) {
        #expect(ago(milliseconds: milliseconds) == words)
    }

    @Test(arguments: [
        (Int64(0), "0 s"), (1, "1 s"), (59_000, "59 s"), (60_000, "1 min"), (61_000, "2 min"),
        (3_600_000, "1 h"), (3_661_000, "1 h 2 min"), (-5, "0 s"),
    ])
    func `a length of time is shown roughly`(milliseconds: Int64, words: String) {
        #expect(duration(milliseconds: milliseconds) == words)
    }

    @Test func `text is wrapped at words`() {
        #expect(wrapped("one two three", to: 7) == ["one two", "three"])
        #expect(wrapped("a\nb\n\nc", to: 9) == ["a b", "", "c"])
        #expect(wrapped("toolongforit a", to: 4) == ["toolongforit", "a"])
    }
}
