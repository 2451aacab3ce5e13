import MacrologArgumentParsing
import MacrologFaces
import MacrologFormats
import MacrologJSON
import Macrolog
import MacrologTerminal

/// `auth export`: everything of the account in one file.
enum AuthExport {
    static let file = Parameter.argument("file", .file, "The zip file to write.")

    static let command = Verb(
        "auth export", "Export everything of the account into one zip file.",
        example: "auth export ana.zip",
        explanation: """
            Syncs first. The file holds every event (log.json), meals, weigh-ins and water for
            spreadsheets, all photos that the server has, and what the server knows of the account:
            sessions, audit trail, sizes (account.json).
            """, run: run
    ) {
        file
        ExportOptions.force
    }

    static func run(arguments: ParsedArguments, home: inout Home) async throws {
        let account = try home.account
        let path = arguments[file]
        // Before anything is fetched.
        try OutputFile.check(path, mayReplace: arguments[ExportOptions.force], arguments)
        _ = try await account.sync(sharesFile: true)
        let facts = try await account.export()
        var zip = try ZipFile(OutputFile.create(path, mayReplace: true, arguments))
        try zip.add("account.json") { try $0(Array(facts.json.utf8)) }
        let replica = try home.replica
        try zip.add("log.json") { write in
            _ = try JSONExport.write(replica) { try write(Array($0.utf8)) }
        }
        for what in CSVExport.What.allCases {
            try zip.add("\(what).csv") { write in
                _ = try CSVExport().write(what, of: replica, on: .earliest ... .latest) {
                    try write(Array($0.utf8))
                }
            }
        }
        var line = ProgressLine("Fetching photos", home)
        for (index, name) in facts.photos.enumerated() {
            let photo = try await account.photo(name)
            try zip.add("photos/\(hexadecimal(name))\(Self.ending(of: photo))") { try $0(photo) }
            line.show(Int64(index + 1), Int64(facts.photos.count))
        }
        line.end()
        try zip.complete()
        let missing = try replica.photoStatus().missing
        if missing > 0 {
            home.warn(
                "\(counted(missing, "photo")) of your meals \(missing == 1 ? "is" : "are") not in the "
                    + "file: neither this device nor the server has \(missing == 1 ? "it" : "them")"
            )
        }
        let count = Int64(facts.photos.count)
        try home.show(AccountJSON.exported(to: path, photos: count)) {
            $0.say("Wrote the account and \(counted(count, "photo")) to \(printable(path)).")
        }
    }

    /// How the name of a photo's file ends, by its first bytes.
    private static func ending(of photo: [UInt8]) -> String {
        switch photo.first {
        case 0xFF?: ".jpg"
        case 0x89?: ".png"
        case UInt8(ascii: "R")?: ".webp"
        default: ""
        }
    }
}
