/// The gateway: a function from a request to a response, for clients that know no events. Whatever they
/// write is recorded by one more device, and reaches every other device like anything else.
import Macrolog
import MacrologDiary
import MacrologEngine
import MacrologEvents
package import MacrologHTTP
import MacrologJSON
import MacrologNutritionModels
package import MacrologService
import MacrologSystem
import Synchronization

/// The settings of a gateway.
package struct GatewaySettings: Sendable {
    /// How many replicas are open at most.
    package var replicasMax = 256
    /// How many requests an account may make in an hour; `nil` for any number.
    package var requestsPerHour: Int64? = 100
    /// Which origins' pages may ask (CORS), such as `https://app.example.org`; none by default.
    package var origins: [String] = []
    /// The least version of an app that names its own in `X-Client-Version`; `nil` for any.
    package var clientVersionMin: ClientVersion?
    /// Whether a registration with an address that has an account is refused as such.
    package var revealsRegistration = false
    /// How many long answers are in files at most.
    package var answersMax = 256
    /// How many bytes they have together at most; those of one account a quarter of it.
    package var answerBytesMax: Int64 = 1 << 30
    /// How many descriptors the replicas and the answers in files may have open together.
    package var descriptorsMax: Int { 4 * replicasMax + answersMax }
    /// Whether the files of replicas are there for the next start.
    package var keepsFiles = true
    /// The operator's provider of models; `nil` for none.
    package var analysis: AnalysisSettings?
    /// Where messages may be sent; `nil` for nowhere.
    package var webhooks: WebhookSettings? = WebhookSettings()

    /// The defaults.
    package init() {}

    /// Has fewer replicas and answers, so that fewer descriptors suffice: at least one replica and
    /// ``Spools/perAccountMax`` answers.
    package mutating func fit(descriptors count: Int) {
        guard descriptorsMax > count else { return }
        answersMax = max(Spools.perAccountMax, min(answersMax, count / 4))
        replicasMax = max(1, min(replicasMax, (count - answersMax) / 4))
    }
}

