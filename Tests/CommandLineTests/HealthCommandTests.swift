import Foundation
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: a person brings in what a phone counted with one command, sees it, and can take it back.
/// Method: the real program, with an invented export.
@Suite struct HealthCommandTests {
    private static let export = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!ELEMENT HealthData (Record*)>
        ]>
        <HealthData>
        <Record type="HKQuantityTypeIdentifierStepCount" sourceName="iPhone" unit="count" \
        startDate="2024-03-10 08:00:00 +0100" value="8000"/>
        <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Watch" unit="count" \
        startDate="2024-03-10 08:00:00 +0100" value="8400"/>
        <Record type="HKQuantityTypeIdentifierBodyMass" sourceName="Scale" unit="kg" \
        startDate="2024-03-10 07:00:00 +0100" value="70.2"/>
        </HealthData>

        """

    @Test func `an export comes in once, and one undo takes it back`() throws {
        let computer = try Computer()
        try Self.export.write(
            to: computer.folder.appending(path: "export.xml"), atomically: true, encoding: .utf8)
        func run(_ words: String) throws -> (status: Int32, output: String, errors: String) {
            let result = try computer.run(Transcript.words("macrolog " + words))
            return (result.status, result.output, result.errors)
        }
        let dry = try run("import apple-health export.xml --dry-run")
        #expect(dry.status == 0 && dry.output.contains("Would import days: 1 new"), "\(dry)")
        #expect(dry.output.contains("weight 70.2 kg"), "\(dry)")
        #expect(try run("steps --date 2024-03-10").output.hasPrefix("No steps"))
        let done = try run("import apple-health export.xml")
        #expect(done.status == 0 && done.output.contains("Imported weigh-ins: 1 new"), "\(done)")
        #expect(done.errors.contains("1 day was counted by several sources"), "\(done)")
        #expect(try run("steps --date 2024-03-10").output.hasPrefix("8,400 steps on"))
        #expect(try run("weight list --date 2024-03-10").output.contains("70.2"))
        let again = try run("import apple-health export.xml --json")
        let imports = try JSON.parse(Array(again.output.utf8))["imports"]?.array ?? []
        #expect(imports.map { $0["rows_same"] } == [1, 1], "\(again)")
        #expect(try run("undo").status == 0)
        #expect(try run("steps --date 2024-03-10").output.hasPrefix("No steps"))
    }

    @Test func `a zip file and half a file are refused, with what to take`() throws {
        let computer = try Computer()
        for (name, text, words) in [
            ("export.zip", "PK\u{3}\u{4}", "take export.xml out of it"),
            ("half.xml", String(Self.export.prefix(400)), "ends in the middle"),
        ] {
            try text.write(
                to: computer.folder.appending(path: name), atomically: true, encoding: .utf8)
            let result = try computer.run(["import", "apple-health", name])
            #expect(result.status == 65 && result.errors.contains(words), "\(result)")
        }
    }
}
