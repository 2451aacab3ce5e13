/// Photos and descriptions that a model analyses: `/analyze-food-image` of CarbCal, `/api/analyze` of
/// NutritionAI.
import MacrologAnalysis
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologHTTP
import MacrologImages
import MacrologJSON
import MacrologNutrition
import MacrologService
import MacrologWire

enum AnalysisRoutes {
    static let all = [
        uploading(
            APIRoute(
                "POST", "/analyze-food-image",
                "CarbCal: what a model sees in a photo; nothing is recorded.",
                answers: [.init(200, seen)], problems: problems, ignoresUnknown: true,
                .server { try analyzeImage($0, $1, $2) })),
        uploading(
            APIRoute(
                "POST", "/api/analyze",
                "NutritionAI: a meal as a model sees or understands it, not eaten yet.",
                answers: [.init(200, seen), .init(201, .eatenMeal)], problems: problems,
                ignoresUnknown: true, .server { try analyze($0, $1, $2) })),
    ]

    private static let seen = Schema.report(
        """
        dishName: text, ingredients: [dish_part], total: dish_total, reportedTotal: dish_sum, totalMismatch: flag,
        inconsistent: flag, confidence: number, lowConfidence: flag, found: text
        """)

    private static let problems: [APIProblemKind] = [
        .unauthorized, .notAllowed, .tooManyRequests, .unsupportedMediaType, .invalidMember,
        .consentRequired,
        .analysisUnavailable, .analysisFailed, .notRecorded, .idempotencyKey,
    ]

    private static func uploading(_ route: APIRoute) -> APIRoute {
        var route = route
        route.asksModel = true
        route.upload = [
            Schema.Member("image", .text(1...Uploads.photoBytesMax), "A JPEG, PNG or WebP file."),
            Schema.Member(
                "description", .text(0...FoodQuestion.descriptionBytesMax), "What you say about it."
            ),
        ]
        return route
    }

    // MARK: CarbCal

    private static func analyzeImage(
        _ gateway: Gateway, _ call: APICall, _ reply: @escaping Gateway.Reply
    ) throws {
        let upload = try Upload(call.request)
        guard upload.photo != nil else { throw APIProblem.invalid("/image", "image is missing.") }
        try gateway.analyze(upload, call, reply) { answer, _ in
            APIAnswer(content: .compact(json(answer)))
        }
    }

    /// What CarbCal shows: the total is what the ingredients come to.
    private static func json(_ answer: FoodAnswer) -> JSON {
        let dish = CarbCalDish(answer.items.map { ($0.name, $0.nutrients) })
        let reported = CarbCalDish([("", answer.reportedTotal)])
        let score = JSON.Member("healthScore", .integer(answer.healthScore ?? 0))
        return [
            "dishName": .string(answer.dish ?? ""), "ingredients": dish.ingredients,
            "total": .object(dish.total + [score]), "reportedTotal": .object(reported.total),
            "totalMismatch": .bool(answer.hasTotalMismatch),
            "inconsistent": .bool(answer.isInconsistent),
            "confidence": .decimal(answer.confidenceBasisPoints, scale: 4),
            "lowConfidence": .bool(answer.isUnsure), "found": .string(answer.found.rawValue),
        ]
    }

    // MARK: NutritionAI

    private static func analyze(
        _ gateway: Gateway, _ call: APICall, _ reply: @escaping Gateway.Reply
    ) throws {
        let upload = try Upload(call.request)
        guard upload.photo != nil || upload.words != nil else {
            throw APIProblem.invalid("/image", "image or description is missing.")
        }
        try gateway.analyze(upload, call, reply, keepsPhoto: true) { answer, record in
            guard let record else { return APIAnswer(content: .compact(json(answer))) }
            guard answer.found == .food else {
                let why = answer.found == .noFood ? "saw no food" : "could not tell what it is"
                throw APIProblem(
                    .analysisFailed, "The model \(why): send another photo, or describe the meal.")
            }
            return try record { diary, id, group in
                var meal = Meal(
                    id: id, on: try diary.date(on: nil), dishName: answer.dish, isConsumed: false)
                if let photo = upload.photo {
                    meal.photoHashes = [SHA256.hash(photo)]
                    meal.source = .photo
                }
                try diary.add(meal, proposedBy: answer, of: gateway.providerName, group: group)
                return try NutritionAIRoutes.one(diary, id, status: 201)
            }
        }
    }
}

/// What a request brings to be analysed.
struct Upload: Sendable {
    /// A picture without place, time and names.
    let photo: [UInt8]?
    let words: String?
    /// The food entry that a photo is of.
    let foodEntry: Identifier?

    /// Refuses a body that is neither a form nor JSON.
    static func requireMediaType(_ request: HTTPRequest) throws(APIProblem) {
        guard
            ["multipart/form-data", "application/json"].contains(where: {
                Bodies.isType($0, request)
            })
        else {
            throw APIProblem(
                .unsupportedMediaType,
                "The body must be multipart/form-data with the part image, or JSON with a description."
            )
        }
    }

    init(_ request: HTTPRequest) throws {
        if Bodies.isType("application/json", request) {
            let json: JSON
            let bytes = try Bodies.decoded(request, bytesMax: Gateway.bodyBytesMax)
            do throws(JSONError) { json = try JSON.parse(bytes) } catch {
                throw APIProblem.noJSON(error)
            }
            photo = nil
            foodEntry = nil
            words = try Self.words(json["description"]?.string.map { Array($0.utf8)[...] })
            return
        }
        try Self.requireMediaType(request)
        let type = request.field("content-type") ?? ""
        guard request.body.count <= Uploads.bytesMax else { throw APIProblem.uploadTooLarge }
        let form: Multipart
        do throws(Multipart.Mistake) { form = try Multipart(request.body, type: type) } catch {
            throw APIProblem(.malformedRequest, "The body is no form: \(error.text).")
        }
        words = try Self.words(form["description"])
        foodEntry = try form["food_entry_id"].flatMap { bytes throws(APIProblem) -> Identifier? in
            if bytes.isEmpty { return nil }
            guard let id = Identifier(String(decoding: bytes, as: UTF8.self)) else {
                throw .invalid(
                    "/food_entry_id",
                    "food_entry_id must be an id such as \(APIRoutes.exampleID).")
            }
            return id
        }
        guard let bytes = form["image"] else {
            photo = nil
            return
        }
        guard bytes.count <= Uploads.photoBytesMax else { throw APIProblem.uploadTooLarge }
        do throws(ImageError) { photo = try CleanImage(cleaning: Array(bytes)).bytes } catch {
            throw APIProblem.invalid(
                "/image", "image cannot be used, \(error.explanation): \(error.hint).")
        }
    }

    private static func words(_ bytes: ArraySlice<UInt8>?) throws(APIProblem) -> String? {
        guard let bytes, !bytes.isEmpty else { return nil }
        guard bytes.count <= FoodQuestion.descriptionBytesMax,
            let text = String(validating: bytes, as: UTF8.self)
        else {
            throw .invalid(
                "/description",
                "description must be UTF-8 text of at most \(FoodQuestion.descriptionBytesMax) bytes."
            )
        }
        return text
    }
}