package final class Gateway: Sendable {
    /// Receives the response, once.
    package typealias Reply = @Sendable (HTTPResponse) -> Void

    let server: SyncServer
    let settings: GatewaySettings
    private let folder: String
    private let persons: Persons
    private let lanes: Lanes
    private let liveAnswers = LiveAnswers()
    private let ticks = Atomic<Int>(0)
    let allowance: Allowance?
    let analyst: Analyst?
    let webhooks: Webhooks?
    /// Who sends forms with photos.
    let uploads = UploadPlaces()
    private let note: @Sendable (String) -> Void

    /// How many requests may wait, and how many of one account.
    private static let waitingMax = 4_096
    private static let perAccountMax = 64
    /// The longest body, in bytes.
    package static let bodyBytesMax = 262_144

    /// Creates a gateway.
    ///
    /// - Parameters:
    ///   - folder: Where replicas are; created if missing. It is a cache: without it nothing is lost.
    ///   - note: Receives a line for the log when something failed that should not.
    package init(
        _ server: SyncServer, folder: String, settings: GatewaySettings = GatewaySettings(),
        note: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        try Files.makeFolder(folder)
        // A folder that someone else has made, or may open, shows them what people log.
        guard FileStatus(of: folder, followsLinks: false)?.isPrivateFolder ?? false else {
            throw SystemError.notPermitted
        }
        self.server = server
        self.settings = settings
        self.folder = folder
        self.note = note
        webhooks = try settings.webhooks.map { try Webhooks($0, server) }
        persons = Persons(server, in: folder, settings, webhooks)
        lanes = Lanes(
            threads: max(4, 2 * Machine.processors), jobsMax: Self.waitingMax,
            perAccountMax: Self.perAccountMax)
        allowance = settings.requestsPerHour.map { Allowance(countMax: $0) }
        analyst = settings.analysis.map { Analyst($0) }
        server.onDeletion { [weak self] in self?.removeOrphans() }
        removeOrphans()
    }

    /// Removes the replicas of deleted accounts.
    private func removeOrphans() {
        for (account, folder) in persons.orphans() {
            _ = lanes.put(account, isLimited: false) { [persons] in
                persons.discard(account, folder: folder)
            }
        }
    }

    /// Finishes what waits, and closes all replicas.
    package func close() {
        analyst?.close()
        webhooks?.close()
        lanes.close()
        persons.closeIdle(after: 0)
        if !settings.keepsFiles { Files.removeAll(folder) }
    }

    /// Closes replicas that were not used for a minute, sends a sign of life on live answers, and now and then removes
    /// what is left of accounts that another node has deleted. To be called every ten seconds or so.
    package func tick() {
        persons.closeIdle(after: 60_000)
        liveAnswers.beat()
        let count = ticks.add(1, ordering: .relaxed).newValue
        if count.isMultiple(of: Self.ticksBetweenOrphans) { removeOrphans() }
    }

    /// Ends the live answers whose sender may not ask any more. To be called every two seconds or so.
    package func endRevoked() { liveAnswers.endRevoked() }

    /// About an hour.
    private static let ticksBetweenOrphans = 360

    /// Ends live answers, so that the server can stop.
    package func endLive() { liveAnswers.endAll() }

    /// How many replicas are open.
    package var openReplicas: Int { persons.count }

    // MARK: Requests

    /// Whether a request is one for the gateway, and not for the server itself.
    package func owns(_ request: HTTPRequest) -> Bool { APIRoutes.own(request.path) }

    /// Refuses a long body before it is read; `nil` for one that may be kept in memory. It reads the store.
    package func sink(for request: HTTPRequest) -> BodySink? {
        if let sink = uploadSink(for: request) { return sink }
        guard let length = request.field("content-length").flatMap({ Int64($0) }),
            length > Bodies.strangerBytesMax
        else { return nil }
        var refusal: HTTPResponse?
        if length > Self.bodyBytesMax {
            refusal = APIProblem.tooLarge.response
        } else {
            do { _ = try server.caller(of: counted(request)) } catch {
                refusal = response(for: error)
            }
        }
        return refusal.map { .refusing($0, bytesMax: Self.bodyBytesMax) }
    }

    /// Answers one request, immediately or later, on this thread or another.
    package func respond(to request: HTTPRequest, reply: @escaping Reply) {
        if let sink = request.sink { return sink.finish(reply) }
        if let sink = uploadSink(for: request) {
            request.body.withUnsafeBytes { sink.take($0) }
            return sink.finish(reply)
        }
        answer(request, withOrigin(of: request, reply))
    }

    /// Answers a request that is there with its whole body.
    func answer(_ request: HTTPRequest, _ reply: @escaping Reply) {
        do { try admit(request, reply) } catch { reply(response(for: error)) }
    }

    private func admit(_ given: HTTPRequest, _ reply: @escaping Reply) throws {
        if let answer = preflight(given) { return reply(answer) }
        let request = try counted(given)
        let (route, path) = try APIRoutes.match(request)
        try route.checkAccept(request)
        let parameters = try route.parameters(path, request.query)
        var call = APICall(
            request: request, route: route, parameters: parameters, body: .null, caller: nil,
            idempotency: nil, isHead: given.method == "HEAD")
        guard route.needsAccount else {
            call.body = try route.body(of: request)
            return try answerStranger(call, reply)
        }
        let caller = try server.caller(of: request)
        // What is refused counts, too, and says what is left.
        let reply = try charged(caller, reply)
        do {
            try route.permit(caller)
            call.caller = caller
            server.noteUse(by: caller, of: request)
            call.body = try route.body(of: request)
            call.idempotency = try .read(
                request, of: caller.account, "\(request.method) \(request.path)")
            let isLive = route.live != nil && request.wantsEvents && !call.isHead
            let isTaken = lanes.put(caller.account) { [self, call] in
                reply(isLive ? begin(call, caller) : answer(call, caller))
            }
            guard isTaken else { throw APIProblem.busy }
        } catch {
            reply(response(for: error))
        }
    }

    private func answerStranger(_ call: APICall, _ reply: @escaping Reply) throws {
        switch call.route.handler {
        case .open(let handle):
            let answer = try handle(self, call)
            reply(
                try answer.response(to: call.request, isWrite: false) { throw APIProblem.failed() })
        case .server(let handle): try handle(self, call, reply)
        case .read, .write, .person: preconditionFailure("needs an account")
        }
    }

    /// Uses the replica of an account in its lane; an error is replied.
    ///
    /// - Parameter request: Whose sender must still be let in when its turn comes; `nil` if the body sees to that, or for
    ///     the server's own work.
    func inLane(
        of caller: Caller, for request: HTTPRequest?, _ reply: @escaping Reply,
        _ body: @escaping @Sendable (Person) throws -> Void
    ) throws(APIProblem) {
        let isTaken = lanes.put(caller.account) { [self] in
            do {
                if let request { _ = try server.caller(of: request) }
                let person = try ready(caller)
                do { try body(person) } catch {
                    if !isRefusal(error) { persons.discard(caller.account, folder: caller.folder) }
                    throw error
                }
            } catch {
                reply(response(for: error))
            }
        }
        guard isTaken else { throw .busy }
    }

    /// The answer to a request of an account, in its lane. The same request may have come to another node, too.
    private func answer(_ call: APICall, _ caller: Caller) -> HTTPResponse {
        let once = call.route.isWrite ? call.idempotency?.entity : nil
        do { return try server.alone(with: once) { made(call, caller) } } catch {
            return response(for: error)
        }
    }

    private func made(_ call: APICall, _ caller: Caller) -> HTTPResponse {
        do {
            // While the request waited, its session may have ended.
            _ = try server.caller(of: call.request)
            let person = try ready(caller)
            do {
                return try answer(call, person).response(
                    to: call.request, isWrite: call.route.isWrite, spool: person.spool)
            } catch {
                // What the server did not take is in no log; what cannot be read is made again.
                if !isRefusal(error) { persons.discard(caller.account, folder: caller.folder) }
                throw error
            }
        } catch {
            return response(for: error)
        }
    }

    /// The replica of an account, with all that the server has. Its files are a cache: if they cannot be
    /// used, they are made again, once.
    private func ready(_ caller: Caller) throws -> Person {
        do { return try refreshed(caller) } catch {
            // What the server refuses now, such as too many requests, it would refuse a new replica.
            if isRefusal(error) || error is AccountError { throw error }
            note("a replica is made again: \(error)")
            persons.discard(caller.account, folder: caller.folder)
            return try refreshed(caller)
        }
    }

    private func refreshed(_ caller: Caller) throws -> Person {
        let person = try persons.person(of: caller)
        try person.refresh(head: server.head(of: caller))
        return person
    }

    /// Whether an error says that something is not possible, and not that a replica failed.
    private func isRefusal(_ error: any Error) -> Bool {
        switch error {
        case is APIProblem, is MacrologService.Problem, is EntryError, is HistoryError,
            is PortionError:
            true
        case let error as ReplicaError: error.code == .tooLarge
        default: false
        }
    }

    /// The first part of a live answer, in the lane of its account.
    private func begin(_ call: APICall, _ caller: Caller) -> HTTPResponse {
        do {
            _ = try server.caller(of: call.request)
            let answer = LiveAnswer()
            try offer(answer, call, caller)
            let request = call.request
            try liveAnswers.add(answer, of: caller.account) { [server] in
                (try? server.caller(of: request)) != nil
            }
            let end = server.watch(caller) { [weak self] in
                guard let self, answer.expect() else { return }
                let isTaken = lanes.put(caller.account, isLimited: false) {
                    self.follow(answer, call)
                }
                if !isTaken { answer.end() }
            }
            // What has grown before the watch began.
            do { try offer(answer, call, caller) } catch {
                end()
                liveAnswers.remove(answer)
                throw error
            }
            return HTTPResponse(
                status: 200,
                fields: [
                    HTTPField("content-type", "text/event-stream"),
                    HTTPField("x-accel-buffering", "no"),
                ],
                stream: answer.body { [liveAnswers] in
                    end()
                    liveAnswers.remove(answer)
                })
        } catch {
            return response(for: error)
        }
    }

    /// What has changed, if its sender may still ask.
    private func follow(_ answer: LiveAnswer, _ call: APICall) {
        answer.begin()
        do { try offer(answer, call, try server.caller(of: call.request)) } catch {
            guard !isBusy(error) else { return }
            // For the log; the client asks again.
            _ = response(for: error)
            answer.end()
        }
    }

    /// Whether an error passes by itself: then the next change sends what this one would have.
    private func isBusy(_ error: any Error) -> Bool {
        switch error {
        case let error as APIProblem: error.kind == .busy
        case let error as MacrologService.Problem: error.kind == .busy
        case let error as AccountError: error.isRetryable
        default: false
        }
    }

    private func offer(_ answer: LiveAnswer, _ call: APICall, _ caller: Caller) throws {
        guard let live = call.route.live else { return }
        let person = try ready(caller)
        try answer.offer(try person.read { try live($0, call) })
    }

    private func answer(_ call: APICall, _ person: Person) throws -> APIAnswer {
        switch call.route.handler {
        case .read(let handle): try person.read { try handle($0, call) }
        case .write(let handle): try person.write { try handle(&$0, call) }
        case .person(_, let handle): try handle(person, call)
        case .open, .server: preconditionFailure("needs no account")
        }
    }

    /// The response that tells of an error; what should not happen goes to the log.
    func response(for error: any Error) -> HTTPResponse {
        switch error {
        case _ where isOfFullDisk(error): return APIProblem.diskFull.response
        case let problem as APIProblem:
            if let reason = problem.reason { note(reason) }
            return problem.response
        case let problem as MacrologService.Problem where problem.kind == .eventQuota:
            return APIProblem(.notRecorded, "Not recorded: \(problem.title)").response
        case let problem as MacrologService.Problem: return server.answer(problem)
        case let error as EntryError: return APIProblem(error).response
        case let error as AccountError: return APIProblem(error).response
        case let error as HistoryError: return APIProblem(explaining: error).response
        case let error as ReplicaError where error.code == .tooLarge:
            return APIProblem(.tooLarge, "\(error).").response
        case let error as PortionError: return APIProblem.invalid("", "\(error).").response
        default:
            note("\(error)")
            return APIProblem.failed().response
        }
    }
}
