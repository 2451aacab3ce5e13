import Foundation
import MacrologSimulation
import MacrologTestSupport
import Testing

/// What a world has programs do, and what happens to these.
extension ChaosWorld {
    func logIn(_ device: Device) throws {
        try expect(
            device, ["auth", "login", "\(device.person)@example.org", "--device", device.name])
    }

    @discardableResult
    func expect(_ device: Device, _ words: [String]) throws -> String {
        let options = words[0] == "auth" ? ["--password-stdin"] : []
        let result = try device.computer.run(
            words + options, input: Self.password, together: true)
        #expect(
            result.status == 0, "\(device.name): \(words.joined(separator: " ")): \(result.output)")
        return result.output
    }

    func start(_ index: Int, _ words: [String]) throws -> Process {
        let process = Process()
        let program = try BuiltProgram.url("macrolog")
        process.executableURL = program
        process.arguments = words
        process.environment = devices[index].computer.environment
        process.currentDirectoryURL = devices[index].computer.folder
        FakeClock.set(devices[index].computer.clock, for: process)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// - Returns: The exit code; `nil` for a program that was killed before it ended.
    func program(_ index: Int, _ words: [String], isKilled: Bool) throws -> Int32? {
        let process = try start(index, words)
        if isKilled {
            // A real process, met somewhere in the middle of its work.
            usleep(UInt32(dice.roll(1_000...60_000)))
            FakeClock.send(SIGKILL, to: process)
        }
        process.waitUntilExit()
        // Any client that watches over a program that is killed ends with 1, which no program of ours does.
        guard process.terminationReason == .uncaughtSignal || process.terminationStatus == 1 else {
            return process.terminationStatus
        }
        try #require(isKilled, "no one has killed \(words)")
        strike("device killed")
        return nil
    }

    /// A program stands still wherever it is, while the world continues, and then continues as well.
    func freezeDevice(_ index: Int) throws {
        let process = try start(index, ["sync"])
        // A real process, met somewhere in the middle of its work.
        usleep(UInt32(dice.roll(1_000...40_000)))
        let others = devices.indices.filter { $0 != index }
        let other = others[Int(dice.roll(0...Int64(others.count - 1)))]
        let losesPower = dice.percent(30)
        if process.isRunning {
            strike("device frozen", "\(devices[index].name) is frozen")
            FakeClock.send(SIGSTOP, to: process)
        }
        try sync(other)
        if losesPower { try loseServerPower() }
        FakeClock.send(SIGCONT, to: process)
        process.waitUntilExit()
    }

    /// A device's clock is years wrong, or days, from now on.
    func setClockWrong(_ index: Int) {
        let offset = ["+4y", "-4y", "+40d", "-3d"][Int(dice.roll(0...3))]
        guard FakeClock.program != nil else { return }
        strike(
            offset.hasPrefix("+") ? "clock ahead" : "clock after",
            "\(devices[index].name)'s clock is wrong by \(offset)")
        devices[index].computer.clock = offset
    }

    func setClockRight() {
        let wrong = devices.filter { $0.computer.clock != nil }
        guard let device = wrong.randomElement(using: &dice) else { return }
        strike("clock put right", "\(device.name)'s clock is right again")
        device.computer.clock = nil
    }
}
