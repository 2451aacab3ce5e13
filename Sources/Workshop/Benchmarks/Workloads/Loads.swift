import MacrologEvents
import MacrologPlatform
import MacrologTestSupport

/// L: what a server for many people meets, each on SQLite, on one node and on two that share PostgreSQL: 2,000
/// accounts with three devices each, with the load on the same machine.
enum Loads {
    private static let people = 2_000
    private static let devicesEach = 3
    /// Through which devices ask, as through a proxy.
    private static let connections = 256

    /// One way to keep the logs.
    private struct Place {
        let name: String
        let isShared: Bool
        let nodes: Int
    }

    static func run(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        var places = [Place(name: "SQLite", isShared: false, nodes: 1)]
        if PostgreSQLServer.isThere {
            places += [
                Place(name: "one node", isShared: true, nodes: 1),
                Place(name: "two nodes", isShared: true, nodes: 2),
            ]
        } else {
            report.note("L is without PostgreSQL. \(PostgreSQLServer.tools.missing)")
        }
        let time = options.isQuick ? 2.0 : 10.0
        for place in places {
            let database = place.isShared ? try Served.Database() : nil
            let served = try Served(
                database, nodes: place.nodes, people: people, devicesEach: devicesEach)
            defer { served.stop() }
            var devices = served.tokens.joined().enumerated().map {
                Pusher(device: $0, token: $1)
            }
            try steady(
                place, served, &devices, options.minutes.map { $0 * 60 } ?? time * 2, &report)
            guard options.minutes == nil else { continue }
            try fifty(place, served, &devices, time, &report)
            try polls(place, served, &devices, time, &report)
            try noisy(place, served, &devices, &report)
            try rough(place, served, &devices, time, &report)
        }
    }

    /// 2,000 events arrive each second, one a push, of one device after the other.
    private static func steady(
        _ place: Place, _ served: Served, _ devices: inout [Pusher], _ time: Double,
        _ report: inout Report
    ) throws {
        let lines = try served.connections(connections)
        let (used, bytes) = (served.processorSeconds, try served.eventBytes())
        let result = try Load.arrive(lines, perSecond: 2_000, seconds: time) {
            devices[$0 % devices.count].push(1)
        }
        let events = Double(result.requests)
        add("2,000 events a second", place, result, &report)
        let growth = Double(try served.eventBytes() - bytes)
        report.count(
            "L",
            "\(place.name), \(Figures.whole(events)) events: processor time for 1,000 of the servers "
                + Figures.milliseconds((served.processorSeconds - used) / events * 1_000)
                + ", memory of the servers \(served.residentBytes / 1_048_576) MiB, on the disk "
                + "\(Figures.whole(growth / events)) bytes an event")
    }

    /// 50 people who push again as soon as they are answered.
    private static func fifty(
        _ place: Place, _ served: Served, _ devices: inout [Pusher], _ time: Double,
        _ report: inout Report
    ) throws {
        let lines = try served.connections(50)
        let result = try Load.run(lines, seconds: time) { devices[$0 * devicesEach].push(1) }
        add(
            "50 people at once, \(Figures.whole(result.rate)) pushes a second", place, result,
            &report)
    }

    /// 5,000 devices wait; 50 pushes a second, after which a device at another node hears of it.
    private static func polls(
        _ place: Place, _ served: Served, _ devices: inout [Pusher], _ time: Double,
        _ report: inout Report
    ) throws {
        let count = 5_000
        let pusher = try served.connections(1)[0]
        let order = Array(served.tokens.joined())
        // A person's devices are at different nodes.
        let waiting = try (0..<count).map { number -> (line: LoadConnection, person: Int) in
            let person = number % people
            let token = order[person * devicesEach + number / people]
            let node = (person + number / people) % served.nodes.count
            let line = try served.connections(1, to: [node])[0]
            try line.send(poll(token, after: 0))
            // What was recorded before is heard at once, and the next poll waits.
            let head = try answer(of: line)
            try line.send(poll(token, after: head))
            return (line, person)
        }
        usleep(500_000)
        let ofPerson = Dictionary(grouping: waiting.indices, by: { waiting[$0].person })
        var late: [Double] = []
        let begun = ContinuousClock.now
        for number in 0..<Int(50 * time) {
            let person = number % people
            let start = ContinuousClock.now
            let answer = try pusher.exchange(devices[person * devicesEach].push(1))
            guard answer.status == 200 else { throw Wrong(description: "a push is refused") }
            for index in ofPerson[person] ?? [] {
                let line = waiting[index].line
                let head = try self.answer(of: line)
                late.append(start.secondsAgo)
                let token = order[person * devicesEach + index / people]
                try line.send(poll(token, after: head))
            }
            let rest = Double(number + 1) / 50 - begun.secondsAgo
            if rest > 0 { usleep(UInt32(rest * 1_000_000)) }
        }
        let result = Load.Result(late, seconds: time)
        add("5,000 polls, from a push to the poll's answer", place, result, &report)
        report.count(
            "L",
            "\(place.name), 5,000 polls: memory of the servers \(served.residentBytes / 1_048_576) MiB"
        )
    }

