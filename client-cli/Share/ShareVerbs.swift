import Macrolog
import MacrologArgumentParsing
import MacrologFaces

/// `share`: a meal, a day or a range of days as a picture or a sentence for others.
enum ShareVerbs {
    static let what = Parameter.argument(
        "what", .text("MEAL|DAY|DAYS"),
        "A meal, by the last digits of its id; a day; or two days: 2026-11-14..2026-11-20.")
    static let file = Parameter.argument(
        "file", .file, "The file to write: its name ends with .png, .svg or .pdf.")
    static let theme = Parameter.option(
        "theme", .theme,
        "Light or dark colours. Otherwise an SVG file follows the screen; others are light.")
    static let link = Parameter.option("link", .text("URL"), "An address to put at the end.")

    static let image = Verb(
        "share image", "Write a picture of a meal, a day or some days for others.",
        example: "share image 3f2a lunch.png", "share image today today.png --theme dark",
        "share image -6..today week.svg",
        explanation: """
            1200 by 630 pixels: the name, the energy, protein, carbs and fat, and the score if you
            follow a diet. Of several days it shows the means of those with food. Notes, tags, photos
            and times of day are never part of it.
            """, run: draw
    ) {
        what
        file
        theme
        ExportOptions.force
    }

    static let text = Verb(
        "share text", "Print a sentence about a meal, a day or some days for others.",
        example: "share text 3f2a", "share text yesterday",
        explanation: """
            With --json it prints the whole document that a share holds: what is shown to others,
            and nothing else.
            """, run: tell
    ) {
        what
        link
    }

    private static func tell(_ arguments: ParsedArguments, _ home: inout Home) throws {
        let share = try home.share(arguments[what], what, arguments)
        try home.show(share.json) { home in home.say(share.text(link: arguments[link])) }
    }

    private static func draw(_ arguments: ParsedArguments, _ home: inout Home) throws {
        let path = arguments[file]
        let format = PictureFile.Format.allCases.first {
            path.utf8.suffix(4).elementsEqual(".\($0.rawValue)".utf8)
        }
        guard let format, let target = PictureFile(format, path) else {
            throw arguments.usageError(
                of: file, "names no kind of picture",
                instead: "a name that ends with .png, .svg or .pdf")
        }
        let share = try home.share(arguments[what], what, arguments)
        try home.write(
            share.card, named: share.title, to: [target], arguments[theme],
            mayReplace: arguments[ExportOptions.force], arguments)
    }
}
