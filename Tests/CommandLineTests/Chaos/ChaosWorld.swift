import Foundation
import MacrologSimulation
import MacrologTestSupport
import Testing

/// Real programs of two persons, a real server, and everything that can happen to them.
///
/// The seed decides what happens; how far a program has come when it is killed, the machine decides.
final class ChaosWorld {
    /// A computer, what it has recorded, and a copy of its files from an earlier day.
    struct Device {
        let name: String
        let person: String
        var computer: Computer
        var backup: (copy: Computer, recorded: Int)?
        var recorded: [String] = []
    }

    static let password = "nine purple lanterns hum\n"

    var dice: Dice
    private let folder = ScratchFolder()
    private var server: ServerProcess
    private let proxy: ChaosProxy
    var devices: [Device] = []
    /// The dishes that a program has confirmed, by person.
    private var confirmed: [String: Set<String>] = [:]
    private var dishes = 0
    private var serverBackups = 0
    private(set) var struck: [String: Int] = [:]
    /// How many things were done.
    private(set) var steps = 0
    private(set) var story: [String] = []

    init(seed: UInt64) throws {
        dice = Dice(seed: seed)
        server = try ServerProcess(in: folder, options: ["--no-rate-limits"])
        proxy = ChaosProxy(seed: seed)
        proxy.lead(to: server.port)
        for (person, names) in [("ana", ["phone", "laptop", "tablet"]), ("ben", ["watch"])] {
            for (index, name) in names.enumerated() {
                let computer = try Computer()
                computer.environment["MACROLOG_SERVER"] = "http://127.0.0.1:\(proxy.port)"
                let device = Device(name: name, person: person, computer: computer)
                devices.append(device)
                if index == 0 {
                    try expect(device, ["auth", "register", "\(person)@example.org"])
                }
                try logIn(device)
            }
        }
    }

    deinit {
        proxy.stop()
        server.stop()
    }

    // MARK: What happens

    func run(steps: Int) throws {
        proxy.calm(false)
        self.steps += steps
        var deck: [Act] = []
        for _ in 0..<steps {
            let index = Int(dice.roll(0...Int64(devices.count - 1)))
            switch dice.roll(1...100) {
            case ...36: try record(index)
            case ...66: try sync(index)
            default:
                // As from a shuffled deck, so that short runs see every kind.
                if deck.isEmpty { deck = Act.allCases.shuffled(using: &dice) }
                try perform(deck.removeLast(), index)
            }
        }
        for (kind, count) in proxy.counts where kind != "passed" {
            struck[kind, default: 0] += count
        }
    }

    private enum Act: CaseIterable {
        case twoPrograms, serverKilled, serverFrozen, deviceFrozen, clockWrong, clockRight
        case partition, filesCopied, filesPutBack, serverBackedUp, serverRestored
    }

    private func perform(_ act: Act, _ index: Int) throws {
        switch act {
        case .twoPrograms: try recordTwiceAtOnce(index)
        case .serverKilled: try loseServerPower()
        case .serverFrozen: try freezeServer(index)
        case .deviceFrozen: try freezeDevice(index)
        case .clockWrong: setClockWrong(index)
        case .clockRight: setClockRight()
        case .partition:
            strike("partition")
            proxy.part(true)
            try sync(index)
            proxy.part(false)
        case .filesCopied: try backUp(index)
        case .filesPutBack: try putBack()
        case .serverBackedUp: try backUpServer()
        case .serverRestored: try restoreServer()
        }
    }

    private func words(of dish: String) -> [String] {
        ["add", dish, "--kcal", "100", "--at", "2020-03-10T12:00"]
    }

    private func record(_ index: Int) throws {
        dishes += 1
        let dish = "dish-\(dishes)"
        let isKilled = dice.percent(15)
        let status = try program(index, words(of: dish), isKilled: isKilled)
        story.append("\(devices[index].name) adds \(dish): \(status.map(String.init) ?? "killed")")
        if status == 0 { confirm(dish, index) }
    }

    private func confirm(_ dish: String, _ index: Int) {
        devices[index].recorded.append(dish)
        confirmed[devices[index].person, default: []].insert(dish)
    }

    func sync(_ index: Int) throws {
        let isKilled = dice.percent(20)
        let status = try program(index, ["sync"], isKilled: isKilled)
        story.append("\(devices[index].name) syncs: \(status.map(String.init) ?? "killed")")
    }

