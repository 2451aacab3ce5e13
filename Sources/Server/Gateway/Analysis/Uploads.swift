/// Bodies that are longer than JSON may be: forms with a photo.
import MacrologAnalysis
import MacrologDiary
import MacrologEngine
import MacrologEvents
import MacrologHTTP
import MacrologService
import MacrologSystem
import Synchronization

enum Uploads {
    /// The longest photo, in bytes.
    static let photoBytesMax = 10 * 1_048_576
    /// The longest form.
    static let bytesMax = photoBytesMax + 65_536
}

extension APIProblem {
    static let uploadTooLarge = APIProblem(
        .tooLarge, "The photo is longer than \(Uploads.photoBytesMax) bytes; make it smaller first."
    )
    fileprivate static let uploadsBusy = APIProblem(
        .busy,
        "\(UploadPlaces.perSenderMax) photos of a sender are received at once; wait for their answers.",
        fields: [HTTPField("retry-after", "5")])

    fileprivate static func analysesUsedUp(_ count: Int64, _ milliseconds: Int64) -> APIProblem {
        let seconds = max(1, (milliseconds + 999) / 1_000)
        return APIProblem(
            .tooManyRequests,
            "\(count) analyses in 24 h are allowed; try again in \(seconds) s.",
            fields: [HTTPField("retry-after", "\(seconds)")])
    }
}

/// A body as it arrives.
private final class Arriving: Sendable {
    let bytes = Mutex<[UInt8]>([])
}

extension Gateway {
    /// Receives the form of a route that takes photos; `nil` for any other request.
    func uploadSink(for request: HTTPRequest) -> BodySink? {
        guard let (route, _) = try? APIRoutes.match(request), !route.upload.isEmpty else {
            return nil
        }
        let admitted: (sender: UploadPlaces.Sender, left: Allowance.Left?)
        do { admitted = try admitUpload(request, to: route) } catch {
            let refusal = response(for: error)
            var sink = BodySink(
                bytesMax: Int64(Uploads.bytesMax), take: { _ in },
                finish: { self.withOrigin(of: request, $0)(refusal) }, cancel: {})
            sink.isRefusal = true
            return sink
        }
        let arriving = Arriving()
        return BodySink(
            bytesMax: Int64(Uploads.bytesMax),
            take: { piece in arriving.bytes.withLock { $0.append(contentsOf: piece) } },
            finish: { [self] reply in
                var whole = request
                whole.sink = nil
                whole.body = arriving.bytes.withLock { bytes in
                    defer { bytes = [] }
                    return bytes
                }
                let reply = withOrigin(of: request, reply)
                // The photo is in memory until its answer.
                answer(whole) { [uploads] answer in
                    uploads.release(admitted.sender)
                    reply(answer.adding(admitted.left?.fields ?? []))
                }
            }, cancel: { [uploads] in uploads.release(admitted.sender) })
    }

    /// Refuses what would be refused later before it is received, counts the request, and takes a place for
    /// its form. It gives what is left of the sender's hour, too; `nil` where nothing is counted.
    private func admitUpload(
        _ request: HTTPRequest, to route: APIRoute
    ) throws -> (sender: UploadPlaces.Sender, left: Allowance.Left?) {
        if route.asksModel, analyst == nil { throw APIProblem.noProvider }
        let open = route.asksModel && analyst?.settings.takesStrangers == true ? analyst : nil
        if let length = request.field("content-length").flatMap({ Int64($0) }),
            length > Int64(Uploads.bytesMax)
        {
            throw APIProblem.uploadTooLarge
        }
        let sender: UploadPlaces.Sender
        var left: Allowance.Left?
        let request = try counted(request)
        if let open, request.field("authorization") == nil {
            let site = server.site(of: request)
            try open.chargeStranger(site)
            sender = .stranger(site)
        } else {
            let caller = try server.caller(of: request)
            try Self.permitUpload(caller)
            left = try charge(caller)
            sender = .account(caller.account)
        }
        do throws(APIProblem) {
            try Upload.requireMediaType(request)
            guard uploads.take(sender) else { throw .uploadsBusy }
        } catch {
            var problem = error
            problem.fields += left?.fields ?? []
            throw problem
        }
        return (sender, left)
    }

    /// The name of the interface of the operator's provider.
    var providerName: String { analyst?.settings.provider.settings.interface.rawValue ?? "" }

    /// Records a meal of an analysis, in the lane of its account.
    typealias Recording =
        (_ body: (inout Diary, Identifier, _ group: Identifier?) throws -> APIAnswer) throws ->
        APIAnswer

