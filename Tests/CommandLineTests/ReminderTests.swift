import Foundation
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: cron can pass on what `reminders due` prints: each time once, nothing that is logged, nothing
/// lost on days when the clocks change.
/// Method: the real program, asked at moments that the test chooses.
@Suite struct ReminderTests {
    private func run(_ words: String, on computer: Computer) throws -> String {
        let result = try computer.run(Transcript.words("macrolog " + words))
        #expect(result.status == 0, "\(words): \(result.errors)")
        return result.output
    }

    @Test func `a reminder comes once, and not when its thing is logged`() throws {
        let computer = try Computer()
        _ = try run("reminder add meal 12:30", on: computer)
        #expect(try run("reminders due --at 2026-03-10T12:00", on: computer) == "")
        #expect(
            try run("reminders due --at 2026-03-10T12:35", on: computer)
                == "12:30  Nothing is logged for Lunch yet.\n")
        #expect(try run("reminders due --at 2026-03-10T12:40", on: computer) == "")
        _ = try run("add Soup --kcal 400 --at 2026-03-11T12:10", on: computer)
        #expect(try run("reminders due --at 2026-03-11T12:35", on: computer) == "")
        _ = try run("add Soup --kcal 400 --not-consumed --at 2026-03-12T12:10", on: computer)
        #expect(try run("reminders due --at 2026-03-12T12:35", on: computer).contains("Lunch"))
        _ = try run("day skip 2026-03-13", on: computer)
        #expect(try run("reminders due --at 2026-03-13T12:35", on: computer) == "")
    }

    @Test func `a reminder of yesterday says so, as today's weight may be there`() throws {
        let computer = try Computer()
        _ = try run("reminder add weight 07:00", on: computer)
        #expect(try run("reminders due --at 2026-03-10T06:00", on: computer) == "")
        _ = try run("weight log 80kg --at 2026-03-11T06:50", on: computer)
        #expect(
            try run("reminders due --at 2026-03-11T07:30", on: computer)
                == "2026-03-10 07:00  The weight of the day is not logged yet.\n")
        #expect(
            try run("reminders due --at 2026-03-12T07:30", on: computer)
                == "07:00  The weight of the day is not logged yet.\n")
    }

    @Test func `each kind knows when it is done`() throws {
        let computer = try Computer()
        for kind in ["weight", "water", "fast", "goal"] {
            _ = try run("reminder add \(kind) 20:00", on: computer)
        }
        func due(_ day: Int) throws -> Int {
            try run("reminders due --now --at 2026-03-\(day)T20:00", on: computer)
                .split(separator: "\n").count
        }
        #expect(try due(10) == 4)
        _ = try run("weight log 80kg --date 2026-03-10", on: computer)
        #expect(try due(10) == 3)
        _ = try run("goal set --kcal 2000 --water 2l --date 2026-03-10", on: computer)
        _ = try run("water add 1500ml --at 2026-03-10T10:00", on: computer)
        #expect(try due(10) == 3, "a part of the target is not enough")
        _ = try run("water add 500ml --at 2026-03-10T11:00", on: computer)
        #expect(try due(10) == 2)
        _ = try run("day complete 2026-03-10", on: computer)
        #expect(try due(10) == 1)
        _ = try run("fast start --at 2026-03-10T19:00", on: computer)
        #expect(try due(10) == 0)
        #expect(try computer.run(["reminders", "due", "--now", "--exit-code"]).status == 75)
    }

    @Test func `weekdays, switched off, and always`() throws {
        let computer = try Computer()
        let added = try JSON.parse(
            Array(try run("reminder add meal 12:30 --days weekend --json", on: computer).utf8))
        guard case .string(let id)? = added["id"] else { return }
        // 2026-03-13 is a Friday.
        func due(_ day: Int) throws -> Bool {
            try !run("reminders due --now --at 2026-03-\(day)T12:30", on: computer).isEmpty
        }
        #expect(try !due(13))
        #expect(try due(14))
        _ = try run("add Soup --kcal 400 --at 2026-03-14T12:00", on: computer)
        #expect(try !due(14))
        _ = try run("reminder edit \(id) --always", on: computer)
        #expect(try due(14))
        _ = try run("reminder edit \(id) --off", on: computer)
        #expect(try !due(14))
        _ = try run("reminder edit \(id) --on --days mon,fri --if-missing", on: computer)
        #expect(try due(13) && !due(14))
        _ = try run("reminder delete \(id)", on: computer)
        #expect(try !due(13))
        #expect(try run("reminder list", on: computer).contains("No reminders yet"))
        _ = try run("undo", on: computer)
        #expect(try due(13))
    }

    @Test func `a time that is skipped comes when the clocks have sprung`() throws {
        let computer = try Computer()
        computer.environment["TZ"] = "America/New_York"
        _ = try run("reminder add weight 02:30", on: computer)
        #expect(try run("reminders due --at 2026-03-08T01:55", on: computer) == "")
        #expect(
            try run("reminders due --at 2026-03-08T03:00", on: computer)
                == "02:30  The weight of the day is not logged yet.\n")
        #expect(try run("reminders due --at 2026-03-08T03:05", on: computer) == "")
    }

    @Test func `a time that comes twice is due once`() throws {
        let computer = try Computer()
        computer.environment["TZ"] = "America/New_York"
        _ = try run("reminder add weight 01:30", on: computer)
        #expect(try run("reminders due --at 2026-11-01T01:00-04:00", on: computer) == "")
        #expect(try run("reminders due --at 2026-11-01T01:35-04:00", on: computer) != "")
        for minute in ["05", "30", "35", "59"] {
            #expect(try run("reminders due --at 2026-11-01T01:\(minute)-05:00", on: computer) == "")
        }
        #expect(try run("reminders due --at 2026-11-02T01:35", on: computer) != "")
    }

    @Test func `what could not be printed is said again`() throws {
        let computer = try Computer()
        _ = try run("reminder add weight 07:00", on: computer)
        #expect(try run("reminders due --at 2026-03-10T06:55", on: computer) == "")
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        let program = try BuiltProgram.url("macrolog")
        let process = Process()
        process.executableURL = program
        process.arguments = ["reminders", "due", "--at", "2026-03-10T07:05"]
        process.environment = computer.environment
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 74)
        #expect(try run("reminders due --at 2026-03-10T07:10", on: computer) != "")
    }
}
