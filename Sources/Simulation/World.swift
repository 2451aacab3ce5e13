import Events
import HTTP
import Log
import Macrolog
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
        case refusal(SyncError, device: Int, exchange: Int)
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
    /// What became of photos.
    package internal(set) var photos = PhotoCounts()

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
    /// Whether devices look through their files, because disks are not to be trusted.
    private var looks = false
    let hub: SimulatedHub
    /// Parts that nobody's log makes, by their names.
    var lies: [String: [UInt8]] = [:]
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
            for _ in 0..<devicesEach { try addDevice(of: person) }
        }
        self.faults = faults ?? Faults.drawn(by: &dice)
        looks = self.faults.damages
        for index in devices.indices { begin(index) }
    }

    deinit { hub.close() }

    static let password = "correct horse battery staple"

    /// The name of one device more.
    func newName(of person: Int) -> String {
        "\(person)\(Character(UnicodeScalar(UInt8(97 + devices.count))))"
    }

    func addDevice(of person: Int) throws {
        let name = newName(of: person)
        let request = AccountExchange.logIn(
            email: "person\(person)@example.org", password: Self.password, deviceName: name)
        let response = hub.answer(request, at: now)
        devices.append(
            try SimulatedDevice(
                name: name, path: "\(folder)/\(name).db",
                accessToken: try AccountExchange.tokens(.success(response)).accessToken,
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
            do {
                let line = try Person.act(on: devices[index], dice: &dice, now: now)
                tell(line)
            } catch let error as LogError where error.reason == .notArrived {
                strike("not arrived", "\(devices[index].name) is asked to wait for the rest")
            } catch {
                guard devices[index].disk.isOff else { throw error }
            }
            for event in devices[index].takeRecorded() { accounts[owners[index]].note(event) }
            acts += 1
            feed(.recorded, to: index)
            try switchOnAfterPowerLoss()
        }
    }

    /// Everybody gets one device more, which knows nothing yet.
    package func join() throws {
        for person in accounts.indices {
            try addDevice(of: person)
            begin(devices.count - 1)
        }
    }

    /// The shapes of all devices' logs as they are now, each as a bundle.
    package func bundles() throws -> [String] {
        try devices.map { device in
            var text = ""
            try device.store.logShape().write(facts: []) { text += $0 }
            return text
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
            devices[index].lookedAt = nil
            // What was lost on its way is known to be lost: the connection is reset.
            if let exchange = devices[index].awaited {
                schedule(
                    after: 0, .result(.failure(Self.unreachable), device: index, exchange: exchange)
                )
            }
            feed(.hint, to: index)
        }
        try pass(30_000)
        try settlePhotos()
        // In their new sessions the devices say what they have.
        for index in devices.indices { feed(.hint, to: index) }
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
        if looks { try damage(index) }
        if dice.percent(faults.restore) { try restoreOrBackUp(index) }
        if dice.percent(faults.clone) { try clone(index) }
        if dice.percent(faults.hubRestore) { try restoreOrBackUpHub() }
        if dice.percent(faults.join) { try join(owners[index]) }
        if dice.percent(faults.compact) { try compact(index) }
        if dice.percent(faults.asleep) { try sleep() }
        threatenThePower(of: index)
        if dice.percent(faults.restart / 5) {
            try hub.restart()
            strike("hub restart", "the hub restarts")
            deliverAnsweredPolls()
        }
    }

    private func compact(_ index: Int) throws {
        let horizon = now - (dice.pick([0, 60_000, 600_000]) ?? 0)
        let owner = owners[index]
        let given = try devices[index].compact(before: horizon, accounts[owner])
        guard !given.isEmpty else { return }
        accounts[owner].givenUp.formUnion(given)
        strike("compacted", "\(devices[index].name) gives up \(given.count) payloads")
    }

    // Time and the network.

    /// Lets time go by in which nothing at all happens: whatever was to happen happens after it.
    func skip(milliseconds: Int64) {
        now += milliseconds
        queue = queue.map { entry in
            var happening = entry.happening
            if case .timer(let index, let at) = happening {
                happening = .timer(device: index, at: at + milliseconds)
            }
            return Entry(at: entry.at + milliseconds, order: entry.order, happening: happening)
        }
        for device in devices {
            device.timerAt = device.timerAt.map { $0 + milliseconds }
            device.pollBegan += milliseconds
        }
    }

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
            let response = told(hub.answer(request, at: now), to: request)
            deliverAnsweredPolls()
            guard answers else { return }
            if request.path.hasPrefix("/v1/snapshot/"), dice.percent(faults.partsLost) {
                return strike("part lost", "a part for \(devices[index].name) is lost")
            }
            schedule(
                after: dice.roll(5...400),
                .result(.success(garbled(response)), device: index, exchange: exchange))
        case .result(let result, let index, let exchange):
            let device = devices[index]
            let next = Identifier.v7(milliseconds: now, random: &dice)
            let before = (device.store.log.preview, device.store.log.compactedThrough)
            guard let event = device.receive(result, exchange: exchange, next: next) else { return }
            notice(device, before.0)
            if device.store.log.compactedThrough > before.1 {
                strike("skeletons came", "\(device.name) gets skeletons")
            }
            tell("\(device.name) hears \(describe(event, device))")
            feed(event, to: index)
            if device.machine.state == .resting { sendPhotos(of: index) }
        case .refusal(let error, let index, let exchange):
            let device = devices[index]
            guard let event = device.fail(error, exchange: exchange) else { return }
            tell("\(device.name) finds \(error)")
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
            case .exchange(let exchange, let eventsMax, let pushMax):
                device.awaited = exchange
                let next = Identifier.v7(milliseconds: now, random: &dice)
                send(from: index, exchange) { [now, looks] device in
                    if looks { try device.look(now: now, next: next) }
                    return try device.request(eventsMax: eventsMax, pushMax: pushMax, now: now)
                }
            case .repair(let exchange, let isFirst):
                device.awaited = exchange
                let next = Identifier.v7(milliseconds: now, random: &dice)
                if isFirst { strike("repair", "\(device.name) begins to repair") }
                send(from: index, exchange) { device in
                    try device.repairRequest(isFirst: isFirst, as: next)
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
        let request: HTTPRequest?
        do { request = try device.isOnline ? ask(device) : nil } catch let error as SyncError {
            return schedule(after: 1, .refusal(error, device: index, exchange: exchange))
        } catch {
            tell("\(device.name) can't ask: \(error)")
            request = nil
        }
        guard let request else {
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
        case .repaired(_, let isLast, _): "a step of repair\(isLast ? ", the last" : "")"
        case .failed: "\(device.lastError.map(\.description) ?? "nothing")"
        default: "\(event)"
        }
    }
}
