/// `/api/v1/webhooks`: where a person has reminders and milestones sent.
import MacrologEngine
import MacrologEvents
import MacrologFaces
import MacrologHTTP
import MacrologJSON
import MacrologService

enum WebhookRoutes {
    static let all = [
        APIRoute(
            "GET", "/api/v1/webhooks", "Lists where reminders and milestones are sent.",
            answers: [.init(200, .every(shown))],
            .person(isWrite: false) { person, call in
                .entity(.array(try person.server.webhooks(of: try owner(call)).map { json($0) }))
            }),
        APIRoute(
            "POST", "/api/v1/webhooks",
            "Has reminders and milestones sent to an address; its secret is in this answer only.",
            body: .object([
                Schema.Member(
                    "url", .text(1...WebhookTarget.bytesMax, format: "uri"),
                    "Where to; https, and in the public Internet unless the operator allows others.",
                    isRequired: true),
                Schema.Member(
                    "events", .list(.choice(names), countMax: names.count),
                    "What is sent; everything otherwise."),
            ]), answers: [.init(201, made)],
            example: ["url": "https://hooks.example.org/macrolog", "events": ["reminder.due"]],
            .person(isWrite: true) { try add($0, $1) }),
        APIRoute(
            "DELETE", "/api/v1/webhooks/{id}", "Sends nothing more to an address.",
            answers: [.init(204)], .person(isWrite: true) { try remove($0, $1) }),
        APIRoute(
            "POST", "/api/v1/webhooks/{id}/test",
            "Sends a message for a test, within seconds; the list shows its outcome.",
            answers: [.init(202, .report("message_id: id"))],
            .person(isWrite: true) { try test($0, $1) }),
    ]

    private static let names = WebhookEvent.subscribable.map(\.rawValue)

    private static let members = """
        id: id, url: text, events: [text], created_at: time, stopped: text?, waiting_messages: count,
        last_attempt: object?
        """
    private static let shown = Schema.report(members)
    private static let made = Schema.report(members + ", secret: text")

    /// Who asks: a person, and no token, which would send on after its end.
    private static func owner(_ call: APICall) throws(APIProblem) -> Caller {
        guard let caller = call.caller, caller.right == nil else {
            throw APIProblem(
                .notAllowed, "A token has no right to webhooks, which outlive it: log in instead.")
        }
        return caller
    }

    private static func add(_ person: Person, _ call: APICall) throws -> APIAnswer {
        let (owner, server) = (try owner(call), person.server)
        guard let webhooks = person.webhooks else { throw APIProblem.noWebhooks }
        let url = call.body["url"]?.string ?? ""
        _ = try WebhookTarget(url, reachesPrivate: webhooks.settings.reachesPrivate)
        let asked = (call.body["events"]?.array ?? []).compactMap(\.string)
        let events = names.filter { asked.isEmpty || asked.contains($0) }
        // The same key has the same secret.
        let secret = server.unguessable(call.idempotency?.group)
        let now = server.now
        let look = try person.read { try WebhookKnowledge.look($0, after: nil, now: now).look }
        let new = NewWebhook(
            id: call.idempotency?.entity ?? person.replica.newID(), events: events, target: url,
            secret: secret, countMax: webhooks.settings.countMax, look: look)
        switch try awaited({ server.add(new, of: owner, for: call.request, then: $0) }).get() {
        case .added, .known: break
        case .taken: throw APIProblem.otherBody
        case .removed:
            throw APIProblem(
                .deleted, "The webhook of this request was removed; send a new Idempotency-Key.")
        case .noRoom:
            throw APIProblem(
                .conflict,
                "You have \(webhooks.settings.countMax) webhooks, which is the most; remove one first."
            )
        }
        webhooks.watch(owner)
        guard let added = try server.webhooks(of: owner).first(where: { $0.id == new.id }) else {
            throw APIProblem.notFound
        }
        return .created(
            json(added).adding([
                JSON.Member("secret", .string(WebhookSignature.text(of: secret)))
            ]), at: "/api/v1/webhooks/\(new.id)")
    }

    private static func remove(_ person: Person, _ call: APICall) throws -> APIAnswer {
        let (owner, server) = (try owner(call), person.server)
        let isRemoved = try awaited {
            server.removeWebhook(call.id(), of: owner, for: call.request, then: $0)
        }.get()
        guard isRemoved else { throw APIProblem.noWebhook }
        if try server.webhooks(of: owner).isEmpty { person.webhooks?.unwatch(owner.account) }
        return .nothing
    }

    private static func test(_ person: Person, _ call: APICall) throws -> APIAnswer {
        let (owner, server) = (try owner(call), person.server)
        guard person.webhooks != nil else { throw APIProblem.noWebhooks }
        guard try server.webhooks(of: owner).contains(where: { $0.id == call.id() }) else {
            throw APIProblem.noWebhook
        }
        let name = call.idempotency?.group ?? person.replica.newID()
        let message = WebhookNotice(event: .test, name: "test \(name)", data: .object([]))
            .message(to: call.id(), now: server.now)
        try awaited { server.keep([message], of: owner, then: $0) }.get()
        return APIAnswer(
            status: 202, content: .json(APIAnswer.printed(["message_id": .id(message.id)])))
    }

    private static func json(_ webhook: Webhook) -> JSON {
        [
            "id": .id(webhook.id), "url": .string(webhook.target),
            "events": .strings(webhook.events), "created_at": .instant(webhook.created),
            "stopped": .optional(webhook.stopped?.rawValue),
            "waiting_messages": .integer(webhook.waiting),
            "last_attempt": webhook.last.map { last in
                [
                    "at": .instant(last.at), "delivered": .bool(last.failure == nil),
                    "status": .optional(last.status), "failure": .optional(last.failure),
                ]
            } ?? .null,
        ]
    }
}

extension APIProblem {
    fileprivate static let noWebhook = APIProblem(
        .notFound, "There is no such webhook; GET /api/v1/webhooks lists them.")
    fileprivate static let noWebhooks = APIProblem(
        .conflict, "This server sends no messages: its operator has turned webhooks off.")
}
