/// `/photos`: the table of FitAI. The bytes are the account's blobs, as those of any device; an address that shows
/// one works for ten to eleven minutes.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologHTTP
import MacrologImages
import MacrologJSON
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologService
import MacrologWire

enum PhotoRoutes {
    static let all = [
        APIRoute(
            "GET", "/photos",
            "FitAI: the photos of some days, of food entries or of none, with addresses for ten minutes.",
            query: [.from, .lastBegun, .limit, .cursor], answers: [.init(200, .page(form))],
            ignoresUnknown: true, .person(isWrite: false) { try list($0, $1) }),
        uploading(
            APIRoute(
                "POST", "/photos", "FitAI: keeps a photo, of a food entry or before there is one.",
                answers: [.init(201, form)],
                problems: [
                    .unauthorized, .notAllowed, .tooManyRequests, .unsupportedMediaType,
                    .invalidMember, .notRecorded, .notFound, .deleted, .conflict,
                ], ignoresUnknown: true, .server { try keep($0, $1, $2) })),
        APIRoute(
            "GET", "/photos/{id}", "FitAI: a photo, with an address for ten minutes.",
            answers: [.init(200, form)], problems: [.deleted], ignoresUnknown: true,
            .person(isWrite: false) { try show($0, $1) }),
        APIRoute(
            "DELETE", "/photos/{id}", "FitAI: removes a photo, also from its food entries.",
            answers: [.init(204)], problems: [.deleted], ignoresUnknown: true,
            .write { try remove(&$0, $1) }),
        APIRoute(
            "GET", "/photos/shown/{signed}", "FitAI: the photo of a signed address, for anyone.",
            answers: [.init(200)], problems: [.tooManyRequests], ignoresUnknown: true,
            .server { gateway, call, reply in
                reply(
                    try gateway.server.photo(
                        signed: call.text("signed") ?? "", for: call.request))
            }
        ).with(types: [
            "image/jpeg", "image/png", "image/webp", "image/heic", "application/octet-stream",
        ]),
    ]

    private static let form = Schema.report(
        """
        id: id, food_entry_id: id?, storage_url: text?, url_expires_at: time?, file_size: count?,
        mime_type: text?, created_at: time?
        """)

    private static func uploading(_ route: APIRoute) -> APIRoute {
        var route = route
        route.upload = [
            Schema.Member("image", .text(1...Uploads.photoBytesMax), "A JPEG, PNG or WebP file."),
            Schema.Member("food_entry_id", .id, "The food entry that it shows."),
        ]
        return route
    }

    // MARK: Keeping

    private static func keep(
        _ gateway: Gateway, _ call: APICall, _ reply: @escaping Gateway.Reply
    ) throws {
        let upload = try Upload(call.request)
        guard let photo = upload.photo else {
            throw APIProblem.invalid("/image", "image is missing.")
        }
        let caller = try gateway.uploader(call.request)
        var call = call
        call.caller = caller
        try gateway.inLane(of: caller, for: call.request, reply) { [call] person in
            let meal = upload.foodEntry
            if let meal { try requireRoom(forPhotoOf: meal, photo, person) }
            let name = try person.keep(photo, for: call.request)
            let header = try? ImageHeader.read(photo)
            try person.write { diary in
                let id = Identities.photo(name)
                if try diary.isDeleted(Photo.self, id) { try diary.restore(Photo.self, id) }
                var kept = Photo(id: id, fields: [:])
                if let known = try diary.entity(Photo.self, id) {
                    kept = known
                } else {
                    kept.type = header.flatMap { PhotoType($0.format) }
                    kept.byteCount = Int64(photo.count)
                    kept.width = header.map { Int64($0.width) }
                    kept.height = header.map { Int64($0.height) }
                    kept.takenAt = diary.now
                }
                // Only an element of a set can be removed, and the bytes with it. That of a meal is enough.
                if let meal { try diary.attach(name, to: meal) }
                kept.heldHashes = meal == nil ? [name] : []
                try diary.save(kept)
            }
            let shown = try person.read { diary -> JSON in
                try json(name, of: meal, diary, person, call)
            }
            reply(
                try APIAnswer(status: 201, content: .compact(shown)).response(
                    to: call.request, isWrite: true, spool: person.spool))
        }
    }

    private static func requireRoom(
        forPhotoOf meal: Identifier, _ photo: [UInt8], _ person: Person
    ) throws {
        do { try person.read { try $0.requireRoom(forPhotoOf: meal, photo) } } catch let error
            as EntryError
        {
            var problem = APIProblem(error)
            problem.members.append(JSON.Member("pointer", "#/food_entry_id"))
            throw problem
        }
    }

    // MARK: Showing

    private static func list(_ person: Person, _ call: APICall) throws -> APIAnswer {
        try person.read { diary -> APIAnswer in
            let days = try diary.span(begunBy: call)
            let meals = try diary.meals(on: days)
            // A photo of several food entries is shown with the first of them.
            var seen: Set<[UInt8]> = []
            var shown: [(key: PageKey, name: [UInt8], meal: Identifier?)] = meals.flatMap {
                detail in
                detail.meal.photoHashes.filter { seen.insert($0).inserted }.map { name in
                    (
                        PageKey(
                            detail.meal.localDate.day, detail.meal.localDate.occurredAt,
                            .v5(namespace: detail.meal.id, name: hexadecimal(name))), name,
                        detail.meal.id
                    )
                }
            }
            for (photo, name) in try diary.photosWithoutMeal() {
                // A photo without a time is shown with those of today.
                let day = try diary.localDate(at: photo.takenAt).day
                guard days.contains(day) else { continue }
                shown.append((PageKey(day, photo.takenAt, photo.id), name, nil))
            }
            return try Page(call, of: shown) { $0.key }.answer(as: { .compact($0) }) {
                try json($0.name, of: $0.meal, diary, person, call)
            }
        }
    }