    private static func poll(_ token: String, after head: Int) -> [UInt8] {
        Array(
            "GET /v1/events?after=\(head)&wait=55 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n"
                .utf8)
    }

    /// The head that a poll tells.
    private static func answer(of line: LoadConnection) throws -> Int {
        while true {
            guard let answer = try line.receive() else { continue }
            let digits = answer.body.filter { (48...57).contains($0) }
            guard answer.status == 200, let head = Int(String(decoding: digits, as: UTF8.self))
            else { throw Wrong(description: String(decoding: answer.bytes, as: UTF8.self)) }
            return head
        }
    }

    /// One account pushes 500 events at a time as fast as it can, beside 50 people.
    private static func noisy(
        _ place: Place, _ served: Served, _ devices: inout [Pusher], _ report: inout Report
    ) throws {
        var quiet = (100..<150).map { devices[$0 * devicesEach] }
        var loud = (0..<3).map { devices[99 * devicesEach + $0] }
        let lines = try served.connections(50)
        let loudLines = try served.connections(3)
        let rounds = try Rounds.run(
            5,
            ours: { _ in
                var waiting = loud.indices.map { device in
                    (0..<60).map { _ in loud[device].push(500) }
                }
                return try Fairness.slowest(lines, &quiet, 1, loudLines) { waiting[$0].popLast() }
            },
            limit: { _ in try Fairness.slowest(lines, &quiet, 1, []) { _ in nil } })
        for (index, pusher) in quiet.enumerated() { devices[(100 + index) * devicesEach] = pusher }
        report.add(
            "L \(place.name): 50 beside a noisy one, p99", Figures.milliseconds(rounds.ours),
            limit: "\(Figures.milliseconds(rounds.limit)) alone", ratio: rounds.ratio,
            noise: rounds.noise, budget: "≥ 0.5", isMet: rounds.ratio >= 0.5)
    }

    /// 500 pushes a second, while 1,000 connections send a byte now and then, 50 strangers a second try to log in, and
    /// bodies of 100 MB are begun.
    private static func rough(
        _ place: Place, _ served: Served, _ devices: inout [Pusher], _ time: Double,
        _ report: inout Report
    ) throws {
        let slow = try served.connections(1_000)
        for line in slow { try line.send(Array("POST /v1/sync HTTP/1.1\r\nHost: x\r\n".utf8)) }
        let large = try served.connections(4)
        for line in large {
            try? line.send(
                Array(
                    "POST /v1/sync HTTP/1.1\r\nHost: x\r\nContent-Type: application/cbor\r\nContent-Length: 100000000\r\n\r\n"
                        .utf8))
        }
        let strangers = try served.connections(64)
        var attempts = 0
        let lines = try served.connections(connections)
        let result = try Load.arrive(lines, perSecond: 500, seconds: time) { number in
            if number % 10 == 0 {
                let line = strangers[attempts % strangers.count]
                attempts += 1
                try? line.send(
                    Pusher.post(
                        "/v1/auth/login", "application/json", token: nil,
                        Array(
                            #"{"email":"stranger\#(attempts)@example.org","password":"none of these","device":"x"}"#
                                .utf8)))
            }
            return devices[number % devices.count].push(1)
        }
        add("500 pushes a second beside slow, large and unknown ones", place, result, &report)
    }

    private static func add(
        _ name: String, _ place: Place, _ result: Load.Result, _ report: inout Report
    ) {
        report.add(
            "L \(place.name): \(name), p99", Figures.milliseconds(result.slowSeconds),
            limit: "\(Figures.milliseconds(result.typicalSeconds)) median", budget: "≤ 50 ms",
            isMet: result.slowSeconds <= 0.05)
    }
}
