import MacrologEvents
import MacrologWire
import MacrologNutrition
import MacrologReadModels
import Testing

extension CompactionTests {
    @Test
    func
        `additions, removals and restorations are given up as fields are, and merge as whole ones`()
        throws
    {
        var server = SyncServer()
        let (phone, laptop, tablet) = (try Device("a"), try Device("b"), try Device("c"))
        let tag = Value.text(
            "a tag that is long enough to be worth a skeleton in the place of its event, and more")
        func edit(_ device: Device, _ operation: CellOperation) throws {
            try device.record("meal.edited", .meal, id(1), [operation])
        }
        try live(phone, 1...1, edits: 0, with: &server)
        try edit(phone, .add(field: "tags", element: tag))
        for device in [phone, tablet] { try device.sync(&server) }
        // In its drawer the tablet has seen one addition, and nothing that followed.
        try edit(tablet, .remove(field: "tags", element: tag))
        try tablet.record("meal.deleted", .meal, id(1), [.delete])
        for operation in [
            .remove(field: "tags", element: tag), .add(field: "tags", element: tag), .delete,
            .restore,
        ] as [CellOperation] {
            try edit(phone, operation)
            try phone.sync(&server)
        }
        try laptop.sync(&server)
        #expect(try phone.store.compact(before: now(phone)).events >= 2)
        let skeletons = try bodies(phone).map { Skeleton.isSkeleton($0) }
        #expect(skeletons.prefix(4) == [false, true, true, false], "\(skeletons)")
        #expect(skeletons.last == false, "the restoration stands")
        for device in [tablet, phone, laptop] { try device.sync(&server) }
        let expected = try laptop.store.stateHash(touches: false)
        for device in [phone, tablet] {
            #expect(try device.store.stateHash(touches: false) == expected)
        }
        let state = try #require(try phone.store.state(of: EntityKey("meal", id(1))))
        #expect(state.members("tags") == [tag] && !state.isDeleted)
        try phone.store.rebuild()
        #expect(try phone.store.stateHash(touches: false) == expected)
    }
}
