import MacrologArgumentParsing
import MacrologFaces
import MacrologTerminal
import MacrologJSON
import Macrolog

/// `meal photo`: the photos of a meal.
enum MealPhotos {
    static let meal = Parameter.argument("meal", .id, "The meal, by the last digits of its id.")
    static let files = Parameter.arguments(
        "files", .file, "JPEG, PNG or WebP files of at most 10 MiB.", atLeastOne: true)
    static let target = Parameter.argument("file", .file, "The file to write.")
    static let photo = Parameter.option(
        "photo", .photo, "Which one, by the first digits that `meal photo list` shows.")
    static let force = Parameter.flag("force", "Replace a file of that name.")

    static let add = Verb(
        "meal photo add", "Attach photos to a meal.",
        example: "meal photo add 3f2a lunch.jpg",
        explanation: """
            Place, time, camera, author and all other metadata are removed before the photo is kept;
            the pixels stay as they are. Your other devices learn of the photo at the next sync, and
            fetch it when they show it.

            HEIC files are refused, because their metadata cannot be removed here.
            """, run: attach
    ) {
        meal
        files
    }

    static let list = Verb(
        "meal photo list", "List the photos of a meal.", example: "meal photo list 3f2a",
        run: show
    ) { meal }

    static let save = Verb(
        "meal photo save", "Write a photo of a meal to a file.",
        example: "meal photo save 3f2a saved.jpg",
        "meal photo save 3f2a saved.jpg --photo 9c4e01",
        explanation: "A photo that is not on this device is fetched from the server.", run: write
    ) {
        meal
        target
        photo
        force
    }

    static let remove = Verb(
        "meal photo remove", "Remove a photo from a meal.",
        example: "meal photo remove 3f2a --photo 9c4e01",
        explanation: """
            `undo` restores it within thirty days; then the server deletes it.
            """, run: takeAway
    ) {
        meal
        photo
    }

    static func attach(words: ParsedArguments, home: inout Home) throws {
        let target = try home.find(Meal.self, words[meal], meal, words)
        var known = try home.replica.read { try $0.require(Meal.self, target) }.photoHashes
        var attached: [(photo: MealPhoto, isNew: Bool)] = []
        for path in words[files] {
            // The metadata that cleaning removes may be what makes it too large.
            let bytes = try InputFile.read(path, words, bytesMax: Replica.photoFileBytesMax)
            do {
                let photo = try home.replica.attachPhoto(bytes, to: target)
                attached.append((photo, !known.contains(photo.name)))
                known.append(photo.name)
            } catch let error as PhotoError {
                let kept = attached.isEmpty ? "" : "\nthe photos before it are attached"
                throw CommandError(
                    .dataErr, "\(words.command): \(printable(path)): \(error)\(kept)")
            }
        }
        try home.show(.array(attached.map { $0.photo.face.json })) { home in
            for (photo, isNew) in attached {
                let verb = isNew ? "Attached" : "Already attached:"
                home.say("\(verb) \(photo.text)  \(home.style.paint(photo.digits, .dim))")
            }
        }
    }

    static func show(words: ParsedArguments, home: inout Home) throws {
        let target = try home.find(Meal.self, words[meal], meal, words)
        let photos = try home.replica.photos(of: target)
        try home.show(.array(photos.map(\.face.json))) { home in
            guard !photos.isEmpty else { return home.say("The meal has no photo.") }
            for photo in photos {
                home.say("\(home.style.paint(photo.digits, .dim))  \(photo.text)")
            }
        }
    }

    static func write(words: ParsedArguments, home: inout Home) async throws {
        let id = try home.find(Meal.self, words[meal], meal, words)
        let name = try chosen(of: id, words, &home)
        // Before the photo is fetched: the file may not be writable.
        var file = try OutputFile.create(words[target], mayReplace: words[force], words)
        let bytes: [UInt8]
        if let here = try home.replica.photo(name) {
            bytes = here
        } else {
            let account = try home.account
            bytes = try await account.photo(name)
        }
        try file.write(bytes)
        try file.complete()
        let json = PhotoJSON.saved(name, bytes: Int64(bytes.count), to: words[target])
        try home.show(json) {
            $0.say("Saved \(sizeText(Int64(bytes.count))) as \(printable(words[target])).")
        }
    }

    static func takeAway(words: ParsedArguments, home: inout Home) throws {
        let id = try home.find(Meal.self, words[meal], meal, words)
        let name = try chosen(of: id, words, &home)
        try home.replica.removePhoto(name, from: id)
        try home.show(PhotoJSON.removed(name)) {
            $0.say("Removed the photo. macrolog undo restores it.")
        }
    }

    /// The typed photo, or the only one.
    private static func chosen(
        of id: Identifier, _ words: ParsedArguments, _ home: inout Home
    ) throws -> [UInt8] {
        let names = try home.replica.read { try $0.require(Meal.self, id) }.photoHashes
        let typed = words[photo]
        let found = names.filter { name in
            typed.map { hexadecimal(name).utf8.starts(with: $0.utf8) } ?? true
        }
        if let first = found.first, found.count == 1 { return first }
        guard !names.isEmpty else {
            throw CommandError(.noInput, "\(words.command): the meal has no photo")
        }
        let list = names.map { hexadecimal($0).prefix(8) }.joined(separator: ", ")
        throw words.usageError(
            of: photo,
            found.isEmpty
                ? "is not a photo of this meal" : "is missing, and the meal has several photos",
            instead: "the first digits of one of them: \(list)")
    }
}

extension Form where Value == String {
    /// The first digits of a photo's name.
    static var photo: Form {
        Form("DIGITS") { word throws(BadValue) in
            let isHexadecimal = word.utf8.allSatisfy {
                (48...57).contains($0) || (97...102).contains($0)
            }
            guard isHexadecimal, (4...64).contains(word.utf8.count) else {
                throw BadValue(
                    "is not the beginning of a photo's name",
                    instead: "at least four digits as lists show them: 9c4e01")
            }
            return word
        }
    }
}

extension MealPhoto {
    /// The beginning of the name.
    var digits: String { String(hexadecimal(name).prefix(8)) }

    /// `JPEG, 4032 × 3024, 2.1 MB`
    var text: String {
        guard let bytes else { return "not on this device" }
        guard let mediaType, let width, let height else { return sizeText(bytes) }
        let format = mediaType.dropFirst("image/".utf8.count)
        return
            "\(format == "webp" ? "WebP" : format.uppercased()), \(width) × \(height), \(sizeText(bytes))"
    }

    fileprivate var face: PhotoFace {
        PhotoFace(
            name: name, bytes: bytes, mediaType: mediaType, width: width, height: height)
    }
}

/// `940 B`, `38 kB`, `2.1 MB`.
func sizeText(_ bytes: Int64) -> String {
    switch bytes {
    case ..<1_000: "\(bytes) B"
    case ..<1_000_000: "\(bytes / 1_000) kB"
    default: "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
    }
}
