import MacrologEvents
import MacrologFormats
import MacrologHTTP
import MacrologLog
import Macrolog
import MacrologNutritionModels
import MacrologReadModels
import MacrologEngine
import MacrologTestSupport

/// A few people with a few devices each, one server, and a faulty network: the real client and
/// server code; everything else is decided by one seed.
///
/// First the world runs with its faults (``run(acts:)``); then the faults stop, and all devices
/// must converge (``converge()``); then ``check()`` lists the violations, and should be empty.
package final class World {
    enum Happening {
        case timer(device: Int, at: Int64)
        case arrival(HTTPRequest, device: Int, life: Life, answers: Bool)
        case result(Result<HTTPResponse, TransportError>, device: Int, life: Life)
        case exchangeError(SyncError, device: Int, exchange: Int)
        case pollArrival(HTTPRequest, poll: Int)
        case pollTimeIsOver
        case pollResult(Result<HTTPResponse, TransportError>, device: Int, poll: Int)
        case pollAgain(device: Int, poll: Int)
    }

    /// An exchange of a process: a stopped process gets no answers.
    struct Life {
        let exchange: Int
        let boot: Identifier
    }

    private struct Entry {
        let at: Int64
        let order: Int
        let happening: Happening
    }

    /// What happened, in order, for the reader of a failure.
    package internal(set) var story: [String] = []
    /// How often each thing happened.
    package internal(set) var figures = WorldFigures()
    /// How often each kind of fault has occurred.
    package var struck: FaultCounts { figures.struck }
    /// The names of devices in the story.
    var notation = Notation()
    let tells: Bool
    /// What happened to photos.
    package internal(set) var photos = PhotoCounts()

    var dice: Dice
    var faults: Faults
    /// The faults while people act.
    private var drawn = Faults.none
    static let beginning: Int64 = 1_800_000_000_000
    var now: Int64 = beginning
    private var queue: [Entry] = []
    private var order = 0
    var devices: [SimulatedDevice] = []
    /// The owner of each device.
    var owners: [Int] = []
    /// What each person has recorded.
    var accounts: [Facts] = []
    var polls = 0
    var deviceOfPoll: [Int: Int] = [:]
    let restMilliseconds: Int64
    /// Whether devices verify their files, because disks are unreliable.
    private(set) var looks = false
    let server: SimulatedServer
    /// The copies of the server's file, oldest first.
    var serverBackups: [String] = []
    /// How often the server was restored.
    var serverRestores: UInt32 = 0
    let folder: String

    /// A world in which the accounts exist and the devices are logged in.
    ///
    /// - Parameters:
    ///   - seed: Decides everything.
    ///   - people: 1 or more; each has an account.
    ///   - devicesEach: 1 or more.
    ///   - faults: The faults; drawn from the seed when not given.
    ///   - restMilliseconds: The interval after which a device polls without a hint.
    ///   - tells: Whether to keep a story.
    ///   - folder: An empty folder for the files of the server and the devices.
    ///   - twin: The same server on another store, which answers everything, too. No fault may then lose
    ///     what the server's file holds.
    package init(
        seed: UInt64, people: Int = 2, devicesEach: Int = 2, faults: Faults? = nil,
        restMilliseconds: Int64 = 10_000, tells: Bool = true, folder: String,
        twin: ServerTwin? = nil
    ) throws {
        self.restMilliseconds = restMilliseconds
        self.tells = tells
        dice = Dice(seed: seed)
        self.faults = .none
        self.folder = folder
        try Blank.putServer(at: "\(folder)/server.db")
        server = try SimulatedServer(
            path: "\(folder)/server.db", disk: FaultDisk(["\(folder)/server.db"]), twin: twin)
        for person in 0..<people {
            accounts.append(Facts())
            let email = "person\(person)@example.org"
            _ = server.answer(
                AccountExchange.register(email: email, password: Self.password), at: now)
            for _ in 0..<devicesEach { try addDevice(of: person) }
        }
        drawn = faults ?? Faults.drawn(by: &dice)
        self.faults = drawn
        looks = drawn.damages
        for index in devices.indices { begin(index) }
    }

    deinit { server.close() }

    static let password = "correct horse battery staple"

    /// The name of a further device.
    func newName(of person: Int) -> String {
        let letters =
            (devices.count / 26 == 0 ? [] : [devices.count / 26 - 1]) + [devices.count % 26]
        return letters.reduce("\(person)") {
            $0 + String(Character(UnicodeScalar(UInt8(97 + $1))))
        }
    }

    func addDevice(of person: Int) throws {
        server.disk?.repair()
        try switchOnAfterPowerLoss()
        let name = newName(of: person)
        let request = AccountExchange.logIn(
            email: "person\(person)@example.org", password: Self.password, deviceName: name)
        let response = server.answer(request, at: now)
        devices.append(
            try SimulatedDevice(
                name: name, path: "\(folder)/\(name).db",
                accessToken: try AccountExchange.tokens(.success(response)).accessToken,
                restMilliseconds: restMilliseconds, now: now, random: &dice))
        owners.append(person)
    }

    /// Lets people perform `count` acts while time passes and messages travel.
    package func run(acts count: Int) throws {
        faults = drawn
        for _ in 0..<count {
            try pass(dice.roll(0...90_000))
            let index = Int(dice.roll(0...Int64(devices.count - 1)))
            try disturb(index)
            try act(index)
        }
    }

    private func act(_ index: Int) throws {
        let device = devices[index]
        try attempt {
            let did = try Person.act(on: device, dice: &dice, now: now)
            tell("\(device.name) \(did)\(recordings(of: device))")
        }
        for (event, seen) in device.takeRecorded() {
            // A disk that loses seals can't tell what its owner has seen.
            accounts[owners[index]].note(event, seen: looks ? nil : seen)
            figures.note(event)
        }
        figures.acts += 1
        feed(.recorded, to: index)
        try switchOnAfterPowerLoss()
    }

    /// Performs an action that a power failure may interrupt; then restarts what has lost its
    /// power.
    func attempt(_ body: () throws -> Void) throws {
        do { try body() } catch let error as LogError where looks && error.isDamage {
            tell("what is damaged is in the way: \(error)")
        } catch {
            guard server.disk?.isOff == true || devices.contains(where: { $0.disk.isOff }) else {
                throw error
            }
        }
        try switchOnAfterPowerLoss()
    }

    /// Adds one empty device to each person.
    package func join() throws {
        for person in accounts.indices {
            try addDevice(of: person)
            begin(devices.count - 1)
        }
    }

    /// All devices' current logs, each as a bundle.
    package func bundles() throws -> [String] {
        try devices.map { device in
            var text = ""
            try JSONExport.writeRedacted(&device.store) { text += $0 }
            return text
        }
    }

    /// Lets time pass without any act.
    package func wait(milliseconds: Int64) throws { try pass(milliseconds) }

    /// The faults stop and all devices are online. Everything must be in sync within thirty
    /// seconds.
    package func converge() throws {
        faults = .none
        secureThePower()
        for index in devices.indices {
            (devices[index].sends, devices[index].hears) = (true, true)
            devices[index].lookedAt = nil
            // Lost requests are known to be lost: the connection is reset.
            if let exchange = devices[index].awaited { fail(exchange, of: index, after: 0) }
            feed(.hint, to: index)
        }
        try pass(30_000)
        try convergePhotos()
        // In their new sessions the devices leave receipts.
        for index in devices.indices { feed(.hint, to: index) }
        try pass(30_000)
    }

    // Time and the network.

    /// Advances time without any event: everything that was due happens later.
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
        case .arrival(let request, let index, let life, let answers):
            let response = server.answer(request, at: now)
            deliverAnsweredPolls()
            guard answers, devices[index].hears else { return }
            schedule(
                after: dice.roll(5...400),
                .result(.success(garbled(response)), device: index, life: life))
        case .result(let result, let index, let life):
            let device = devices[index]
            guard life.boot == device.boot else { return }
            let next = Identifier.v7(milliseconds: now, random: &dice)
            let before = device.store.log.compactedThrough
            guard let event = device.receive(result, exchange: life.exchange, next: next) else {
                return
            }
            if device.store.log.compactedThrough > before {
                strike("skeletons came", "\(device.name) gets skeletons")
            }
            tell("\(device.name) hears \(describe(event, device))")
            feed(event, to: index)
            if device.machine.state == .resting { sendPhotos(of: index) }
        case .exchangeError(let error, let index, let exchange):
            let device = devices[index]
            guard let event = device.fail(error, exchange: exchange) else { return }
            tell("\(device.name) finds \(error)")
            feed(event, to: index)
        case .pollArrival(let request, let poll):
            server.hold(request, poll: poll, at: now)
            schedule(after: LiveListener.waitSeconds * 1_000, .pollTimeIsOver)
            deliverAnsweredPolls()
        case .pollTimeIsOver:
            server.tick(at: now)
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
            case .rotateDeviceID:
                let id = Identifier.v7(milliseconds: now, random: &dice)
                // If this fails, the next exchange fails in the same way, and it is tried again.
                let isDone = (try? device.rotateDeviceID(id)) != nil
                tell("\(device.name) \(isDone ? "rotates" : "can't rotate") its ID")
            case .exchange(let exchange, let eventsMax, let pushMax):
                device.awaited = exchange
                let next = Identifier.v7(milliseconds: now, random: &dice)
                send(from: index, exchange) { [now, looks] device in
                    if looks { try device.look(now: now, next: next) }
                    return try device.request(eventsMax: eventsMax, pushMax: pushMax, now: now)
                }
            case .recover(let exchange, let isFirst, let eventsMax):
                device.awaited = exchange
                if isFirst { strike("recovery", "\(device.name) begins to recover") }
                send(from: index, exchange) { device in
                    try device.recoverRequest(isFirst: isFirst, eventsMax: eventsMax)
                }
            case .refresh(let exchange):
                device.awaited = exchange
                fail(exchange, of: index, after: 1)
            }
        }
        figures.visit(device.machine.state)
    }

    func schedule(after milliseconds: Int64, _ happening: Happening) {
        order += 1
        let entry = Entry(at: now + milliseconds, order: order, happening: happening)
        let index = queue.firstIndex { $0.at > entry.at } ?? queue.endIndex
        queue.insert(entry, at: index)
    }

}