    private static func show(_ person: Person, _ call: APICall) throws -> APIAnswer {
        try person.read { diary -> APIAnswer in
            let named = try diary.mealsWithPhoto(call.id()).first
            let name =
                if let named { named.name } else {
                    try diary.require(Photo.self, call.id()).name
                }
            guard let name else { throw APIProblem.notFound }
            return APIAnswer(
                content: .compact(try json(name, of: named?.meal, diary, person, call)))
        }
    }

    private static func json(
        _ name: [UInt8], of meal: Identifier?, _ diary: borrowing Diary, _ person: Person,
        _ call: APICall
    ) throws -> JSON {
        let id = Identities.photo(name)
        let shown = try person.shownPhoto(name, for: call)
        return [
            "id": .id(id), "food_entry_id": .optional(meal),
            "storage_url": .optional(shown?.address), "url_expires_at": .instant(shown?.expires),
            "file_size": .optional(shown?.bytes), "mime_type": .optional(shown?.type),
            "created_at": .instant(try diary.entity(Photo.self, id)?.takenAt),
        ]
    }

    // MARK: Removing

    private static func remove(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let id = call.id()
        let meals = try diary.mealsWithPhoto(id)
        for (name, meal) in meals {
            var changed = try diary.require(Meal.self, meal)
            changed.photoHashes.removeAll { $0 == name }
            try diary.save(changed)
        }
        if var photo = try diary.entity(Photo.self, id) {
            photo.heldHashes = []
            try diary.save(photo)
            try diary.delete(Photo.self, id)
        } else if meals.isEmpty {
            try diary.delete(Photo.self, id)
        }
        return .nothing
    }
}

extension Photo {
    /// The SHA-256 of the bytes, also as earlier versions wrote it; `nil` where only a meal had it.
    fileprivate var name: [UInt8]? {
        (heldHashes + [sha256].compactMap { $0 }).first { Identities.photo($0) == id }
    }
}

extension PhotoType {
    init?(_ format: ImageFormat) {
        switch format {
        case .jpeg: self = .jpeg
        case .png: self = .png
        case .webP: self = .webp
        case .heic: self = .heic
        }
    }
}

extension Diary {
    /// How many photos a meal may have.
    private static var photosMax: Int { 10 }

    fileprivate func requireRoom(forPhotoOf meal: Identifier, _ photo: [UInt8]) throws {
        let names = try require(Meal.self, meal).photoHashes
        guard names.count < Self.photosMax || names.contains(SHA256.hash(photo)) else {
            throw APIProblem(
                .conflict, "That food entry has \(Self.photosMax) photos; remove one first.")
        }
    }

    /// Says that a meal has a photo.
    fileprivate mutating func attach(_ name: [UInt8], to id: Identifier) throws {
        var meal = try require(Meal.self, id)
        guard !meal.photoHashes.contains(name) else { return }
        meal.photoHashes.append(name)
        try save(meal)
    }

    /// The photos that no meal names, in no order.
    fileprivate func photosWithoutMeal() throws -> [(photo: Photo, name: [UInt8])] {
        let named = Set(
            try withStore { store throws(LogError) in try store.photosOfMeals() }.map(\.name))
        return try entities(Photo.self).compactMap { photo in
            guard let name = photo.name, !named.contains(name) else { return nil }
            return (photo, name)
        }
    }

    /// The meals that name a photo.
    fileprivate func mealsWithPhoto(
        _ id: Identifier
    ) throws -> [(name: [UInt8], meal: Identifier)] {
        try withStore { store throws(LogError) in try store.photosOfMeals() }.filter {
            Identities.photo($0.name) == id
        }
    }
}

extension Person {
    /// A photo that is here whole: its length, its media type, and an address that shows it to anyone for ten to
    /// eleven minutes. `nil` for one that a device has named and not sent yet.
    func shownPhoto(
        _ name: [UInt8], for call: APICall
    ) throws -> (bytes: Int64, type: String?, address: String, expires: Int64)? {
        guard let caller = call.caller else { throw APIProblem.failed() }
        guard let file = try server.photo(name, of: caller) else { return nil }
        let signed = server.signedPhoto(name, of: caller)
        let address = "\(address(for: call.request))/photos/shown/\(signed.text)"
        return (file.bytes, file.type, address, signed.expires)
    }

    /// Keeps a photo as a blob of the account, before an event names it, and returns its name.
    func keep(_ photo: [UInt8], for request: HTTPRequest) throws -> [UInt8] {
        let name = SHA256.hash(photo)
        let answer = ask("PUT", "/v1/blobs/\(hexadecimal(name))", photo, of: request)
        let title = (try? JSON.parse(answer.body))?["title"]?.string
        switch (answer.status, title) {
        case (200..<300, _): return name
        case (403, _):
            throw APIProblem(.notRecorded, title ?? "The server has no room for the photo.")
        case (503, let title?):
            // How long depends on why: a folder that is not mounted takes longer than a queue.
            throw APIProblem(
                .busy, title, fields: answer.fields.filter { $0.name == "retry-after" })
        case (429, _):
            throw APIProblem(.tooManyRequests, "Too many photos at once; try again soon.")
        default: throw APIProblem.busy
        }
    }
}
