/// The second, inner address: `/metrics` in the text format of Prometheus, and `/ready` with reasons.
import MacrologHTTP
import MacrologHTTPServer
import MacrologJSON
import MacrologService
import MacrologSystem

/// What the numbers are read from.
struct Metrics: Sendable {
    let requests: Requests
    let server: SyncServer
    let store: any ServerStore
    let backups: Backups?
    /// When the process began to serve, in milliseconds since 1970 UTC.
    let started = SystemClock.wallMilliseconds

    /// Answers a request on the inner address.
    func answer(_ request: HTTPRequest, _ reply: Reply) {
        guard request.method == "GET" || request.method == "HEAD" else {
            return reply.send(text(405, "Ask with GET.\n"))
        }
        switch request.path {
        case "/metrics":
            server.readiness { readiness in
                reply.send(text(200, page(readiness), "text/plain; version=0.0.4; charset=utf-8"))
            }
        case "/ready":
            server.readiness { readiness in
                let status = readiness.isReady ? 200 : 503
                reply.send(text(status, report(readiness) + "\n", "application/json"))
            }
        default:
            reply.send(text(404, "There is /metrics, and /ready.\n"))
        }
    }

    private func text(
        _ status: Int, _ text: String, _ type: String = "text/plain; charset=utf-8"
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, fields: [HTTPField("content-type", type)], body: Array(text.utf8))
    }

    // MARK: /ready

    private func report(_ readiness: Readiness) -> String {
        var members = [
            JSON.Member("ready", .bool(readiness.isReady)),
            JSON.Member("reads", .string(Self.word(readiness.reads))),
            JSON.Member("writes", .string(Self.word(readiness.writes))),
            JSON.Member("has_room", .bool(readiness.hasRoom)),
            JSON.Member("free_bytes", Self.number(readiness.freeBytes)),
            JSON.Member("epoch", .integer(Int64(readiness.epoch))),
            JSON.Member("version", .string(Administration.version)),
        ]
        if let placed = store as? PlacedStore {
            let stores = placed.answering.map { JSON.Member($0.name, .bool($0.isUp)) }
            members.append(JSON.Member("stores", .object(stores)))
        }
        if let difference = readiness.clockDifference {
            members.append(JSON.Member("clock_difference_ms", .integer(difference)))
        }
        if readiness.hasUndeclaredProxy {
            members.append(
                JSON.Member(
                    "notice",
                    .string(
                        "Requests come through a proxy that is not declared, so all people share "
                            + "its address. Declare it with trusted-proxy.")))
        }
        return JSON.object(members).compact
    }

    private static func word(_ error: StoreError?) -> String {
        switch error {
        case nil: "ok"
        case .busy, .elsewhere: "busy"
        case .unmounted: "unmounted"
        case .full: "full"
        case .failed: "failed"
        }
    }

    private static func number(_ value: UInt64?) -> JSON {
        value.map { .integer(Int64(clamping: $0)) } ?? .null
    }

    // MARK: /metrics

    private func page(_ readiness: Readiness) -> String {
        var page = Page()
        let counts = requests.counts
        page.family(
            "requests_total", "counter", "Requests answered.",
            counts.outcomes.map { (Self.labels(route: $0.key.route, $0.key.status), "\($0.value)") }
        )
        page.durations(counts.durations)
        page.family(
            "refusals_total", "counter", "Requests refused, by the type of their problem.",
            counts.refusals.map { ("problem=\"\($0.key.rawValue)\"", "\($0.value)") })
        page.gauge(
            "ready", "1 if the server reads, writes, has room and the right time.",
            readiness.isReady ? 1 : 0)
        page.gauge("reads_ok", "1 if the database can be read.", readiness.reads == nil ? 1 : 0)
        page.gauge(
            "writes_ok", "1 if the database can be written.", readiness.writes == nil ? 1 : 0)
        if let placed = store as? PlacedStore {
            page.family(
                "store_up", "gauge", "1 if the store answers.",
                placed.answering.map { ("store=\"\($0.name)\"", $0.isUp ? "1" : "0") })
        }
        page.gauge(
            "undeclared_proxy", "1 if requests came through a proxy that is not declared.",
            readiness.hasUndeclaredProxy ? 1 : 0)
        page.gauge(
            "epoch", "The epoch of the logs; another one after a restore.", Int64(readiness.epoch))
        if let difference = readiness.clockDifference {
            page.gauge(
                "clock_difference_milliseconds", "How far the clock is before the database's.",
                difference)
        }
        if let free = readiness.freeBytes {
            page.gauge("disk_free_bytes", "Room on the disk.", Int64(clamping: free))
        }
        if let usage = readiness.usage {
            page.gauge("accounts", "Accounts.", usage.accounts)
            page.gauge("event_bytes", "Size of all events.", usage.eventBytes)
            page.gauge("blobs", "Photos.", usage.blobs)
            page.gauge("blob_bytes", "Size of all photos.", usage.blobBytes)
        }
        page.gauge("live_channels", "Open polls and streams.", Int64(server.openChannels))
        page.counter("commits_total", "Transactions committed.", Int64(store.commits))
        page.counter("password_hashes_total", "Passwords hashed or checked.", Int64(server.hashes))
        if let backups {
            let state = backups.state
            page.gauge(
                "backup_last_success_timestamp_seconds", "When the last backup was complete.",
                state.succeeded / 1_000)
            page.counter("backups_total", "Backups completed.", state.count)
            page.counter("backup_failures_total", "Backups that failed.", state.failures)
        }
        page.gauge("start_time_seconds", "When the server started.", started / 1_000)
        page.family(
            "processor_seconds_total", "counter", "Processors' time used.",
            [("", Page.seconds(Running.processorMilliseconds))])
        if let bytes = Running.residentBytes {
            page.gauge("resident_memory_bytes", "Memory used.", bytes)
        }
        page.family(
            "build_info", "gauge", "The version of the program.",
            [("version=\"\(Administration.version)\"", "1")])
        return page.text
    }

    static func labels(route: Int, _ status: Int) -> String {
        "route=\"\(name(of: route))\",status=\"\(status)\""
    }

    static func name(of route: Int) -> String { FrontDoor.name(of: route) }
}

