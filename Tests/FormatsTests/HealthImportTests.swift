import MacrologEvents
import MacrologFormats
import MacrologLog
import Macrolog
import MacrologReadModels
import MacrologNutrition
import Testing

/// Goal: what a phone and a watch counted is in the log once, on the days on which it happened.
/// Method: an export with everything that is taken and much that is not, read in pieces of every size,
/// imported again, after edits, deletions and an undo, and cut off at every place.
@Suite struct HealthImportTests {
    /// As the Health app of iOS 17 writes it, with declarations that are not well formed.
    static let export = #"""
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!-- HealthKit Export Version: 13; it's [not] the "end" ]> -->
        <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout)*)>
        <!ATTLIST Record
          type CDATA #REQUIRED
          HKCharacteristicTypeIdentifierCardioFitnessMedicationsUse CDATA #REQUIRED
        >
        ]>
        <HealthData locale="en_CH">
         <ExportDate value="2026-11-19 09:00:00 +0100"/>
         <Me HKCharacteristicTypeIdentifierDateOfBirth="1990-05-17"/>
         <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Ana’s iPhone" device="&lt;&lt;HKDevice: 0x1&gt;, name:iPhone\#u{b}>" unit="count" startDate="2026-11-10 08:00:00 +0100" endDate="2026-11-10 08:10:00 +0100" value="3000"/>
         <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Ana’s Apple Watch" unit="count" startDate="2026-11-10 08:00:00 +0100" endDate="2026-11-10 08:10:00 +0100" value="3100"/>
         <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Ana’s Apple Watch" unit="count" startDate="2026-11-10 18:00:00 +0100" endDate="2026-11-10 18:10:00 +0100" value="2000">
          <MetadataEntry key="HKWasUserEntered" value="0"/>
         </Record>
         <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Ana’s iPhone" unit="count" startDate="2026-11-10 23:30:00 -0800" endDate="2026-11-10 23:40:00 -0800" value="50"/>
         <Record type="HKQuantityTypeIdentifierActiveEnergyBurned" sourceName="Ana’s Apple Watch" unit="Cal" startDate="2026-11-10 08:00:00 +0100" endDate="2026-11-10 08:01:00 +0100" value="250.5"/>
         <Record type="HKQuantityTypeIdentifierActiveEnergyBurned" sourceName="Ana’s Apple Watch" unit="kJ" startDate="2026-11-10 09:00:00 +0100" endDate="2026-11-10 09:01:00 +0100" value="418.4"/>
         <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Ana’s Apple Watch" unit="count/min" startDate="2026-11-10 09:00:00 +0100" endDate="2026-11-10 09:00:00 +0100" value="88"/>
         <Record type="HKQuantityTypeIdentifierRestingHeartRate" sourceName="Ana’s Apple Watch" unit="count/min" startDate="2026-11-10 00:03:00 +0100" endDate="2026-11-10 20:00:00 +0100" value="54"/>
         <Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" sourceName="Ana’s Apple Watch" unit="ms" startDate="2026-11-10 03:00:00 +0100" endDate="2026-11-10 03:01:00 +0100" value="40.5"/>
         <Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" sourceName="Ana’s Apple Watch" unit="ms" startDate="2026-11-10 05:00:00 +0100" endDate="2026-11-10 05:01:00 +0100" value="49.5"/>
         <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Ana’s iPhone" startDate="2026-11-09 22:00:00 +0100" endDate="2026-11-10 07:00:00 +0100" value="HKCategoryValueSleepAnalysisInBed"/>
         <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Ana’s Apple Watch" startDate="2026-11-09 22:30:00 +0100" endDate="2026-11-09 23:30:00 +0100" value="HKCategoryValueSleepAnalysisAsleepCore"/>
         <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Ana’s Apple Watch" startDate="2026-11-09 23:30:00 +0100" endDate="2026-11-09 23:45:00 +0100" value="HKCategoryValueSleepAnalysisAwake"/>
         <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Ana’s Apple Watch" startDate="2026-11-09 23:45:00 +0100" endDate="2026-11-10 05:45:00 +0100" value="HKCategoryValueSleepAnalysisAsleepREM"/>
         <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Ana’s Apple Watch" startDate="2026-11-10 05:15:00 +0100" endDate="2026-11-10 05:45:00 +0100" value="HKCategoryValueSleepAnalysisAsleepDeep"/>
         <Record type="HKQuantityTypeIdentifierBodyMass" sourceName="Scale &amp; Co" unit="kg" startDate="2026-11-10 07:00:00 +0100" endDate="2026-11-10 07:00:00 +0100" value="70.25"/>
         <Record type="HKQuantityTypeIdentifierBodyMass" sourceName="Other" unit="lb" startDate="2026-11-10 07:00:00 +0100" endDate="2026-11-10 07:00:00 +0100" value="154.9"/>
         <Record type="HKQuantityTypeIdentifierBodyMass" sourceName="Scale &amp; Co" unit="lb" startDate="2026-11-11 07:00:00 +0100" endDate="2026-11-11 07:00:00 +0100" value="154.3"/>
         <Correlation type="HKCorrelationTypeIdentifierFood" startDate="2026-11-10 07:00:00 +0100">
          <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Ana’s Apple Watch" unit="count" startDate="2026-11-10 18:00:00 +0100" endDate="2026-11-10 18:10:00 +0100" value="9000"/>
         </Correlation>
         <Workout workoutActivityType="HKWorkoutActivityTypeTraditionalStrengthTraining" duration="30.5" durationUnit="min" sourceName="Ana’s Apple Watch" startDate="2026-11-10 18:00:00 +0100" endDate="2026-11-10 18:40:00 +0100">
          <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" sum="0" unit="km"/>
          <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" sum="180" unit="Cal"/>
         </Workout>
         <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="20" durationUnit="min" totalEnergyBurned="836.8" totalEnergyBurnedUnit="kJ" sourceName="跑步" startDate="2026-11-11 18:00:00 +0100" endDate="2026-11-11 18:20:00 +0100"/>
         <![CDATA[<Record type="HKQuantityTypeIdentifierBodyMass"/>]]>
        </HealthData>

        """#

    let day = Day(year: 2026, month: 11, day: 10) ?? .earliest

    private static func file(
        _ text: String = export, pieces size: Int = 65_536, in world: World
    ) throws -> HealthImport {
        var rest = Array(text.utf8)[...]
        return try HealthImport(
            {
                defer { rest = rest.dropFirst(size) }
                return rest.isEmpty ? nil : Array(rest.prefix(size))
            }, preferences: try world.replica.preferences())
    }

    /// Imports, after a forecast that must come true.
    @discardableResult
    func run(
        _ world: World, _ text: String = export
    ) throws -> (told: [String: [String]], notices: [String]) {
        let file = try Self.file(text, in: world)
        let before = try world.replica.withStore { $0.log.lastSeq }
        let forecast = try file.plan(in: world.replica)
        #expect(try world.replica.withStore { $0.log.lastSeq } == before)
        let parts = try file.run(in: world.replica).parts
        #expect(parts.map(\.rows) == forecast.map(\.rows))
        return (
            Dictionary(uniqueKeysWithValues: parts.map { ($0.noun, $0.rows.map(word)) }),
            parts.flatMap(\.summary.notices)
        )
    }

    private func energyDay(_ world: World) throws -> EnergyDay? {
        try world.replica.entity(
            EnergyDay.self, Identities.energyDay(on: day, source: "apple-health"))
    }

    private func checkIn(_ world: World) throws -> CheckIn? {
        try world.replica.entity(CheckIn.self, Identities.checkIn(on: day))
    }

    private func workouts(_ world: World) throws -> [ActivityEntry] {
        try world.replica.entities(ActivityEntry.self, on: day...day.advanced(by: 1))
    }

    func weights(_ world: World) throws -> [WeighIn] {
        try world.replica.read { try $0.weighIns(on: day...day.advanced(by: 1)) }
    }

    @Test func `steps, energy, sleep, heart, weights and workouts come in on their own days`()
        throws
    {
        let world = try World()
        let (told, notices) = try run(world)
        #expect(told["days"] == ["new"] && told["check-ins"] == ["new"], "\(told)")
        #expect(told["weigh-ins"] == ["new", "new"] && told["workouts"] == ["new", "new"])
        // The watch counted 5,100 and the phone 3,050; the step at 23:30 in Los Angeles is of that day.
        let counted = try #require(try energyDay(world))
        #expect(counted.steps == 5_100 && counted.activeMillikilocalories == 350_500)
        #expect(notices.contains { $0.contains("1 day was counted by several sources") })
        #expect(notices.contains { $0.hasSuffix("1 left out") }, "\(notices)")
        // 60 and 360 minutes asleep; what overlaps counts once, and time in bed or awake not at all.
        let night = try #require(try checkIn(world))
        #expect(night.sleepMinutes == 420 && night.restingBeats == 54)
        #expect(night.variabilityMicroseconds == 45_000)
        #expect(try weights(world).map(\.grams).sorted() == [69_989, 70_250])
        #expect(try weights(world).allSatisfy { $0.source == .importer })
        let all = try workouts(world).sorted { $0.localDate.day < $1.localDate.day }
        #expect(all.map(\.name) == ["Traditional Strength Training", "Running"])
        #expect(all.map(\.energyMillikilocalories) == [180_000, 200_000])
        #expect(all.map(\.durationSeconds) == [1_830, 1_200])
        #expect(all.map(\.source) == ["ana-s-apple-watch", "source-591052"])
        #expect(all[0].localDate.offsetMinutes == 60 && all[1].type == "running")
        // A workout is part of the watch's day.
        let movement = try world.replica.read { try $0.movement(on: day) }
        #expect(movement.activeMillikilocalories == 350_500 && movement.steps == 5_100)
    }

    @Test func `importing again doubles nothing, and a later export corrects its days`() throws {
        let world = try World()
        try run(world)
        let hash = try world.replica.withStore { try $0.stateHash() }
        let again = try run(world).told
        #expect(again.values.allSatisfy { $0.allSatisfy { $0 == "same" } }, "\(again)")
        #expect(try world.replica.withStore { try $0.stateHash() } == hash)
        let later = Self.export.replacing("value=\"2000\"", with: "value=\"2400\"")
        #expect(try run(world, later).told["days"] == ["steps 5100 → 5500"])
        #expect(try energyDay(world)?.steps == 5_500)
        _ = try world.replica.undo()
        #expect(try energyDay(world)?.steps == 5_100)
    }

    @Test func `what a person noted, changed or deleted stays`() throws {
        let world = try World()
        var noted = CheckIn(on: day)
        (noted.sleepMinutes, noted.soreness) = (400, 2)
        _ = try world.replica.add(noted)
        #expect(try run(world).told["check-ins"]?.count == 1)
        let night = try #require(try checkIn(world))
        #expect(night.sleepMinutes == 400 && night.soreness == 2 && night.restingBeats == 54)
        let run1 = try #require(try workouts(world).first { $0.name == "Running" })
        var walk = run1
        walk.name = "Walk"
        _ = try world.replica.save(walk, since: run1)
        let weight = try #require(try weights(world).first)
        try world.replica.delete(WeighIn.self, weight.id)
        let told = try run(world).told
        #expect(told["weigh-ins"]?.sorted() == ["deleted", "same"])
        #expect(told["workouts"] == ["same", "same"] && told["check-ins"] == ["same"])
        #expect(try workouts(world).contains { $0.name == "Walk" })
    }

    @Test func `one undo reverses it, and it can be imported once more`() throws {
        let world = try World()
        try run(world)
        _ = try world.replica.undo()
        #expect(try energyDay(world) == nil && checkIn(world) == nil)
        #expect(try weights(world).isEmpty && workouts(world).isEmpty)
        let told = try run(world).told
        #expect(told.values.allSatisfy { $0.allSatisfy { $0 == "back" } }, "\(told)")
        #expect(try energyDay(world)?.steps == 5_100)
    }

    @Test(arguments: [1, 2, 7, 64, 1_000])
    func `pieces of any size say the same`(size: Int) throws {
        let world = try World()
        let whole = try Self.file(in: world).plan(in: world.replica)
        let parts = try Self.file(pieces: size, in: world).plan(in: world.replica)
        #expect(parts.map(\.rows) == whole.map(\.rows))
    }

    @Test func `a file that is cut off anywhere is refused, and nothing is written`() throws {
        let world = try World()
        let end = Self.export.utf8.count - "</HealthData>\n\n".utf8.count
        for length in stride(from: 1, to: end, by: 97) {
            let cut = String(decoding: Self.export.utf8.prefix(length), as: UTF8.self)
            #expect(throws: ImportError.self, "\(length) bytes") {
                try Self.file(cut, in: world)
            }
        }
        #expect(try world.replica.withStore { $0.log.lastSeq } == 0)
    }

    @Test(arguments: [
        ("PK\u{3}\u{4}", "zip file"), ("hello\n", "not XML"), ("", "not XML"),
        ("<ClinicalDocument/>", "not an export of Apple's Health app"),
        ("<HealthData>\n</Health>", "line 2"),
        ("<HealthData><Record type=x/></HealthData>", "line 1"),
        ("<HealthData><Record type=\"&lol;\"/></HealthData>", "not well formed"),
        ("<HealthData a=\"\(String(repeating: "x", count: 70_000))\"/>", "more than 65536 bytes"),
    ])
    func `what is no export is refused, with what to take`(text: String, words: String) throws {
        let world = try World()
        let error = #expect(throws: ImportError.self) { try Self.file(text, in: world) }
        #expect(error.map { "\($0)" }?.contains(words) == true, "\(error.map { "\($0)" } ?? "")")
        #expect(error?.hint?.isEmpty == false)
    }

    @Test func `the check-in of a day that is not over waits for a later export`() throws {
        let world = try World()
        let today = try world.replica.read { try $0.today() }
        func told(_ day: Day) throws -> [String]? {
            let text = """
                <HealthData><Record type="HKQuantityTypeIdentifierRestingHeartRate" sourceName="watch" \
                unit="count/min" startDate="\(day) 12:00:00 +0000" endDate="\(day) 12:01:00 +0000" value="54"/>
                </HealthData>
                """
            return try run(world, text).told["check-ins"]
        }
        #expect(try told(today) ?? [] == [])
        #expect(try told(today.advanced(by: -1)) == ["new"])
    }

    @Test func `a record that cannot be read is refused by its line, and many refuse the file`()
        throws
    {
        func text(_ count: Int) -> String {
            let record =
                #"<Record type="HKQuantityTypeIdentifierStepCount" startDate="11/10/26, 8:00 AM" value="3"/>"#
            let weight =
                #"<Record type="HKQuantityTypeIdentifierBodyMass" unit="kg" startDate="2026-11-10 07:00:00 +0100" value="1"/>"#
            let records = (0..<count).reduce("") { text, _ in text + record + "\n" }
            return "<HealthData>\n" + records + weight + "</HealthData>"
        }
        let world = try World()
        let told = try run(world, text(1)).told
        #expect(told["days"]?.first?.contains("line 2, startDate") == true, "\(told)")
        #expect(told["weigh-ins"]?.first?.contains("line 3") == true, "\(told)")
        let error = #expect(throws: ImportError.self) { try Self.file(text(1_001), in: world) }
        #expect(error.map { "\($0)" }?.contains("line 2") == true)
    }

    @Test func `14 of a long export nothing is held but its days, and nothing counts twice`() throws
    {
        let world = try World()
        // Each round: both count ten steps of one hour, and a correlation repeats those of the watch.
        let round = ["phone", "watch"].reduce("") { text, source in
            text + """
                <Record type="HKQuantityTypeIdentifierStepCount" sourceName="\(source)" unit="count" \
                startDate="2026-11-10 08:00:00 +0100" endDate="2026-11-10 09:00:00 +0100" value="10"/>
                <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="\(source)" unit="count/min" \
                startDate="2026-11-10 08:00:00 +0100" endDate="2026-11-10 08:00:00 +0100" value="70"/>
                <Correlation><Record type="HKQuantityTypeIdentifierStepCount" sourceName="watch" \
                startDate="2026-11-10 08:00:00 +0100" value="10"/></Correlation>

                """
        }
        let pieces = Array(repeating: round, count: 100).joined()
        var (count, most) = (0, 0)
        let file = try HealthImport(
            {
                count += 1
                switch count {
                case 1: return Array("<HealthData>".utf8)
                case 2...221: return Array(pieces.utf8)
                case 222: return Array("</HealthData>".utf8)
                default: return nil
                }
            }, preferences: try world.replica.preferences(), progress: { most = $0 })
        #expect(most > 20_000_000)
        let parts = try file.plan(in: world.replica)
        #expect(parts.map(\.rows.count) == [1])
        _ = try file.run(in: world.replica)
        #expect(try energyDay(world)?.steps == 220_000)
    }

    @Test func `a day that begins at four has what was counted before`() throws {
        let world = try World()
        var preferences = try world.replica.preferences()
        preferences.dayStartMinutes = 240
        _ = try world.replica.put(preferences)
        let text = """
            <HealthData><Record type="HKQuantityTypeIdentifierStepCount" unit="count" \
            startDate="2026-11-11 02:00:00 +0100" value="700"/></HealthData>
            """
        try run(world, text)
        #expect(try energyDay(world)?.steps == 700)
    }

    func record(_ type: String, _ start: String, _ end: String, _ rest: String) -> String {
        """
        <Record type="\(type)" sourceName="Scale" startDate="\(start) +0100" endDate="\(end) +0100" \(rest)/>

        """
    }

    @Test(arguments: [
        ("TraditionalStrengthTraining", "traditional_strength"),
        ("HighIntensityIntervalTraining", "high_intensity_interval"),
        ("PreparationAndRecovery", "preparation_and_recovery"), ("Yoga", "yoga"),
    ])
    func `the name of a workout's type is shortened by whole words`(name: String, type: String)
        throws
    {
        let world = try World()
        try run(
            world,
            """
            <HealthData><Workout workoutActivityType="HKWorkoutActivityType\(name)" duration="20" \
            durationUnit="min" sourceName="Watch" startDate="2026-11-10 18:00:00 +0100" \
            endDate="2026-11-10 18:20:00 +0100"/></HealthData>
            """)
        let workout = try #require(try workouts(world).first)
        #expect(workout.type?.string == type)
    }

    @Test func `sleep that ends at six in the evening or later is that of the next day`() throws {
        let world = try World()
        func asleep(_ start: String, _ end: String) -> String {
            record(
                "HKCategoryTypeIdentifierSleepAnalysis", "2026-11-09 \(start)", "2026-11-09 \(end)",
                "value=\"HKCategoryValueSleepAnalysisAsleepCore\"")
        }
        try run(
            world,
            "<HealthData>" + asleep("16:00:00", "17:30:00") + asleep("17:30:00", "18:00:00")
                + "</HealthData>")
        #expect(try checkIn(world)?.sleepMinutes == 30)
        let before = Identities.checkIn(on: day.advanced(by: -1))
        #expect(try world.replica.entity(CheckIn.self, before)?.sleepMinutes == 90)
    }
}
