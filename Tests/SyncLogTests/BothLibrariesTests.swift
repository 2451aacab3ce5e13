import Macrolog
import MacrologTestSupport
import SyncLog
import Testing

/// Goal: a file that imports both libraries can name what each offers. Method: it compiles.
@Suite struct BothLibrariesTests {
    @Test func `recording and conflicts are not ambiguous`() throws {
        let folder = ScratchFolder()
        let replica = try Replica.open(at: folder.file("log.db"))
        let meal = Meal(id: replica.newID(), on: try replica.localDate(), dishName: "Soup")
        try replica.record([.add(meal, today: try replica.today())])
        #expect(try replica.conflicts().isEmpty)
        #expect(try replica.allConflicts().isEmpty)
    }
}