    /// Has an upload analysed: for an account that agrees, within its limits, and counted in its audit trail.
    ///
    /// - Parameters:
    ///   - keepsPhoto: Whether the photo becomes a blob of the account when something is recorded.
    ///   - finish: Makes the answer; it is given what records in the sender's log, or `nil` for a stranger.
    func analyze(
        _ upload: Upload, _ call: APICall, _ reply: @escaping Reply, keepsPhoto: Bool = false,
        _ finish: @escaping @Sendable (FoodAnswer, Recording?) throws -> APIAnswer
    ) throws {
        guard let analyst else { throw APIProblem.noProvider }
        let question =
            if let photo = upload.photo {
                try FoodQuestion(photo: photo, description: upload.words)
            } else {
                FoodQuestion(description: upload.words ?? "")
            }
        if call.request.field("authorization") == nil, analyst.settings.takesStrangers {
            return ask(analyst, question, of: nil, reply) { [self] result in
                do {
                    let answer = try finish(try answer(of: result), nil)
                    reply(
                        try answer.response(to: call.request, isWrite: true) {
                            throw APIProblem.failed()
                        })
                } catch {
                    reply(response(for: error))
                }
            }
        }
        let caller = try uploader(call.request)
        // A browser separates the parts of a form by another boundary each time.
        let repeated = try Idempotency.read(
            call.request, of: caller.account, call.route.name,
            body: (upload.photo ?? []) + [0] + Array((upload.words ?? "").utf8))
        try inLane(of: caller, for: call.request, reply) { [self] person in
            let known = try person.read { diary -> APIAnswer? in
                if upload.photo != nil { try Self.requireConsent(diary) }
                return try Self.known(repeated, diary)
            }
            if let known {
                return reply(
                    try known.response(to: call.request, isWrite: true, spool: person.spool))
            }
            ask(analyst, question, of: caller, reply) { [self] result in
                let tokens = (try? result.get())?.tokens ?? 0
                server.recordAnalysis(by: caller, of: call.request, providerName, tokens: tokens)
                let isTaken: Void? = try? inLane(of: caller, for: nil, reply) { [self] person in
                    try server.requireSession(of: caller)
                    let answer = try server.alone(with: repeated?.entity) {
                        // The same request may have been answered while this one waited for the model.
                        try person.refresh(head: server.head(of: caller))
                        if let known = try person.read({ try Self.known(repeated, $0) }) {
                            return known
                        }
                        return try finish(try self.answer(of: result)) { body in
                            let id = repeated?.entity ?? person.replica.newID()
                            if keepsPhoto, let photo = upload.photo {
                                _ = try person.keep(photo, for: call.request)
                            }
                            return try person.write { try body(&$0, id, repeated?.group) }
                        }
                    }
                    reply(
                        try answer.response(to: call.request, isWrite: true, spool: person.spool))
                }
                if isTaken == nil { reply(APIProblem.busy.response) }
            }
        }
    }

    /// Asks a question that counts for the sender's day.
    private func ask(
        _ analyst: Analyst, _ question: FoodQuestion, of caller: Caller?, _ reply: @escaping Reply,
        _ done: @escaping @Sendable (Result<FoodAnswer, AnalysisError>) -> Void
    ) {
        let perDay = analyst.settings.perDay
        server.countAnalysis(of: caller, atMost: perDay) { [self] result in
            do {
                if let wait = try result.get() { throw APIProblem.analysesUsedUp(perDay, wait) }
                try analyst.ask(question, of: caller?.account, done)
            } catch {
                reply(response(for: error))
            }
        }
    }

    /// What an earlier request with the same key has made; `nil` if none has.
    private static func known(
        _ repeated: Idempotency?, _ diary: borrowing Diary
    ) throws -> APIAnswer? {
        guard let repeated,
            let first = try diary.firstEvent(of: EntityKey("meal", repeated.entity))
        else { return nil }
        guard first.group == repeated.group else { throw APIProblem.otherBody }
        return try NutritionAIRoutes.one(diary, repeated.entity, status: 201)
    }

    private func answer(of result: Result<FoodAnswer, AnalysisError>) throws(APIProblem)
        -> FoodAnswer
    {
        do throws(AnalysisError) { return try result.get() } catch { throw APIProblem(error) }
    }

    /// Who sends a form.
    func uploader(_ request: HTTPRequest) throws -> Caller {
        let caller = try server.caller(of: request)
        try Self.permitUpload(caller)
        server.noteUse(by: caller, of: request)
        return caller
    }

    /// An analysis costs the account's day, and a photo is recorded: a token must be one that may write.
    private static func permitUpload(_ caller: Caller) throws(APIProblem) {
        if let right = caller.right, right.scope != .write { throw .notAllowed(right) }
    }

    private static func requireConsent(_ diary: borrowing Diary) throws {
        do { try diary.requireConsent() } catch ProposalError.consentRequired {
            throw APIProblem.consentRequired
        }
    }
}

extension APIProblem {
    static let otherBody = APIProblem(
        .idempotencyKey, "This Idempotency-Key was used for another body; send a new key.")
}