    private func recordTwiceAtOnce(_ index: Int) throws {
        strike("two programs on one file", "\(devices[index].name) records twice at once")
        let started = try (0..<2).map { _ in
            dishes += 1
            return ("dish-\(dishes)", try start(index, words(of: "dish-\(dishes)")))
        }
        for (dish, process) in started {
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "two programs take turns")
            if process.terminationStatus == 0 { confirm(dish, index) }
        }
    }

    func loseServerPower() throws {
        strike("server killed")
        server.kill()
        try restartServer()
    }

    private func restartServer() throws {
        server = try ServerProcess(in: folder, options: ["--no-rate-limits"])
        proxy.lead(to: server.port)
    }

    private func freezeServer(_ index: Int) throws {
        strike("server frozen")
        server.send(SIGSTOP)
        let process = try start(index, ["sync"])
        // How long the real server stands still while the real program waits for it.
        usleep(UInt32(dice.roll(20_000...200_000)))
        server.send(SIGCONT)
        process.waitUntilExit()
    }

    private func backUp(_ index: Int) throws {
        strike("files copied", "\(devices[index].name) is copied")
        devices[index].backup = (
            try devices[index].computer.copy(), devices[index].recorded.count
        )
    }

    /// What was recorded since the copy may exist nowhere else.
    private func putBack() throws {
        let copied = devices.indices.filter { devices[$0].backup != nil }
        guard let index = copied.randomElement(using: &dice),
            let backup = devices[index].backup
        else { return }
        strike("files put back", "\(devices[index].name) is put back")
        for dish in devices[index].recorded.dropFirst(backup.recorded) {
            confirmed[devices[index].person]?.remove(dish)
        }
        devices[index].recorded.removeSubrange(backup.recorded...)
        let (old, now) = (backup.copy.folder, devices[index].computer.folder)
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: now.path) {
            try files.removeItem(at: now.appending(path: name))
        }
        for name in try files.contentsOfDirectory(atPath: old.path) {
            try files.copyItem(at: old.appending(path: name), to: now.appending(path: name))
        }
    }

    private func backUpServer() throws {
        serverBackups += 1
        strike("server backed up")
        try operate(["backup", folder.file("backup-\(serverBackups)")])
    }

    private func restoreServer() throws {
        guard serverBackups > 0 else { return }
        let number = dice.roll(1...Int64(serverBackups))
        strike("server restored", "the server is restored from backup \(number)")
        server.stop()
        try operate(["restore", folder.file("backup-\(number)"), "--force"])
        try restartServer()
    }

    private func operate(_ words: [String]) throws {
        let result = try server.run(words + ["--data", server.data])
        #expect(result.status == 0, "\(words[0]): \(result.text)")
    }

    // MARK: How it ends

    /// Nothing happens any more; everybody syncs until no one has anything to say.
    func converge() throws {
        proxy.calm(true)
        for round in 1...15 {
            var isQuiet = true
            for device in devices {
                var result = try device.computer.run(["sync"], together: true)
                if result.status == 77 {
                    try logIn(device)
                    result = try device.computer.run(["sync"], together: true)
                }
                if result.output != "Up to date.\n" {
                    isQuiet = false
                    story.append("round \(round), \(device.name): \(result.output)")
                }
            }
            if isQuiet { return }
        }
        Issue.record("not quiet after 15 rounds")
    }

    /// Everything that is wrong; empty for a world in order.
    func problems() throws -> [String] {
        var problems: [String] = []
        var states: [String: Set<String>] = [:]
        for device in devices {
            let check = try device.computer.run(["db", "check"], together: true)
            if check.output != "No problems found.\n" {
                problems.append("\(device.name): \(check.output)")
            }
            let state = try expect(device, ["db", "rebuild"])
                .firstMatch(of: /State [0-9a-f]{64}/)
            states[device.person, default: []].insert(state.map { String($0.0) } ?? "none")
            let list = try expect(device, ["meal", "list", "--date", "2020-03-10", "--json"])
            var counts: [String: Int] = [:]
            for match in list.matches(of: /dish-\d+/) { counts[String(match.0), default: 0] += 1 }
            let lost = (confirmed[device.person] ?? []).subtracting(counts.keys)
            if !lost.isEmpty { problems.append("\(device.name) lost \(lost.sorted())") }
            let doubled = counts.filter { $0.value > 1 }.keys.sorted()
            if !doubled.isEmpty { problems.append("\(device.name) counts twice: \(doubled)") }
        }
        for (person, states) in states where states.count > 1 {
            problems.append("\(person)'s devices differ: \(states.sorted())")
        }
        return problems
    }

    func strike(_ kind: String, _ line: String? = nil) {
        struck[kind, default: 0] += 1
        story.append(line ?? kind)
    }
}