/// A page of metrics as it grows. Names, helps and labels are ours, so that nothing is escaped.
private struct Page {
    private(set) var text = ""

    mutating func gauge(_ name: String, _ help: String, _ value: Int64) {
        family(name, "gauge", help, [("", "\(value)")])
    }

    mutating func counter(_ name: String, _ help: String, _ value: Int64) {
        family(name, "counter", help, [("", "\(value)")])
    }

    mutating func family(
        _ name: String, _ kind: String, _ help: String, _ samples: [(labels: String, value: String)]
    ) {
        head(name, kind, help)
        for sample in samples.sorted(by: { $0.labels < $1.labels }) {
            line(name, sample.labels, sample.value)
        }
    }

    mutating func durations(_ all: [Int: Requests.Durations]) {
        head(
            "request_seconds", "histogram",
            "From a request to its answer; without polls and streams.")
        for (route, durations) in all.sorted(by: { $0.key < $1.key }) {
            let label = "route=\"\(Metrics.name(of: route))\""
            for (step, count) in zip(Requests.steps, durations.counts) {
                let end = Self.seconds(step)
                line("request_seconds_bucket", "\(label),le=\"\(end)\"", "\(count)")
            }
            line("request_seconds_bucket", "\(label),le=\"+Inf\"", "\(durations.count)")
            line("request_seconds_sum", label, Self.seconds(durations.milliseconds))
            line("request_seconds_count", label, "\(durations.count)")
        }
    }

    static func seconds(_ milliseconds: Int64) -> String {
        let rest = "\(1_000 + milliseconds % 1_000)".dropFirst()
        return "\(milliseconds / 1_000).\(rest)"
    }

    private mutating func head(_ name: String, _ kind: String, _ help: String) {
        text += "# HELP macrolog_\(name) \(help)\n# TYPE macrolog_\(name) \(kind)\n"
    }

    private mutating func line(_ name: String, _ labels: String, _ value: String) {
        text += "macrolog_\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
    }
}
