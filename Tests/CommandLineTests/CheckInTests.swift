import Foundation
import Macrolog
import Testing

/// Goal: once a day a person says how they slept and feel, and each line changes only what it names.
/// Method: the real program, with its own log in each test.
@Suite struct CheckInTests: TypingSuite {
    let computer: Computer

    init() throws { computer = try Computer() }

    @Test func `a check-in is logged, changed, cleared and shown with its day`() throws {
        try type(
            "checkin log --sleep 7h30 --hrv 62 --soreness 2 --energy 4 --stress 2 --date 2026-10-01"
        )
        try type("checkin log --stress 3 --resting 54 --note 'Late train' --date 2026-10-01")
        let line =
            "slept 7 h 30 min, HRV 62 ms, 54 bpm at rest, soreness 2, energy 4, stress 3, Late train"
        let whole = try type("checkin show --date 2026-10-01")
        #expect(whole.replacing("\n  ", with: " ").contains(line), "\(whole)")
        let screen = try type("day show 2026-10-01")
        #expect(screen.contains("Check-in slept 7 h 30 min, HRV 62 ms"), "\(screen)")
        let shown = try json("checkin show --date 2026-10-01")
        #expect(shown["sleep_min"] as? Int == 450 && shown["hrv_ms"] as? Int == 62)
        #expect(try json("day show 2026-10-01")["check_in"] as? NSDictionary == shown)
        try type("checkin log --hrv n/a --note '' --date 2026-10-01")
        let cleared = try type("checkin show --date 2026-10-01")
        #expect(!cleared.contains("HRV") && !cleared.contains("train"), "\(cleared)")
        let again = try type("checkin log --stress 3 --date 2026-10-01")
        #expect(again == "Nothing changed.\n")
    }

    @Test func `check-ins are listed, deleted, restored and undone`() throws {
        try type("checkin log --sleep 8h --date 2026-10-01")
        try type("checkin log --sleep 390min --hrv 58.4 --date 2026-10-02")
        let list = try type("checkin list --date 2026-10-02")
        #expect(list.contains("2026-10-01") && list.contains("58.4 ms"), "\(list)")
        let id = try #require(try json("checkin show --date 2026-10-02")["id"] as? String)
        try type("checkin delete \(id)")
        #expect(try type("checkin show --date 2026-10-02").contains("No check-in on 2026-10-02"))
        try type("checkin restore \(id)")
        #expect(try type("checkin history \(id)").contains("check_in.restored"))
        try type("undo")
        // What is logged again has nothing of what was deleted.
        let again = try type("checkin log --energy 5 --date 2026-10-02")
        #expect(again.contains("energy 5") && !again.contains("slept"), "\(again)")
        try type("undo")
        #expect(try type("checkin show --date 2026-10-02").contains("No check-in on 2026-10-02"))
    }

    @Test func `what is out of bounds or missing is refused`() throws {
        for (words, status) in [
            ("checkin log", 64), ("checkin log --soreness 6", 64), ("checkin log --hrv 0.5", 64),
            ("checkin log --sleep 25h", 65), ("checkin log --sleep 7h60", 64),
        ] as [(String, Int32)] {
            let result = try computer.run(Transcript.words("macrolog " + words))
            #expect(result.status == status, "\(words): \(result)")
        }
        #expect(try type("checkin list") == "No check-ins in this period.\n")
    }
}
