import Events
import HTTP
import Log
import Projections
import Sync

/// A few people with a few devices each, one hub, and a network that may do its worst: the real
/// client and server code, everything else decided by one number.
///
/// First the world runs with its faults (``run(acts:)``); then the faults stop, and everybody must
/// come to know the same (``settle()``); then ``check()`` lists what is wrong, and should be empty.
package final class World {
    enum Happening {
        case timer(device: Int, at: Int64)
        case arrival(HTTPRequest, device: Int, exchange: Int, answers: Bool)
        case result(Result<HTTPResponse, TransportError>, device: Int, exchange: Int)
        case pollArrival(HTTPRequest, poll: Int)
        case pollTimeIsOver
        case pollResult(Result<HTTPResponse, TransportError>, device: Int, poll: Int)
        case pollAgain(device: Int, poll: Int)
    }

    private struct Entry {
        let at: Int64
        let order: Int
        let happening: Happening
    }

    /// What happened, in order, for whoever reads a failure.
    package private(set) var story: [String] = []
    /// How often each kind of fault has struck.
    package private(set) var struck = FaultCounts()
    /// How many things people did.
    package private(set) var acts = 0

    var dice: Dice
    var faults: Faults
    var now: Int64 = 1_800_000_000_000
    private var queue: [Entry] = []
    private var order = 0
    var devices: [SimulatedDevice] = []
    /// Whose device each is.
    var owners: [Int] = []
    /// What each person has recorded.
    var accounts: [Facts] = []
    var polls = 0
    var deviceOfPoll: [Int: Int] = [:]
    let restMilliseconds: Int64
    let hub: SimulatedHub
    /// The copies of the hub's file, oldest first.
    var hubBackups: [String] = []
    /// How often the hub was restored.
    var hubRestores: UInt32 = 0
    let folder: String

    /// A world with accounts made and devices signed in.
    ///
    /// - Parameters:
    ///   - seed: Decides everything.
    ///   - people: 1 or more; each has an account.
    ///   - devicesEach: 1 or more.
    ///   - faults: What goes wrong; drawn by the seed when not given.
    ///   - restMilliseconds: After what time a device asks although it heard of nothing.
    ///   - folder: An empty folder for the files of the hub and the devices.
    package init(
        seed: UInt64, people: Int = 2, devicesEach: Int = 2, faults: Faults? = nil,
        restMilliseconds: Int64 = 10_000, folder: String
    ) throws {
        self.restMilliseconds = restMilliseconds
        dice = Dice(seed: seed)
        self.faults = .none
        self.folder = folder
        hub = try SimulatedHub(path: "\(folder)/hub.db", disk: FaultDisk(["\(folder)/hub.db"]))
        for person in 0..<people {
            accounts.append(Facts())
            let email = "person\(person)@example.org"
            _ = hub.answer(AccountExchange.register(email: email, password: Self.password), at: now)
            for _ in 0..<devicesEach { try addDevice(of: person, email: email) }
        }
        self.faults = faults ?? Faults.drawn(by: &dice)
        for index in devices.indices { begin(index) }
    }

    deinit { hub.close() }

    private static let password = "correct horse battery staple"

    /// The name of one device more.
    func newName(of person: Int) -> String {
        "\(person)\(Character(UnicodeScalar(UInt8(97 + devices.count))))"
    }

    private func addDevice(of person: Int, email: String) throws {
        let name = newName(of: person)
        let response = hub.answer(
            AccountExchange.logIn(email: email, password: Self.password, deviceName: name), at: now)
        let tokens = try AccountExchange.tokens(.success(response))
        devices.append(
            try SimulatedDevice(
                name: name, path: "\(folder)/\(name).db", accessToken: tokens.accessToken,
                restMilliseconds: restMilliseconds, now: now, random: &dice))
        owners.append(person)
    }

    /// Lets people act, so many times, while time passes and messages travel.
    package func run(acts count: Int) throws {
        for _ in 0..<count {
            try pass(dice.roll(0...90_000))
            let index = Int(dice.roll(0...Int64(devices.count - 1)))
            try disturb(index)
            try switchOnAfterPowerLoss()
            do { tell(try Person.act(on: devices[index], dice: &dice, now: now)) } catch {
                guard devices[index].disk.isOff else { throw error }
            }
            for event in devices[index].takeRecorded() { accounts[owners[index]].note(event) }
            acts += 1
            feed(.recorded, to: index)
            try switchOnAfterPowerLoss()
        }
    }

    /// Lets time pass in which nobody does anything.
    package func wait(milliseconds: Int64) throws { try pass(milliseconds) }

    /// The faults stop; everybody is online. Everything must be in sync within thirty seconds.
    package func settle() throws {
        faults = .none
        secureThePower()
        for index in devices.indices {
            devices[index].isOnline = true
            // What was lost on its way is known to be lost: the connection is reset.
            if let exchange = devices[index].awaited {
                schedule(
                    after: 0, .result(.failure(Self.unreachable), device: index, exchange: exchange)
                )
            }
            feed(.hint, to: index)
        }
        try pass(30_000)
    }

    private func disturb(_ index: Int) throws {
        let device = devices[index]
        if dice.percent(faults.offline) {
            device.isOnline.toggle()
            strike("offline", "\(device.name) is \(device.isOnline ? "online" : "offline")")
            if device.isOnline { feed(.hint, to: index) }
        }
        if dice.percent(faults.clockJump) {
            device.skew = dice.roll(-315_360_000_000...315_360_000_000)
            strike("clock jump", "\(device.name)'s clock is \(device.skew / 3_600_000) h off")
        }
        if dice.percent(faults.restart) {
            try device.stop()
            try device.start(now: now, random: &dice)
            strike("device restart", "\(device.name) restarts")
            begin(index)
        }
        if dice.percent(faults.restore) { try restoreOrBackUp(index) }
        if dice.percent(faults.clone) { try clone(index) }
        if dice.percent(faults.hubRestore) { try restoreOrBackUpHub() }
        threatenThePower(of: index)
        if dice.percent(faults.restart / 5) {
            try hub.restart()
            strike("hub restart", "the hub restarts")
            deliverAnsweredPolls()
        }
    }

    // Time and the network.

    private func pass(_ milliseconds: Int64) throws {
        let end = now + milliseconds
        while let next = queue.first, next.at <= end {
            queue.removeFirst()
            now = max(now, next.at)
            try happen(next.happening)
            try switchOnAfterPowerLoss()
        }
        now = end
    }

    private func happen(_ happening: Happening) throws {
        switch happening {
        case .timer(let index, let at):
            guard devices[index].timerAt == at else { return }
            devices[index].timerAt = nil
            feed(.timer, to: index)
        case .arrival(let request, let index, let exchange, let answers):
            let response = hub.answer(request, at: now)
            deliverAnsweredPolls()
            guard answers else { return }
            schedule(
                after: dice.roll(5...400),
                .result(.success(garbled(response)), device: index, exchange: exchange))
        case .result(let result, let index, let exchange):
            let device = devices[index]
            let next = Identifier.v7(milliseconds: now, random: &dice)
            guard let event = device.receive(result, exchange: exchange, next: next) else { return }
            tell("\(device.name) hears \(describe(event, device))")
            feed(event, to: index)
        case .pollArrival(let request, let poll):
            hub.hold(request, poll: poll, at: now)
            schedule(after: LiveListener.waitSeconds * 1_000, .pollTimeIsOver)
            deliverAnsweredPolls()
        case .pollTimeIsOver:
            hub.tick(at: now)
            deliverAnsweredPolls()
        case .pollResult(let result, let index, let poll): hear(result, poll: poll, at: index)
        case .pollAgain(let index, let poll):
            if devices[index].pausedPoll == poll { listen(index) }
        }
    }

    func feed(_ event: SyncMachine.Event, to index: Int) {
        let device = devices[index]
        for action in device.machine.handle(event, random: &dice) {
            switch action {
            case .arm(let milliseconds):
                let at = now + milliseconds
                device.timerAt = at
                schedule(after: milliseconds, .timer(device: index, at: at))
            case .disarm: device.timerAt = nil
            case .takeNewDevice:
                let id = Identifier.v7(milliseconds: now, random: &dice)
                // Where this fails, the next exchange fails alike, and it is tried again.
                let isDone = (try? device.takeNewDevice(id)) != nil
                tell("\(device.name) \(isDone ? "takes" : "can't take") a new name")
            case .exchange(let exchange, let eventsMax):
                device.awaited = exchange
                send(from: index, exchange) { [now] device in
                    try device.request(eventsMax: eventsMax, now: now)
                }
            case .heal(let exchange, let isFirst, let eventsMax):
                device.awaited = exchange
                if isFirst { strike("log changed", "\(device.name) begins to heal") }
                send(from: index, exchange) { device in
                    try device.healRequest(isFirst: isFirst, eventsMax: eventsMax)
                }
            case .refresh(let exchange):
                device.awaited = exchange
                schedule(
                    after: 1,
                    .result(.failure(Self.unreachable), device: index, exchange: exchange))
            }
        }
    }

    private func send(
        from index: Int, _ exchange: Int, _ ask: (SimulatedDevice) throws -> HTTPRequest?
    ) {
        let device = devices[index]
        guard device.isOnline, let request = try? ask(device) else {
            return schedule(
                after: 1, .result(.failure(Self.unreachable), device: index, exchange: exchange))
        }
        if dice.percent(faults.lostBefore) {
            return strike("lost before", "\(device.name)'s request is lost")
        }
        let isHeard = !dice.percent(faults.lostAfter)
        if !isHeard { strike("lost after", "the answer to \(device.name) will be lost") }
        schedule(
            after: dice.roll(5...400),
            .arrival(request, device: index, exchange: exchange, answers: isHeard))
        if dice.percent(faults.repeated) {
            strike("repeated", "\(device.name)'s request will arrive twice")
            schedule(
                after: dice.roll(1...86_400_000),
                .arrival(request, device: index, exchange: exchange, answers: dice.percent(50)))
        }
    }

    func garbled(_ response: HTTPResponse) -> HTTPResponse {
        guard dice.percent(faults.garbled) else { return response }
        strike("garbled", "an answer is garbled on its way")
        let html = HTTPField("content-type", "text/html")
        switch dice.roll(0...3) {
        case 0: return HTTPResponse(status: 200, fields: [html], body: Array("<html>".utf8))
        case 1: return HTTPResponse(status: 502, fields: [html])
        case 2:
            var response = response
            response.body.removeLast(min(response.body.count, 3))
            return response
        default:
            var response = response
            if !response.body.isEmpty { response.body[response.body.count / 2] ^= 1 }
            return response
        }
    }

    func schedule(after milliseconds: Int64, _ happening: Happening) {
        order += 1
        let entry = Entry(at: now + milliseconds, order: order, happening: happening)
        let index = queue.firstIndex { $0.at > entry.at } ?? queue.endIndex
        queue.insert(entry, at: index)
    }

    private static let unreachable = TransportError(
        reason: .unreachable(detail: "simulated"), operation: "POST /v1/sync")

    func strike(_ fault: String, _ line: String) {
        struck.note(fault)
        tell(line)
    }

    func tell(_ line: String) {
        let time = now - 1_800_000_000_000
        story.append("\(time / 1_000).\(time % 1_000) \(line)")
    }

    private func describe(_ event: SyncMachine.Event, _ device: SimulatedDevice) -> String {
        switch event {
        case .answered(_, let progress):
            "\(progress.cursor) of \(progress.head), \(progress.unsealed) unsealed"
        case .healed(_, let isLast): "a step of healing\(isLast ? ", the last" : "")"
        case .failed: "\(device.lastError.map(\.description) ?? "nothing")"
        default: "\(event)"
        }
    }
}
