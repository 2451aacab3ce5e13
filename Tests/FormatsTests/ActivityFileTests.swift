import MacrologEvents
import MacrologFormats
import Testing

/// Goal: energy that was burned is never taken for energy that was eaten without a word about it.
/// Method: files of activity as trackers write them, a diary with a column of steps, and a real file.
@Suite struct ActivityFileTests {
    @Test(arguments: [
        "ActivityDate,TotalSteps,VeryActiveMinutes,Calories", "Date,Calories Burned,Steps,Floors",
        "Date,Energy (kcal),Steps,Distance", "Datum,Kalorien,Schritte,Distanz",
    ])
    func `a file of activity is refused as one`(titles: String) {
        let error = #expect(throws: ImportError.self) {
            try World.file("\(titles)\n2026-11-24,1985,7,25\n")
        }
        #expect(error?.problem.hasPrefix("this is a file of activity, not of meals") == true)
        #expect(error?.description.contains("burned, not eaten") == true)
    }

    @Test(.enabled(if: RealFile.activity != nil, RealFile.absent))
    func `a real file of activity is refused, and its energy is asked about if it is mapped`()
        throws
    {
        let text = try #require(RealFile.activity)
        let error = #expect(throws: ImportError.self) { try World.file(text) }
        #expect(error?.problem.contains("TotalSteps") == true, "\(String(describing: error))")
        let notices = try World().run(text, "date=ActivityDate,energy=Calories").summary.notices
        #expect(
            notices.contains {
                $0.hasSuffix("make sure that Calories was eaten, not burned")
            }, "\(notices)")
    }

    @Test func `a diary that also has steps comes in, with a word about them`() throws {
        let (summary, _) = try World().run("Date,Food,Energy (kcal),Steps\n2026-11-24,A,300,9\n")
        #expect(summary.new == 1)
        #expect(
            summary.notices.contains(
                "the file also has Steps: make sure that Energy (kcal) was eaten, not burned"))
    }

    @Test func `a diary without such columns is not asked about`() throws {
        let (summary, _) = try World().run("Date,Food,Energy (kcal)\n2026-11-24,A,300\n")
        #expect(summary.notices.isEmpty)
    }
}
