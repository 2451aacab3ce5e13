import MacrologEvents
import Foundation
import Macrolog
import MacrologNutrition
import Testing

/// Goal: a plan is shown as done where its meal is logged, whichever devices did and undid it.
/// Method: two replicas record apart and sync; the real program is asked on both files.
@Suite struct PlanTests {
    let day = Day(year: 2024, month: 3, day: 10) ?? .earliest

    /// What the program prints on the log of a replica, which must succeed.
    private func ask(_ device: Replica, _ words: String...) throws -> String {
        device.releaseFile()
        let computer = try Computer()
        computer.environment["MACROLOG_DB"] = device.path
        let result = try computer.run(words)
        #expect(result.status == 0, "\(words): \(result.errors)")
        return result.output
    }

    @Test func `a plan stays done when another device undoes the meal that it made of it, too`()
        throws
    {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        var plan = PlanEntry(id: phone.newID(), on: LocalDate(day: day), slot: "dinner")
        plan.name = "Chili"
        try phone.add(plan)
        try devices.sync(phone, laptop)
        let made = try phone.write { try $0.perform(plan.id) }
        try laptop.write { try $0.perform(plan.id) }
        try devices.sync(phone)
        // The laptop has not seen the phone's meal, and its undo is the last to write into the plan.
        try laptop.undo()
        try devices.sync(laptop, phone)
        for device in [phone, laptop] {
            #expect(try device.require(PlanEntry.self, plan.id).doneMealID == nil)
            #expect(try device.meal(made.meal) != nil)
            #expect(try ask(device, "plan", "show", "2024-03-10").contains(/Chili +done\n/))
            #expect(try !ask(device, "day", "show", "2024-03-10").contains("Plan "))
            let json = try ask(device, "plan", "show", "2024-03-10", "--json")
            #expect(json.contains("\"done\": true"), "\(json)")
            #expect(json.contains("\"done_meal_id\": \"\(made.meal)\""), "\(json)")
        }
        _ = try ask(phone, "meal", "delete", "\(made.meal)")
        #expect(try !ask(phone, "plan", "show", "2024-03-10").contains(/Chili +done/))
    }
}
