import MacrologJSON
import Testing

/// The acceptance tests of the domain that need two devices and a server, by their numbers, as a
/// person would try them: with the real programs.
@Suite struct AcceptanceDeviceTests {
    /// Two devices that know of one meal, and the end of its id.
    private func devices(adding words: String) throws -> (SyncedDevices, meal: String) {
        let two = try SyncedDevices()
        try two.run(two.phone, "add Soup \(words) --at 2026-03-10T12:00")
        try two.sync(two.phone, two.laptop)
        let list = try two.json(two.laptop, "meal list --date 2026-03-10")
        let id = try #require(list.array?.first?["id"]?.string)
        return (two, String(id.suffix(4)))
    }

    private func expectAgreement(_ two: SyncedDevices) throws {
        for device in [two.phone, two.laptop] {
            #expect(
                try two.run(device, "conflicts list")
                    == "No conflicts.\n")
        }
        #expect(try two.state(two.phone) == two.state(two.laptop))
    }

    private func day(_ two: SyncedDevices, _ device: Computer) throws -> JSON? {
        try two.json(device, "day show 2026-03-10")["totals"]?["sums"]
    }

    @Test(arguments: [true, false])
    func `4 different macros of one meal edited offline are both kept, of one macro the later wins`(
        phoneSyncsFirst: Bool
    ) throws {
        let (two, meal) = try devices(adding: "--kcal 400 --p 20 --c 60 --f 9")
        let order = phoneSyncsFirst ? [two.phone, two.laptop] : [two.laptop, two.phone]
        func sync() throws { for device in order + order { try two.run(device, "sync") } }

        try two.run(two.phone, "meal edit \(meal) --p 24")
        try two.run(two.laptop, "meal edit \(meal) --f 11")
        try sync()
        try expectAgreement(two)
        for device in order {
            let sums = try day(two, device)
            #expect(sums?["protein_g"] == 24 && sums?["fat_g"] == 11 && sums?["carbs_g"] == 60)
        }

        try two.run(two.laptop, "meal edit \(meal) --c 70")
        two.pause()
        try two.run(two.phone, "meal edit \(meal) --c 65")
        try sync()
        for device in order {
            #expect(try day(two, device)?["carbs_g"] == 65, "the phone's edit is the later one")
            let conflicts = try #require(try two.json(device, "conflicts list").array)
            #expect(conflicts.map { $0["cell"] } == ["carbs_g"])
            #expect(conflicts.first?["shown"]?["value"] == ["carbs_g": 65])
            #expect(
                conflicts.first?["lost"]?.array?.map { $0["value"] } == [["carbs_g": 70]])
        }
        #expect(try two.state(two.phone) == two.state(two.laptop))
    }

    @Test
    func
        `a day that two devices copy offline is copied once, and an edit of a copy is shown or listed`()
        throws
    {
        let (two, _) = try devices(adding: "--kcal 400")
        try two.run(two.phone, "copy day 2026-03-10 2026-03-12")
        let copy = try two.json(two.phone, "meal list --date 2026-03-12").array
        let id = String(try #require(copy?.first?["id"]?.string).suffix(4))
        try two.run(two.phone, "meal edit \(id) --kcal 450")
        two.pause()
        try two.run(two.laptop, "copy day 2026-03-10 2026-03-12")
        try two.sync(two.phone, two.laptop)
        for device in [two.phone, two.laptop] {
            #expect(try two.json(device, "meal list --date 2026-03-12").array?.count == 1)
            let conflicts = try #require(try two.json(device, "conflicts list").array)
            #expect(conflicts.first?["lost"]?.array?.map { $0["value"] } == [["energy_kcal": 450]])
        }
        // A copy that is known is left alone, with every edit; another one is made on demand.
        try two.run(two.phone, "meal edit \(id) --kcal 460")
        try two.sync(two.phone, two.laptop)
        #expect(
            try two.run(two.laptop, "copy day 2026-03-10 2026-03-12").contains("--again copies"))
        try two.sync(two.laptop, two.phone)
        let left = try two.json(two.phone, "meal list --date 2026-03-12").array
        #expect(
            left?.count == 1 && left?.first?["nutrients"]?["energy_kcal"] == 460, "\(left ?? [])")
        try two.run(two.laptop, "copy day 2026-03-10 2026-03-12 --again")
        #expect(try two.json(two.laptop, "meal list --date 2026-03-12").array?.count == 2)
        // One that was undone does not stand in the way of the next.
        try two.run(two.laptop, "undo")
        try two.run(two.laptop, "meal delete \(id)")
        try two.run(two.laptop, "copy day 2026-03-10 2026-03-12")
        #expect(try two.json(two.laptop, "meal list --date 2026-03-12").array?.count == 1)
    }

    @Test func `two devices copy a day offline of different items: two meals, neither with both`()
        throws
    {
        let (two, meal) = try devices(adding: "--kcal 0")
        try two.run(two.phone, "item add \(meal) Quinoa --grams 100 --kcal 300")
        try two.run(two.phone, "copy day 2026-03-10 2026-03-12")
        two.pause()
        try two.run(two.laptop, "item add \(meal) Rice --grams 100 --kcal 200")
        try two.run(two.laptop, "copy day 2026-03-10 2026-03-12")
        try two.sync(two.phone, two.laptop)
        for device in [two.phone, two.laptop] {
            let copies = try #require(
                try two.json(device, "meal list --date 2026-03-12").array)
            let items = copies.map { $0["items"]?.array?.compactMap { $0["name"]?.string } ?? [] }
            #expect(items.count == 2 && Set(items) == [["Quinoa"], ["Rice"]], "\(items)")
        }
    }

    /// A delete is only what its device had seen: an edit it had not seen survives it, also when the
    /// delete is undone before anybody heard of it.
    @Test(arguments: [true, false], [true, false])
    func `5 delete on one device, edit on the other, undo on the first: the edited meal`(
        undoesBeforeSync: Bool, phoneSyncsFirst: Bool
    ) throws {
        let (two, meal) = try devices(adding: "--kcal 400")
        let order = phoneSyncsFirst ? [two.phone, two.laptop] : [two.laptop, two.phone]
        func sync() throws { for device in order + order { try two.run(device, "sync") } }
        try two.run(two.phone, "meal delete \(meal)")
        #expect(try day(two, two.phone)?["energy_kcal"] == .null)
        try two.run(two.laptop, "meal edit \(meal) --kcal 450")
        if !undoesBeforeSync {
            try sync()
            for device in order { #expect(try day(two, device)?["energy_kcal"] == 450) }
            #expect(try two.run(two.laptop, "conflicts list").contains(": existence"))
        }
        #expect(try two.run(two.phone, "undo").hasPrefix("Undid: deletion of "))
        try sync()
        for device in order { #expect(try day(two, device)?["energy_kcal"] == 450) }
        if undoesBeforeSync { try expectAgreement(two) }
        #expect(try two.state(two.phone) == two.state(two.laptop))
    }

    @Test(arguments: [true, false], [true, false])
    func `6 consumed twice, unconsumed once concurrently: the later counts, and once`(
        unconsumesLast: Bool, phoneSyncsFirst: Bool
    ) throws {
        let (two, meal) = try devices(adding: "--kcal 400 --not-consumed")
        let order = phoneSyncsFirst ? [two.phone, two.laptop] : [two.laptop, two.phone]
        func consumeOnPhone() throws { try two.run(two.phone, "meal consume \(meal)") }
        if unconsumesLast {
            try consumeOnPhone()
            two.pause()
        }
        try two.run(two.laptop, "meal consume \(meal)")
        try two.run(two.laptop, "meal unconsume \(meal)")
        if !unconsumesLast {
            two.pause()
            try consumeOnPhone()
        }
        for device in order + order { try two.run(device, "sync") }
        for device in order {
            let sums = try day(two, device)
            #expect(sums?["energy_kcal"] == (unconsumesLast ? .null : 400))
            let conflicts = try #require(try two.json(device, "conflicts list").array)
            let consumed = try #require(conflicts.first { $0["cell"] == "consumed" })
            #expect(consumed["shown"]?["value"] == ["consumed": .bool(!unconsumesLast)])
            #expect(
                consumed["lost"]?.array?.map { $0["value"] } == [
                    ["consumed": .bool(unconsumesLast)]
                ])
        }
        #expect(try two.state(two.phone) == two.state(two.laptop))
    }
}
